from collections.abc import Iterator

import pytest
import torch
from matplotlib.figure import Figure

import golden


@pytest.fixture(autouse=True, scope="module")
def random_numbers_of_a_file() -> None:
    """What a fixture of a whole file draws does not depend on the files before."""
    torch.manual_seed(0)


@pytest.fixture(autouse=True)
def random_numbers_of_a_test() -> None:
    """What a test draws does not depend on the tests before."""
    torch.manual_seed(0)


@pytest.fixture(autouse=True)
def all_figures_are_those_of_before(request: pytest.FixtureRequest, monkeypatch) -> Iterator[None]:
    """In the tests of a room's figures, what each test draws is held to its golden record."""
    if request.path.name != "test_figures.py":
        yield
        return
    figures, made = [], Figure.__init__

    def make(self: Figure, *args, **words) -> None:
        made(self, *args, **words)
        figures.append(self)

    monkeypatch.setattr(Figure, "__init__", make)
    yield
    if figures:
        golden.check(str(request.path), golden.of_figures(figures), request.node.name)
