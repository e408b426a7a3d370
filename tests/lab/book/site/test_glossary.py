from regard.lab.book.site.terms import terms


def test_every_term_has_a_meaning_and_stands_once_in_the_order_of_the_alphabet() -> None:
    found = list(terms())
    names = [one.name.lower() for one in found]
    assert len(names) > 60 and names == sorted(names) and len(set(names)) == len(names)
    assert len({one.anchor for one in found}) == len(found)
    assert all(one.meaning and not one.meaning.endswith(".") for one in found)
