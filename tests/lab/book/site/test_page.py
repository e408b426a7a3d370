from regard.lab.book.site.page import Page, anchored, relative


def test_links_lead_from_the_folder_of_their_page_and_keep_their_anchor() -> None:
    body = '<a class="x" href="/experiments/pca.html#pca-method" rel="next">one <em>two</em></a>'
    known = {"experiments/pca.html"}
    assert (
        relative(body, "courses/duke.html", known)
        == '<a class="x" href="../experiments/pca.html#pca-method" rel="next">one <em>two</em></a>'
    )
    assert 'href="experiments/pca.html#pca-method"' in relative(body, "index.html", known)


def test_a_link_to_a_page_that_is_not_there_becomes_plain_text() -> None:
    body = '<p><a href="/experiments/none.html">none</a>, <a href="#own">own</a></p>'
    assert relative(body, "a.html", {"a.html"}) == '<p><span>none</span>, <a href="#own">own</a></p>'
    assert anchored(body, []) == '<p><span>none</span>, <a href="#own">own</a></p>'


def test_pictures_are_found_from_every_folder() -> None:
    assert relative('<img src="/assets/a.webp" alt="a">', "deep/er/a.html", set()) == (
        '<img src="../../assets/a.webp" alt="a">'
    )


def test_in_one_file_a_link_is_the_anchor_of_its_target() -> None:
    pages = [Page("experiments/pca.html", "PCA", "", "unsupervised")]
    assert (
        anchored('<a href="/experiments/pca.html#pca-claims">c</a>', pages) == '<a href="#pca-claims">c</a>'
    )
    assert anchored('<a href="/experiments/pca.html">c</a>', pages) == '<a href="#experiments-pca">c</a>'


def test_the_contents_of_a_page_are_its_headings() -> None:
    page = Page("a.html", "A", '<h2 class="y" id="a-one">One <code>x</code></h2><h3 id="no">No</h3>', "book")
    assert page.headings == [("a-one", "One x")]
