"""Refusals over HTTP: three lines and a status code, as a document."""

from regard.errors import RegardError


class Refusal(RegardError):
    """A request that is not granted: what, got and fix, with the status of the answer.

    >>> Refusal(404, "no run of that id", "'x'", "reload the list").document()["what"]
    'no run of that id'
    """

    def __init__(self, status: int, what: str, got: str, fix: str) -> None:
        super().__init__(what, got, fix)
        self.status = status

    def __reduce__(self) -> tuple[type["Refusal"], tuple[int, str, str, str]]:  # type: ignore[override]
        return type(self), (self.status, self.what, self.got, self.fix)

    def document(self) -> dict[str, object]:
        """The refusal as the browser is given it."""
        return error_document(self.what, self.got, self.fix)


def error_document(what: str, got: str, fix: str) -> dict[str, object]:
    """Three lines as a document; what was got may be long, and is cut."""
    return {"kind": "error", "version": 1, "what": what[:500], "got": got[:500], "fix": fix[:500]}
