from regard.lab.book.leads import LEADS, figure_names
from regard.lab.registry import rooms
from regard.lab.runner import run


def test_the_leading_figure_comes_first_and_none_is_lost(experiment, store, source, monkeypatch) -> None:
    done = run(experiment, experiment.presets["quick"], store, source=source, preset="quick")
    assert list(figure_names(done)) == ["line"]
    monkeypatch.setattr(type(done), "figures", [("a", "A.", None), ("b", "B.", None)])
    monkeypatch.setitem(LEADS, "heights", "b")
    assert figure_names(done) == {"b": "B.", "a": "A."} and next(iter(figure_names(done))) == "b"
    monkeypatch.setitem(LEADS, "heights", "gone")
    assert list(figure_names(done)) == ["a", "b"]


def test_every_leading_figure_is_drawn_by_its_experiment() -> None:
    for name, figure in LEADS.items():
        room = rooms()[name]
        files = room.parent.glob("*.py") if room.name == "experiment.py" else [room]
        text = "".join(file.read_text() for file in files)
        assert f'"{figure.split("-")[0]}' in text, name
