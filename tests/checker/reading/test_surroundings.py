"""Code that looks at who runs it is found in what a member needs, and nowhere else."""

import pytest

from regard.checker.reading.source import Source
from regard.checker.reading.surroundings import looks_around

LAYER = "{top}\nclass Layer:\n    def forward(self, x):\n        return {value}\n"


@pytest.mark.parametrize(
    ("top", "value", "wanted"),
    [
        ("import sys", "'regard' in sys.modules", "sys.modules"),
        ("import sys as system", "system.argv[0]", "sys.argv"),
        ("from os import environ", "environ.get('A')", "os.environ.get"),
        ("import inspect", "inspect.stack()[1]", "inspect.stack"),
        ("import gc", "gc.get_objects()", "gc.get_objects"),
        ("import time\nSTART = time.time()", "time.time() - START < 9", "time.time"),
        ("import torch", "x if torch.get_num_threads() == 1 else -x", "torch.get_num_threads"),
        ("from threading import active_count", "active_count()", "threading.active_count"),
        ("import resource", "resource.getrlimit(0)", "resource.getrlimit"),
        ("", "eval('x')", "eval"),
        ("from regard.checker import check", "x", "regard.checker"),
        ("", "__import__('sys')", "__import__"),
        ("def look():\n    import os\n    return os.getcwd()", "look()", "os.getcwd"),
    ],
)
def test_what_looks_around_is_found(top: str, value: str, wanted: str) -> None:
    found = looks_around(Source(LAYER.format(top=top, value=value)), "Layer")
    assert found
    assert found[0] == wanted


@pytest.mark.parametrize(
    ("top", "value"),
    [
        ("import inspect, os, sys", "x"),
        ("import os\nROOT = os.getcwd()", "x"),
        ("import time", "print(time.time())"),
        ("import torch", "torch.compile(x)"),
        ("import torch", "torch.signal.windows.hann(4)"),
        ("import regard", "regard.attend(x)"),
        ("import inspect", "inspect.signature(x)"),
        ("import sys\nME = sys.modules[__name__]", "ME.x"),
        ("", "self.eval()"),
        ("", "x.open()"),
    ],
)
def test_what_does_not_is_left_alone(top: str, value: str) -> None:
    assert looks_around(Source(LAYER.format(top=top, value=value)), "Layer") is None


def test_the_line_is_told() -> None:
    found = looks_around(Source("import sys\n\n\ndef f(x):\n    return sys.modules\n"), "f")
    assert found
    assert (found[1].line, found[1].text) == (5, "return sys.modules")


def test_what_cannot_be_read_says_nothing() -> None:
    assert looks_around(Source("def f(:"), "f") is None
