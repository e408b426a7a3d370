import pytest

from regard.lab.book.site.terms import Term, terms, terms_page


def test_a_term_is_found_as_a_word_and_a_name_in_capitals_only_so() -> None:
    softmax, em = Term("softmax", ("soft maximum",), ""), Term("EM", (), "")
    assert softmax.count("Softmax, softmaxes and a soft maximum") == 2
    assert em.count("them, em and EM") == 1 and em.anchor == "term-em"


@pytest.mark.slow
def test_a_term_leads_to_the_experiments_that_speak_of_it(contents) -> None:
    body = terms_page(contents).body
    part = body[body.index('id="term-softmax"') :].split("</dd>")[0]
    assert 'href="/experiments/heights.html"' in part
    assert 'id="term-modularity"' not in body, "nothing in this book speaks of it"


def test_a_word_of_another_meaning_does_not_count() -> None:
    known = {one.name: one for one in terms()}
    assert known["key"].count("a query and its key") == 1 and known["key"].count("the key of a minor") == 0
    assert known["greedy decoding"].count("greedy modularity finds communities") == 0
    assert known["residual"].count("the residual of a regression") == 0
    assert known["sampler"].count("sampling noise") == 0
    assert known["sampler"].count("sampling at a temperature of 1") == 1
    assert all("|" not in one.meaning for one in known.values())
