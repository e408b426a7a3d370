"""What the tests of training share."""

import importlib.util
from pathlib import Path

import pytest

FILE = Path(__file__).with_name("toy.py")


@pytest.fixture(scope="session")
def toy():
    """The module toy.py, which processes of their own import as well."""
    found = importlib.util.spec_from_file_location("toy", FILE)
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module
