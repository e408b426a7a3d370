"""Markdown of the guides as pages."""

from regard.lab.book.docs.guides import ORDER, code, folder, guide, guides, markdown


def test_every_guide_of_the_folder_is_a_page_in_the_order_of_reading():
    names = [page.path.removeprefix("docs/").removesuffix(".html") for page in guides()]
    assert set(names) == {file.stem for file in folder().glob("*.md")}
    assert names[:6] == [name for name in ORDER if name in names][:6]


def test_a_guide_has_a_title_a_description_and_ids_of_its_own():
    page = guide("tour", "# A *short* tour\n\nOf [things](build.md) and `words`.\n\n## Why & how\n\nSo.\n")
    assert page.description == "Of things and words."
    assert '<h2 id="tour-why-how">' in page.body and page.section == "docs"


def test_links_lead_to_pages_of_the_site():
    text = markdown(
        "[a](build.md) [b](build.md#x) [c](site:/docs/api/operator.html) [d](https://example.org)", "n"
    )
    assert 'href="/docs/build.html"' in text and 'href="/docs/build.html#x"' in text
    assert 'href="/docs/api/operator.html"' in text and 'href="https://example.org"' in text


def test_formulas_are_mathml_and_code_is_left_alone():
    text = markdown("The square $a^2$ and `$HOME`.\n\n    echo $PATH $HOME\n", "n")
    assert "<msup>" in text and "<code>$HOME</code>" in text and "echo $PATH $HOME" in text


def test_html_in_a_guide_is_text():
    assert "<script>" not in markdown("<script>alert(1)</script>", "n")
    assert code("a < b") == "<pre>a &lt; b</pre>"
