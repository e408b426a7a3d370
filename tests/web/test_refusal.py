"""Refusals are documents of three lines with a status."""

import pickle

from regard.errors import RegardError
from regard.web.refusal import Refusal, error_document


def test_a_refusal_is_a_regard_error_with_a_status() -> None:
    found = Refusal(404, "no run", "'x'", "reload")
    assert isinstance(found, RegardError) and str(found) == "no run\n  got: 'x'\n  fix: reload"
    assert found.document() == {
        "kind": "error",
        "version": 1,
        "what": "no run",
        "got": "'x'",
        "fix": "reload",
    }
    again = pickle.loads(pickle.dumps(found))
    assert (again.status, again.what) == (404, "no run")


def test_what_was_got_is_cut() -> None:
    assert len(str(error_document("a", "x" * 10_000, "b")["got"])) == 500
