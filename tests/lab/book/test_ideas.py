from regard.lab.book.ideas import IDEAS, idea_and_method
from regard.lab.registry import rooms


def test_every_experiment_has_its_idea() -> None:
    assert set(IDEAS) == set(rooms())


def test_a_theorem_is_parted_at_its_derivation_and_an_own_experiment_has_no_idea() -> None:
    theorem = {"name": "theory-x", "method": "*X.* Assumed: y.\n\nSo it is.\n\n*Derivation.*\n\n1. One."}
    assert idea_and_method(theorem) == ("*X.* Assumed: y.\n\nSo it is.", "1. One.")
    assert idea_and_method({"name": "mine", "method": "One.\n\nTwo."}) == ("", "One.\n\nTwo.")
    assert idea_and_method({"name": "pca", "method": "One."})[0].startswith("A linear autoencoder")
