"""Samples of what stands still are held to its components, labels to the shares."""

import re

from regard.checker.contracts.mixture.weighed import LABELS


def test_labels_have_names_in_some_languages() -> None:
    names = ("predict", "predict_labels", "prever", "predecir", "predict_proba", "sample")
    assert [name for name in names if re.search(LABELS, name)] == [
        "predict",
        "predict_labels",
        "prever",
        "predecir",
    ]
