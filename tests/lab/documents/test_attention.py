"""The document of attention holds the very weights, as float16."""

import base64

import numpy
import pytest
import torch

from regard.errors import RegardError
from regard.lab.documents.attention import attention_document, stacked
from regard.lab.look.maps import AttentionLayer, AttentionMaps


def maps(n: int = 5, layers: int = 3, heads: int = 2) -> AttentionMaps:
    rows = torch.rand(layers, 1, heads, n, n).softmax(-1)
    return AttentionMaps(
        tuple(AttentionLayer(f"l{i}", one, "attend") for i, one in enumerate(rows)), tuple("abcde"[:n])
    )


def test_the_weights_come_back() -> None:
    torch.manual_seed(0)
    found = maps()
    document = attention_document(found, name="tiny", next=[{"token": "f", "p": 0.5}])
    assert (document["layers"], document["heads"], document["n"]) == (3, 2, 5)
    assert document["tokens"] == list("abcde") and document["before"] is None and document["grid"] is None
    back = numpy.frombuffer(base64.b64decode(document["weights"]), "<f2").reshape(3, 2, 5, 5)
    expected = torch.stack([one.weights[0] for one in found.layers]).numpy()
    numpy.testing.assert_allclose(back, expected, atol=5e-4)


def test_a_picture_has_its_grid() -> None:
    from dataclasses import replace

    assert attention_document(replace(maps(4), grid=(2, 2)))["grid"] == {"rows": 2, "columns": 2}


def test_layers_that_differ_or_are_too_many_are_refused() -> None:
    first, second = maps(4), maps(5)
    with pytest.raises(RegardError, match="differ in size"):
        stacked(AttentionMaps((*first.layers, *second.layers), ()))
    wide = AttentionMaps((AttentionLayer("l", torch.zeros(1, 1, 2001, 2001), ""),), ())
    with pytest.raises(RegardError, match="not shown at once"):
        stacked(wide)
