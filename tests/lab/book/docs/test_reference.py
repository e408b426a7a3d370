"""The reference has every public name."""

import dataclasses
import inspect

import regard
from regard.lab.book.docs.equations import EQUATIONS, SPOKEN
from regard.lab.book.docs.guides import REGION
from regard.lab.book.docs.reference import CONSTANTS, docstring, public, reference, signature


def test_every_public_name_has_its_place_with_signature_and_words():
    body = {page.path: page.body for page in reference()}
    text = "".join(body.values())
    for one in public():
        assert f'id="api-{one.package.rpartition(".")[2]}-{one.name}"' in text, one.name
    assert "attend(" in body["docs/api/operator.html"] and "GraphAttention" in body["docs/api/graphs.html"]
    assert len(set(body)) == 9


def test_every_public_class_and_function_says_what_it_is():
    silent = [one.name for one in public() if callable(one.thing) and not (one.thing.__doc__ or "").strip()]
    assert silent == []


def test_a_long_call_has_a_parameter_a_line():
    assert signature(regard.attend).count("\n") > 5
    assert signature(lambda a: a) == "(a)"


def test_a_docstring_keeps_its_examples_and_formulas():
    def thing():
        """Adds.

            y = a + b

        * one
        * two

        >>> 1 < 2
        True
        """

    text = docstring(thing)
    assert (
        text
        == f"<p>Adds.</p>{REGION}y = a + b</pre><ul><li>one</li><li>two</li></ul>{REGION}&gt;&gt;&gt; 1 &lt; 2\nTrue</pre>"
    )


def test_fields_have_their_sentences():
    text = "".join(page.body for page in reference())
    assert dataclasses.is_dataclass(regard.GPTConfig) and "<dt><code>vocabulary</code></dt>" in text


def test_a_call_is_written_as_a_person_writes_it():
    text = "".join(page.body for page in reference())
    assert " at 0x" not in text, "an address of memory"
    assert not any(one in text for one in ("&lt;class", "&lt;factory", "(self", "(cls", "-&gt; &#x27;"))
    assert "aggregate: Callable[[Tensor, Tensor, int], Tensor] = sums" in text
    assert "similarity: type[Additive] | type[GATv2Score] = Additive" in text

    class Thing:
        def __init__(self, kind: type = dict) -> None: ...

    assert signature(Thing) == "(kind: type = dict)"


def test_a_long_call_says_what_it_gives():
    assert signature(regard.attend).endswith(",\n) -> Attended")


def test_what_is_no_class_and_no_function_is_told_in_a_sentence():
    assert CONSTANTS.keys() == {one.name for one in public() if not callable(one.thing)}
    (page,) = [one for one in reference() if one.path == "docs/api/data.html"]
    albums = page.body.split('id="api-data-ALBUMS"')[1].split("<h2")[0]
    assert CONSTANTS["ALBUMS"] in albums and "membranes, pets" in albums and "http" not in albums


def test_a_formula_that_stands_above_is_not_spelled_out_again():
    text = "".join(page.body for page in reference())
    assert "<p>The score of a GAT layer.</p>" in text and "LeakyReLU( target" not in text
    for name in SPOKEN:
        first = inspect.getdoc(getattr(regard, name)).splitlines()[0]
        assert name in EQUATIONS and SPOKEN[name] in first
