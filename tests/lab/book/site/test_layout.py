import pytest

from regard.lab.book.site.layout import Site
from regard.lab.book.site.page import Page

COVER = Page("index.html", "The lab book", '<p>See <a href="/experiments/pca.html">PCA</a>.</p>', "book")
PCA = Page("experiments/pca.html", "What PCA keeps", '<h2 id="pca-how">How</h2>', "unsupervised", "On <PCA>.")
DUKE = Page("courses/duke.html", "Duke", '<p><a href="/experiments/gone.html">gone</a></p>', "courses")


@pytest.fixture
def site() -> Site:
    return Site([COVER, DUKE, PCA])


def test_the_order_of_reading_is_that_of_the_sections(site) -> None:
    assert [(name, [one.path for one in group]) for name, _, group in site.groups] == [
        ("book", ["index.html"]),
        ("unsupervised", ["experiments/pca.html"]),
        ("courses", ["courses/duke.html"]),
    ]


def test_a_page_has_its_neighbours_its_contents_and_its_description(site) -> None:
    text = site.page(PCA)
    assert '<a class="before" rel="prev" href="../index.html">' in text
    assert '<a class="after" rel="next" href="../courses/duke.html">' in text
    assert '<a href="#pca-how">How</a>' in text and 'content="On &lt;PCA&gt;."' in text
    assert 'rel="prev"' not in site.page(COVER) and 'rel="next"' not in site.page(DUKE)


def test_no_link_leads_to_the_root_of_the_machine(site) -> None:
    for page in site.pages:
        assert 'href="/' not in site.page(page) and 'src="/' not in site.page(page)
    assert 'href="/' not in site.single()


def test_one_file_holds_every_page_under_its_anchor(site) -> None:
    text = site.single()
    assert 'id="experiments-pca"' in text and 'See <a href="#experiments-pca">PCA</a>.' in text
    assert "<script" not in text and "<span>gone</span>" in text
