"""Forms in which a mixture keeps its covariances: variances, deviations, precisions, their logarithms, triangular factors."""

import re
from dataclasses import dataclass

import numpy as np

from regard.checker.contracts.mixture.roles import word

Array = np.ndarray
FACTOR = r"tril|chol"
"Words in the name of a triangular factor of the covariances: its diagonal holds deviations."
SAYS = r"var|cov|sigma|sig2|std|dev|scale|prec|tau|width"
"Words in the name of a spread that say which it is."
ROOTED = rf"std|sigma(?!s?_?(2|sq))|dev|scale|{FACTOR}"
"Words in the name of a deviation, and of what holds several of them."
POWERS = {"variance": 1.0, "deviation": 2.0, "precision": -1.0, "root precision": -2.0}
"The power of each that is a variance."
USUAL = ("variance", "deviation", "precision")
"What a spread may be whose name says nothing."


@dataclass(frozen=True)
class SpreadForm:
    """How numbers that a mixture keeps become covariances."""

    kind: str = "variance"
    logged: bool = True
    "Whether they are kept as logarithms."
    diagonal: str = ""
    "Of a triangular factor, what is done to its diagonal: plain, exponential or softplus."

    @property
    def slug(self) -> str:
        """The convention that this is; none for logarithms of variances."""
        if not self.logged:
            return "plain-parameters"
        return "" if self.kind == "variance" else f"log-{self.kind.removeprefix('root ')}"

    def covariances(self, values: Array) -> Array:
        """Covariances (k, d, d) from numbers (k, d), or from matrices (k, d, d)."""
        power = POWERS[self.kind]
        if values.ndim == 2:
            return (np.exp(values * power) if self.logged else values**power)[..., None] * np.eye(
                values.shape[-1]
            )
        if self.diagonal:
            own = np.diagonal(values, axis1=1, axis2=2)[..., None] * np.eye(values.shape[-1])
            turned = {"exponential": np.exp, "softplus": lambda v: np.log1p(np.exp(v))}.get(self.diagonal)
            factor = np.tril(values, -1) + (turned(own) * np.eye(values.shape[-1]) if turned else own)
            values = factor @ factor.swapaxes(-1, -2)
        return np.linalg.inv(values) if power < 0 else values

    def held(self, deviations: Array, *, square: bool) -> Array:
        """Numbers (k, d), or diagonal matrices, that stand for deviations (k, d) along the axes."""
        if self.diagonal:
            back = {"exponential": np.log, "softplus": lambda v: np.log(np.expm1(v))}.get(self.diagonal)
            deviations = 1 / deviations if self.kind == "precision" else deviations
            numbers = back(deviations) if back else deviations
        elif square:
            numbers = deviations ** (2 * np.sign(POWERS[self.kind]))
        else:
            numbers = deviations ** (2 / POWERS[self.kind])
            numbers = np.log(numbers) if self.logged else numbers
        return numbers[..., None] * np.eye(numbers.shape[-1]) if square else numbers

    def drawn(self, shape: tuple[int, ...], rng: np.random.Generator, *, square: bool) -> Array:
        """Numbers in the shape of a weight that holds such; matrices are whole."""
        if square:
            return matrices(shape, rng, triangular=bool(self.diagonal))
        numbers = rng.uniform(-1.2, 1.2, shape)
        return numbers if self.logged else np.exp(numbers)


def matrices(shape: tuple[int, ...], rng: np.random.Generator, *, triangular: bool) -> Array:
    """Covariance matrices, or triangular factors of such."""
    size = np.exp(rng.uniform(-1.2, 1.2, shape[:-1]))
    if triangular:
        return np.tril(rng.standard_normal(shape) * 0.4, -1) + size[..., None] * np.eye(shape[-1])
    turned = np.linalg.qr(rng.standard_normal(shape))[0]
    whole = np.einsum("...ij,...j,...kj->...ik", turned, size, turned)
    return (whole + whole.swapaxes(-1, -2)) / 2


def forms(name: str, start: Array, text: str, *, square: bool) -> list[SpreadForm]:
    """The forms that a spread may have by its name and by what it starts with, the likeliest first.

    >>> [form.kind for form in forms("log_sigma", np.zeros((3, 2)), "", square=False)]
    ['deviation']
    >>> [form.kind for form in forms("s", np.zeros((3, 2)), "", square=False)]
    ['variance', 'deviation', 'precision']
    """
    own = word(name)
    precise = re.search(r"prec|inv", own, re.I)
    if square:
        whole = [SpreadForm("precision" if precise else "variance", logged=False)]
        kind = "precision" if precise else "deviation"
        factors = [SpreadForm(kind, False, how) for how in ("plain", "exponential", "softplus")]
        if re.search(FACTOR, own, re.I):
            return factors
        return whole if re.search(SAYS, own, re.I) else [*whole, *factors]
    said = says(own, text)
    if not re.search(r"log|ln_", own, re.I) and not (start > 0).all() and re.search(ROOTED, own, re.I):
        return [SpreadForm("deviation"), SpreadForm("variance")]  # of what it is the logarithm nobody says
    if re.search(r"log|ln_", own, re.I) or not (start > 0).all():
        return [SpreadForm(kind) for kind in ((kept(own, text),) if said else USUAL)]
    if not said:
        return [SpreadForm(kind, logged=False) for kind in USUAL]
    if precise:
        return [SpreadForm("precision", logged=False)]
    kinds = ("deviation",) if re.search(ROOTED, own, re.I) else ("variance",)
    # Many write sigma for a variance.
    plain = ("deviation", "variance") if re.fullmatch(r"_?sigmas?_?", own, re.I) else kinds
    return [SpreadForm(kind, logged=False) for kind in plain]


def says(name: str, text: str) -> bool:
    """Whether the name of a spread says which it is: a variance, a deviation, a precision, a triangular factor."""
    return bool(re.search(rf"{SAYS}|{FACTOR}", word(name), re.I)) or factored(word(name), text)


def factored(name: str, text: str) -> bool:
    """Whether a name is that of the diagonal of a triangular factor."""
    lower = re.search(r"tril", text) and not re.search(r"cholesky(_ex)?\(", text)
    diagonal = re.search(r"diag", name, re.I) and not re.search(r"var|cov", name, re.I)
    return bool(lower and diagonal)


def kept(name: str, text: str = "") -> str:
    """Of what a weight of that name holds the logarithm: of the diagonal of a triangular factor, it is the deviation.

    >>> kept("log_sigma"), kept("log_sigma2"), kept("logvar"), kept("log_precision")
    ('deviation', 'variance', 'variance', 'precision')
    >>> kept("log_diag"), kept("log_diag", "self.lower.tril(-1) + diag_embed(self.log_diag.exp())")
    ('variance', 'deviation')
    """
    if re.search(FACTOR, name, re.I) or factored(name, text):
        precise = re.search(r"prec|inv", name, re.I) or re.search(r"precision", text, re.I)
        return "root precision" if precise else "deviation"
    if re.search(r"prec|tau|inv_?var", name, re.I):
        return "precision"
    squared = re.search(r"(2|sq|squared)$", name, re.I)
    return "deviation" if re.search(r"log_?(std|sig|dev|scale)", name, re.I) and not squared else "variance"


def spread_of(values: Array, k: int, d: int) -> Array | None:
    """Numbers (k, d) or matrices (k, d, d) from a spread in its own shape: of each component, of all, of each axis or none.

    >>> spread_of(np.ones(3), 3, 5).shape, spread_of(np.ones((5, 5)), 3, 5).shape, spread_of(np.ones((5, 3)), 3, 5).shape
    ((3, 5), (3, 5, 5), (3, 5))
    """
    shape = values.squeeze().shape
    if values.size == k * d * d and d > 1:
        last = values.shape == (d, d, k) and k != d
        return np.moveaxis(values, -1, 0) if last else values.reshape(k, d, d)
    if values.size == k * d:
        return values.squeeze().T if shape == (d, k) and k != d else values.reshape(k, d)
    if shape == (d, d):
        return np.broadcast_to(values.reshape(d, d), (k, d, d))
    if values.size in (k, 1):
        return np.broadcast_to(values.reshape(-1, 1), (k, d))
    return np.broadcast_to(values.reshape(1, d), (k, d)) if values.size == d else None


def axes_of(covariances: Array) -> tuple[Array, Array | None]:
    """Logarithms of the variances (k, d) along the axes of covariances, and those axes where they are not the usual ones."""
    d = covariances.shape[-1]
    plain = np.diagonal(covariances, axis1=1, axis2=2)
    if np.allclose(covariances, plain[..., None] * np.eye(d), rtol=0, atol=1e-14):
        return np.log(plain), None
    variances, axes = np.linalg.eigh(covariances)
    return np.log(variances), axes
