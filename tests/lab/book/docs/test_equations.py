"""The equations of the reference can be read, and belong to names that there are."""

from regard.lab.book.docs.equations import EQUATIONS
from regard.lab.book.docs.reference import equation, public, reference
from regard.theory.mathml import mathml


def test_every_equation_belongs_to_a_public_name_and_is_mathml() -> None:
    assert EQUATIONS.keys() <= {one.name for one in public()}
    for name in EQUATIONS:
        assert equation(name).count("<math") >= 1 and "$" not in equation(name), name


def test_what_computes_no_formula_has_none() -> None:
    assert equation("Full") == ""


def test_the_operator_shows_its_equation_under_its_call() -> None:
    (page,) = [one for one in reference() if one.path == "docs/api/operator.html"]
    told = page.body.split('id="api-regard-attend"')[1].split("<h2")[0]
    assert told.index("</pre>") < told.index("<math") < told.index("weighted sum of the values")
    assert mathml("S(i)") in told
