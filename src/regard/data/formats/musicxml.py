"""Scores in MusicXML, plain or zipped: read as a stream, without entities or anything from outside."""

import io
import re
import zipfile
import zlib
from fractions import Fraction
from xml.parsers import expat

from regard.data.formats.notes import FINEST, Notes, Sheet, Unreadable
from regard.errors import RegardError

SEMITONES = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}
WORDS = {"step", "alter", "octave", "duration", "voice", "divisions"}
SIGNS = {"chord", "grace", "rest", "cue", "unpitched"}
LARGEST = 64 * 2**20
"Bytes that a score may unpack to."
ROOT = re.compile(rb'<rootfile\s[^>]*full-path="([^"]+)"')
NUMBER = re.compile(r"-?\d{1,9}(\.\d{1,6})?")


def read_musicxml(content: bytes) -> Notes:
    """The notes of a score, part by part; grace and cue notes are left out, repeats are read once.

    Document types may be named, as every score does, but none is fetched; a score that declares entities of
    its own is refused, since they can be made to grow without bound or to name files.
    """
    reader = _Reader()
    try:
        text = _unpacked(content) if content.startswith(b"PK") else content
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.EntityDeclHandler = _refuse_entity
        parser.StartElementHandler = reader.start
        parser.EndElementHandler = reader.end
        parser.CharacterDataHandler = reader.characters
        parser.Parse(text, True)
    except Unreadable as reason:
        raise _refused(str(reason)) from None
    # The standard library lets these through when the bytes or the encoding they name are damaged.
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise _refused(f"{type(error).__name__}: {error}") from error
    return reader.sheet.notes()


class _Reader:
    """Keeps the few elements that say which note sounds when."""

    def __init__(self) -> None:
        self.sheet = Sheet()
        self.part = self.depth = 0
        self.divisions: Fraction | None = None
        self.now = self.before = self.reach = Fraction(0)
        self.note: dict[str, str] | None = None
        "What is known of the note, backup or forward that is open."
        self.word: list[str] | None = None

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if self.depth == 0 and name != "score-partwise":
            raise Unreadable(f"<{name[:40]}> instead of <score-partwise>")
        self.depth += 1
        if name == "part":
            self.part += 1
            self.divisions, self.now, self.before, self.reach = None, Fraction(0), Fraction(0), Fraction(0)
        elif name in ("note", "backup", "forward"):
            self.note = {}
        elif name in WORDS:
            self.word = []
        elif self.note is not None and name in SIGNS:
            self.note[name] = ""
        elif self.note is not None and name in ("tie", "tied"):
            # One is for what sounds, the other for what is drawn; some editors write only the second.
            self.note["tie " + attributes.get("type", "")] = ""

    def characters(self, text: str) -> None:
        if self.word is not None:
            self.word.append(text)

    def end(self, name: str) -> None:
        self.depth -= 1
        if name in WORDS and self.word is not None:
            self._keep(name, "".join(self.word).strip())
            self.word = None
        elif name == "measure":
            # A voice that was written last may end before another does.
            self.now = self.reach
        elif self.note is not None and name in ("note", "backup", "forward"):
            self._close(name, self.note)
            self.note = None

    def _keep(self, name: str, text: str) -> None:
        if name == "divisions":
            self.divisions = _number(text)
            if not self.divisions > 0:
                raise Unreadable(f"{text[:40]!r} divisions of a quarter note")
        elif self.note is not None:
            self.note[name] = text

    def _close(self, name: str, note: dict[str, str]) -> None:
        if "grace" in note:
            return
        length = self._length(note.get("duration"))
        if name == "note" and "chord" in note:
            onset = self.before
        else:
            onset = self.before = self.now
            self.now += -length if name == "backup" else length
        if self.now < 0 or self.now.denominator > FINEST:
            raise Unreadable("time that goes back before the beginning, or is cut too fine")
        self.reach = max(self.reach, self.now)
        if name == "note" and not note.keys() & {"rest", "cue", "unpitched"}:
            tied = ("tie stop" in note, "tie start" in note)
            voice = (self.part, note.get("voice", ""))
            self.sheet.add(voice, _pitch(note), onset, length, part=self.part, tied=tied)

    def _length(self, text: str | None) -> Fraction:
        if text is None or self.divisions is None:
            raise Unreadable("a note without a length, or before its part says how many divisions a beat has")
        length = _number(text) / self.divisions
        if length < 0:
            raise Unreadable(f"a note of length {text[:40]!r}")
        return length


def _number(text: str) -> Fraction:
    if not NUMBER.fullmatch(text):
        raise Unreadable(f"{text[:40]!r} where a number should be")
    return Fraction(text)


def _pitch(note: dict[str, str]) -> int:
    step, octave = note.get("step", ""), note.get("octave", "")
    if step not in SEMITONES or not re.fullmatch(r"\d", octave):
        raise Unreadable(f"a note called {step[:40]!r} in octave {octave[:40]!r}")
    return 12 * (int(octave) + 1) + SEMITONES[step] + round(_number(note.get("alter") or "0"))


def _unpacked(content: bytes) -> bytes:
    """The score inside a zipped one: the first that its table of contents names."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            named = ROOT.search(_member(archive, "META-INF/container.xml"))
            if not named:
                raise Unreadable("an archive that does not say which member is the score")
            return _member(archive, named[1].decode("utf-8"))
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError, NotImplementedError) as error:
        raise Unreadable(f"{type(error).__name__}: {error}") from error


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    with archive.open(name) as file:
        # It may be longer than the archive says.
        content = file.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise Unreadable(f"a member that unpacks to more than {LARGEST} bytes")
    return content


def _refuse_entity(name: str, *_: object) -> None:
    raise Unreadable(f"the entity {name[:40]!r} declared inside the score")


def _refused(got: str) -> RegardError:
    return RegardError(
        "this is no MusicXML score that can be read", got, "name a partwise score, as .xml, .musicxml or .mxl"
    )
