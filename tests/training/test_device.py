import pytest
import torch

from regard.errors import RegardError
from regard.training.device import find_device


def test_a_device_that_is_there_is_found():
    assert find_device("cpu") == torch.device("cpu")


def test_a_name_that_torch_does_not_know_is_told_in_three_lines():
    with pytest.raises(RegardError) as told:
        find_device("gpu")
    assert (told.value.what, told.value.got, told.value.fix) == (
        "no device of that name",
        "'gpu'",
        "one of cpu, cuda, cuda:1, mps",
    )


def test_a_device_that_this_machine_lacks_is_told_in_three_lines():
    with pytest.raises(RegardError) as told:
        find_device("cuda:63")
    assert told.value.what == "this machine has no such device" and told.value.fix == "take cpu"
    assert told.value.got.startswith("'cuda:63': ") and "\n" not in told.value.got
