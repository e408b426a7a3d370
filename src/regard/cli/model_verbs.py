"""Words of the verbs that train a model, let it speak, look into it, compare it and write it down."""

import argparse
from pathlib import Path

from regard.cli import contest, look, speak, train
from regard.cli.numbers import count, finite, minutes, place, positive, seed, shape, steps, vocabulary

Verbs = argparse._SubParsersAction
RUN = "a run by its id, the beginning of it, its folder, or its experiment's name"


def train_words(known: Verbs) -> None:
    verb = known.add_parser("train", help="train a GPT on texts of your own; then let it speak with generate")
    verb.add_argument(
        "texts",
        nargs="*",
        metavar="FILE",
        help="texts in UTF-8, also packed by gzip, folders of them, or known texts",
    )
    verb.add_argument(
        "--minutes", type=minutes, help="how long it takes in all (default: 5, unless --steps is given)"
    )
    verb.add_argument("--steps", type=steps, help="steps of training, unless the minutes end first")
    verb.add_argument(
        "--tokenizer",
        help="character, bytes, bpe, or the file or folder of one (default: chosen from the texts)",
    )
    verb.add_argument("--vocabulary", type=vocabulary, help="pieces of --tokenizer bpe")
    verb.add_argument(
        "--size",
        help="from small to large swift, gpt-micro, gpt-mini, gpt2 (default: chosen from texts and time)",
    )
    verb.add_argument(
        "--form",
        choices=["swift", "gpt2"],
        help="the kind of model: swift, a GPT with today's parts, learns soonest (default); gpt2, built as "
        "GPT-2 is, can be exported to its format",
    )
    verb.add_argument("--device", help="cpu or cuda (default: a GPU where one is)")
    verb.add_argument(
        "--from",
        dest="start",
        metavar="FOLDER",
        help="begin with published weights in GPT-2's format, or with those of a run",
    )
    verb.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="change the model or the plan, such as model.depth=4, plan.learning_rate=0.001 or batch=32",
    )
    verb.add_argument("--seed", type=seed, help="where everything random starts (default: 0)")
    verb.add_argument(
        "--resume", metavar="RUN", help="take up a training that was stopped; --minutes gives it more time"
    )
    verb.add_argument(
        "--accept",
        action="append",
        default=[],
        choices=["code"],
        help="with --resume: go on although the code has changed; the run says so",
    )
    verb.add_argument("--json", action="store_true", help="print JSON")
    verb.set_defaults(do=train.train)


def export_words(known: Verbs) -> None:
    verb = known.add_parser("export", help="write a trained model as files of GPT-2, which other tools read")
    verb.add_argument("run", help=f"{RUN}, with a model of --form gpt2")
    verb.add_argument("folder", type=Path, help="where to write them: a folder that is empty or new")
    verb.add_argument("--model", help="which model of the run (default: the one trained last)")
    verb.add_argument(
        "--checkpoint",
        choices=["best", "last"],
        default="best",
        help="which of its checkpoints (default: best)",
    )
    verb.add_argument("--json", action="store_true", help="print JSON")
    verb.set_defaults(do=train.export)


def generate_words(known: Verbs) -> None:
    verb = known.add_parser("generate", help="let the model of a run speak")
    verb.add_argument(
        "run", help=f"{RUN}, of a training or a text experiment; of a name, the newest that finished"
    )
    verb.add_argument(
        "--prompt", help="what it goes on from (default: a line break, or the first token where it has none)"
    )
    verb.add_argument("--model", help="which model of the run (default: the one trained last)")
    verb.add_argument(
        "--checkpoint",
        choices=["best", "last"],
        default="best",
        help="which of its checkpoints (default: best)",
    )
    verb.add_argument("--steps", type=count, default=200, help="tokens to generate (default: 200)")
    verb.add_argument("--temperature", type=float, help="0 takes the most probable (default: 1)")
    verb.add_argument("--top-k", type=int, help="only the k most probable tokens")
    verb.add_argument("--top-p", type=float, help="only the smallest set whose probability reaches p")
    verb.add_argument("--min-p", type=float, help="only tokens this share as probable as the most probable")
    verb.add_argument(
        "--penalty", type=float, help="above 1, what was said becomes less probable (default: 1)"
    )
    verb.add_argument("--seed", type=seed, help="the seed of the first sample (default: 0)")
    verb.add_argument("--samples", type=count, help="samples side by side, one seed each (default: 1)")
    verb.add_argument(
        "--probabilities",
        action="store_true",
        default=None,
        help="every token with its probability and the alternatives",
    )
    verb.add_argument("--beam", type=count, help="search for the most probable text with a beam so wide")
    verb.add_argument(
        "--length-penalty", type=finite, help="beams are ranked by log-probability / length^this (default: 0)"
    )
    verb.add_argument("--json", action="store_true", help="print JSON")
    verb.add_argument("--stop", default="", help="stop after this text")
    verb.add_argument(
        "--beyond",
        default="recompute",
        help="the rule beyond the context: recompute, window or endless (default: recompute)",
    )
    verb.set_defaults(do=speak.generate)


def attention_words(known: Verbs) -> None:
    verb = known.add_parser(
        "attention", help="draw where a model looks: heads by layers, of a run or your own model"
    )
    verb.add_argument("target", help=f"FILE.py, FILE.py:Model, or {RUN}, of a text experiment")
    verb.add_argument("--prompt", help="the text that is looked at; a model of your own needs none")
    verb.add_argument(
        "--out", type=Path, help="a picture (x.svg) or a page (x.html); without it, the terminal"
    )
    verb.add_argument("--layer", type=place, help="only the layer of this number, from 0")
    verb.add_argument("--head", type=place, help="only the head of this number, from 0")
    verb.add_argument("--model", help="which model of a run (default: the one trained last)")
    verb.add_argument(
        "--input",
        type=shape,
        metavar="SHAPE",
        help="feed your model random numbers of a shape, as 1,3,224,224",
    )
    verb.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an argument with which your model is made, as heads=4",
    )
    verb.add_argument("--json", action="store_true", help="print JSON: the weights themselves")
    verb.set_defaults(do=look.attention)


def compare_words(known: Verbs) -> None:
    verb = known.add_parser("compare", help="which of two layers or settings is better, and how sure that is")
    verb.add_argument(
        "first",
        help="FILE.py:Layer, settings of a GPT such as position=rotary,heads=2, or both: a layer stands in a "
        "GPT with learned positions, unless it is FILE.py:Layer,position=none",
    )
    verb.add_argument("second", help="the other")
    verb.add_argument("--text", type=Path, help="a text of your own (default: tiny Shakespeare)")
    verb.add_argument("--minutes", type=minutes, default=5.0, help="a budget (default: 5)")
    verb.add_argument("--steps", type=steps, default=150, help="steps of each training (default: 150)")
    verb.add_argument(
        "--margin",
        type=positive,
        default=0.02,
        help="a difference of loss that does not matter (default: 0.02)",
    )
    verb.add_argument("--json", action="store_true", help="print JSON")
    verb.set_defaults(do=contest.compare)
