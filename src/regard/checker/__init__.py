"""Runs a person's own implementation and names what is wrong with it."""

from regard.checker.live import check
from regard.checker.page import page
from regard.checker.selftest import selftest
from regard.checker.start import start
from regard.checker.target import mapping
from regard.checker.terminal import show, text
from regard.checker.verdict import Finding, Report, Verdict

__all__ = ["Finding", "Report", "Verdict", "check", "mapping", "page", "selftest", "show", "start", "text"]
