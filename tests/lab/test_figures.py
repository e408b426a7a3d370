import re
from xml.etree import ElementTree

from regard.lab.figures import inline, panels, picture, style


def drawn() -> bytes:
    with style():
        figure, axes = panels(2)
        for axis in axes:
            axis.plot([1, 2], [3, 4], label="a")
            axis.legend()
    return picture(figure)


def test_the_same_figure_gives_the_same_bytes() -> None:
    assert drawn() == drawn()


def test_a_figure_is_a_vector_picture_without_text_that_needs_a_font() -> None:
    root = ElementTree.fromstring(drawn())
    assert root.tag.endswith("svg") and not root.findall(".//{http://www.w3.org/2000/svg}text")


def test_two_figures_in_one_page_share_no_id_and_every_reference_is_met() -> None:
    first, second = (inline(drawn().decode(), name) for name in ("a", "b"))
    ids = [set(re.findall(r'\bid="([^"]+)"', one)) for one in (first, second)]
    assert ids[0] and not ids[0] & ids[1]
    for text, own in zip((first, second), ids, strict=True):
        assert set(re.findall(r'href="#([^"]+)"', text)) | set(re.findall(r"url\(#([^)]+)\)", text)) <= own


def test_an_inlined_figure_takes_its_size_from_the_page() -> None:
    head = inline(drawn().decode(), "a").split(">", 1)[0]
    assert "viewBox" in head and not re.search(r'\b(width|height)="', head)
