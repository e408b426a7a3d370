"""The verbs of models: their words are tried in test_train, test_speak, test_look and test_contest."""

import argparse

import pytest

from regard.cli import model_verbs


@pytest.mark.parametrize("verb", ["train", "export", "generate", "attention", "compare"])
def test_each_verb_has_something_to_do_and_says_what_it_is(verb: str) -> None:
    known = argparse.ArgumentParser().add_subparsers()
    getattr(model_verbs, f"{verb}_words")(known)
    (made,) = known.choices.values()
    assert callable(made.get_default("do")) and [one.help for one in known._choices_actions]
