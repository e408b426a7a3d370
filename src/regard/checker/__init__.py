"""Runs a person's own implementation and names what is wrong with it."""

from regard.checker.fix.search import Fix, fixes
from regard.checker.live import check
from regard.checker.report.page import page
from regard.checker.report.report import Report
from regard.checker.report.terminal import show
from regard.checker.report.verdict import Finding, Verdict
from regard.checker.selftest import selftest
from regard.checker.start import start
from regard.checker.survey import Candidate, survey, unreadable
from regard.checker.wishes import mapping

__all__ = [
    "Candidate",
    "Finding",
    "Fix",
    "Report",
    "Verdict",
    "check",
    "fixes",
    "mapping",
    "page",
    "selftest",
    "show",
    "start",
    "survey",
    "unreadable",
]
