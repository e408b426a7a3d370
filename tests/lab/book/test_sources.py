"""The five assignments: one table, whose names every text uses."""

import ast
import re
from dataclasses import FrozenInstanceError, fields
from pathlib import Path

import pytest

from regard.errors import RegardError
from regard.lab import registry
from regard.lab.book.checklist import ITEMS
from regard.lab.book.sources import SOURCES, asked, find
from regard.theory import library

ROOT = Path(__file__).parents[3]
TEXTS = [
    ROOT / "README.md",
    ROOT / "DESIGN.md",
    *(path for path in (ROOT / "src").rglob("*") if path.suffix in (".py", ".md", ".html", ".cpp")),
]
NUMBERED = re.compile(r"documents?[ _]00\d", re.IGNORECASE)
INSTITUTION = re.compile(r"\b(duke|berkeley|jerusalem|amsterdam|toronto)(?!['’]s\b)\b *(\S*)", re.IGNORECASE)


def misspelt(text: str) -> list[str]:
    """Where a text names an institution in another way than the table does."""
    names = {one.word: one.name for one in SOURCES}
    return [
        found[0]
        for found in INSTITUTION.finditer(text)
        if not text[found.start() :].startswith(names[found[1].lower()])
    ]


def test_every_item_has_one_source_and_the_sources_stand_in_the_order_of_their_items() -> None:
    assert [item.number for source in SOURCES for item in source.items] == list(ITEMS)
    assert [len(source.items) for source in SOURCES] == [20, 22, 12, 22, 17]


def test_a_source_is_told_in_full_and_cannot_be_changed() -> None:
    for source in SOURCES:
        assert all(getattr(source, field.name) for field in fields(source))
        assert source.name.split()[0].lower() == source.word
    with pytest.raises(FrozenInstanceError):
        SOURCES[0].name = "Harvard HW3"  # type: ignore[misc]


def test_a_source_is_found_by_its_word_in_any_case() -> None:
    assert find("toronto") is find("Toronto") is SOURCES[4]


@pytest.mark.parametrize(
    ("word", "fix"),
    [("amsterdm", "did you mean 'amsterdam'?"), ("mit", "the courses are duke, berkeley, jerusalem, amsterdam, toronto")],
)  # fmt: skip
def test_another_word_gets_the_nearest_or_all(word: str, fix: str) -> None:
    with pytest.raises(RegardError) as caught:
        find(word)
    assert str(caught.value) == f"no course of that name\n  got: '{word}'\n  fix: {fix}"


def test_items_are_told_as_questions() -> None:
    told = {source.name: [one.question for one in found] for source, found in asked([93, 1, 2])}
    assert told == {"Duke HW3": ["1a", "1b"], "Toronto A4": ["4.2"]} and asked([]) == []


def test_no_text_numbers_the_assignments() -> None:
    assert len(TEXTS) > 200
    found = [
        str(path.relative_to(ROOT)) for path in TEXTS if NUMBERED.search(path.read_text(encoding="utf-8"))
    ]
    assert not found
    assert NUMBERED.search("as document 003 has it") and NUMBERED.search("documents 001, 3a")


def test_no_text_calls_an_assignment_the_document() -> None:
    """Packed documents, document types of XML and what a browser is sent are something else."""
    others = {"support.py", "musicxml.py"}
    browser = ("web", "documents")
    said = re.compile(r"\b(the|course) documents?\b", re.IGNORECASE)
    found = [
        path.name
        for path in TEXTS
        if path.name not in others
        and not set(browser) & set(path.parts)
        and said.search(path.read_text(encoding="utf-8"))
    ]
    assert not found


@pytest.mark.slow
def test_every_claim_and_theorem_names_its_source_as_the_table_does() -> None:
    claims = {claim.source for experiment in registry.everything() for claim in experiment.claims}
    corrections = {theorem.correction for theorem in library.everything()}
    named = [text for text in (*claims, *corrections) if INSTITUTION.search(text)]
    assert len(named) > 80
    assert not [(text, misspelt(text)) for text in named if misspelt(text)]
    assert (
        misspelt("Berkeley EECS 182, 3a")
        and misspelt("after Toronto, A4")
        and not misspelt("Jerusalem ex. 5, 2")
    )


@pytest.mark.slow
def test_every_string_of_an_experiment_names_its_sources_as_the_table_does() -> None:
    for path in (ROOT / "src" / "regard" / "experiments").rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        texts = [
            node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ]
        wrong = [found for text in texts if not text.islower() for found in misspelt(text)]
        assert not wrong, f"{path.name}: {wrong}"
