"""What goes wrong in a graph convolution layer: loops, degrees, sides, direction."""

import numpy as np

from regard.checker.contract import Mistake, forms
from regard.checker.contracts.graph.reference import last, looped, symmetric
from regard.checker.grammar.program import Rewired


def inverse(degree: np.ndarray, power: float) -> np.ndarray:
    """A power of the degrees; nothing has the power 0."""
    with np.errstate(all="ignore"):
        found = degree**power
    return np.where(np.isfinite(found), found, 0.0)


def safe(a: np.ndarray, degree: np.ndarray) -> np.ndarray:
    """The symmetric normalisation with zero for nodes of no degree."""
    root = inverse(degree, -0.5)
    return root[:, None] * a * root[None, :]


def bare(a: np.ndarray) -> np.ndarray:
    """No loops added."""
    return a


def stripped(a: np.ndarray) -> np.ndarray:
    """The loops taken out."""
    return a * (1 - np.eye(len(a)))


def single(a: np.ndarray, degree: np.ndarray) -> np.ndarray:
    """The symmetric normalisation edge by edge: what is no edge stays zero, even beside a degree of zero."""
    with np.errstate(all="ignore"):
        root = degree**-0.5
        return np.where(a != 0, a * root[:, None] * root[None], 0.0)


def literal(a: np.ndarray) -> np.ndarray:
    """A + I."""
    return a + np.eye(len(a))


def laplacian(a: np.ndarray, degree: np.ndarray) -> np.ndarray:
    """I - D^-1/2 A D^-1/2."""
    return np.eye(len(a)) - safe(a, degree)


def safe_ends(a: np.ndarray) -> np.ndarray:
    """Each edge over the root of its target's in-degree and its source's out-degree."""
    return inverse(a.sum(1), -0.5)[:, None] * a * inverse(a.sum(0), -0.5)[None]


ONCE = Rewired(("normal", "looped", "h"), lambda a, count, h: np.diag(a / np.maximum(count, 1))[:, None] * h)
"Of several loops at a node, the last alone."
FLOORS = (1e-5, 1e-6, 1e-8, 1e-9, 1e-10, 1e-12)
"What people put in the place of a degree of zero."
MISTAKES = (
    Mistake(
        slug="self-loops-missing",
        cause="no loops are added: a node does not hear itself",
        remedy="A = adj + I before the degrees are counted",
        look="degree product",
        forms=forms(
            {"loops": bare, "normalise": safe},
            {"loops": bare},
            {"loops": bare, "normalise": single},
            {"loops": bare, "degree": lambda a, whole: literal(a).sum(1)},
            {"loops": bare, "degree": lambda a, whole: looped(a).sum(1)},
            {"loops": stripped},
            {"loops": stripped, "normalise": safe},
            {"loops": stripped, "normalise": single},
            {"loops": stripped, "degree": lambda a, whole: looped(a).sum(1)},
        ),
    ),
    Mistake(
        slug="self-loops-double",
        cause="every node is added twice: A + 2 I",
        remedy="A = adj + I",
        look="loops",
        forms=forms(
            {"loops": lambda a: a + 2 * np.eye(len(a))},
            {"loops": lambda a: looped(a) + np.eye(len(a))},
            {"loops": lambda a: a + 2 * np.eye(len(a)), "degree": lambda a, whole: literal(a).sum(1)},
            {"loops": lambda a: looped(a) + np.eye(len(a)), "degree": lambda a, whole: looped(a).sum(1)},
        ),
    ),
    Mistake(
        slug="degree-before-loops",
        cause="the degrees are counted before the loops are added",
        remedy="count the rows of A + I, not of A",
        look="degree loops",
        forms=forms(
            {"degree": lambda a, looped: a.sum(1)},
            {"degree": lambda a, looped: a.sum(1), "normalise": safe},
            {"degree": lambda a, looped: a.sum(1), "loops": literal},
            {"degree": lambda a, looped: a.sum(1), "loops": literal, "normalise": safe},
            *(
                {"degree": lambda a, looped, least=least: np.maximum(a.sum(1), least)} | loops
                for least in (1, *FLOORS)
                for loops in ({}, {"loops": literal})
            ),
            {"degree": lambda a, looped: np.maximum(stripped(a).sum(1), 1)},
            {"degree": lambda a, looped: stripped(a).sum(1), "normalise": safe},
            {"degree": lambda a, looped: stripped(a).sum(1), "normalise": single},
            {"degree": lambda a, looped: np.maximum(a.sum(1), 1), "loops": literal},
            {"loops": bare, "normalise": lambda a, d: safe(a, d) + np.eye(len(a))},
        ),
    ),
    Mistake(
        slug="laplacian",
        cause="the Laplacian stands where the normalised adjacency should: differences spread instead of sums",
        remedy="D^-1/2 A D^-1/2, without I in front",
        look="degree loops",
        forms=forms(
            {"loops": bare, "normalise": laplacian},
            {"normalise": laplacian},
            {"loops": bare, "normalise": lambda a, d: np.diag(d) - a},
            {"normalise": lambda a, d: np.diag(d) - a},
            {"loops": literal, "normalise": laplacian},
        ),
    ),
    Mistake(
        slug="sum-overwritten",
        cause="each message overwrites the one before it: a node keeps only what came last",
        remedy="add the messages up: index_add_ or scatter_add_, not out[target] = …",
        look="gather product",
        forms=forms(
            {"spread": lambda a, h: np.diag(a)[:, None] * h},
            {"spread": lambda a, h: last(a) @ h},
            {"loops": literal, "spread": ONCE},
        ),
    ),
    Mistake(
        slug="diagonal-alone",
        cause="only the diagonal of the adjacency is left: a node hears itself and no neighbour",
        remedy="multiply matrices with @: torch.diag(d) @ A @ torch.diag(d), or d[:, None] * A * d[None]",
        look="product degree",
        forms=forms({"spread": lambda a, h: np.diag(a)[:, None] * h}),
    ),
    Mistake(
        slug="row-normalised",
        cause="rows are divided by the degree (a mean), instead of both ends by its root",
        remedy="D^-1/2 A D^-1/2: the root of the degree on both sides",
        look="degree power",
        forms=forms({"normalise": lambda a, d: inverse(d, -1)[:, None] * a}),
    ),
    Mistake(
        slug="column-normalised",
        cause="columns are divided by the degree, instead of both ends by its root",
        remedy="D^-1/2 A D^-1/2: the root of the degree on both sides",
        look="degree power",
        forms=forms(
            {"normalise": lambda a, d: a * inverse(d, -1)[None]},
            {"normalise": lambda a, d: a * inverse(a.sum(0), -1)[None]},
        ),
    ),
    Mistake(
        slug="left-only",
        cause="only the left side is divided by the root of the degree",
        remedy="D^-1/2 A D^-1/2: both sides",
        look="degree power",
        forms=forms({"normalise": lambda a, d: inverse(d, -0.5)[:, None] * a}),
    ),
    Mistake(
        slug="right-only",
        cause="only the right side is divided by the root of the degree",
        remedy="D^-1/2 A D^-1/2: both sides",
        look="degree power",
        forms=forms({"normalise": lambda a, d: a * inverse(d, -0.5)[None]}),
    ),
    Mistake(
        slug="root-missing",
        cause="both sides are divided by the degree itself, not by its root",
        remedy="D^-1/2 on both sides: deg.pow(-0.5)",
        look="power degree",
        forms=forms({"normalise": lambda a, d: inverse(d, -1)[:, None] * a * inverse(d, -1)[None]}),
    ),
    Mistake(
        slug="root-not-inverted",
        cause="both sides are multiplied by the root of the degree instead of divided by it",
        remedy="deg.pow(-0.5), not deg.pow(0.5)",
        look="power root degree",
        forms=forms({"normalise": lambda a, d: (d**0.5)[:, None] * a * (d**0.5)[None]}),
    ),
    Mistake(
        slug="normalisation-missing",
        cause="nothing is divided by degrees: nodes with many neighbours grow",
        remedy="D^-1/2 A D^-1/2 x W; if the layer expects an adjacency that is normalised already, name the argument so (adj_norm)",
        look="product degree",
        forms=forms({"normalise": lambda a, d: a}),
    ),
    Mistake(
        slug="direction-reversed",
        cause="source and target are exchanged: a node gathers from those who listen to it",
        remedy="row i of adj holds whom node i listens to; edge_index[0] are sources and edge_index[1] targets",
        look="gather product",
        forms=forms(
            {"graph": lambda a: a.T},
            {"normalise": lambda a, d: symmetric(a.T, d)},
        ),
    ),
    Mistake(
        slug="adjacency-ignored",
        cause="the graph has no effect",
        remedy="multiply by the normalised adjacency",
        look="product",
        forms=forms({"spread": lambda a, h: h}),
    ),
    Mistake(
        slug="adjacency-squared",
        cause="the normalised adjacency is applied twice",
        remedy="apply it once in each layer",
        look="product",
        forms=forms({"spread": lambda a, h: a @ (a @ h)}),
    ),
    Mistake(
        slug="weight-unused",
        cause="the features are not transformed: the weight is never used",
        remedy="multiply by the weight",
        look="product",
        forms=forms({"transform": lambda x, w: x}),
    ),
    Mistake(
        slug="neighbour-maximum",
        cause="the largest neighbour is taken instead of the weighted sum",
        remedy="sum the normalised neighbours: A @ x",
        look="product",
        forms=forms(
            {
                "spread": lambda a, h: np.where(a[..., None] != 0, h[None], -np.inf).max(1),
                "normalise": lambda a, d: a,
            },
            {"spread": lambda a, h: np.where(a[..., None] != 0, a[..., None] * h[None], -np.inf).max(1)},
        ),
    ),
    Mistake(
        slug="bias-dropped",
        cause="the bias exists and is never added",
        remedy="add self.bias to the result",
        look="bias product",
        forms=forms({"finish": lambda y, a, w: y}),
    ),
    Mistake(
        slug="not-equivariant",
        cause="the output depends on how the nodes are numbered",
        remedy="use no node index as a feature",
    ),
)
