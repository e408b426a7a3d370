"""A page for each contract and each mistake of the checker."""

from regard.checker.contracts.table import CONTRACTS
from regard.lab.book.docs.contracts import contracts, heading, path, remedy


def test_every_contract_and_every_mistake_has_a_page_of_its_own():
    pages = {page.path: page for page in contracts()}
    assert len(pages) == sum(1 + len(one.mistakes) for one in CONTRACTS)
    for one in CONTRACTS:
        listed = pages[path(one)].body
        assert pages[path(one)].parent == ""
        for mistake in one.mistakes:
            page = pages[path(one, mistake)]
            assert f'href="/{path(one, mistake)}"' in listed and page.parent == path(one)
            assert "Why it is wrong" in page.body and "Remedy" in page.body and "<pre " in page.body


def test_a_mistake_is_headed_by_what_it_does_and_says_it_once():
    pages = {page.path: page for page in contracts()}
    page = pages["docs/check/causal-attention/scale-width.html"]
    said = "The scores are divided by the square root of the model width, not of the head width"
    assert page.title == said and page.body.count(said) == 1 and f'mistake. {said}"' in page.body, (
        "for those who hear the picture"
    )
    assert '<code class="short">scale-width</code>' in page.body
    swapped = pages["docs/check/causal-attention/k-v-swapped.html"]
    assert swapped.title == "Keys and values are exchanged" and "queries meet the values" in swapped.body
    for one in CONTRACTS:
        headings = [heading(mistake) for mistake in one.mistakes]
        assert len(set(headings)) == len(headings) and all(2 < len(text.split()) < 30 for text in headings)


def test_a_heading_has_no_signs_of_a_terminal():
    assert not [page.title for page in contracts() if "^" in page.title]
    pages = {page.path: page for page in contracts()}
    assert pages["docs/check/scaled-dot-product/q-k-swapped.html"].title == "The scores are k qᵀ"


def test_code_that_begins_a_heading_keeps_its_first_letter_and_a_minus_is_a_minus():
    titles = {page.path: page.title for page in contracts()}
    assert titles["docs/check/causal-attention/heads-split-view.html"].startswith("view(")
    assert titles["docs/check/rotary/exponent-doubled.html"] == "The exponent is −4i/d instead of −2i/d"


def test_what_is_a_convention_too_says_when_it_is_a_mistake():
    pages = {page.path: page.body for page in contracts()}
    strict, asked = "under <code>--strict</code>", "where nothing in the source asks for it"
    assert pages["docs/check/gaussian-mixture.html"].replace(' class="short"', "").count(strict) == 1
    assert asked in pages["docs/check/gat-layer.html"]


def test_a_remedy_is_a_sentence_or_a_line_of_code():
    assert remedy("A = adj + I") == "<code>A = adj + I</code>"
    assert remedy("take the softmax once") == "Take the softmax once."
    assert remedy("torch.arange(n), from 0") == "<code>torch.arange(n)</code>, from 0."
    assert remedy("base ** (-2 i / d) with base = 10000").startswith("base ** (−2 i / d) with")


def test_only_the_lines_that_matter_have_an_arrow_and_only_pages_with_one_speak_of_it():
    pages = {page.path: page for page in contracts()}
    assert {"with an arrow" in page.body for page in pages.values() if page.parent} == {True, False}
    assert all(
        ("with an arrow" in page.body) == ("→ " in page.body) for page in pages.values() if page.parent
    )
    assert "→ scores = q @ k.transpose(-2, -1)" in pages["docs/check/causal-attention/scale-width.html"].body


def test_every_mistake_has_its_picture():
    pages = {page.path: page.body for page in contracts()}
    bodies = [pages[path(one, mistake)] for one in CONTRACTS for mistake in one.mistakes]
    bare = [body for body in bodies if "<svg" not in body and "What is seen:" not in body]
    assert len(bodies) > 300 and bare == []
