"""Every public name with every parameter wrong in turn: what is told well, and what slips.

Run as a program of its own, so that no checker of types stands before the library: it prints JSON.
"""

import inspect
import json
import resource
import signal
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from math import nan
from pathlib import Path
from typing import Any

import numpy
import torch
from torch import Tensor, nn

import regard
import regard.data
import regard.estimators
import regard.training
from regard import Edges, GPTConfig, Graph, Sight
from regard.core.similarity import relu
from regard.errors import RegardError
from regard.generation import beam, engine, reader, sampling, stopping
from regard.models.graph.aggregate import means, sums

GENERATION = (beam, engine, reader, sampling, stopping)
HUGE = 10**10
ROOM = 1 << 30
"Bytes that an attempt may take: what is too large fails at once, whatever the machine has."
WRONG = {"0": 0, "-1": -1, "huge": HUGE, "nan": nan, "None": None, "a word": "word", "1.5": 1.5, "[]": [],
         "a tensor": torch.zeros(2, 3, 5), "an array": numpy.zeros((2, 3)), "an object": object()}  # fmt: skip


def turned(x: Tensor) -> dict[str, Any]:
    """What may stand where a tensor should: other kinds, and tensors of another type, axis or size."""
    others = {name: WRONG[name] for name in ("0", "None", "a word", "[]", "an object")}
    other = x.float() if not x.is_floating_point() else x.long()
    longer = torch.cat([x, x], -1) if x.dim() else x
    return others | {"an array": numpy.asarray(x), "another type": other, "an axis more": x[None],
                     "an axis less": x.flatten()[0], "longer": longer, "empty": x[..., :0] if x.dim() else x}  # fmt: skip


@dataclass
class Recipe:
    """How a name is used well: its arguments, and what is then done with what it gives."""

    sane: dict[str, Any]
    use: Callable[[Any], Any] = lambda made: made
    call: Callable[..., Any] | None = None
    "Stands in for the thing itself, where that cannot be called by keywords."
    sane_fails: bool = False
    "Whether it takes files that are not here: every attempt must be told well."
    asked: dict[str, tuple[str, ...]] = field(default_factory=dict)
    "Values by parameter that are what they say, however long they take or whatever comes of them."


def small() -> nn.Module:
    torch.manual_seed(0)
    return regard.GPT(GPTConfig(vocabulary=5, context=8, depth=1, heads=1, width=4)).eval()


PATH = Edges(torch.tensor([0, 1]), torch.tensor([1, 2]), nodes=3).both_ways().with_loops()
KINDS = Edges(torch.tensor([0, 0]), torch.tensor([1, 1]), nodes=3, relation=torch.tensor([0, 1]))
X = torch.linspace(-1, 1, 9).view(3, 3)
QKV = torch.linspace(-1, 1, 24).view(1, 2, 3, 4)
PICTURES = torch.linspace(-1, 1, 2 * 8 * 8).view(2, 1, 8, 8)
IDS = torch.tensor([[1, 2, 3]])
POINTS = numpy.random.RandomState(0).randn(40, 3)
TEXT = torch.arange(50) % 5
FOLDER = Path(tempfile.mkdtemp())
(FOLDER / "text.txt").write_text("some text")
(FOLDER / "edges.txt").write_text("0 1\n1 2\n")


def on(*tensors: Any, **words: Any) -> Callable[[Any], Any]:
    return lambda layer: layer(*tensors, **words)


def factor(name: str) -> Callable[[Any], Any]:
    """A factor of `attend`, tried in a call."""
    normal = {"similarity": regard.Softmax(), "normalise": regard.Softmax()}
    return lambda made: regard.attend(QKV, QKV, QKV, **{"normalise": normal["normalise"], name: made}).output


def forward(make: Callable[[], nn.Module], **sane: Any) -> Recipe:
    """A layer of its own whose call is tried."""
    layer = make()
    return Recipe(sane, call=lambda **words: layer(**words))


def fitted(kind: type, **words: Any) -> Callable[[Any], Any]:
    def use(made: Any) -> Any:
        made.fit(POINTS)
        return [
            made.score(POINTS),
            made.predict(POINTS) if hasattr(made, "predict") else made.transform(POINTS),
        ]

    return use


def first(steps: Iterator[Any]) -> Any:
    return [getattr(one, "logits", one) for one in islice(steps, 2)]


ATTENTION = {"heads": 2, "slope": 0.2, "dropout": 0.0, "attention_dropout": 0.0}
RECIPES: dict[str, Recipe | str] = {
    "RegardError": "what is raised",
    "Attended": "what attend gives",
    "check": "the checker, which reads code that may be anything: tests/checker",
    "attend": Recipe({"q": QKV, "k": QKV, "v": QKV, "similarity": regard.Dot(), "support": regard.Full(), "position": None, "normalise": regard.Softmax(), "dropout": 0.0, "generator": None, "backend": "auto", "weights": False}, lambda made: made.output),
    "Edges": Recipe({"source": torch.tensor([0, 1]), "target": torch.tensor([1, 2]), "nodes": 3, "sizes": None, "relation": None, "features": None, "duplicates": "refuse"}, lambda made: made.mask(3, 3) if made.relation is None and made.features is None and made.sizes == (3, 3) else None),
    "Softmax": Recipe({}, factor("normalise")), "Mean": Recipe({}, factor("normalise")), "Raw": Recipe({}, factor("normalise")),
    "Divide": Recipe({}), "Symmetric": Recipe({}),
    "Rotary": Recipe({"base": 100.0, "pairing": "halves", "offset": None, "positions": None}, factor("position")),
    "Alibi": Recipe({"slopes": (0.5, 0.25), "offset": None}, factor("position")),
    "Relative": Recipe({"p": torch.zeros(3), "offset": None}, factor("position")),
    "LearnedRelative": Recipe({"heads": 2, "reach": 1, "offset": None}, factor("position")),
    "Dot": Recipe({"scale": 1.0}, factor("similarity")), "Cosine": Recipe({"scale": 1.0}, factor("similarity")),
    "Constant": Recipe({"value": 1.0}, factor("similarity")),
    "Gaussian": Recipe({"log_variance": torch.zeros(3, 1), "log_weight": torch.zeros(3)}, factor("similarity")),
    "Kernel": Recipe({"phi": relu, "nonnegative": None}, factor("similarity")),
    "Additive": Recipe({"heads": 2, "width": 4, "slope": 0.2, "relations": 0, "features": 0}, factor("similarity"), asked={"relations": ("huge",), "features": ("huge",)}),
    "GATv2Score": Recipe({"heads": 2, "width": 4, "slope": 0.2, "relations": 0, "features": 0}, factor("similarity")),
    "elu_plus_one": Recipe({"x": X}), "relu": Recipe({"x": X}), "polynomial": Recipe({"x": X}),
    "Full": Recipe({}, factor("support")), "Causal": Recipe({"offset": None}, factor("support")),
    "Window": Recipe({"size": 1, "causal": False, "offset": None}, factor("support")),
    "Grid": Recipe({"shape": (3, 1), "offsets": [(0, 0)]}, factor("support")),
    "Mask": Recipe({"allowed": torch.ones(3, 3, dtype=torch.bool)}, factor("support")),
    "Packed": Recipe({"ids": torch.tensor([0, 0, 1])}, factor("support")),
    "trace": Recipe({"model": nn.Linear(3, 3)}, lambda made: made.__enter__() and made.__exit__()),
    "beam_search": Recipe({"model": small(), "prompt": IDS, "width": 2, "steps": 2, "penalty": 0.0, "stop": None, "context": None, "beyond": "recompute"}, lambda made: made.best[0].score),
    "stream": Recipe({"model": small(), "prompt": IDS, "steps": 2, "context": None, "sampler": None, "generator": None, "stop": None, "beyond": "recompute"}, first),
    "generate": Recipe({"model": small(), "prompt": IDS, "steps": 2}, first),
    "continuation": Recipe({"model": small(), "prompt": IDS, "steps": 2}),
    "Sampler": Recipe({"temperature": 1.0, "top_k": None, "top_p": None, "min_p": None, "penalty": 1.0}, lambda made: made.distribution(X, torch.tensor([[0], [1], [2]]))),
    "Stop": Recipe({"one": (1, 2)}, lambda made: made.next(IDS, 5), call=lambda one: regard.Stop(one)),
    "Autoencoder": Recipe({"sizes": (3, 2), "activation": nn.ReLU, "corruption": regard.Clean(), "seeds": (0,)}, lambda made: made.loss(X)),
    "Clean": Recipe({}), "Noisy": Recipe({"deviation": 0.5}, lambda made: made(X, torch.Generator())), "Masked": Recipe({"share": 0.5}, lambda made: made(X, torch.Generator())),
    "GPTConfig": Recipe({"vocabulary": 5, "context": 8, "depth": 1, "heads": 2, "width": 8, "kv_heads": None, "dropout": 0.0, "norm": "layer", "gains": True, "biases": True, "activation": "gelu", "ratio": 4.0, "layers": 1, "position": "learned", "reach": None, "attention": "softmax", "qk_norm": False, "ngram": 0, "tied": True, "init_std": 0.02, "init": "shrunk"}, lambda made: regard.GPT(made)(IDS)),
    "GPT": Recipe({"config": GPTConfig(vocabulary=5, context=8, depth=1, heads=1, width=4)}, on(IDS)),
    "GraphConvolution": Recipe({"inputs": 3, "outputs": 2, "normalise": regard.Symmetric(), "bias": True, "self_connection": False}, on(X, PATH)),
    "GraphAttention": Recipe({"inputs": 3, "outputs": 2, "concatenate": True, "similarity": regard.Additive, "relations": 0, "features": 0, "bias": True} | ATTENTION, on(X, PATH)),
    "MessagePassing": Recipe({"message": lambda own, other, features: other, "update": lambda x, m: m, "aggregate": sums}, on(X, PATH)),
    "GCN": Recipe({"inputs": 3, "hidden": 4, "classes": 2, "dropout": 0.0, "normalise": regard.Symmetric(), "bias": True, "self_connection": False}, on(X, PATH)),
    "GAT": Recipe({"inputs": 3, "hidden": 4, "classes": 2, "out_heads": 1, "similarity": regard.Additive} | ATTENTION, on(X, PATH)),
    "Graph": Recipe({"features": X, "edges": PATH, "labels": torch.tensor([0, 1, 1]), "classes": 2, "batch": None, "graphs": 1}, lambda made: made.group),
    "union": Recipe({"graphs": [Graph(X, PATH), Graph(X, PATH)]}, lambda made: made.group),
    "from_networkx": Recipe({"graph": __import__("networkx").path_graph(3), "features": None, "labels": None, "relation": None, "edge_features": None, "duplicates": "keep"}, lambda made: made.group),
    "to_networkx": Recipe({"graph": Graph(X, PATH)}, lambda made: None),
    "from_geometric": Recipe({"data": regard.to_geometric(Graph(X, PATH)), "duplicates": "keep"}, lambda made: made.group),
    "to_geometric": Recipe({"graph": Graph(X, PATH)}, lambda made: made.x),
    "NeighbourSampler": Recipe({"graph": PATH, "fanout": (2, 2), "features": X, "labels": torch.tensor([0, 1, 1]), "seed": 0}, lambda made: made.sample(torch.tensor([0])).x),
    "NeighbourSampler.sample": Recipe({"nodes": torch.tensor([0, 2]), "number": 0}, lambda made: made.n_id, call=regard.NeighbourSampler(PATH, (2,)).sample),
    "NeighbourSampler.batches": Recipe({"nodes": torch.tensor([0, 2]), "size": 1}, lambda made: made(0).n_id, call=regard.NeighbourSampler(PATH, (2,)).batches),
    "node_loss": Recipe({"batch": regard.NeighbourSampler(PATH, (2,), features=X, labels=torch.tensor([0, 1, 1])).sample(torch.tensor([0]))}, call=lambda batch: regard.node_loss(regard.GCN(3, 4, 2), batch)),
    "geometric_sampler": Recipe({"sampler": regard.NeighbourSampler(PATH, (2,))}, lambda made: None),
    "SparseFeatures": Recipe({"x": X}, lambda made: made @ torch.ones(3, 2), call=lambda x: regard.SparseFeatures.of(x)),
    "RelationalAttention": Recipe({"inputs": 3, "outputs": 2, "relations": 2, "features": 0} | ATTENTION, on(X, KINDS)),
    "as_edges": Recipe({"graph": torch.tensor([[0, 1], [1, 2]]), "nodes": 3, "duplicates": "keep"}, lambda made: made.mask(*made.sizes)),
    "attention": Recipe({"model": small(), "x": IDS}, lambda made: made.weights, call=lambda model, x: regard.attention(model, x)),
    "show": Recipe({"run": "no-such-run"}, sane_fails=True),
    "load_gpt2": Recipe({"folder": FOLDER / "no"}, sane_fails=True),
    "save_gpt2": Recipe({"model": small(), "folder": FOLDER / "gpt2"}, lambda made: None, asked={"folder": ("a word",)}),
    "RelationalGAT": Recipe({"inputs": 3, "hidden": 2, "classes": 2, "relations": 2, "heads": 2, "depth": 2, "dropout": 0.0, "attention_dropout": 0.0, "features": 0, "readouts": (means,)}, on(Graph(X, KINDS))),
    "MultiHead": Recipe({"width": 8, "heads": 2, "kv_heads": None, "context_width": None, "bias": True, "dropout": 0.0, "similarity": regard.Dot(), "position": None, "normalise": regard.Softmax()}, on(torch.ones(1, 3, 8))),
    "Sight": Recipe({"channels": 1, "side": 8, "patch": 4, "classes": 3, "width": 8, "depth": 1, "heads": 2, "reach": None, "position": "learned"}, lambda made: regard.PatchTransformer(made)(PICTURES)),
    "PatchTransformer": Recipe({"sight": Sight(side=8, patch=4, width=8, heads=2, depth=1)}, on(PICTURES)),
    "UNet": Recipe({"channels": 1, "classes": 3, "width": 2, "depth": 1, "skips": None, "padded": True}, on(PICTURES)),
    "Down": Recipe({"channels": 1, "width": 2, "padded": True}, on(PICTURES)),
    "Up": Recipe({"channels": 1, "width": 2, "skip": True, "padded": True}, on(PICTURES, torch.zeros(2, 2, 16, 16))),
    "GaussianMixtureModel": Recipe({"components": 2, "width": 3, "covariance": "full"}, on(X)),
    "UniformMixtureModel": Recipe({"components": 2, "width": 3, "softness": 0.1}, on(X)),
    "P4ConvNet": Recipe({"channels": 1, "side": 8, "classes": 3, "widths": (2, 2, 2), "hidden": 2}, on(PICTURES)),
    "ConvNet": Recipe({"channels": 1, "side": 8, "classes": 3, "widths": (2, 2, 2)}, on(PICTURES)),
    "estimators.AutoencoderEstimator": Recipe({"n_components": 2, "hidden_layer_sizes": (3,), "activation": "relu", "corruption": None, "learning_rate_init": 5e-3, "max_iter": 2, "batch_size": 10, "random_state": 0}, fitted(object), asked={"max_iter": ("huge",), "batch_size": ("huge",)}),
    "estimators.GaussianMixture": Recipe({"n_components": 2, "covariance_type": "full", "tol": 1e-3, "reg_covar": 1e-6, "max_iter": 50, "n_init": 1, "weights_init": numpy.array([0.5, 0.5]), "means_init": POINTS[:2], "precisions_init": None, "draft": 0, "random_state": 0}, fitted(object), asked={"n_init": ("huge",)}),
    "estimators.UniformMixture": Recipe({"n_components": 2, "softness": 0.01, "first_softness": 0.5, "rate": 0.02, "max_iter": 3, "batch_size": 16, "random_state": 0}, fitted(object), asked={"max_iter": ("huge",)}),
    # Calls of what was built well.
    "GPT()": forward(small, ids=IDS, cache=None),
    "MultiHead()": forward(lambda: regard.MultiHead(width=8, heads=2), x=torch.ones(1, 3, 8), context=None, support=regard.Full(), backend="auto"),
    "GraphConvolution()": forward(lambda: regard.GraphConvolution(3, 2), x=X, edges=PATH),
    "GraphAttention()": forward(lambda: regard.GraphAttention(3, 2, heads=2), x=X, edges=PATH),
    "MessagePassing()": forward(lambda: regard.MessagePassing(lambda own, other, features: other, lambda x, m: m), x=X, edges=PATH),
    "GAT()": forward(lambda: regard.GAT(3, 4, 2, heads=2).eval(), x=X, edges=PATH),
    "GCN()": forward(lambda: regard.GCN(3, 4, 2).eval(), x=X, edges=PATH),
    "RelationalAttention()": forward(lambda: regard.RelationalAttention(3, 2, relations=2, heads=2), x=X, edges=KINDS),
    "RelationalGAT()": forward(lambda: regard.RelationalGAT(3, 2, 2, relations=2, heads=2), graph=Graph(X, KINDS)),
    "Autoencoder()": forward(lambda: regard.Autoencoder((3, 2)), x=X),
    "UNet()": forward(lambda: regard.UNet(channels=1, classes=2, width=2, depth=1), x=PICTURES),
    "PatchTransformer()": forward(lambda: regard.PatchTransformer(Sight(side=8, patch=4, width=8, heads=2, depth=1)), pictures=PICTURES),
    "ConvNet()": forward(lambda: regard.ConvNet(channels=1, side=8, widths=(2, 2, 2)), pictures=PICTURES),
    "P4ConvNet()": forward(lambda: regard.P4ConvNet(channels=1, side=8, widths=(2, 2, 2), hidden=2), pictures=PICTURES),
    "GaussianMixtureModel()": forward(lambda: regard.GaussianMixtureModel(2, 3), x=X),
    "UniformMixtureModel()": forward(lambda: regard.UniformMixtureModel(2, 3), x=X),
    "Sampler.choose": Recipe({"logits": X, "seen": None, "generator": None}, call=regard.Sampler().choose),
    # Data.
    "data.Windows": Recipe({"splits": {"train": TEXT}, "context": 4}, lambda made: made.batch("train", 0, size=2, seed=0)),
    "data.Windows.batch": Recipe({"split": "train", "index": 0, "size": 2, "seed": 0}, call=regard.data.Windows({"train": TEXT}, 4).batch),
    "data.Windows.cover": Recipe({"split": "train", "size": 2}, first, call=regard.data.Windows({"train": TEXT}, 4).cover),
    "data.cut": Recipe({"ids": TEXT, "shares": {"train": 0.8, "validation": 0.2}}, lambda made: list(made.values())),
    "data.Character": Recipe({"text": "hello"}, lambda made: made.encode("hell")),
    "data.Character.encode": Recipe({"text": "hell"}, call=regard.data.Character("hello").encode),
    "data.Character.decode": Recipe({"ids": torch.tensor([0, 1])}, call=regard.data.Character("hello").decode),
    "data.Bytes": Recipe({"text": "hell"}, call=lambda text: regard.data.Bytes().encode(text)),
    "data.tokenizer_from_json": Recipe({"text": regard.data.Bytes().to_json()}, lambda made: made.encode("a")),
    "data.BPE": Recipe({"vocabulary": FOLDER / "no", "merges": FOLDER / "no"}, call=lambda **words: regard.data.BPE.load(**words), sane_fails=True),
    "data.read_text": Recipe({"path": FOLDER / "text.txt"}, lambda made: None),
    "data.open_graph": Recipe({"path": FOLDER / "no.csr"}, sane_fails=True),
    "data.write_graph": Recipe({"edges": FOLDER / "edges.txt", "out": FOLDER / "edges.csr", "nodes": 3, "both_ways": False, "loops": False, "merge": False}, lambda made: None, asked={"out": ("a word",)}),
    "data.entry": Recipe({"name": "mnist"}, lambda made: None),
    "data.load_text": Recipe({"name": "nope"}, sane_fails=True),
    "data.load_album": Recipe({"name": "nope", "factor": 4, "limit": None, "test": 0.25}, sane_fails=True),
    "data.read_kern": Recipe({"content": b"**kern\n4c\n*-\n"}, lambda made: None, call=lambda content: regard.data.read_kern(content)),
    # Training.
    "training.Plan": Recipe({"steps": 2, "optimiser": "adamw", "learning_rate": 3e-3, "matrix_learning_rate": 0.02, "exclude": ("head",), "betas": (0.9, 0.95), "momentum": 0.95, "weight_decay": 0.0, "schedule": "linear", "warmup": 0.02, "floor": 0.0, "clip": 1.0, "accumulate": 1, "precision": "float32", "seed": 0, "early_stopping": None, "sharded": None}, lambda made: [float(step.loss) for step in islice(regard.training.Training(nn.Linear(3, 3), lambda i: (X, X), regard.training.mean_squared_error, made), 2)]),
    "training.find_device": Recipe({"name": "cpu"}, lambda made: None),
    "training.cross_entropy": Recipe({"model": nn.Identity(), "batch": (X, torch.tensor([0, 1, 2]))}),
    "training.mean_squared_error": Recipe({"model": nn.Identity(), "batch": (X, X)}),
    "training.evaluate": Recipe({"model": nn.Identity(), "batches": [(X, torch.tensor([0, 1, 2]))], "objective": regard.training.cross_entropy}, asked={}),
}  # fmt: skip

UNWALKED = {
    **dict.fromkeys(("ALBUMS", "CATALOGUE", "COMPOSERS", "TEXTS", "Entry", "Tokenizer"), "a table, a record or a protocol"),
    **dict.fromkeys(("Network", "Notes", "Pictures", "PointTable", "Score", "Scrap", "Segmented", "Text"), "what readers give"),
    **dict.fromkeys(("fetch_file", "find", "load_cifar10", "load_cora", "load_fashion_mnist", "load_karate", "load_mnist", "load_scores", "load_slices", "load_text_or_shakespeare", "read_members", "read_musicxml", "read_network", "read_pictures", "read_points", "shred"), "reads files and the network: tests/data"),
    **dict.fromkeys(("ALONE", "PLAIN", "Checkpoints", "EarlyStopping", "ProcessGroup", "TorchOptimiser", "Step", "Training", "TrainingState", "checkpointed", "compile_if_faster", "distributed", "fork_rng", "is_main", "resume", "save"), "needs a training: tests/training"),
}  # fmt: skip
"Public names that are not walked here, and why."


def thing(name: str) -> Any:
    """What a recipe's name stands for."""
    found: Any = regard
    for part in name.split("."):
        found = getattr(found, part)
    return found


def trials(recipes: dict[str, Recipe | str]) -> Iterator[tuple[str, str, str, Callable[[], Any]]]:
    """Name, parameter, what stands in it, and the attempt."""
    for name, recipe in recipes.items():
        if isinstance(recipe, str):
            continue
        call = recipe.call or thing(name)
        if not recipe.sane_fails:
            yield name, "", "", lambda call=call, recipe=recipe: recipe.use(call(**recipe.sane))
        for parameter, value in recipe.sane.items():
            wrong = turned(value) if isinstance(value, Tensor) else WRONG
            for label, other in wrong.items():
                if label not in recipe.asked.get(parameter, ()):
                    words = recipe.sane | {parameter: other}
                    yield (
                        name,
                        parameter,
                        label,
                        lambda call=call, recipe=recipe, words=words: recipe.use(call(**words)),
                    )


def uncovered() -> list[str]:
    """Public names without a recipe, and parameters that a recipe leaves out."""
    missing = [name for name in regard.__all__ if name not in RECIPES]
    for package in ("estimators", "data", "training"):
        names = getattr(regard, package).__all__
        missing += [f"{package}.{n}" for n in names if f"{package}.{n}" not in RECIPES and n not in UNWALKED]
    for name, recipe in RECIPES.items():
        if isinstance(recipe, Recipe) and recipe.call is None:
            found = inspect.signature(thing(name)).parameters.values()
            named = {p.name for p in found if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)}
            missing += [
                f"{name}({p})" for p in sorted(named - set(recipe.sane) - {"patience", "progress", "weigh"})
            ]
    return missing


def finite(made: Any) -> bool:
    """Whether no number that a thing gives is NaN or infinite."""
    if isinstance(made, Tensor | numpy.ndarray | float):
        return bool(torch.as_tensor(made).double().isfinite().all())
    return all(finite(one) for one in made) if isinstance(made, list | tuple) else True


def theirs(error: Exception) -> bool:
    """Whether the error is one of those that may be seen: ours, Python's of a wrong call, scikit-learn's."""
    if isinstance(error, RegardError):
        return str(error).count("\n") == 2
    last = error.__traceback__
    while last and last.tb_next:
        last = last.tb_next
    file = last.tb_frame.f_code.co_filename if last else ""
    signature = isinstance(error, TypeError) and "argument" in str(error) and "__init__()" in str(error)
    return signature or "sklearn" in file


def careless(count: int = 2) -> float:
    """A function that checks nothing."""
    return 1.0 / count if count == count else count


PLANTED: dict[str, Recipe | str] = {"careless": Recipe({"count": 2}, call=careless)}
"What the walk must find: a raw error for 0 and for words, a NaN that goes through."


def slips(recipes: dict[str, Recipe | str]) -> tuple[int, list[str]]:
    """How many attempts were made, and those that came to no good end."""
    tried, found = 0, []
    for name, parameter, label, attempt in trials(recipes):
        tried += 1
        if "--loud" in sys.argv:
            print(name, parameter, label, file=sys.stderr, flush=True)
        where = f"{name}({parameter}={label})"
        signal.alarm(5)
        try:
            if not finite(attempt()):
                found.append(f"{where}: a result that is not finite")
        except Exception as error:
            signal.alarm(0)
            if not theirs(error) or not parameter:
                said = (str(error).splitlines() or [""])[0][:110]
                found.append(f"{where}: {type(error).__name__}: {said}")
        finally:
            signal.alarm(0)
    return tried, found


def late(*_: object) -> None:
    raise TimeoutError("longer than five seconds")


if __name__ == "__main__":
    signal.signal(signal.SIGALRM, late)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + ROOM, used + ROOM))
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    tried, found = slips(PLANTED if "--planted" in sys.argv else RECIPES)
    json.dump({"tried": tried, "found": found, "uncovered": uncovered()}, sys.stdout, indent=1)
