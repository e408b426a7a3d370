"""The page: all maps, then each layer by itself; written whole, to a place that can be written."""

from dataclasses import replace
from html import escape
from pathlib import Path

import pytest
import torch

from regard.errors import RegardError
from regard.lab.look.attention import Attention
from regard.lab.look.maps import AttentionLayer
from regard.lab.look.page import fragment


def maps(layers: int, heads: int) -> Attention:
    found = (AttentionLayer(f"<b{i}>", torch.ones(1, heads, 3, 3) / 3, "softmax") for i in range(layers))
    return Attention(tuple(found), tuple("a<b"), ("a <note>",))


def test_a_page_shows_all_maps_and_then_each_layer_where_there_are_many(tmp_path: Path) -> None:
    maps(2, 2).save(tmp_path / "few.html")
    maps(12, 12).save(tmp_path / "many.html")
    few, many = ((tmp_path / name).read_text() for name in ("few.html", "many.html"))
    assert few.count("<svg") == 1 and "<details" not in few
    assert many.count("<details") == 12 and many.count("<svg") == 1 + 12 * 3
    assert "a &lt;note&gt;" in few and "<b0>" not in few + many


def test_a_page_says_whose_maps_it_shows_and_what_small_numbers_mean(tmp_path: Path) -> None:
    replace(maps(1, 1), of="train-1 on '<ab>'", labels=("a", "д₁", "д₂")).save(tmp_path / "x.html")
    shown = (tmp_path / "x.html").read_text()
    title = "Attention of train-1 on &#x27;&lt;ab&gt;&#x27;"
    assert f"<title>{title}</title>" in shown and f"<h1>{title}</h1>" in shown
    assert escape("д₁ and д₂ are tokens that make 'д' together: a small number counts them") in shown
    maps(1, 1).save(tmp_path / "y.html")
    assert "<h1>Attention</h1>" in (tmp_path / "y.html").read_text()


def test_small_numbers_of_the_text_itself_are_not_explained() -> None:
    assert replace(maps(1, 1), labels=("x₁", "y", "x₂")).said == ("a <note>",)


def test_a_notebook_shows_a_part_of_a_page_and_the_picture() -> None:
    one = maps(1, 2)
    assert fragment(one).startswith("<div><p>a &lt;note&gt;") and one._repr_svg_().startswith("<svg")
    # Where the views of the front end are there, the same stands inside of them for where no script runs.
    shown = one._repr_html_()
    assert shown == fragment(one) or escape(f"<noscript>{fragment(one)}</noscript>") in shown


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("x.png", "attention is drawn as a picture or a page"),
        ("x", "attention is drawn as a picture or a page"),
        ("no/x.svg", "there is no such place to write to"),
        ("folder.svg", "there is no such place to write to"),
    ],
)
def test_a_place_that_cannot_be_written_is_told(tmp_path: Path, name: str, what: str) -> None:
    (tmp_path / "folder.svg").mkdir()
    with pytest.raises(RegardError, match=what):
        maps(1, 1).save(tmp_path / name)
