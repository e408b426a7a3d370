"""Every test runs with shapes checked, on one thread, over the same examples each time."""

import os
import sys
from importlib.util import find_spec

import pytest
import torch
from hypothesis import HealthCheck, settings

assert "regard" not in sys.modules, "regard was imported before its shapes could be checked"

# A machine without the development packages runs them too, with shapes unchecked: test_shapes.py says so.
if find_spec("jaxtyping") and find_spec("beartype"):
    from jaxtyping import install_import_hook

    hook = install_import_hook("regard", "checking.checked").hook
    # Triton reads the source of its kernels, which a check around them would hide.
    KERNELS = {
        "regard.core.backends.gpu.edge_kernels",
        "regard.core.backends.gpu.linear",
        "regard.generation.device_draw",
        "regard.models.gpt.step_kernels",
        "regard.training.gpu.fused_loss",
    }
    PROGRAMS = (
        "regard.checker.contract",
        "regard.checker.family",
        "regard.checker.grammar",
    )
    everywhere = hook.should_instrument

    def checked(name: str) -> bool:
        """Whether a module is checked: not kernels, nor the checker's programs, run by the hundred thousand."""
        return name not in KERNELS and not name.startswith(PROGRAMS) and everywhere(name)

    hook.should_instrument = checked

torch.set_num_threads(1)

CALM = {"deadline": None, "database": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("test", derandomize=True, max_examples=25, **CALM)
settings.register_profile("proof", max_examples=1000, print_blob=True, **CALM)
settings.load_profile(os.environ.get("REGARD_PROFILE", "test"))

collect_ignore = ["faults/library.py", "on_gpu.py"]
"Programs of their own: no tests."


@pytest.fixture(scope="session", autouse=True)
def forked():
    """Checks are forked from a process that has torch loaded, as those of a folder are."""
    from regard.checker.process.nursery import nursery
    from regard.checker.process.session import INSIDE

    with nursery(INSIDE):
        yield


@pytest.fixture(scope="module", params=["forked", "started anew"])
def each_way(request):
    """Both ways in which the process of a check begins: as for a folder, and as for one file."""
    from regard.checker.process import nursery

    with pytest.MonkeyPatch.context() as patch:
        if request.param != "forked":
            patch.setattr(nursery, "_opened", [])
        yield request.param
