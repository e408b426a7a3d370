"""The compiled library: built once, kept, built anew when anything changes, done without where need be."""

import os
import shutil
import stat
from pathlib import Path

import pytest
import torch

from regard.core.attend import attend
from regard.core.backends.edges import native
from regard.core.backends.edges import torch_sums as eager
from regard.core.backends.edges.autograd import kernels
from regard.core.edges import Edges
from regard.core.similarity import Additive
from regard.models.gpt import native as step

needs_compiler = pytest.mark.skipif(
    native.missing() not in (None, "REGARD_NATIVE=0"), reason=f"no compiled sums here: {native.missing()}"
)


def script(path: Path, text: str) -> str:
    """A program that stands in for the compiler."""
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def counting(folder: Path) -> tuple[str, Path]:
    """A compiler that notes each call and copies its source in place of compiling it."""
    log = folder / "calls"
    kinds = '*-E*) echo version >&2 ;; *) echo built > "$last" ;;'
    text = f'echo "$@" >> {log}\nfor last; do :; done\ncase "$*" in {kinds} esac'
    return script(folder / "compiler", text), log


def test_a_library_is_built_once_and_then_found(tmp_path: Path) -> None:
    command, log = counting(tmp_path)
    first = native.build(command, tmp_path / "kept", native.SOURCE)
    second = native.build(command, tmp_path / "kept", native.SOURCE)
    assert first == second and first.read_text() == "built\n"
    assert sum("-E" not in line for line in log.read_text().splitlines()) == 1
    assert [path.name for path in (tmp_path / "kept").iterdir()] == [first.name]


@pytest.mark.parametrize("changed", ["compiler", "source", "shared", "flags"])
def test_another_compiler_source_or_flag_makes_another_library(
    changed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command, _ = counting(tmp_path)
    source = native.SOURCE
    first = native.build(command, tmp_path, source)
    if changed == "compiler":
        script(Path(command), Path(command).read_text().replace("version", "next"))
    elif changed == "source":
        source = tmp_path / "edges.cpp"
        source.write_text("other")
    elif changed == "shared":
        monkeypatch.setattr(native, "SHARED", tmp_path / "eight.h")
        native.SHARED.write_text("other")
    else:
        monkeypatch.setattr(native, "FLAGS", (*native.FLAGS, "-g"))
    assert native.build(command, tmp_path, source) != first


@pytest.mark.parametrize("source", [native.SOURCE, step.SOURCE], ids=lambda path: path.name)
def test_where_a_compiler_is_our_sources_compile(source: Path, tmp_path: Path) -> None:
    if shutil.which(native.compiler()) is None:
        pytest.skip("no compiler here")
    assert native.build(native.compiler(), tmp_path, source).exists()


def test_a_failed_build_leaves_nothing_and_says_why(tmp_path: Path) -> None:
    text = 'case "$*" in *-E*) ;; *) echo first >&2; echo "error: no room" >&2; exit 1 ;; esac'
    with pytest.raises(native.Unavailable) as error:
        native.build(script(tmp_path / "compiler", text), tmp_path / "kept", native.SOURCE)
    assert str(error.value) == "the C++ compiler failed: error: no room"
    assert list((tmp_path / "kept").iterdir()) == []


def test_without_a_compiler_the_reason_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("REGARD_NATIVE", raising=False)
    monkeypatch.setenv("CXX", str(tmp_path / "absent"))
    missing = native.missing()
    assert missing is not None and missing.startswith(
        "no working C++ compiler: [Errno 2] No such file or directory"
    )
    assert kernels(torch.ones(1)) is eager


def test_a_cache_that_cannot_be_written_is_no_obstacle(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.delenv("REGARD_NATIVE", raising=False)
    monkeypatch.setenv("CXX", counting(tmp_path)[0])
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    assert "Not a directory" in str(native.missing())


def test_a_library_that_does_not_load_is_no_obstacle(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("REGARD_NATIVE", raising=False)
    monkeypatch.setenv("CXX", counting(tmp_path)[0])
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert native.missing() is not None and kernels(torch.ones(1)) is eager


def test_the_environment_can_turn_it_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REGARD_NATIVE", "0")
    assert native.missing() == "REGARD_NATIVE=0" and kernels(torch.ones(1)) is eager


def test_the_cache_lies_in_the_persons_own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert native.folder() == tmp_path / "regard"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert native.folder() == Path.home() / ".cache" / "regard"


@needs_compiler
def test_only_types_and_devices_that_were_compiled_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REGARD_NATIVE", raising=False)
    assert kernels(torch.ones(1)) is kernels(torch.ones(1, dtype=torch.double)) is native
    assert kernels(torch.ones(1, dtype=torch.half)) is kernels(torch.ones(1, device="meta")) is eager


def random_edges(nodes: int, count: int) -> Edges:
    keys = torch.randperm(nodes * nodes, generator=torch.Generator().manual_seed(0))[:count]
    return Edges(keys % nodes, keys // nodes, nodes=nodes)


@pytest.mark.slow
@needs_compiler
@pytest.mark.parametrize(("heads", "channels"), [(8, 8), (1, 7), (3, 1), (2, 19), (70, 2)])
@pytest.mark.parametrize("kind", [torch.float32, torch.float64])
def test_every_kernel_agrees_with_torch_at_compiled_and_other_sizes(
    heads: int, channels: int, kind: torch.dtype
) -> None:
    torch.manual_seed(0)
    edges, batch = random_edges(601, 4001), 2
    nodes = [torch.randn(batch, heads, 601, channels, dtype=kind) for _ in range(2)]
    by_edge = torch.randn(batch, heads, 4001, dtype=kind)
    single = [torch.rand(601, dtype=kind) for _ in range(2)]
    within = {"rtol": 1e-4, "atol": 1e-4} if kind is torch.float32 else {"rtol": 1e-11, "atol": 1e-11}
    for side in (edges.targets, edges.sources):
        for name, given in (
            ("sum_weighted", (by_edge, nodes[0])),
            ("sum_edges", (by_edge,)),
            ("sum_scaled", (*single, nodes[0])),
        ):
            torch.testing.assert_close(
                getattr(native, name)(side, *given), getattr(eager, name)(side, *given), **within
            )
    torch.testing.assert_close(
        native.dots(edges.targets, *nodes), eager.dots(edges.targets, *nodes), **within
    )
    parts, keep = (
        [torch.randn(batch, heads, 601, dtype=kind) for _ in range(2)],
        torch.rand(batch, heads, 4001, dtype=kind),
    )
    found = []
    for by in (native, eager):
        out, saved = by.additive_forward(edges, *parts, by_edge, keep, nodes[0], 0.2)
        found.append((out, *by.additive_backward(edges, saved, by_edge, keep, 0.2, out, nodes[1])))
    for ours, theirs in zip(*found, strict=True):
        torch.testing.assert_close(ours, theirs, **within)


@needs_compiler
def test_the_number_of_threads_changes_no_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REGARD_NATIVE", raising=False)
    torch.manual_seed(0)
    edges, similarity = random_edges(601, 130_001), Additive(2, 3)  # enough work for three threads
    x = torch.randn(1, 2, 601, 3, requires_grad=True)
    found, before = [], torch.get_num_threads()
    try:
        for threads in (1, 2, 5):
            torch.set_num_threads(threads)
            y = attend(x, x, x, similarity=similarity, support=edges, backend="edges").output
            found.append((y, *torch.autograd.grad(y.square().sum(), x)))
    finally:
        torch.set_num_threads(before)
    assert all(torch.equal(a, b) for other in found[1:] for a, b in zip(found[0], other, strict=True))


@needs_compiler
def test_the_exponential_is_accurate_over_its_range() -> None:
    # Two edges to each target with scores x <= 0 and 0: the weights are e^x / (1 + e^x) and 1 / (1 + e^x).
    x = torch.cat([torch.linspace(-110.0, 0.0, 4001), torch.linspace(-1e-3, 0.0, 101), torch.tensor([-1e4])])
    count = len(x)
    edges = Edges(torch.arange(2 * count), torch.arange(2 * count) // 2, sizes=(count, 2 * count))
    right = torch.stack([x, torch.zeros(count)], 1).view(1, 1, -1)
    values = torch.stack([torch.ones(count), torch.zeros(count)], 1).view(1, 1, -1, 1)
    out, _ = native.additive_forward(edges, torch.zeros(1, 1, count), right, None, None, values, 1.0)
    exact = torch.sigmoid(x.double())
    assert ((out.flatten() - exact).abs() <= 2e-7 * exact + 2e-38).all()
    assert out.flatten()[x < -88].eq(0).all()


def test_the_source_travels_with_the_package() -> None:
    assert native.SOURCE.is_file() and os.access(native.SOURCE, os.R_OK)


@needs_compiler
@pytest.mark.parametrize("kind", [torch.float32, torch.float64])
@pytest.mark.parametrize("sizes", [(2, 300, 8, 8), (1, 129, 1, 16), (2, 256, 3, 5), (1, 0, 8, 8)])
def test_parts_of_scores_and_their_way_back_are_torchs(
    sizes: tuple[int, ...], kind: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Across more rows than a thread takes at a time, the last time fewer."""
    monkeypatch.delenv("REGARD_NATIVE", raising=False)
    batch, nodes, heads, channels = sizes
    edges = Edges(torch.arange(nodes), torch.arange(nodes), nodes=nodes)
    target, source = torch.randn(2, heads, channels, dtype=torch.float64)
    values, to_values = torch.randn(2, batch, heads, nodes, channels, dtype=torch.float64)
    both = torch.randn(2, batch, heads, nodes, dtype=torch.float64)
    given = [x.to(kind) for x in (target, source, values)]
    close = {"rtol": 1e-4, "atol": 1e-4} if kind is torch.float32 else {}
    found, wanted = native.parts(edges, *given), eager.parts(edges, target, source, values)
    torch.testing.assert_close(found, tuple(x.to(kind) for x in wanted), **close)
    found = native.spread(edges, *given, (*both.to(kind), to_values.to(kind, copy=True)))
    wanted = eager.spread(edges, target, source, values, (*both, to_values.clone()))
    torch.testing.assert_close(found, tuple(x.to(kind) for x in wanted), **close)
