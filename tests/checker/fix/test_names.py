"""Names: another variable, another weight, two of them exchanged."""

from checker.fix.kinds import texts
from regard.checker.fix import names
from regard.checker.fix.texts import CodeText

FORWARD = """
class A:
    def forward(self, x, q, k):
        v = self.value(x)
        return self.out(q @ k)
"""


def test_two_names_are_exchanged_in_a_statement_and_in_its_targets() -> None:
    assert texts(names.exchanged, "y = a * cos - b * sin")["y = a * sin - b * cos"] == "names-exchanged"
    assert texts(names.exchanged, "dst, src = edges")["src, dst = edges"] == "targets-exchanged"


def test_a_name_or_an_attribute_stands_in_place_of_another() -> None:
    found = texts(names.replaced, FORWARD)
    assert found[FORWARD.replace("q @ k", "q @ v")] == "name"
    assert found[FORWARD.replace("self.value(x)", "self.out(x)")] == "attribute"


def test_no_weight_stands_in_place_of_the_mode() -> None:
    text = FORWARD.replace("v = self.value(x)", "v = self.value(x) if self.training else x")
    assert all("if self.training else" in new for new in texts(names.replaced, text))


def test_keys_and_values_come_from_their_own_input() -> None:
    line = "    {0} = self.{0}({1}).view(b, {2}, self.h, -1)\n"
    head = "def forward(self, query, key, value):\n    b, n = query.shape[:2]\n"
    wrong = head + "".join(line.format(name, "query", "n") for name in "qkv")
    right = head + "".join(
        line.format(*each)
        for each in (("q", "query", "n"), ("k", "key", "key.shape[1]"), ("v", "value", "value.shape[1]"))
    )
    assert texts(names.sources, wrong)[right] == "sources"
    assert texts(names.sources, right) == {}


def test_names_that_were_bound_together_or_play_a_role_in_the_mistake_are_related() -> None:
    text = "def f(x, e, key, value):\n    src, dst = e\n    return x[src] + value @ key\n"
    code = CodeText(text)
    changes = list(names.replaced(code, [code.tree]))

    def found(*slugs: str) -> set[str]:
        related = names.Related(code, slugs)
        return {code.applied(change) for change in changes if related(change)}

    assert text.replace("x[src]", "x[dst]") in found("direction-reversed")
    assert text.replace("@ key", "@ value") not in found("direction-reversed")
    assert text.replace("@ key", "@ value") in found("value-is-key")
    assert text.replace("x[src]", "x[e]") not in found("value-is-key")
