"""Every public name, every parameter, wrong in turn: told in three lines, or right; never a raw error or a NaN."""

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LEAST = 3700
"Attempts that were made when this was written; names come and few go."


@cache
def walk(*words: str) -> dict:
    """What the walk found, in a process without the tests' own checks of types."""
    command = [sys.executable, "-W", "ignore", str(Path(__file__).with_name("library.py")), *words]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


@pytest.mark.slow
def test_no_wrong_argument_ends_in_a_raw_error_or_a_silent_nan():
    found = walk()
    assert not found["found"], "\n".join(found["found"])
    assert found["tried"] >= LEAST


@pytest.mark.slow
def test_every_public_name_and_parameter_is_tried():
    assert walk()["uncovered"] == []


@pytest.mark.slow
def test_the_walk_finds_a_careless_function():
    found = "\n".join(walk("--planted")["found"])
    for said in (
        "count=0): ZeroDivisionError",
        "count=nan): a result that is not",
        "count=a word): TypeError",
    ):
        assert said in found
    assert "count=-1" not in found


CALLS = [
    (
        "GAT(3, 8, 2, heads=8)(torch.eye(3), torch.tensor([[0, 1], [1, 2]]))",
        "layers over graphs take their edges as Edges, which sort them once\n"
        "  got: a tensor (2, 2) of torch.int64\n"
        "  fix: pass Edges(edge_index[0], edge_index[1], nodes=len(x)), made once before the training",
    ),
    (
        "Edges(torch.tensor([0]), torch.tensor([1]), nodes=10**10)",
        "an edge list cannot hold so many nodes and relations\n"
        "  got: sizes=(10000000000, 10000000000), 1 relations\n"
        "  fix: number the nodes and relations that there are, from 0",
    ),
    (
        "attend(*[numpy.zeros((1, 1, 2, 2))] * 3)",
        "attend needs tensors\n  got: q=an array (1, 1, 2, 2) of float64\n"
        "  fix: pass torch.as_tensor(q), of floats",
    ),
    (
        "attend(*[torch.zeros(1, 1, 2, 2)] * 3, dropout='half')",
        "attend: dropout is a number\n  got: dropout='half'\n  fix: pass a number",
    ),
    (
        "MultiHead(width=0, heads=0)",
        "MultiHead: width is a whole number from 1 to 1000000000\n  got: width=0\n  fix: pass width=1 or more",
    ),
    (
        "GPT(GPTConfig(vocabulary=5, context=8, depth=1, heads=1, width=4))('hi')",
        "a GPT reads token ids: a tensor (b n) of whole numbers\n  got: 'hi'\n"
        "  fix: pass tokenizer.encode(text)[None], or ids.long() with two axes",
    ),
    (
        "GPT({'depth': 3})",
        "GPT: config is a GPTConfig\n  got: config={'depth': 3}\n  fix: pass a GPTConfig",
    ),
    (
        "Causal() & 'window'",
        "a support combines with another\n  got: 'window'\n  fix: pass two objects: Causal() & Window(3)",
    ),
    (
        "Sampler(temperature=float('nan'))",
        "Sampler: temperature is a number\n  got: temperature=nan\n  fix: pass a number",
    ),
    (
        "GPTConfig(vocabulary=5, context=8, depth=1, heads=1, width=4, norm='lyer')",
        "no norm of that name\n  got: 'lyer'\n  fix: did you mean 'layer'?",
    ),
]


@pytest.mark.slow
def test_what_people_met_is_told_in_three_lines():
    lines = "\n".join(
        f"try: {call}\nexcept RegardError as error: print(error, end='\\0')\nelse: print('nothing', end='\\0')"
        for call, _ in CALLS
    )
    program = f"import numpy, torch\nfrom regard import *\n{lines}"
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-W", "ignore", "-c", program]
    said = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    assert said.split("\0")[:-1] == [text for _, text in CALLS]
