"""Sketches of mistakes that no single answer shows: what is seen of them, drawn by hand."""

SAMPLE = "mean 1, variance 4, noise 0.5"

BEHAVIOUR: dict[str, tuple[str, ...]] = {
    "dropout-in-eval": (
        "same input, first call   0.42  -1.10   0.73",
        "same input, second call  0.00  -2.20   1.46",
    ),
    "state-between-calls": ("x alone            0.42  -1.10", "x after another y  0.57  -0.88"),
    "input-modified": ("x before the call   1.00  2.00  3.00", "x after the call    0.27  0.53  0.80"),
    "gradient-cut": (
        "x  -->  W  -->  y  -->  loss",
        "x  <-- cut --  y  <--  loss   (what lies left of the cut never learns)",
    ),
    "edge-order": ("edges ab cb ac  give  1.0  2.0", "edges cb ac ab  give  0.4  2.6"),
    "not-equivariant": ("nodes a b c  give  A B C", "nodes b a c  give  B' A' C'  instead of  B A C"),
    "dropout-elsewhere": (
        "weights in eval()                     0.70  0.20  0.10",
        "mean in train(), weights dropped      0.70  0.20  0.10",
        "mean in train(), scores dropped       0.61  0.23  0.16",
    ),
    "projection-shared-by-heads": (
        "should be   head 1 <- W1 x[0..23]   head 2 <- W2 x[0..23]",
        "is          head 1 <- W  x[0..7]    head 2 <- W  x[8..15]",
    ),
    "base-ignored": (
        "base  10000  angles 1.0000  0.1000  0.0100",
        "base 500000  angles 1.0000  0.1000  0.0100",
        "should be           1.0000  0.0376  0.0014",
    ),
    "shares-underflow": (
        "log weight * density   -800    -805",
        "by exp and sum         0 / 0   0 / 0",
        "softmax of logs        0.993   0.007",
    ),
    "softmax-unstable": (
        "scores     0      1    100",
        "exp        1    2.7    inf",
        "weights    0      0    NaN",
    ),
    "moments-cancel": (
        "E[x^2]   1000000.06",
        "E[x]^2   1000000.00",
        "float32  1000000.06 - 1000000.00 = 0.06 or 0.00; the variance is 0.01",
    ),
    "across-batch": (
        "right: the tokens of sample 0 look at each other",
        "here:  token 0 of sample 0 looks at token 0 of sample 1",
    ),
    "heads-averaged": (
        "right: | head 0 | head 1 | head 2 |   as wide as all heads",
        "here:  | mean of the three |           as wide as one",
    ),
    "heads-summed": (
        "three heads that agree      0.40  0.40  0.40",
        "right, in a last layer      mean 0.40",
        "here                        sum  1.20",
    ),
    "weight-unused": ("right: A x W, as wide as asked for", "here:  A x, as wide as the input"),
    "underflow": ("log p   -800", "p       exp(-800) = 0", "log 0   -inf"),
    "weights-unregistered": (
        "          in parameters()   after a step",
        "W         yes               moved",
        "V         no                as it was",
    ),
    "weights-shared": ("right: W_1  W_2  W_3   three weights", "here:  W    W    W     one, pulled three ways"),
    "weights-unfilled": (
        "torch.empty(2, 2), once    0.00  0.00   0.00  0.00",
        "the same on another day    7e+31  nan   -3e-12  0.50",
    ),
    "weights-at-zero": (
        "y = B (A x)      A = 0  B = 0",
        "dL/dB ~ A x = 0  dL/dA ~ B = 0   neither ever moves",
    ),
    "weights-alike": (
        "W at the start   0.2  0.2   after a step   0.3  0.3",
        "                 0.2  0.2                  0.3  0.3   one channel, twice",
    ),
    "training-only": ("same input, train()  0.42  -1.10", "same input, eval()   0.13   0.57"),
    "half-precision": ("float64  0.4213  -1.1021", "float32  0.4213  -1.1021", "float16  0.1307   0.5712"),
    "rounded-inside": (
        "x        1.0001000   1.0002000",
        "float16  1.0000000   1.0000000   the step between them is lost",
    ),
    "size-dependent": (
        "length     8     16     32     64",
        "right      y      y      y      y",
        "here       y      y      y     z   another function from some size on",
    ),
    "mask-shape": ("          sample 0   sample 1", "mask      # # .      # . .", "right     # # .      # . .", "here      # # .      # # .   the mask of another sample, head or query"),
    "mask-training-only": ("train()   # . .   eval()   # # #", "          # # .            # # #", "          # # #            # # #"),
    "mask-not-sliced": ("scores 3 x 3,  mask 8 x 8", "right: mask[:3, :3]", "here:  mask   (shapes do not fit)"),
    "gain-plus-one-at-one": (
        "a row of size 1, gain 1 at the start",
        "right: gain x       size 1",
        "here:  (1 + gain) x  size 2",
    ),
    "loss-sign": ("step        1     2     3", "right     -2.1  -1.8  -1.6   mean log-likelihood, rises", "here      -2.1  -2.6  -3.4   falls"),
    "loss-sum": ("batch      10    100   1000", "right     2.1    2.1    2.1", "here       21    210   2100"),
    "loss-not-averaged": ("right: 2.1                one number", "here:  1.9  2.4  2.0     one for each sample"),
    "sample-variance": (SAMPLE, "right: 1 + 2 * 0.5 = 2.00", "here:  1 + 4 * 0.5 = 3.00"),
    "sample-log-variance": (SAMPLE, "right: 1 + 2 * 0.5      = 2.00", "here:  1 + log 4 * 0.5  = 1.69"),
    "sample-log-deviation": (SAMPLE, "right: 1 + 2 * 0.5      = 2.00", "here:  1 + log 2 * 0.5  = 1.35"),
    "sample-deviation-rooted": (SAMPLE, "right: 1 + 2 * 0.5        = 2.00", "here:  1 + sqrt(2) * 0.5  = 1.71"),
    "sample-unit": (SAMPLE, "right: 1 + 2 * 0.5 = 2.00", "here:  1 + 1 * 0.5 = 1.50"),
    "sample-mean-missing": (SAMPLE, "right: 1 + 2 * 0.5 = 2.00", "here:      2 * 0.5 = 1.00"),
    "sample-weights-ignored": ("weights 0.9 and 0.1, ten samples", "right: a a a a a a a a a b", "here:  a b a a b b a b a b"),
    "sample-one-component": ("weights 0.5 and 0.5, two calls", "right: a b b a b   b a a b a", "here:  a a a a a   b b b b b"),
    "sample-noise-shared": ("right: (0.3, -1.2)  (0.8, 0.1)  (-0.5, 0.9)", "here:  (0.3,  0.3)  (0.3, 0.3)  ( 0.3, 0.3)"),
    "conditional-ignored": ("asked for component a, six samples", "right: a a a a a a", "here:  a b a a b a"),
    "conditional-wrong": ("asked for component a, six samples", "right: a a a a a a", "here:  b b b b b b"),
    "em-old-means": ("points 0, 1, 2; old mean 4, new mean 1", "right: (1 + 0 + 1) / 3  = 0.67", "here:  (16 + 9 + 4) / 3 = 9.67"),
    "scores-beside": ("right  0.70  0.20  0.10   sums to 1", "here   1.40  0.15 -0.55   sums to anything"),
    "mask-by-zero": (
        "scores, last hidden  0.9   0.0   1.3",
        "right: weights       0.71  0.29  0.00",
        "here:  weights       1.00  0.00  0.00   the score 0 is taken for hidden",
    ),
    "bias-argument": (
        "bias=False      query  key  value",
        "right           no     no   no",
        "here            no     no   yes",
    ),
    "cache-positions": (
        "tokens              t0  t1  t2 | t3, which is new",
        "right: positions    0   1   2  | 3",
        "here:  positions    0   1   2  | 0",
    ),
    "cache-mask": (
        "keys                k0  k1  k2  k3, asked by t3",
        "right: t3 sees      #   #   #   #",
        "here:  t3 sees      #   .   .   .",
    ),
    "cache-unused": (
        "keys                k0  k1  k2  k3, asked by t3",
        "right: t3 sees      #   #   #   #",
        "here:  t3 sees      .   .   .   #",
    ),
    "masks-joined-by-or": (
        "three tokens, the last is padding",
        "right: # . .   and: # # .   here, or: # # .",
        "       # # .                          # # .",
        "       # # .                          # # #",
    ),
    "positions-of-one-sample": (
        "told positions   sample 0: 0 1 2   sample 1: 0 0 1",
        "right            sample 0: 0 1 2   sample 1: 0 0 1",
        "here             sample 0: 0 1 2   sample 1: 0 1 2",
    ),
    "heads-added-up": (
        "head a gives (1, 0), head b gives (0, 1)",
        "right: (1, 0, 0, 1)   side by side",
        "here:  (0.5, 0.5)     the same for a and b exchanged",
    ),
    "width-of-all-heads": (
        "2 heads of width 4, base 10000",
        "right: frequencies  1.00  0.01   of each head",
        "here:  frequencies  1.00  0.10",
    ),
    "nodes-from-features": (
        "features      nodes 5 x 10",
        "right: loops  (0, 0) .. (4, 4)",
        "here:  loops  (0, 0) .. (9, 9)   there is no node 5",
    ),
    "nodes-from-edges": (
        "4 nodes, edges 0-1 and 1-2",
        "right: rows  0  1  2  3",
        "here:  rows  0  1  2",
    ),
    "lone-node-silent": ("node 3 has no neighbours", "right: y3 = x3 W + b", "here:  y3 = b"),
    "sample-covariance": (
        "L = (1 0 / 2 1)",
        "right: L L^T = (1 2 / 2 5)",
        "here:  L^T L = (5 2 / 2 1)",
    ),
    "labels-by-density": (
        "component     a     b",
        "weight        0.90  0.10",
        "density at x  0.20  0.30",
        "right: share  0.86  0.14   label a",
        "here:  label b, whose density is larger",
    ),
    "em-step": (
        "points 0, 2, 4, shares of one component 1, 1, 0",
        "right: mean (0 + 2) / 2 = 1.00   over the component's own count",
        "here:  mean (0 + 2) / 3 = 0.67   over all points",
    ),
}  # fmt: skip
"By the slug of the mistake."
