"""Which of the two norms a piece of code is, where its name may say either: by what it does and says."""

import ast
import re
import textwrap
from typing import Any

from regard.checker.reading.arguments import mean

GAIN = re.compile(r"weight|gain|gamma|^g$|scale|a_?2|alpha|^w$|^a$", re.I)
BIAS = re.compile(r"bias|beta|^b$|shift|b_?2|offset", re.I)
"What a gain and a bias are called."
NAMED = re.compile(r"layer_?norm|^ln$|^norm$")
"Names of a norm, small letters: a layer norm, unless the code says otherwise."
CENTRES = re.compile(
    r"\b(var|std|var_mean|std_mean|layer_norm|LayerNorm|sub_?|subtract|cov|demean|cent\w*)\b"
)
"Names of what takes off a mean, or measures from it."
SQUARES = re.compile(r"\b(square|pow|rms\w*|rsqrt|sqrt|norm|vector_norm|normali[sz]e)\b")
"Names of what a root mean square is made with."
PLAIN = re.compile(
    r"\b(no|without|omit\w*|skip\w*|drop\w*|never|not|n't)\b[^.;\n]{0,20}"
    r"(\bsubtract\w*|\bcent(re|er)\w*|\bcentring|\btak\w+ off|\bmean[\s-](subtraction|cent\w+|removal|shift))"
    r"|\bmean\b[^.;,\n]{0,12}\b(not|never)\b[^.;\n]{0,12}\b(subtract|taken|remov)"
    r"|\b(un|non)-?cent(er|r)ed",
    re.I,
)
"What a person says whose norm takes off no mean."


def is_rms(source: str) -> bool:
    """Whether a person says that no mean is taken off; else, whether the code takes off none and has no bias.

    >>> is_rms("def norm(x, w): return w * x * (x * x).mean(-1, True).rsqrt()")
    True
    >>> is_rms("def norm(x, w): return w * (x - x.mean(-1, True)) / x.std(-1, True)")
    False
    """
    if PLAIN.search(source):
        return True
    try:
        tree = ast.parse(textwrap.dedent(source))
    except SyntaxError:
        return False
    nodes = list(ast.walk(tree))
    words = {getattr(n, "id", getattr(n, "attr", getattr(n, "arg", None))) or "" for n in nodes}
    minus = any(isinstance(n, ast.BinOp | ast.AugAssign) and isinstance(n.op, ast.Sub) for n in nodes)
    root = any(isinstance(n, ast.BinOp) and isinstance(n.op, ast.Pow) for n in nodes)
    if minus or any(map(CENTRES.fullmatch, words)) or not (root or any(map(SQUARES.fullmatch, words))):
        return False
    return bool(re.search(r"\brms|root[\s-]mean[\s-]square", source, re.I)) or not any(
        map(BIAS.search, words)
    )


def meant(name: str, gain: Any, bias: Any, eps: float) -> Any:
    """What a norm that is a function is given for a name: a gain, a bias, an epsilon, or nothing that is known.

    >>> meant("gamma", "gain", "bias", 1e-5), meant("x", "gain", "bias", 1e-5)
    ('gain', None)
    """
    if GAIN.search(name):
        return gain
    return bias if BIAS.search(name) else eps if mean(name, ["eps"]) else None
