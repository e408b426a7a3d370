"""How the experiment speaks of a graph of a person's own: what was found in it, and how."""

from collections.abc import Mapping

from regard.experiments.graphs.karate.club import Club, Story
from regard.lab.experiment import OwnWords


def said_of_own(seeds: int, members: Club, stories: Mapping[str, Story]) -> str:
    """What was found in a graph of a person's own, beside what naming the larger side would give."""
    tested, taught, said = int(members.test.sum()), int((~members.test).sum()), []
    kinds = {"community": members.community, "label": members.joined}
    for kind, story in stories.items():
        share = kinds[kind][members.test].double().mean().item()
        right = 100 * story.right[-1, seeds:].mean().item()
        said.append(
            f"taught the {kind} of {taught} nodes and the edges alone, the network is right about the {kind} of {right:.0f} % of the {tested} "
            f"tested ones (always naming the commoner {kind}: {100 * max(share, 1 - share):.0f} %)"
        )
    told = "; ".join(said)
    odd = int((members.joined != members.community).sum())
    apart = (
        f" {odd} {'node has a label that is not its' if odd == 1 else 'nodes have a label that is not their'} community's."
        if members.labelled
        else " What is right or wrong here is not a label that you gave: your file has none."
    )
    lone = "one seed" if seeds == 1 else f"means of {seeds} seeds"
    return (
        f"From its edges alone your graph is parted into two communities, by greatest modularity: the largest, with "
        f"{int(members.community.sum())} of {len(members.test)} nodes, and all others. {told[0].upper()}{told[1:]}; {lone}, after the last epoch.{apart}"
    )


WORDS = OwnWords(
    data="graph",
    question="Can a graph network tell the communities of your graph from a part of the labels and the edges alone, and what is it worth to train on tested labels?",
    idea="""Two rounds of averaging over neighbours draw the nodes of a community together: if that is enough, a
        graph network can do without features and with few labels. What its accuracy means depends on which labels it was trained on, and on where
        the labels came from.""",
    method=r"""The nine steps of Berkeley HW6, over your graph of $n$ nodes. (1) Self-connections are added to the
        adjacency matrix, $A + I$. (2) It is normalised: $\hat{A} = D^{-1/2} (A + I) D^{-1/2}$, with $D$ the degrees. (3) A
        node is described by its number alone: $X$ is the identity. (4) A layer is $H' = \tanh(\hat{A} H W^\top)$. Its
        gradient by hand: with $G = \frac{\partial L}{\partial H'} \odot (1 - H' \odot H')$, entry by entry, and weight
        decay $\lambda$, $\frac{\partial L}{\partial W} = G^\top \hat{A} H + \frac{\lambda}{n} W$, and
        $\frac{\partial L}{\partial H} = \hat{A} G W$ goes to the layer below ($\hat{A}$ is symmetric). At the top the
        softmax with cross-entropy gives, at the logits $z$, $\frac{\partial L}{\partial z} = \frac{p - y}{n}$ for the
        nodes that train and 0 for the others. (5) The gradient is held against
        central differences of step 1e-4, with weight decay 1, and against autograd; a table shows some entries
        of each. (6, 7) Two layers, then a softmax layer for two classes with a bias. (8) Plain gradient descent, with
        $\lambda$ divided by $n$; three nodes in ten are tested, the others train. (9) Where your file gives labels: which nodes
        have another label than most of their community.

        What is learned first is the communities of greatest modularity, the graph's own suggestion: the largest that a
        greedy algorithm finds, and all others together. Where your file gives labels, the same is done again with them: the commonest
        label, and all others together.

        Each seed is trained in two ways: with the mistake of Berkeley HW6's notebook, a mask that is not applied, so that
        the tested labels train the network too, and with the mask. Accuracies
        are those after the last epoch; where the assignment's rule would have stopped, and
        what the accuracy is there, is noted beside them.""",
    see="""First, whether features are needed where there is a graph: look
        at the embedding of epoch 0, which no label has touched; if the colours lie apart there already, the averaging over
        neighbours separates them ([[graph-algebra]] measures how such averaging goes on, and [[theory-graph-layers]] derives
        the layer). Second, what an accuracy
        means when the tested labels took part in the training: compare the orange and the blue curves. Third, that an
        accuracy is only as good as its labels: a community was computed from the same edges as the prediction.""",
)
"How the experiment speaks over a graph of a person's own."
