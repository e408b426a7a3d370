"""Runs a person's own implementation and names what is wrong with it."""

from regard.checker.check import check
from regard.checker.live import inspect_live
from regard.checker.page import page
from regard.checker.selftest import selftest
from regard.checker.start import start
from regard.checker.verdict import Finding, Report, Verdict

__all__ = ["Finding", "Report", "Verdict", "check", "inspect_live", "page", "selftest", "start"]
