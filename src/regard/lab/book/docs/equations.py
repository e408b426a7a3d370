"""Equations of the public names (LaTeX): what the reference shows above the words of a docstring."""

EQUATIONS = {
    "Additive": r"s_{ij} = \mathrm{LeakyReLU}(a^\top q_i + b^\top k_j + r_{ij} + c^\top f_{ij})",
    "Alibi": r"p_{ij} = -m_h |i - j|",
    "attend": r"$$y_i = \sum_{j \in S(i)} w_{ij} v_j, \quad w_{ij} = \mathrm{normalise}_j(s(q_i, k_j) + p_{ij})$$ where $S(i)$ is the support of query $i$, $s$ the similarity and $p$ the position.",
    "Constant": r"s_{ij} = c",
    "Cosine": r"s_{ij} = c \frac{q_i^\top k_j}{\lVert q_i \rVert \lVert k_j \rVert}",
    "Divide": r"w_{ij} = \frac{s_{ij}}{\sum_{l} s_{il}}",
    "Dot": r"s_{ij} = \frac{q_i^\top k_j}{\sqrt{d}}",
    "elu_plus_one": r"\phi(x) = \mathrm{elu}(x) + 1",
    "GATv2Score": r"s_{ij} = a^\top \mathrm{LeakyReLU}(q_i + k_j + r_{ij} + C f_{ij})",
    "Gaussian": r"s_{ij} = \log(c_j) - \frac{1}{2} \sum_{l} \frac{(q_{il} - k_{jl})^2}{\sigma_{jl}^2} - \frac{1}{2} \sum_{l} \log(2 \pi \sigma_{jl}^2)",
    "GaussianMixtureModel": r"p(x) = \sum_{k} \pi_k \mathrm{N}(x \mid \mu_k, \Sigma_k)",
    "GraphAttention": r"y_i = \sum_{j \in N(i)} w_{ij} x_j W, \quad w_{ij} = \frac{\exp(s_{ij})}{\sum_{l \in N(i)} \exp(s_{il})}",
    "GraphConvolution": r"y_i = \sum_{j \in N(i)} w_{ij} x_j W + b",
    "Kernel": r"s_{ij} = \phi(q_i)^\top \phi(k_j)",
    "Mean": r"w_{ij} = \frac{s_{ij}}{|S(i)|}",
    "MultiHead": r"y = \mathrm{concat}_h(\mathrm{attend}(x W_h^Q, z W_h^K, z W_h^V)) W^O",
    "Relative": r"p_{ij} = p_{i-j}",
    "LearnedRelative": r"p_{ij} = p_{i-j}",
    "RelationalAttention": r"y_i = x_i B + \sum_{r} \sum_{j \in N_r(i)} w_{ij} x_j W_r + b",
    "Rotary": r"(R_i q_i)^\top (R_j k_j) = q_i^\top R_{j-i} k_j",
    "Softmax": r"w_{ij} = \frac{\exp(s_{ij})}{\sum_{l} \exp(s_{il})}",
    "Symmetric": r"w_{ij} = \frac{s_{ij}}{\sqrt{\sum_{l} s_{il} \sum_{l} s_{lj}}}",
    "UniformMixtureModel": r"$$p(x) = \sum_{k} \pi_k \prod_{i} \frac{1}{s_{ki}} [|x_i - c_{ki}| \le \frac{s_{ki}}{2}]$$ where a bracket is 1 if what it says is true and 0 if not: each component is a box with centre $c_k$ and sides $s_k$.",
}  # fmt: skip
"By the name: a formula, or a text around one. $N(i)$ are the nodes with an edge to $i$. What computes no formula has none."
SPOKEN = {
    "Additive": ": ", "Alibi": ": ", "Divide": ", ", "elu_plus_one": ": ", "GATv2Score": ": ", "Gaussian": ": ",
    "GaussianMixtureModel": "), ", "GraphAttention": ", ", "GraphConvolution": ", ", "Kernel": ": ", "Mean": ": ",
    "Relative": ": ", "RelationalAttention": "", "Softmax": "; ", "Symmetric": ", ", "UniformMixtureModel": "",
}  # fmt: skip
"Names whose docstring begins with its formula in plain letters, and the signs that end it there; none: the whole line."
