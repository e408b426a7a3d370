"""The leading figure of each experiment: the one that shows the answer, and opens its page."""

from regard.lab.store.run import Run

LEADS = {
    "attention-as-convolution": "matrices",
    "autoencoders": "accuracy",
    "decoding": "search",
    "exactness": "bytes",
    "karate": "training",
    "padding": "map",
    "pca": "weights",
    "rotation": "curves-digits",
    "scaled-dot-product": "softmax",
    "uniform-mixture": "curves",
    "unet": "skips",
}
"Where it is not the first that is drawn."


def figure_names(run: Run) -> dict[str, str]:
    """The caption of each figure of a run by its name, the leading figure first."""
    drawn = {name: caption for name, caption, _ in run.figures}
    lead = LEADS.get(run.request["name"])
    return {lead: drawn[lead], **drawn} if lead in drawn else drawn
