"""Pictures of one's own as a setting of an experiment: a folder with one folder in it for each class."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from regard.lab.ranges import OwnPath


@dataclass(frozen=True, kw_only=True)
class OwnPictures:
    """The setting by which a person brings pictures."""

    folder: Annotated[Path | None, OwnPath("folder")] = None
    "A folder of pictures of your own (PNG, JPEG, …) in place of the original ones, with one folder in it for each class."
