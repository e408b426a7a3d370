"""`regard start`: a file to fill in, with the contract in its docstring."""

from pathlib import Path

from regard import files
from regard.checker.contracts.table import named
from regard.errors import RegardError


def start(contract: str, folder: Path = Path()) -> Path:
    """Write the stub of a contract; what is there already is never overwritten.

    >>> import tempfile
    >>> start("rms-norm", Path(tempfile.mkdtemp())).name
    'rms_norm.py'
    """
    found = named(contract)
    path = Path(folder) / found.file
    if path.exists():
        raise RegardError(
            "a file of that name is there already", str(path), "move it away, or choose another folder"
        )
    if not path.parent.is_dir():
        raise RegardError("there is no such folder", str(path.parent), "make it first")
    files.write(path, f"# regard: strict\n{found.stub}")
    return path
