import json

from regard.lab.book.site.page import Page
from regard.lab.book.site.search import entries, index

BODY = """<p>Words &amp; more</p><svg><path d="M0 0"/></svg><details>left out</details>
<article class="claim" id="a-claim-x"><p class="says">It is <b>high</b>. <a class="anchor" href="#a-claim-x">#</a></p><p>Why</p></article>"""


def test_a_page_and_each_of_its_claims_can_be_found() -> None:
    page, claim = entries(Page("experiments/a.html", "A", BODY, "text", "On heights."))
    assert page == ["experiments/a.html", "A", "Text", "On heights. Words & more"]
    assert claim == ["experiments/a.html#a-claim-x", "It is high.", "A", ""]


def test_the_index_is_a_script_that_sets_one_constant() -> None:
    pages = [
        Page("a.html", "</script>", "<p>x</p>", "book"),
        Page("claims.html", "Claims", "<p>x</p>", "book"),
    ]
    text = index(pages)
    name, _, value = text.partition(" = ")
    assert name == "const REGARD_INDEX" and [row[0] for row in json.loads(value.rstrip(";\n"))] == ["a.html"]
