from regard.lab.book.style import picture
from regard.lab.events import Metric
from regard.lab.train.figure import draw_losses, losses_of


def test_the_curves_are_drawn_from_what_was_measured() -> None:
    measured = [Metric("training loss", 3.0, at={"step": 2}), Metric("held-out loss", 3.5, at={"step": 0})]
    measured += [
        Metric("held-out loss of the best checkpoint", 1.0),
        Metric("training loss", 4.0, at={"step": 1}),
    ]
    curves = losses_of(measured)
    assert curves == {"training loss": [(1, 4.0), (2, 3.0)], "held-out loss": [(0, 3.5)]}
    assert b"<svg" in picture(draw_losses(curves, 65)) and picture(draw_losses({"a": []}, 2))
