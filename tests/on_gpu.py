"""A pytest plugin: every tensor that a test makes without naming a device lies on the GPU.

    python tests/on_gpu.py            the laws of core, models, training and generation, where there is a GPU
    python tests/on_gpu.py -k linear  some of them: words after the script are pytest's

Random numbers are drawn on the CPU and moved, so that a test sees the numbers it sees anywhere. What cannot be
asked of a GPU is named in CPU_ONLY with its reason; everything else must pass.
"""

import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.overrides import TorchFunctionMode
from torch.utils._device import _device_constructors

ROOT = Path(__file__).parents[1]
LAWS = ("core", "models", "training", "generation", "faults/test_nonfinite.py")
CPU_ONLY: dict[str, str] = {
    "core/backends/edges/test_native.py": "sums in C++ over memory of the CPU",
    "models/gpt/test_native.py": "a step in C++ over memory of the CPU",
    "test_ones_and_zeros_as_floats_are_refused": "masks are looked through on a CPU alone",
    "test_flex_attention_is_seen_with_its_bias": "makes its mask on the CPU",
    "test_neither_is_loaded_before_it_is_asked_for": "starts a process of its own",
    "core/test_support.py": "a mask is made on the CPU unless a device is named; attend names its own",
    "test_the_reason_says_how_the_sums_were_made": "asks for the sentence of a CPU",
    "test_the_slope_at_zero_notices_the_other_slope": "plants its fault in torch's sums; a GPU has kernels",
    "test_on_a_cpu_nothing_is_captured": "asks about a CPU",
    "test_a_token_outside_the_vocabulary": "a GPU ends the process by an assertion of its own",
    "test_what_cannot_be_read_is_told_in_three_lines": "a GPU ends the process by an assertion of its own",
    "test_the_first_twenty_losses_are_those_of_before": "the bits of a CPU",
    "test_the_golden_trace": "the bits of a CPU",
    "test_on_a_cpu_only_a_wish_makes_it_bfloat16": "asks about a CPU",
    "test_a_short_training_on_a_cpu_is_not_tried": "asks about a CPU",
    "test_muon_is_its_equation_with_the_exact_factor": "on a GPU the orthogonal factor is found in bfloat16",
    "test_nothing_to_start_from_or_to_do_is_told": "a GPU ends the process by an assertion of its own",
    "test_edges_on_another_device_are_told_in_three_lines": "names the CPU in its sentence",
    "test_what_is_refused_says_what_it_got_and_how_to_mend_it[devices]": "names the CPU in its sentence",
    "q, k and v lie on different devices": "names the CPU in its sentence",
    "test_edges_move_whole": "moves from the CPU",
    "test_a_bag_says_what_it_is": "names the CPU in its sentence",
    "test_another_thread_is_not_recorded": "a thread of its own, which this plugin does not reach",
    "test_neighbouring_numbers_are_dropped_independently": "multiplies matrices of integers",
    "training/test_torch_optimiser.py": "bits of float32; on a GPU a plan computes in bfloat16 unless told",
    "training/test_stopping.py": "bits of float32; on a GPU a plan computes in bfloat16 unless told",
    "test_pads_are_hidden_from_all_but_themselves": "asks a cache for its places on the CPU",
    "training/test_parallel.py": "two processes of gloo; several GPUs are tried by torchrun",
    "training/sharded/": "processes of gloo; several GPUs are tried by torchrun",
    "training/test_resume.py": "starts processes of its own, which this plugin does not reach",
}
"What says nothing about a GPU, by a part of a test's id, and why."

RANDOM = {"normal_", "uniform_", "random_", "bernoulli_", "exponential_"}


class OnGPU(TorchFunctionMode):
    """Factories give tensors on the GPU; what a generator of the CPU draws is drawn there and moved."""

    makers = _device_constructors()

    def __torch_function__(self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        words = dict(kwargs or {})
        if func in (torch.Tensor.numpy, torch.Tensor.__array__):
            return func(args[0].detach().cpu() if args[0].is_cuda else args[0], *args[1:], **words)
        generator = words.get("generator")
        drawn = generator is not None and generator.device.type == "cpu"
        if func in self.makers:
            return self.made(func, args, words, drawn)
        random = func.__name__ in RANDOM or getattr(func, "__module__", "") == "torch.nn.init"
        drawn = drawn or (random and generator is None)
        if "tensor" in words:  # the functions of torch.nn.init hand it on by name
            args = (words.pop("tensor"), *args)
        if not (drawn and args and isinstance(args[0], torch.Tensor) and args[0].is_cuda):
            return func(*args, **words)
        result = func(
            args[0].cpu(), *(x.cpu() if isinstance(x, torch.Tensor) else x for x in args[1:]), **words
        )
        if not func.__name__.endswith("_"):
            return result.to(args[0].device)
        with torch.no_grad():
            return args[0].copy_(result)

    @staticmethod
    def made(func: Any, args: tuple, words: dict, drawn: bool) -> Any:
        named = words.pop("device", None)
        target = torch.device("cuda" if named is None else named)
        if target.type == "cuda" and not drawn and "generator" in words:
            return func(*args, **words, device=target)
        asks = words.pop("requires_grad", False)
        made = func(*args, **words, device="cpu" if target.type == "cuda" else target).to(target)
        return made.requires_grad_() if asks else made


def from_numpy(array: Any, plain: Any = torch.from_numpy) -> torch.Tensor:
    """What torch makes of an array, which no mode hears of, moved to the GPU."""
    return plain(array).cuda()


def pytest_configure() -> None:
    """Arrays become tensors on the GPU."""
    torch.from_numpy = from_numpy


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is of no use here."""
    for item in items:
        reason = next((why for part, why in CPU_ONLY.items() if part in item.nodeid), None)
        if reason is not None:
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Any:
    """What a module makes when it is imported lies on the GPU too."""
    with OnGPU():
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: Any, request: pytest.FixtureRequest) -> Any:
    """What a fixture makes, too."""
    with OnGPU():
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Any:
    """Each test runs with its tensors on the GPU."""
    with OnGPU():
        return (yield)


def main(words: list[str]) -> int:
    """Run the laws; the exit status is pytest's."""
    if not torch.cuda.is_available():
        print("no GPU here\n  got: torch.cuda.is_available() is False\n  fix: run it on a machine with one")
        return 2
    folders = [str(ROOT / "tests" / name) for name in LAWS]
    return pytest.main(["-p", "on_gpu", "-q", "--no-header", "-m", "not proof", *folders, *words])


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "tests"))
    sys.exit(main(sys.argv[1:]))
