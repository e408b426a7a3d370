"""Which claim a course's page quotes as the answer to a question, where its rule picks another."""

REPLIES = {
    19: "graph attention minus most frequent composer, points",
    26: "share of rows with a negative denominator under the plain product q·k",
    28: "gap between φ(q)·φ(k) and (q·k + 1)²",
    30: "largest share by which counted operations differ from the formula",
    31: "length from which it needs fewer operations, linear, (q·k + 1)²",
    33: "error of the linear model, k = 10",
    34: "error of nonlinear models on fresh points / that of PCA, k = 10",
    35: "training error of linear models on digits / that of PCA, k = 10",
    38: "gradient at W₂ = W₁ᵀ = U_k, relative to the covariance",
    40: "the beam of two finds the most probable text",
    48: "largest difference of the log-density of boxes from torch's distributions",
    61: "things, trained upright: upright minus turned, %",
    62: "things, trained on turned pictures: highest minus lowest, %",
    64: "block: gap to the formulas written out",
    76: "marked strangers: attention less convolution",
    81: "exponent of the operations in N, low rank",
    82: "gap between QKᵀV and Q(CK)ᵀDV with C = D of the right singular vectors",
    90: "GAT: test accuracy, %",
    92: "largest change under a shift by 8, with skips",
}
"By the number of a checklist item: the name of a claim that settles it."
