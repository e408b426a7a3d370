"""Markdown of the guides as pages."""

from regard.lab.book.docs.guides import ORDER, REGION, code, folder, guide, guides, markdown


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
    assert code("a < b") == f"{REGION}a &lt; b</pre>"


def test_marks_of_those_who_write_a_guide_are_not_shown():
    page = guide(
        "grows",
        "# How\n\n<!-- gpus -->\n**70 B** take a day.\n<!-- end -->\n\n| a |\n|---|\n| 1 |\n<!-- x -->\n",
    )
    assert "--" not in page.body + page.description and "<td>1</td>" in page.body
    assert page.body.count("<tr>") == 2, "a mark below a table is no row of it"
    assert not [one.path for one in guides() if "&lt;!--" in one.body]


def table(columns: int) -> str:
    return markdown("|" + " a |" * columns + "\n|" + "---|" * columns + "\n|" + " 1 |" * columns, "n")


def test_a_table_with_many_columns_scrolls_says_so_and_takes_the_room_that_there_is():
    assert "swipe" not in table(4) and "swipe" in table(5)
    assert 'class="scroll"' in table(6) and 'class="scroll broad"' in table(7)
    assert all('tabindex="0"' in table(columns) for columns in (2, 9))
