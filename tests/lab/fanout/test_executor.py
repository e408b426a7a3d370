"""Every executor keeps the protocol."""

import inspect

import pytest

from regard.lab.fanout.cluster import RayExecutor
from regard.lab.fanout.executor import Executor
from regard.lab.fanout.processes import ProcessExecutor
from regard.lab.fanout.simulated import SimulatedExecutor


@pytest.mark.parametrize("kind", [ProcessExecutor, RayExecutor, SimulatedExecutor])
def test_an_executor_has_the_methods_of_the_protocol_with_their_parameters(kind: type) -> None:
    methods = {
        name: one for name, one in vars(Executor).items() if inspect.isfunction(one) and name[0] != "_"
    }
    assert set(methods) == {"room", "submit", "wait", "close"}
    for name, method in methods.items():
        assert list(inspect.signature(getattr(kind, name)).parameters) == list(
            inspect.signature(method).parameters
        )
