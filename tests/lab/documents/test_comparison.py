"""Two runs side by side."""

from dataclasses import replace

from regard.lab.documents.comparison import comparison_document
from regard.lab.runner import run


def test_settings_numbers_and_curves_stand_beside_each_other(experiment, store, source) -> None:
    quick = experiment.presets["quick"]
    first, second = (
        run(experiment, chosen, store, source=source, preset="quick")
        for chosen in (quick, replace(quick, height=1.75))
    )
    document = comparison_document(first, second)
    assert document["settings"] == [{"name": "height", "first": 1.5, "second": 1.75}]
    numbers = {one["name"]: one for one in document["numbers"]}
    assert abs(numbers["height"]["difference"] + 0.25) < 1e-12
    assert numbers["gain"]["difference"] == 0.0
    (curve,) = document["curves"]
    assert [(one["label"], one["side"]) for one in curve["series"]] == [
        ("first", "first"),
        ("second", "second"),
    ]
    assert {"claim"} <= {one["what"] for one in document["changes"]}


def test_a_number_of_one_run_alone_has_no_difference(experiment, store, source) -> None:
    from regard.lab.events import Metric

    def other(settings, context):
        yield Metric("width", 2.0)

    first = run(experiment, experiment.presets["quick"], store, source=source, preset="quick")
    second = run(
        replace(experiment, run=other), experiment.presets["quick"], store, source=source, preset="quick"
    )
    numbers = {one["name"]: one for one in comparison_document(first, second)["numbers"]}
    assert numbers["width"]["first"] is None and numbers["width"]["difference"] is None
