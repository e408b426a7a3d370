"""Sharded tensors, on a mesh of one real process: parts, wholes and copies."""

import pytest
import torch
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Shard, distribute_tensor

from regard.training.sharded.layout import is_sharded, local, own_rows, put, rows_like, whole


@pytest.fixture(scope="module")
def mesh(tmp_path_factory):
    store = torch.distributed.FileStore(str(tmp_path_factory.mktemp("store") / "one"), 1)
    torch.distributed.init_process_group("gloo", store=store, rank=0, world_size=1)
    yield init_device_mesh("cpu", (1,))
    torch.distributed.destroy_process_group()


def sharded(mesh, tensor: torch.Tensor) -> DTensor:
    return distribute_tensor(tensor, mesh, [Shard(0)])


def test_a_sharded_tensor_is_known_and_put_together(mesh) -> None:
    plain = torch.arange(6.0).view(3, 2)
    one = sharded(mesh, plain)
    assert is_sharded(one) and not is_sharded(plain)
    assert torch.equal(whole(one), plain) and not is_sharded(whole(one))
    assert whole(plain) is plain and local(plain) is plain


def test_writing_into_the_part_changes_the_tensor(mesh) -> None:
    one = sharded(mesh, torch.zeros(3, 2))
    local(one).fill_(2.0)
    assert torch.equal(whole(one), torch.full((3, 2), 2.0))


@pytest.mark.parametrize("axis", [0, 1])
def test_rows_make_a_tensor_and_come_back(mesh, axis: int) -> None:
    like = sharded(mesh, torch.zeros(3, 2))
    part = torch.randn(3, 4, 5) if axis == 0 else torch.randn(5, 3, 4)
    made = rows_like(part, like, axis=axis)
    assert is_sharded(made) and made.placements == (Shard(axis),) and made.shape == part.shape
    assert torch.equal(whole(made), part)
    assert torch.equal(own_rows(part, like, axis=axis), part)
    assert rows_like(part, torch.zeros(3), axis=axis) is part is own_rows(part, torch.zeros(3), axis=axis)


def test_put_copies_in_every_direction(mesh) -> None:
    value = torch.arange(4.0)
    for source in (value, sharded(mesh, value)):
        target = sharded(mesh, torch.zeros(4))
        put(source, target)
        assert torch.equal(whole(target), value)
    plain = torch.zeros(4)
    put(value, plain)
    assert torch.equal(plain, value)
