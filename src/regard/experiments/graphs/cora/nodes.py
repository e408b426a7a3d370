"""Node classification on one graph: recipes of GCN and GAT, trained with early stopping."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from regard.core.edges import Edges
from regard.data.sets.graphs import Network
from regard.lab.workers import processes
from regard.models.graph.layers import GAT, GCN
from regard.models.graph.sparse import SparseFeatures
from regard.shapes import Float, Int
from regard.training import PLAIN, EarlyStopping, Plan, TorchOptimiser, Training


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """A network over a graph, and how it is trained."""

    model: Literal["GCN", "GAT"]
    "Two graph convolutions, or two layers of graph attention."
    hidden: int
    "Width of the hidden layer: of each head, where there are heads."
    heads: int = 1
    "Heads of the first layer."
    rate: float
    "Learning rate of Adam."
    decay: float = 5e-4
    "Weight decay, added to the gradient as in the papers."
    decayed: Literal["everything", "first layer"]
    "What decays."
    dropout: float
    "Dropout before each layer."
    attention_dropout: float = 0.0
    "Dropout of the weights of edges."
    neighbours: Literal["weighed", "equal", "none"] = "weighed"
    "Whether those of a node count as the network weighs them, all alike, or not at all."
    normalised: bool = True
    "Whether the words of a paper are shares that sum to one, or else ones."
    epochs: int = 1000
    "Epochs at most."
    patience: int = 100
    "Epochs without a new lowest validation loss after which it stops."

    def plan(self, seed: int) -> Plan:
        """How a network of this recipe is trained, an epoch a step."""
        later = self.decay if self.decayed == "everything" else 0.0
        options, groups = {"fused": True, "weight_decay": later}, {"first": {"weight_decay": self.decay}}
        return replace(
            PLAIN,
            steps=self.epochs,
            optimiser=TorchOptimiser("Adam", options, groups),
            learning_rate=self.rate,
            early_stopping=EarlyStopping(patience=self.patience),
            seed=seed,
        )


CONVOLUTION = Recipe(model="GCN", hidden=16, rate=0.01, decayed="first layer", dropout=0.5)
"The recipe of Kipf and Welling, with the patience of the others."
ATTENTION = Recipe(
    model="GAT", hidden=8, heads=8, rate=0.005, decayed="everything", dropout=0.6, attention_dropout=0.6
)
"The recipe of Veličković et al."
WIDE = replace(CONVOLUTION, hidden=64, rate=0.005, decayed="everything", dropout=0.6)
"A GCN as wide as GAT, and trained like it."
EQUAL = replace(ATTENTION, neighbours="equal")
"GAT in all but the attention: neighbours have equal weights."
ALONE = replace(CONVOLUTION, neighbours="none")
"GCN without the citations: it sees the words of a paper alone."

VARIANTS = {
    "without dropout of attention": replace(ATTENTION, attention_dropout=0.0),
    "{words} as ones, not as shares": replace(ATTENTION, normalised=False),
    "without weight decay": replace(ATTENTION, decay=0.0),
}
"What re-implementations of GAT change, one thing at a time."
STEPS = {
    "GCN without {citations}": ALONE,
    "GCN with GAT's width and training": WIDE,
    "GAT with equal weights": EQUAL,
}
"What lies between the words alone and GAT: each is trained from seeds of the two networks."


PAPERS = {"paper": "paper", "papers": "papers", "field": "field", "fields": "fields", "words": "words",
          "citations": "citations", "joined": "cite or are cited by", "shown": "20"}  # fmt: skip
"What is spoken of where the graph is Cora: by `NodeTask.say`."
NODES = {"paper": "node", "papers": "nodes", "field": "class", "fields": "classes", "words": "features",
         "citations": "edges", "joined": "are joined to", "shown": "at most 20"}  # fmt: skip
"The same of a graph of a person's own."


def shares_of(features: Float[Tensor, "n f"]) -> Float[Tensor, "n f"]:
    """Words as shares that sum to one; numbers of another kind, some of them negative, as they are."""
    return features if (features < 0).any() else features / features.sum(1, keepdim=True).clamp(min=1.0)


class NodeTask:
    """A network made ready: its edges with loops, its features as bags, the numbers of its nodes by split."""

    def __init__(self, network: Network, words: Mapping[str, str] = PAPERS) -> None:
        self.network, self.labels, self.words = network, network.labels, words
        self.edges = Edges(network.source, network.target, nodes=network.nodes).with_loops().sorted
        own = torch.arange(network.nodes)
        self.loops = Edges(own, own, nodes=network.nodes).sorted
        self.features = {
            True: SparseFeatures.of(shares_of(network.features)),
            False: SparseFeatures.of(network.features),
        }
        self.train, self.validation, self.test = (
            split.nonzero().flatten() for split in (network.train, network.validation, network.test)
        )

    def say(self, text: str) -> str:
        """A text with the words for this graph in its brackets."""
        return text.format_map(self.words)

    def loss(self, scores: Float[Tensor, "n k"], nodes: Int[Tensor, " m"]) -> Float[Tensor, ""]:
        """The cross-entropy over some nodes."""
        return F.cross_entropy(scores[nodes], self.labels[nodes])

    def right(self, scores: Float[Tensor, "n k"], nodes: Int[Tensor, " m"]) -> float:
        """The share of some nodes whose highest score is that of their class, in per cent."""
        return 100 * (scores[nodes].argmax(1) == self.labels[nodes]).float().mean().item()


@dataclass(frozen=True, eq=False)
class Trained:
    """What came of a training: the model at its lowest validation loss, and what it says there."""

    model: nn.Module
    scores: Float[Tensor, "n k"]
    "The scores of all nodes."
    epoch: int
    "The epoch of the lowest validation loss."
    epochs: int
    "How many epochs were trained."
    loss: float
    "That loss."
    tests: tuple[float, ...]
    "Test accuracy after every epoch, in per cent: to be looked at afterwards, never to choose by."

    @property
    def test(self) -> float:
        """Test accuracy at the lowest validation loss."""
        return self.tests[self.epoch - 1]

    def after(self, epochs: int) -> float:
        """Test accuracy after so many epochs, or after the last."""
        return self.tests[min(epochs, self.epochs) - 1]

    def answers(self, nodes: Int[Tensor, " m"]) -> Int[Tensor, " m"]:
        """The classes it gives to some nodes."""
        return self.scores[nodes].argmax(1)


def build(recipe: Recipe, features: int, classes: int) -> nn.Module:
    """The untrained network of a recipe."""
    if recipe.model == "GCN":
        return GCN(features, recipe.hidden, classes, dropout=recipe.dropout)
    model = GAT(
        features,
        recipe.hidden,
        classes,
        heads=recipe.heads,
        dropout=recipe.dropout,
        attention_dropout=recipe.attention_dropout,
    )
    if recipe.neighbours == "equal":
        for layer in (model.first, model.second):
            for one in layer.similarity.parameters():
                one.requires_grad_(False).zero_()
    return model


def train(task: NodeTask, recipe: Recipe, seed: int) -> Trained:
    """Train until the validation loss has found no new low for so long; the lowest is what counts."""
    torch.manual_seed(seed)
    model = build(recipe, task.network.features.shape[1], len(task.network.classes))
    x = task.features[recipe.normalised]
    edges = task.loops if recipe.neighbours == "none" else task.edges

    def loss(model: nn.Module, nodes: Int[Tensor, " m"]) -> Float[Tensor, ""]:
        return task.loss(model(x, edges), nodes)

    def validation(model: nn.Module) -> tuple[float, float]:
        scores = model(x, edges)
        return task.loss(scores, task.validation).item(), task.right(scores, task.test)

    training = Training(model, lambda index: task.train, loss, recipe.plan(seed), validation=validation)
    seen, best = [step.validation for step in training if step.validation], training.best.step
    with torch.no_grad():
        scores = model.eval()(x, edges)
    return Trained(model, scores, best, training.step, seen[best - 1][0], tuple(test for _, test in seen))


def train_all(task: NodeTask, jobs: Sequence[tuple[Recipe, int]]) -> Iterator[Trained]:
    """Train each recipe from its seed, as many at a time as torch may use threads; they come in order."""
    workers = min(torch.get_num_threads(), len(jobs))
    if workers < 2:
        yield from (train(task, recipe, seed) for recipe, seed in jobs)
        return
    # Operations on a small graph do not fill two cores; whole trainings do. Dropout draws from one generator
    # of the process, so that threads would not repeat themselves: processes do.
    with processes(workers, _get_ready, task.network) as pool:
        for (recipe, _), found in zip(jobs, pool.map(_train_here, jobs), strict=True):
            model = build(recipe, task.network.features.shape[1], len(task.network.classes))
            model.load_state_dict({name: torch.from_numpy(value) for name, value in found["model"].items()})
            yield Trained(**found | {"model": model.eval(), "scores": torch.from_numpy(found["scores"])})


_here: list[NodeTask] = []
"The task of a process that trains for another."


def _get_ready(network: Network) -> None:
    _here.append(NodeTask(network))


def _train_here(job: tuple[Recipe, int]) -> dict[str, Any]:
    """A training as arrays: tensors would travel as open files, and of those there are too few."""
    found = train(_here[0], *job)
    arrays = {name: value.numpy() for name, value in found.model.state_dict().items()}
    return vars(found) | {"model": arrays, "scores": found.scores.numpy()}
