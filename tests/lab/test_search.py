"""Search: a word as it is typed finds it as it is written, and the answer says where."""

from dataclasses import dataclass

import pytest

from regard.claims import Claim
from regard.errors import RegardError
from regard.lab.experiment import Experiment
from regard.lab.search import folded, search, stem


@dataclass(frozen=True, kw_only=True)
class Settings:
    dropout: float = 0.1
    "The share of weights that is dropped."


def experiment(name: str, question: str, method: str = "", why: str = "") -> Experiment:
    claims = (Claim("variance", low=0.0, why=why, source="Berkeley HW6"),)
    return Experiment(
        name=name, question=question, method=method, see="", claims=claims, presets={"quick": Settings()},
        seconds=1, run=lambda settings, context: iter(()),
    )  # fmt: skip


SCALE = experiment("scale", "Why divide by √d?", why="the dot product has variance $\\sigma^2 d$")
CORA = experiment(
    "cora", "Who cites whom?", "Papers of the set Cora, " + "word " * 40 + "under a softmax, then more"
)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("sqrt", [("scale", "question")]),
        ("√d", [("scale", "question")]),
        ("sqrt(d)", [("scale", "question")]),
        ("CORA", [("cora", "name")]),
        ("softmax", [("cora", "method")]),
        ("sigma", [("scale", "claim variance")]),
        ("Berkeley", [("scale", "claim variance"), ("cora", "claim variance")]),
        ("dropout", [("scale", "setting dropout"), ("cora", "setting dropout")]),
        ("papers softmax", [("cora", "method")]),
    ],
)
def test_words_are_found_and_the_place_is_told(words: str, found: list) -> None:
    assert [(hit.experiment.name, hit.passages[0].where) for hit in search(words, [SCALE, CORA])] == found


def test_the_question_that_has_most_of_the_words_comes_first_and_a_letter_stands_by_itself() -> None:
    aside = experiment("aside", "Why several heads?", "scores are divided by √d")
    assert [hit.experiment.name for hit in search("why sqrt(d)?", [aside, SCALE])] == ["scale", "aside"]
    with pytest.raises(RegardError, match="no experiment speaks of that"):
        search("b", [experiment("book", "Who burns bonfires?")])


def test_of_those_that_speak_of_all_words_the_one_that_has_them_side_by_side_most_often_comes_first() -> None:
    loose = experiment("loose", "How large?", "an error of √N, and a width of d")
    once = experiment("once", "How wide?", "scores are divided by √d")
    derived = experiment("derived", "How far?", "the deviation is √d, so (q k) / √d has variance 1")
    found = search("why sqrt(d)?", [loose, once, derived])
    assert [hit.experiment.name for hit in found] == ["derived", "once", "loose"]


def test_questions_come_before_methods_and_a_passage_holds_the_word() -> None:
    other = experiment("other", "Does Cora fit?")
    first, second = search("fit", [CORA, other]), search("cora", [SCALE, other, CORA])
    assert [hit.experiment.name for hit in first] == ["other"]
    assert [hit.experiment.name for hit in second] == ["other", "cora"]
    (passage,) = search("softmax", [CORA])[0].passages
    assert passage.text.startswith("… word") and passage.text.endswith("under a softmax, then more")
    assert len(passage.text) < 130


def test_a_passage_has_plain_words() -> None:
    marked = experiment("marked", "What?", "*Derivation.* See [[exactness]] for the softmax")
    (passage,) = search("softmax", [marked])[0].passages
    assert passage.text == "Derivation. See exactness for the softmax"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("softmaks", "no experiment speaks of that\n  got: 'softmaks'\n  fix: did you mean 'softmax'?"),
        ("Übersoftanpassung", "no experiment speaks of that\n  got: 'Übersoftanpassung'\n  fix: 'regard list' shows them all"),
        ("papers zzzz", "no experiment speaks of that\n  got: 'papers zzzz'\n  fix: 'regard list' shows them all"),
        ("qqqq", "no experiment speaks of that\n  got: 'qqqq'\n  fix: 'regard list' shows them all"),
        (" ?", "there is nothing to search for\n  got: ' ?'\n  fix: give a word, such as softmax"),
    ],
)  # fmt: skip
def test_what_is_not_there_is_told(words: str, said: str) -> None:
    with pytest.raises(RegardError) as error:
        search(words, [SCALE, CORA])
    assert str(error.value) == said


def test_inflections_match_both_ways() -> None:
    fits = experiment("fits", "Does the model overfit?", "It is scaled, and queries are batched.")
    for words in ("overfitting", "overfitted", "overfits", "scaling", "query", "batches", "models overfit"):
        assert [hit.experiment.name for hit in search(words, [CORA, fits])] == ["fits"], words
    (passage,) = search("overfitting", [fits])[0].passages
    assert passage.text == "Does the model overfit?"


def test_rare_words_of_a_question_count_more_than_common_ones() -> None:
    common = [experiment(f"batch-{place}", "Which batch is best?") for place in range(5)]
    norm = experiment("norms", "Where does a norm stand?", "batches are drawn")
    hits = search("does batch norm help?", [*common, norm])
    assert hits[0].experiment.name == "norms" and hits[0].passages[0].where in ("name", "question")


def test_a_whole_word_is_shown_before_a_part_of_another() -> None:
    one = experiment("parts", "What is normal?", "in the " + "abnormal " * 20 + "end the norm is one")
    (passage, *_) = search("norm", [one])[0].passages
    assert passage.where == "method" and "the norm is" in passage.text


def test_marks_cases_and_signs_do_not_matter() -> None:
    assert folded("Élan") == "elan" and folded("σ ≤ √2") == "sigma sqrt 2"


@pytest.mark.parametrize(
    "words",
    [
        "overfit overfits overfitting overfitted",
        "scale scales scaled scaling",
        "train trains trained training",
        "batch batches batched batching",
        "embed embeds embedded embedding embeddings",
        "query queries",
        "loss losses",
        "bias biases",
        "pass passes passing passed",
        "control controls controlling controlled",
        "axe axes",
    ],
)
def test_endings_do_not_matter(words: str) -> None:
    assert len({stem(word) for word in words.split()}) == 1


def test_other_words_stay_apart() -> None:
    words = "string strip seed see speed bias bus norm normal batch bath ring rung was as us π überanpassung"
    assert len({stem(word) for word in words.split()}) == len(words.split())


def test_a_root_is_found_as_it_is_said() -> None:
    assert [hit.experiment for hit in search("square root", [CORA, SCALE])] == [SCALE]
