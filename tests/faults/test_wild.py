"""The rows of public files are well formed; the code itself is not here."""

import re
from collections import Counter
from pathlib import Path

from regard.checker.contracts.table import CONTRACTS
from wild import HERE, filled, rows


def test_every_row_names_a_contract_and_what_is_true() -> None:
    known = {contract.name for contract in CONTRACTS}
    for row in rows():
        assert row["contract"] in known
        assert row["true"] in ("correct", "mistake", "undecided")
        assert "/" in row["repository"] and ":" in row["target"] and row["first"]
        assert "fill" not in row or (HERE / "fill" / row["fill"]).is_file()


def test_every_listed_row_is_pinned() -> None:
    listed = [row for row in rows() if row.get("listed")]
    assert len(listed) == 33
    assert [row["target"] for row in listed if not re.fullmatch(r"[0-9a-f]{40}", row.get("commit", ""))] == []


def test_the_third_set_is_pinned_and_labelled_and_follows_its_rule() -> None:
    third = rows("third")
    left_out = {(row["repository"], row["path"], row["contract"]) for row in rows("third-left-out")}
    earlier = {row["repository"] for name in ("rows", "second") for row in rows(name)}
    for row in third:
        assert re.fullmatch(r"[0-9a-f]{40}", row["commit"]) and row["repository"] not in earlier
        assert row["true"] == "correct" or (row["true"] == "mistake" and row["because"])
        assert row["first"].split()[0] in ("correct", "mistake", "undecided", "refused")
        assert (row["repository"], row["target"].rpartition(":")[0], row["contract"]) not in left_out
    assert max(Counter(row["contract"] for row in third).values()) == 7
    assert max(Counter(row["repository"] for row in third).values()) <= 2
    assert len({(row["repository"], row["contract"]) for row in third}) == len(third)
    kinds = ["known", "copy", "framework", "other", "library", "package", "empty", "absent"]
    assert {row["why"].split()[0].strip(":;") for row in rows("third-left-out")} <= set(kinds)


def test_the_fifth_set_is_pinned_and_labelled_and_follows_its_rule() -> None:
    fifth, left_out = rows("fifth"), rows("fifth-left-out")
    earlier = {row["repository"] for name in ("rows", "second", "third", "fourth") for row in rows(name)}
    for row in fifth:
        assert re.fullmatch(r"[0-9a-f]{40}", row["commit"]) and row["repository"] not in earlier
        assert row["true"] == "correct" or (row["true"] == "mistake" and row["because"])
        assert row["first"] in ("correct", "mistake", "undecided")
    assert sum(row["first"] == row["true"] for row in fifth) == 48
    assert set(Counter(row["contract"] for row in fifth).values()) == {7}
    assert len({row["contract"] for row in fifth}) == len({row["repository"] for row in fifth}) / 7 == 9
    taken = {(row["repository"], row["target"].rpartition(":")[0], row["contract"]) for row in fifth}
    assert not taken & {(row["repository"], row["path"], row["contract"]) for row in left_out}
    kinds = {"known", "copy", "framework", "other", "library", "package", "empty", "absent", "enough"}
    assert {row["why"].split()[0].strip(":;") for row in left_out} == kinds


def test_the_sixth_set_is_pinned_and_labelled_and_follows_its_rule() -> None:
    sixth, left_out = rows("sixth"), rows("sixth-left-out")
    earlier = {
        row["repository"] for name in ("rows", "second", "third", "fourth", "fifth") for row in rows(name)
    }
    for row in sixth:
        assert re.fullmatch(r"[0-9a-f]{40}", row["commit"]) and row["repository"] not in earlier
        assert row["true"] == "correct" or (row["true"] == "mistake" and row["because"])
    assert sum(row["first"] == row["true"] for row in sixth) == 48
    assert set(Counter(row["contract"] for row in sixth).values()) == {7}
    assert len({row["contract"] for row in sixth}) == 9
    assert len({row["repository"].partition("/")[0] for row in sixth}) == len(sixth)
    taken = {(row["repository"], row["target"].rpartition(":")[0], row["contract"]) for row in sixth}
    assert not taken & {(row["repository"], row["path"], row["contract"]) for row in left_out}
    kinds = {"known", "copy", "framework", "other", "library", "package", "empty", "absent", "enough"}
    assert {row["why"].split()[0].strip(":;") for row in left_out} == kinds


def test_the_seventh_set_is_pinned_and_labelled_and_follows_its_rule() -> None:
    seventh, left_out = rows("seventh"), rows("seventh-left-out")
    sets = ("rows", "second", "third", "fourth", "fifth", "sixth")
    earlier = {row["repository"] for name in sets for row in rows(name)}
    tried = set((HERE / "tried.txt").read_text(encoding="utf-8").split())
    assert tried and not {row["repository"] for row in seventh} & (earlier | tried)
    for row in seventh:
        assert re.fullmatch(r"[0-9a-f]{40}", row["commit"])
        assert row["true"] == "correct" or (row["true"] == "mistake" and row["because"])
    assert sum(row["first"] == row["true"] for row in seventh) == 49
    counts = Counter(row["contract"] for row in seventh)
    assert len(counts) == 9 and max(counts.values()) == 7
    assert len({row["repository"].partition("/")[0] for row in seventh}) == len(seventh)
    taken = {(row["repository"], row["target"].rpartition(":")[0], row["contract"]) for row in seventh}
    assert not taken & {(row["repository"], row["path"], row["contract"]) for row in left_out}
    kinds = {"known", "copy", "framework", "other", "library", "package", "absent", "enough"}
    assert {row["why"].split()[0].strip(":;") for row in left_out} == kinds


def test_a_skeleton_is_filled_method_by_method() -> None:
    skeleton = "class A:\n    x = 1\n\n    def f(self):\n        ...\n\n    def g(self):\n        return 2\n"
    fill = (Path(HERE) / "fill" / "amsterdam_right.py").read_text(encoding="utf-8")
    assert filled(skeleton, fill) == skeleton
    held: dict = {}
    exec(filled(skeleton, "class A:\n    def f(self):\n        return 5\n"), held)
    assert (held["A"]().f(), held["A"]().g()) == (5, 2)
