"""Results of `regard check`, kept beside the runs: a small file for each, the oldest removed."""

import json
import re
import secrets
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from regard.files import Damaged, Format, explained, write
from regard.lab.store.runs import Store

FOLDER, KEPT = "checks", 200
"Where they lie among the runs, and how many are kept."
CHECKED = Format("check", 1, "check the file again", fields=("when", "report"))
NAME = re.compile(r"[a-z0-9-]{1,64}")


def keep(store: Store, report: dict[str, Any]) -> str:
    """Write a report down; the id by which it is found again."""
    folder = store.root / FOLDER
    with explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
    now = datetime.now().astimezone()
    id = f"check-{now.strftime('%Y%m%d-%H%M%S%f')[:-3]}-{secrets.token_hex(3)}"
    # A report may hold NaN, for which JSON has no word that every reader takes.
    body = {"when": now.isoformat(timespec="seconds"), "report": json.loads(json.dumps(report, default=str))}
    write(folder / f"{id}.json", CHECKED.page(body))
    for old in kept(store)[KEPT:]:
        with suppress(OSError):
            old.unlink()
    return id


def kept(store: Store) -> list[Path]:
    """The files of all checks, the newest first."""
    found = [file for file in (store.root / FOLDER).glob("check-*.json") if NAME.fullmatch(file.stem)]
    return sorted(found, key=lambda file: file.name, reverse=True)


def read(file: Path) -> dict[str, Any] | None:
    """When it was, and the report; none where the file is damaged."""
    try:
        return CHECKED.read(file)
    except (Damaged, ValueError):
        return None
