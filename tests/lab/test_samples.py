"""What a person sees of a sample; a model that counts has known words and known chances."""

import torch

from regard.data.tokens.tokenizer import Character
from regard.generation.beam import Beam
from regard.generation.engine import Token, stream
from regard.generation.sampling import GREEDY
from regard.lab.samples import show_beams, show_chances, show_side_by_side, show_stream
from regard.lab.text_model import TextModel
from regard.models.gpt.config import GPTConfig
from regard.models.gpt.model import GPT

VOICE = TextModel(GPT(GPTConfig(vocabulary=3, context=8, depth=1, heads=1, width=4)), Character("a[b"))


def tokens(*starts: int):
    def count(ids):
        return torch.nn.functional.one_hot((ids + 1) % 3, 3).float() * 4

    return stream(count, torch.tensor(starts)[:, None], steps=4, sampler=GREEDY)


def test_one_sample_is_the_prompt_and_what_follows(capsys) -> None:
    show_stream(VOICE, "[", tokens(0))
    assert capsys.readouterr().out == "[ab[a\n"


def test_several_samples_stand_side_by_side_under_their_seeds(capsys) -> None:
    show_side_by_side(VOICE, "x", tokens(0, 1), [3, 4])
    out = capsys.readouterr().out
    first = out.splitlines()[0]
    assert "seed 3" in first and "seed 4" in first
    assert "xab[a" in out and "xb[ab" in out


def test_a_text_without_blanks_is_folded_and_not_cut_off(capsys) -> None:
    prompt = "山のふもとに小さな茶屋がありました。" * 9
    show_side_by_side(VOICE, prompt, tokens(0, 1), [3, 4])
    out = capsys.readouterr().out
    assert "…" not in out and out.count("茶") == 18


def test_chances_are_those_of_the_model(capsys) -> None:
    show_chances(VOICE, tokens(0), [7], count=2)
    out = capsys.readouterr().out
    chance = torch.tensor([4.0, 0.0, 0.0]).softmax(0)
    line = next(one for one in out.splitlines() if one.strip().startswith("'a'"))
    assert f"{chance[0]:.3f}" in line and f"{chance[1]:.3f}" in line and "seed 7" in out
    assert "'['" in out


def test_every_token_has_its_line_the_first_of_the_alphabet_too_and_nothing_after_the_end(capsys) -> None:
    logits = torch.zeros(1, 3)
    said = [Token(torch.tensor([one]), logits, torch.tensor([one < 0])) for one in (1, 0, 2, -1)]
    show_chances(VOICE, said, [7], count=1)
    lines = capsys.readouterr().out.splitlines()
    assert [one.split()[0] for one in lines if one.strip().startswith("'")] == ["'a'", "'['", "'b'"]


def test_beams_come_with_what_they_are_ranked_by(capsys) -> None:
    show_beams(VOICE, "b", [Beam((1, 0), -1.5, -0.75, True)])
    assert capsys.readouterr().out == "score -0.750, log-probability -1.500, 2 tokens, ended\nba[\n"
