"""`--fix`: the smallest change that verifies, and none that does not."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from regard.checker.fix import search
from regard.checker.fix.search import Fix, fixes
from regard.checker.fix.texts import CodeChange, CodeText
from regard.checker.fix.trial import FixGoal, FixTrial
from regard.checker.reading.place import opened
from regard.checker.target import check_file
from regard.checker.wishes import Wishes

WRONG = '''"""A norm of mine."""
import torch
from torch import nn


class LayerNorm(nn.Module):
    def __init__(self, dim, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(dim))
        self.beta = nn.Parameter(torch.zeros(dim))

    def forward(self, x):
        mean = x.mean(dim = -1, keepdim=True)   # kept as it is
        var = x.var(dim=-1, keepdim=True)
        return (x - mean) / torch.sqrt(var + self.eps) * self.gamma + self.beta
'''
MENDED = WRONG.replace("x.var(dim=-1, keepdim=True)", "x.var(dim=-1, keepdim=True, unbiased=False)")
SAID: dict[str, Any] = {"strict": True}


@pytest.fixture
def wrong(tmp_path: Path) -> str:
    file = tmp_path / "mine.py"
    file.write_text(WRONG, encoding="utf-8")
    return str(file)


@pytest.mark.slow
def test_the_change_is_shown_as_a_diff_and_the_file_stays(wrong: str) -> None:
    told: list[str] = []
    report = check_file(wrong, wishes=Wishes(strict=True))
    (fix,) = fixes(wrong, report, tell=told.append, budget=90.0, **SAID)
    assert [line for line in fix.diff.splitlines() if line[0] in "+-"][2:] == [
        "-        var = x.var(dim=-1, keepdim=True)",
        "+        var = x.var(dim=-1, keepdim=True, unbiased=False)",
    ]
    assert str(fix).startswith("fix  LayerNorm: with this change the check passes\n--- mine.py (yours)")
    assert told[-1] == "" and any(words.startswith("1 change tried, ") for words in told)
    assert Path(wrong).read_text(encoding="utf-8") == WRONG


@pytest.mark.slow
def test_a_candidate_that_does_not_verify_is_refused(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The probes of a trial are passed by what is right at their size alone; the whole check is not."""
    small = MENDED.replace(
        "        mean = x", "        if x.shape[0] > 20:\n            return x\n        mean = x"
    )

    def planted(text: str, *rest: object):
        yield CodeChange(
            "planted", 1, CodeText(text).change("planted", CodeText(text).tree.body[0], small).edits
        )
        return

    def whole(self: CodeText, change: CodeChange) -> str:
        return small

    monkeypatch.setattr(search, "candidates", planted)
    monkeypatch.setattr(CodeText, "applied", whole)
    report = check_file(wrong, wishes=Wishes(strict=True))
    with FixTrial(opened(wrong), search.named("layer-norm"), "LayerNorm", Wishes(strict=True), 11) as trial:
        assert trial.passes(small, FixGoal())
    (fix,) = fixes(wrong, report, budget=90.0, **SAID)
    assert fix.diff == "" and fix.tried
    assert str(fix).startswith("fix  LayerNorm: no small change found (")


def test_time_that_was_over_before_anything_was_tried_is_told_from_a_search_in_vain() -> None:
    assert "were over before a change was tried" in str(Fix(member="A", seconds=55.0))
    assert "no small change found (1 tried in 55 s)" in str(Fix(member="A", tried=1, seconds=55.0))


@pytest.mark.slow
def test_a_trial_refuses_what_takes_weights_away_and_what_does_not_run(wrong: str) -> None:
    without = MENDED.replace("nn.Parameter(torch.zeros(dim))", "torch.zeros(dim)")
    with FixTrial(opened(wrong), search.named("layer-norm"), "LayerNorm", Wishes(strict=True), 11) as trial:
        trial.begin(WRONG)
        assert trial.learned == {"gamma", "beta"}
        assert trial.passes(MENDED, FixGoal())
        assert not trial.passes(WRONG, FixGoal())
        assert not trial.passes(without, FixGoal())
        assert not trial.passes(MENDED.replace("x.mean", "x.meen"), FixGoal())
        assert not trial.passes(MENDED.replace("class LayerNorm", "class Other"), FixGoal())
        assert trial.passes(MENDED, FixGoal(laws=("alone",)))


@pytest.mark.slow
def test_two_mistakes_are_mended_one_after_the_other(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(WRONG.replace(" + self.beta", ""), encoding="utf-8")
    report = check_file(str(file), wishes=Wishes(strict=True))
    assert set(report.verdicts[0].slugs) == {"bessel", "bias-missing"}
    (fix,) = fixes(str(file), report, budget=90.0, **SAID)
    assert (
        "+        var = x.var(dim=-1, keepdim=True, unbiased=False)" in fix.diff and "self.beta" in fix.diff
    )


@pytest.mark.slow
def test_a_mistake_is_mended_by_way_of_another(tmp_path: Path) -> None:
    """Squares for absolute values leave a root that is missing: a known mistake, which is mended in turn."""
    file = tmp_path / "mine.py"
    text = WRONG.replace("x.var(dim=-1, keepdim=True)", "(x - mean).abs().mean(dim=-1, keepdim=True)")
    text = text.replace("torch.sqrt(var + self.eps)", "(var + self.eps)")
    file.write_text(text, encoding="utf-8")
    report = check_file(str(file), wishes=Wishes(strict=True))
    assert report.verdicts[0].slugs == ("mean-absolute",)
    (fix,) = fixes(str(file), report, budget=60.0, **SAID)
    assert "(x - mean).square().mean(dim=-1, keepdim=True)" in fix.diff
    assert ".sqrt()" in fix.diff or "** 0.5" in fix.diff


GRAPH = """import torch
import torch.nn.functional as F
from torch import nn


class GATLayer(nn.Module):
    def __init__(self, inputs, outputs, heads=2):
        super().__init__()
        self.heads, self.outputs = heads, outputs
        self.W = nn.Linear(inputs, heads * outputs, bias=False)
        self.a_source = nn.Parameter(torch.randn(heads, outputs))
        self.a_target = nn.Parameter(torch.randn(heads, outputs))

    def forward(self, x, adj):
        n = x.shape[0]
        seen = (adj != 0) | torch.eye(n, dtype=torch.bool)
        h = self.W(x).view(n, self.heads, self.outputs).transpose(0, 1)
        source = (h * self.a_source[:, None]).sum(-1)[:, None, :]
        target = (h * self.a_target[:, None]).sum(-1)[:, :, None]
        e = {0}(source + target{1}).masked_fill(~seen, float("-inf"))
        return (e.softmax({2}) @ h){3}.reshape(n, -1)
"""


@pytest.mark.slow
def test_heads_that_mix_nodes_are_mended_beside_a_convention(tmp_path: Path) -> None:
    """Loops are added by the file itself."""
    file = tmp_path / "mine.py"
    file.write_text(GRAPH.format("F.leaky_relu", ", 0.2", "-1", ""), encoding="utf-8")
    report = check_file(str(file))
    assert report.verdicts[0].slugs == ("heads-merge-view",)
    (fix,) = fixes(str(file), report, budget=90.0)
    assert "transpose(0, 1).reshape(n, -1)" in fix.diff


@pytest.mark.slow
def test_two_mistakes_are_mended_under_a_convention(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(GRAPH.format("F.relu", "", "-2", ".transpose(0, 1)"), encoding="utf-8")
    report = check_file(str(file))
    assert set(report.verdicts[0].slugs) == {"relu-for-leaky", "softmax-sources"}
    assert "self-loops-added" in {f.slug for f in report.verdicts[0].findings}
    (fix,) = fixes(str(file), report, budget=120.0)
    assert "leaky_relu(source + target, 0.2)" in fix.diff and "+        return (e.softmax(2)" in fix.diff


def test_what_is_right_or_a_notebook_has_no_fix(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    report = search.Report(target=wrong, verdicts=())
    assert fixes(wrong, report) == []
    verdict = search.Verdict(contract="layer-norm", member="LayerNorm", state="mistake", sentence="x")
    code = replace(opened(wrong), cells=(1,))
    monkeypatch.setattr(search, "opened", lambda target: code)
    assert fixes(wrong, replace(report, verdicts=(verdict,))) == [Fix(member="LayerNorm")]


@pytest.mark.parametrize(
    ("note", "held"), [("mask passed as (b m)", True), ("mask passed as (b 1 1 m)", False)]
)
def test_a_change_leaves_how_a_mask_is_passed(
    wrong: str, note: str, held: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = search.Verdict(
        contract="multi-head-attention",
        member="A",
        state="mistake",
        sentence="",
        notes=("mask passed as (b m)",),
    )
    after = replace(before, state="correct", notes=("weights by name", note))
    tried = search.FixSearch(wrong, opened(wrong), before, Wishes(), lambda words: None, 1.0)
    monkeypatch.setattr(tried, "judged", lambda trial, text, seed: after)
    with FixTrial(opened(wrong), tried.contract, "A", Wishes(), 11) as trial:
        assert tried.verifies(trial, WRONG) is held
