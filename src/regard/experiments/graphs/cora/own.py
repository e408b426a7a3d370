"""How the experiment speaks of a graph of a person's own: what was found in it, and how."""

from collections.abc import Mapping
from statistics import mean

from regard.experiments.graphs.cora.nodes import NodeTask
from regard.lab.experiment import OwnWords
from regard.lab.statistics import difference


def said_of_own(task: NodeTask, tests: Mapping[str, Mapping[int, float]]) -> str:
    """What was found in a graph of a person's own: who is right how often, who leads, and what the edges are worth."""
    means = {name: mean(found.values()) for name, found in tests.items() if found}
    lead, count = difference(tests["GAT"], tests["GCN"]), len(tests["GCN"])
    interval = f"95 % interval {lead.low:+.1f} to {lead.high:+.1f}"
    if count < 2:
        told = f"attention has {lead.mean:+.1f} points, and one seed cannot say whether that is chance"
    elif lead.low <= 0 <= lead.high:
        told = f"which of the two leads is not settled ({lead.mean:+.1f} points for attention, {interval})"
    else:
        told = f"{'attention' if lead.mean > 0 else 'convolution'} leads by {abs(lead.mean):.1f} points ({interval} for attention)"
    usual = 100 * (task.labels[task.test] == task.labels[task.train].mode().values).double().mean().item()
    alone = means.get(task.say("GCN without {citations}"))
    edges = "" if alone is None else f" Without the edges the same GCN is right on {alone:.1f} %;"
    return (
        f"On your graph graph convolution (GCN) is right on {means['GCN']:.1f} % of the {len(task.test):,} test nodes and "
        f"graph attention (GAT) on {means['GAT']:.1f} %, over {count} seeds each: {told}.{edges} the most frequent "
        f"class alone would be right on {usual:.1f} %."
    ).replace(". the most", ". The most")


WORDS = OwnWords(
    data="graph",
    question="How well do graph convolution and graph attention tell the classes of your graph's nodes, and what are its edges worth?",
    idea="""Nodes that are joined are often of one class, and then a network may average over neighbours. Graph
        convolution averages with fixed weights, graph attention with learned ones; and what either reaches depends
        also on when its training stops and on how the features are scaled.""",
    method=r"""Of each class 20 nodes, at most half of it, are trained on; half of the others, at most 500, validate, and the rest test.

        GCN: $y = \mathrm{softmax}(\hat{A} \cdot \mathrm{Dropout}(\mathrm{ReLU}(\hat{A} X W_0)) \cdot W_1)$ with
        $\hat{A} = D^{-1/2} (A + I) D^{-1/2}$, 16 hidden channels, dropout 0.5, Adam with rate 0.01, weight decay 0.0005 on the first layer. GAT: 8 heads of 8 channels, ELU, one head
        for the classes, dropout 0.6 before each layer and on the weights of attention, rate 0.005, decay 0.0005 on
        everything. The features of a node, where none of them is negative, are shares that sum to one.

        The protocol was fixed before anything was measured: at most 1000 epochs; it ends when the validation loss has
        found no new low for 100 epochs; the epoch of the lowest validation loss is the one that is tested. Both
        networks start from the same seeds, so that differences are taken in pairs. Accuracies at other epochs are
        read off the same trainings and shown beside; nothing is chosen by them.

        More networks, trained alike, tell what makes the difference: GCN without edges, which sees the features of each
        node alone; GAT whose scores stay zero, so that all neighbours of a node have the same weight; and, in the full
        preset, GCN as wide as GAT and with its dropout, rate and decay.

        Both layers are first held against Toronto A4's formulas with whole matrices. The entropy of attention
        is that of the weights of a node's neighbours (itself included), divided by that of equal weights.""",
    see="""Two comparisons. Between the networks: the lead of GAT over GCN, and which of the steps between them has it; a
        layer of attention with equal weights is a mean over neighbours, as [[graph-algebra]] shows and
        [[theory-graph-layers]] derives. Between moments of one training: the same network after 200 epochs, at its
        lowest validation loss, and at its end. Where the two networks disagree, the neighbours of a node tell why: both
        add up what neighbours say, and can only be as right as those are.""",
)
"How the experiment speaks over a graph of a person's own."
