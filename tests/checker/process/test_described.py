"""What an object shows of itself."""

from types import SimpleNamespace

from torch import nn

from regard.checker.process.described import constants_of, member, methods_of, numbers_of, parameters_of


class Sizes:
    d_k = 16
    name = "small"


class Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.heads, self.settings = 3, SimpleNamespace(heads=8, width=24)

    def log_prob(self, x, *, base=2.0): ...

    def _step(self): ...


def test_numbers_of_settings_give_way_to_its_own() -> None:
    assert {"heads": 3, "width": 24}.items() <= numbers_of(Layer()).items()


def test_methods_are_those_that_a_person_wrote() -> None:
    assert set(methods_of(Layer(), hidden=False)) == {"log_prob"}
    assert set(methods_of(Layer(), hidden=True)) == {"_step"}


def test_arguments_have_names_and_defaults() -> None:
    x, base = parameters_of(Layer().log_prob)
    assert (x["name"], x["required"], x["named"]) == ("x", True, False)
    assert (base["name"], base["required"], base["named"], base["default"]) == ("base", False, True, 2.0)
    assert parameters_of(None) == []


def test_a_class_without_forward_is_a_member_too() -> None:
    class Bare:
        def __init__(self, n: int) -> None:
            self.n = n

    assert member("Bare", Bare)["forward"] == []


def test_a_call_and_methods_that_take_something_are_inherited() -> None:
    class Called:
        def __call__(self, x): ...

        def fit(self, points): ...

        def words(self): ...

    class Heir(Called):
        def __init__(self, width: list[int] = [8]) -> None: ...  # noqa: B006

    found = member("Heir", Heir)
    assert [p["name"] for p in found["forward"]] == ["x"]
    assert found["asked"] == ["fit"]
    assert found["parameters"][0]["several"]


def test_whole_numbers_from_outside_are_told_of_a_function_and_of_methods() -> None:
    class Scores:
        def forward(self, q, k):
            def scale(x):
                return x / Sizes.d_k**0.5

            return scale(q @ k.mT), Sizes.name

    assert constants_of(Scores) == constants_of(Scores.forward) == {"Sizes.d_k": 16}
    assert constants_of(len) == {}
