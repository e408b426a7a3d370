"""No text of an experiment states a result: results are composed from a run's own numbers.

Searched are question, title, idea, method, see, correction, and the captions of figures and tables and the texts
that stand in the code of an experiment. A sentence is suspect where it has a number with a decimal point, a percentage, a
power of ten or "times", or a word of comparison; it is excused where it asks ("whether", "if"), where the number
is one of the experiment's settings, or where `ALLOWED` gives the reason. What code composes (a choice between two
sentences, a call) is not searched: the alternative is there.

The reason for a claim's band (`why`) may expect anything, and compare; a figure in it must be somebody's, and say
whose ("the paper has 81.5"), be one of the settings or the ends of the band, or be computed as `COMPUTED` tells.
What was seen in a run of ours is no reason, whatever its words.
"""

import ast
import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

from regard.claims import Claim
from regard.lab import registry
from regard.lab.book.ideas import IDEAS
from regard.lab.book.sources import SOURCES
from regard.lab.experiment import Experiment

NUMBER = re.compile(
    r"(?<![\w.])[-−]?\d*\.\d+(?:e[-−]?\d+)?|(?<![\w.])\d+e[-−]?\d+|\d+(?:\.\d+)?\s*%|\b\d+ times\b"
)
WORD = re.compile(
    r"\b(better|worse|(?:is|are|was|were|does|do|works?) (?:the )?(?:best|worst)|beats?|wins?|los(?:es|t)|outdoes|outperforms?|faster|slower|fewer|cheaper|hardly|"
    r"barely|nearly|almost|clearly|far (?:above|below|from)|collapses?|fails?|turns|stops|never|always|agrees?|"
    r"twice|half|copies|improves?|overfits?|makes? no difference|no longer|goes? on (?:falling|rising|growing)|"
    r"needs? no \w+ here)\b",
    re.IGNORECASE,
)
ASKING = re.compile(r"\b(whether|if|would|should|compare|look for)\b", re.IGNORECASE)
QUESTION = (
    r"(?:(?:"
    + "|".join(one.name for one in SOURCES)
    + r"),? (?:question )?|[Qq]uestions? )\d[\w.]*(?:\(\w+\))?"
)
"The number of an assignment's question."
CAPTION = {"FigureEvent": (2, "caption"), "TableEvent": (3, "caption"), "TextEvent": (1, "text")}
"Which argument of an event is its text."

WHOSE = re.compile(
    r"\b(paper|answers|published|logged|author's|assignment's|course|notebook|textbook)\b", re.IGNORECASE
)
"Whose a quoted figure is."
SEEN = re.compile(
    r"\b(here|our runs?|(?:was|were|have been) (?:seen|measured|found)|we (?:saw|found|measured)|"
    r"turns? out|turned out|came out|pilot|earlier runs?)\b",
    re.IGNORECASE,
)
"Words of what was seen in runs of ours, which is no reason to expect it."

Reasons = dict[str, dict[str, str]]
"By experiment: a piece of a suspect sentence, and why it may stand."

SLOPE = "how powers look on logarithmic axes: geometry, not a result"
ATTENTION: Reasons | None = {
    "scaled-dot-product": {"lets hardly any gradient through": "the derivative of a softmax, p(1 − p)"},
    "linear-attention": {"a line twice as steep as N": SLOPE},
    "receptive-field": {"a line twice as steep as n": SLOPE},
}
"Chapter attention; a chapter that is not searched yet has None."

TEXT: Reasons | None = {
    "shakespeare": {
        "tested on the last 5 % of the text": "a setting: Adam's step and the share of the test text"
    },
    "fairy-tales": {
        "every character is read 128 times": "the assignment's recipe: windows of 128 characters from every place",
        "reads every character 128 times": "the assignment's recipe: windows of 128 characters from every place",
        "each read about 154 times": "settings: 300 steps of 24 windows of 64 characters over 3,000",
        "is never trained on": "how the text is split",
        "is memory, not language": "what is meant by memory",
    },
    "positions": {"that it never met": "how rotary positions and ALiBi are made"},
    "width-or-depth": {
        "Which is better can only be measured": "asks, without a question mark",
        "4 times the width": "settings: widths of equally many weights",
    },
    "decoding": {
        "−1.53 is below": "a sum of Berkeley HW6's own log-probabilities",
        "never looked at": "what a dotted line stands for",
    },
    "exactness": {"they never leave the chip": "how the tiled algorithm works"},
}
"Chapter text."

INTERVAL = "the level of the interval drawn"
PUBLISHED = "the figure of a named source"
GRAPHS: Reasons | None = {
    "karate": {
        "what was wrong with 100 %": "the assignment's own figure, which the question asks about",
        "central differences of step 1e-4": "a setting of the assignment",
        "its 100 % on the tested members": "the figure of the assignment's notebook",
        "lists member 8 twice": "a mistake in the assignment's list",
    },
    "cora": {
        "dropout 0.5, Adam with rate 0.01": "the recipe of a named paper",
        "dropout 0.6 before each layer": "the recipe of a named paper",
        "81-84 % and 83-85 %": PUBLISHED,
        "95 % interval": INTERVAL,
        "What the accuracy of GAT loses": "says what is drawn, of which the sign may be either",
        "depends also on when its training stops": "that something is measured against, not what it came to",
    },
    "graph-algebra": {
        "the best matrix is the mean": "theory of normal values, derived there",
        "A path meets no node twice": "the definition of a path",
    },
    "composers": {
        "That a network loses accuracy": "what such a loss would mean, wherever there is one",
        "What accuracy is lost": "says what is drawn, of which the sign may be either",
        "95 % interval": INTERVAL,
    },
}
"Chapter graphs."

NOUN = "a turn is a rotation here"
SAID = "what Amsterdam A2's answers say, named as theirs"
IMAGES: Reasons | None = {
    "padding": {
        "valid's 0.09 %": SAID,
        "the second 'label 0' must read": "the number of a question, 1.1",
    },
    "rotation": {
        "quarter turns move pixels": NOUN,
        "Adam at 0.001": "the learning rate, a setting of the code",
        "Why quarter turns stand out": NOUN,
        "loses the corners": "what the operation does, by construction",
        "each other's half turns": NOUN,
        "classes that are each other's turns": NOUN,
        "what it does not win back": "the other case of a sentence that begins with if",
        "'down to 0.48'": SAID,
        "the plot it belongs to shows 0.547": SAID,
    },
    "unet": {
        "What is lost when": "what is drawn, not how much it is",
        "but no longer where": "what shuffled places take away, by construction",
    },
}
"Chapter images."

UNSUPERVISED: Reasons | None = {
    "pca": {
        "the subspace that loses least": "the theorem on PCA",
        "loses the factor 2": "a mistake in the assignment's formula",
        "where fewer than k are chosen": "the theorem of Baldi and Hornik",
    },
    "autoencoders": {
        "The target is always": "how it is trained",
        "quick has fewer digits": "a setting of the presets",
        "is the best that a linear model can do": "the theorem on PCA",
        "in theory 67 % at k = 5 and 75 %": "1 − arccos(√(k/20))/π, computed without a run",
        "need not agree": "what two measures may do",
        "its hidden ReLU is never used": "a mistake in the assignment's code",
        "indexed as a list, which fails": "a mistake in the assignment's code",
    },
    "mixtures": {"is half the true one": "the maximum of the printed formula, by calculus"},
    "uniform-mixture": {
        "no slope towards a better place": "the proof given in the method",
        "which is never negative": "the proof given in the method",
        "the gradient is right almost everywhere": "the proof given in the method",
        "falls from 0.5 to 0.01": "two settings of the cure",
    },
}
"Chapter unsupervised."

LAB = {
    "error-rate": {
        "settled by its interval at 95 %": "the rule that is put to the test",
        "gets an interval of no width": "follows from the formula of the interval",
        "allows 2.5 % there": "half of what an interval of 95 % leaves out",
        "how often all seeds agree on it by chance": "what the table shows",
    },
}
"Chapter lab."

ARITHMETIC = "arithmetic that stands in the reason itself"
COMPUTED: Reasons = {
    "autoencoders": {
        "the discarded variance per entry": "the variances that the assignment gives its points",
        "3.5 standard errors of 0.011": "the binomial standard error of so many points",
        "a standard error of 0.02": "the binomial standard error of so many digits",
    },
    "decoding": {
        "−.65, −.73": "the log-probabilities that the assignment prints",
        "= −1.46": ARITHMETIC,
        "1.44 M comparisons": "Stirling's formula, 1/ln 2 = 1.44",
    },
    "error-rate": {"half of what a 95 % interval leaves out": "the level of the interval"},
    "exactness": {"gaps of 1e-6": "the rounding of float32"},
    "gpt-parts": {"mean x² + 1e-6": "the constant of the formula that is tested"},
    "graph-algebra": {
        "has variance 0.4487": "the variance of the median of three normal values, 1 − √3/π",
        "1/√8 less 1/√16": ARITHMETIC,
        "gets 72 %": "computed from normal distributions by expected() of its noise.py",
        "8/13 = 0.62": ARITHMETIC,
    },
    "mixtures": {"−log 2π − 1 = −2.8379": ARITHMETIC},
    "relative-attention": {"a zero is 0.44": "means and expected maxima of uniform values"},
    "shakespeare": {
        "ln 65 = 4.17": ARITHMETIC,
        "nanoGPT has 1.88": "what its README says for this recipe",
    },
    "width-or-depth": {"h = 1.56w": "the root of the equation in the reason"},
}
"By experiment: a figure in the reason for a band, and how it was got without a run."

CHAPTERS = {
    "attention": ATTENTION, "text": TEXT, "graphs": GRAPHS, "images": IMAGES, "unsupervised": UNSUPERVISED, "lab": LAB,
}  # fmt: skip
"What may stand, by chapter. Theorems are not searched: each formula of theirs is computed by its own trials."


def constants(files: list[Path]) -> dict[str, ast.expr]:
    """Texts that the files of a room give a name."""
    return {
        target.id: node.value
        for file in files
        for node in ast.parse(file.read_text("utf-8")).body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def literal(node: ast.expr | None, named: Mapping[str, ast.expr]) -> str:
    """What of an expression stands in the code word by word; … for what is composed."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(literal(one, named) for one in parts)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return literal(left, named) + literal(right, named)
        case ast.Name(id=name) if name in named:
            return literal(named[name], {other: value for other, value in named.items() if other != name})
        case _:
            return "…"


def captions(files: list[Path]) -> Iterator[str]:
    """The texts of events in the files of a room."""
    named = constants(files)
    for file in files:
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CAPTION:
                place, word = CAPTION[node.func.id]
                given = [one.value for one in node.keywords if one.arg == word] + node.args[place : place + 1]
                yield from (literal(one, named) for one in given)


def numbers(value: object) -> set[float]:
    """All numbers in settings."""
    if is_dataclass(value):
        return set().union(*(numbers(getattr(value, one.name)) for one in fields(value)))
    if isinstance(value, Mapping):
        return set().union(*map(numbers, value.values()))
    if isinstance(value, tuple | list):
        return set().union(*map(numbers, value))
    return {float(value)} if isinstance(value, int | float) else set()


def suspect(text: str, settings: Set[float] = frozenset()) -> list[str]:
    """The sentences of a text that state a result."""
    plain = re.sub(rf"\$[^$]*\$|`[^`]*`|\[\[[^]]*\]\]|{QUESTION}", "…", " ".join(text.split()))
    return [one for one in re.split(r"(?<=[.!?:;]) ", plain) if _states(one, settings)]


def _states(sentence: str, settings: Set[float]) -> bool:
    if ASKING.search(sentence):
        return False
    found = [one.replace("−", "-").strip(" %") for one in NUMBER.findall(sentence)]
    return bool(WORD.search(sentence)) or any(
        " times" in one or not _among(float(one), settings) for one in found
    )


def _among(number: float, settings: Set[float]) -> bool:
    return any(abs(number - one) < 1e-12 or abs(number - 100 * one) < 1e-9 for one in settings)


def texts(experiment: Experiment, path: Path) -> list[str]:
    """Everything about an experiment that people read and that is written before its runs."""
    files = sorted(path.parent.glob("*.py")) if path.name == "experiment.py" else [path]
    told = [experiment.question, experiment.title, experiment.method, experiment.see, experiment.correction]
    return [*told, IDEAS.get(experiment.name, ""), *captions(files)]


def found(name: str) -> list[str]:
    """The sentences of an experiment that state a result."""
    experiment, path = registry.find(name)
    settings = numbers(experiment.presets)
    return [one for text in texts(experiment, path) for one in suspect(text, settings)]


def unreasoned(claim: Claim, settings: Set[float] = frozenset()) -> bool:
    """Whether the reason for a band has a figure that is nobody's, or what was seen in a run of ours."""
    why = re.sub(rf"\$[^$]*\$|{QUESTION}", "…", claim.why)
    figures = [one for one in NUMBER.findall(why) if " times" not in one]
    known = settings | {claim.low, claim.high}
    nobodys = any(not _among(float(one.replace("−", "-").strip(" %")), known) for one in figures)
    return bool(SEEN.search(why)) or (nobodys and not WHOSE.search(why))


@pytest.mark.parametrize("name", registry.names())
def test_no_reason_of_a_claim_is_a_result_of_ours(name):
    experiment, _ = registry.find(name)
    settings = numbers(experiment.presets)
    left = [one for one in experiment.claims if unreasoned(one, settings)]
    told = COMPUTED.get(name, {})
    bad = [f"{one.name}: {one.why}" for one in left if not any(piece in one.why for piece in told)]
    assert not bad, "\n".join(bad)
    for piece, reason in told.items():
        assert any(piece in one.why for one in left), f"'{piece}' is not suspect any more"
        assert len(reason.split()) >= 2, piece


@pytest.mark.parametrize(
    ("why", "bad"),
    [
        ("the paper has 81.5, within half a point", False),
        ("a deep one is better", False),
        ("the rate is 0.1 and the band ends at 0.6", False),
        ("it gains 0.35 in three runs", True),
        ("its weights here are close to equal", True),
        ("as in Duke HW3, 2.4(a)", False),
    ],
)
def test_a_reason_may_expect_but_not_report(why, bad):
    assert unreasoned(Claim("a", low=0.6, why=why), {0.1}) is bad


def chapter(path: Path) -> str:
    return path.relative_to(registry.FOLDER).parts[0]


def allowed(name: str) -> dict[str, str] | None:
    """What may stand in an experiment's texts; None where they are not searched."""
    chosen = CHAPTERS[chapter(registry.rooms()[name])]
    return None if chosen is None else chosen.get(name, {})


@pytest.mark.parametrize("name", [name for name in registry.rooms() if allowed(name) is not None])
def test_no_text_of_an_experiment_states_a_result(name):
    left = [one for one in found(name) if not any(piece in one for piece in allowed(name) or ())]
    assert not left, "\n".join(left)


@pytest.mark.parametrize("name", [name for name in registry.rooms() if allowed(name)])
def test_what_is_allowed_is_there_and_has_a_reason(name):
    sentences = found(name)
    for piece, reason in (allowed(name) or {}).items():
        assert any(piece in one for one in sentences), f"'{piece}' is not suspect any more"
        assert len(reason.split()) >= 2, piece


def test_reasons_are_given_to_experiments_of_their_chapter():
    for name, reasons in CHAPTERS.items():
        assert set(reasons or ()) <= {one for one, path in registry.rooms().items() if chapter(path) == name}


@pytest.mark.parametrize(
    ("text", "there"),
    [
        ("The loss ends at 1.53 nats.", True),
        ("It reaches 93 % of all nodes.", True),
        ("The deeper one is worse.", True),
        ("It is 12 times as large.", True),
        ("The loss on it goes on falling.", True),
        ("A network needs no features here.", True),
        ("They agree to 4e-15.", True),
        ("Whether the deeper one is worse is in the table.", False),
        ("A dropout of 0.1 is used, at 5e-4.", False),
        ("The formula `a = 0.3` and $x = 0.7$ stand.", False),
        ("Three layers of width 48 see 10 characters.", False),
        ("Duke HW3, 2.4(a), and question 1.4 ask for it.", False),
    ],
)
def test_a_stated_result_is_found_and_a_setting_is_not(text, there):
    assert bool(suspect(text, {0.1, 5e-4})) == there


def test_captions_are_read_from_the_code_and_what_is_composed_is_left_out(tmp_path):
    file = tmp_path / "one.py"
    file.write_text(
        'CAPTION = "It is better" + " by far."\n'
        "def run(a, b):\n"
        '    yield FigureEvent("one", draw(), CAPTION)\n'
        '    yield TableEvent("two", (), [], caption=f"A loss of {a:.2f} beside 0.7.")\n'
        '    yield TextEvent("three", "better" if a < b else "worse")\n'
    )
    assert list(captions([file])) == ["It is better by far.", "A loss of … beside 0.7.", "…"]
