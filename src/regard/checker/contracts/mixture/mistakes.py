"""What goes wrong in a mixture of Gaussians: in its density, in the mixing, in its loss and its samples."""

import numpy as np

from regard.checker.contract import Mistake, forms
from regard.checker.contracts.mixture.reference import log_softmax, logsumexp

DENSITY = (
    Mistake(
        slug="logdet-half-missing",
        cause="the logarithm of the variance is taken off whole, not half (some exercise sheets print it so)",
        remedy="- 0.5 * log_variances.sum(-1), since log sqrt(variance) = 0.5 log variance",
        look="logsumexp",
        forms=forms({"spread": lambda v: v}),
    ),
    Mistake(
        slug="logdet-missing",
        cause="the variance is missing in front of the exponential: the density does not integrate to one",
        remedy="take off 0.5 * log_variances.sum(-1)",
        look="logsumexp pi",
        forms=forms({"spread": lambda v: 0.0 * v}),
    ),
    Mistake(
        slug="logdet-once",
        cause="the log-variance is taken off once and not once for each dimension: one number, or a mean, stands where a sum is needed",
        remedy="- 0.5 * log_variances.sum(-1), or - 0.5 * d * log_variance for a ball",
        look="logsumexp pi",
        forms=forms({"spread": lambda v: 0.5 * v / v.shape[-1]}),
    ),
    Mistake(
        slug="logdet-sign",
        cause="the logarithm of the variance is added instead of taken off",
        remedy="- 0.5 * log_variances.sum(-1)",
        look="logsumexp pi",
        forms=forms({"spread": lambda v: -0.5 * v}, {"spread": lambda v: -v}),
    ),
    Mistake(
        slug="square-half-missing",
        cause="the half before the squares is missing",
        remedy="- 0.5 * ((x - mean) ** 2 / variance).sum(-1)",
        look="power",
        forms=forms({"square": lambda s: s}),
    ),
    Mistake(
        slug="two-pi-missing",
        cause="the factor 2 pi is missing: the density does not integrate to one",
        remedy="- 0.5 * d * log(2 pi)",
        look="logsumexp",
        forms=forms({"constant": lambda d: 0.0}),
    ),
    Mistake(
        slug="two-pi-once",
        cause="log(2 pi) is counted once and not once for each dimension",
        remedy="- 0.5 * d * log(2 pi)",
        look="pi",
        forms=forms(
            {"constant": lambda d: 0.5 * np.log(2 * np.pi)}, {"constant": lambda d: np.log(2 * np.pi)}
        ),
    ),
    Mistake(
        slug="two-pi-half-missing",
        cause="the half before log(2 pi) is missing",
        remedy="- 0.5 * d * log(2 pi)",
        look="pi",
        forms=forms({"constant": lambda d: d * np.log(2 * np.pi)}),
    ),
    Mistake(
        slug="log-variance-as-deviation",
        cause="exp(log_variance) is used as the standard deviation, so the variance is squared",
        remedy="variance = exp(log_variance), deviation = exp(0.5 * log_variance)",
        look="exponential",
        forms=forms(
            {"divisor": lambda v: np.exp(2 * v), "spread": lambda v: v}, {"divisor": lambda v: np.exp(2 * v)}
        ),
    ),
    Mistake(
        slug="deviation-as-variance",
        cause="exp(0.5 * log_variance), the standard deviation, is used as the variance",
        remedy="divide the squares by exp(log_variance)",
        look="exponential",
        forms=forms(
            {"divisor": lambda v: np.exp(0.5 * v)},
            {"divisor": lambda v: np.exp(0.5 * v), "spread": lambda v: 0.25 * v},
        ),
    ),
    Mistake(
        slug="variance-not-exponentiated",
        cause="the logarithm of the variance is used as the variance itself",
        remedy="variance = exp(log_variance)",
        look="power",
        forms=forms({"divisor": lambda v: v}, {"divisor": lambda v: v, "spread": lambda v: 0.5 * np.log(v)}),
    ),
    Mistake(
        slug="dimensions-averaged",
        cause="the terms of the dimensions are averaged instead of summed",
        remedy="sum over the last axis",
        look="mean",
        forms=forms(
            {"over": lambda t: t.mean(-1)},
            {"over": lambda t: t.mean(-1), "constant": lambda d: 0.5 * np.log(2 * np.pi)},
        ),
    ),
)
MIXING = (
    Mistake(
        slug="sum-over-samples",
        cause="the logsumexp runs over the samples instead of the components",
        remedy="logsumexp over the axis of the components, dim=1",
        look="logsumexp",
        forms=forms({"join": lambda w, p: logsumexp(w + p, 0)}),
    ),
    Mistake(
        slug="mean-of-logs",
        cause="logarithms are averaged or summed where the logarithm of a sum is needed",
        remedy="logsumexp(log weight + log density)",
        look="mean logsumexp",
        forms=forms(
            {"join": lambda w, p: (np.exp(w) * p).sum(-1)},
            {"join": lambda w, p: (w + p).sum(-1)},
            {"join": lambda w, p: (w + p).mean(-1)},
            {"join": lambda w, p: (np.exp(w) * (w + p)).sum(-1)},
        ),
    ),
    Mistake(
        slug="maximum-for-sum",
        cause="only the likeliest component counts",
        remedy="logsumexp over the components, not max",
        look="logsumexp",
        forms=forms({"join": lambda w, p: (w + p).max(-1)}),
    ),
    Mistake(
        slug="weights-missing",
        cause="the mixing weights are left out",
        remedy="add log_softmax(logits) before the logsumexp",
        look="logsumexp",
        forms=forms({"weigh": lambda z: 0.0 * z}, {"weigh": lambda z: 0.0 * z - np.log(len(z))}),
    ),
    Mistake(
        slug="weights-not-normalised",
        cause="the logits are added as they are, so the weights do not sum to one",
        remedy="log_softmax(logits)",
        look="logsumexp",
        forms=forms({"weigh": lambda z: z}),
    ),
    Mistake(
        slug="weights-not-logged",
        cause="the weights themselves are added to logarithms",
        remedy="log_softmax(logits), not softmax(logits)",
        look="log_softmax",
        forms=forms({"weigh": lambda z: np.exp(log_softmax(z))}),
    ),
)
OTHERS = (
    Mistake(
        slug="underflow",
        cause="exp, sum and log one after the other: far from all means the density underflows to minus infinity",
        remedy="torch.logsumexp of the logarithms",
        look="exponential logsumexp",
        weak=True,
    ),
    Mistake(
        slug="shares-underflow",
        cause="densities are divided by their sum: far from all means that is 0 / 0",
        remedy="softmax of the logarithms of weight times density: they are finite everywhere",
        look="exponential",
        weak=True,
    ),
    Mistake(
        slug="loss-sign",
        cause="the loss is plus the mean log-likelihood: training would make the data unlikely",
        remedy="return -log_likelihood.mean()",
        look="loss",
    ),
    Mistake(
        slug="loss-sum",
        cause="the loss is the sum over the samples, not their mean",
        remedy="return -log_likelihood.mean()",
        look="loss",
    ),
    Mistake(
        slug="loss-not-averaged",
        cause="the loss is not one number",
        remedy="return -log_likelihood.mean()",
        look="loss",
    ),
    Mistake(
        slug="sample-variance",
        cause="samples are scaled by the variance, not by its root",
        remedy="mean + exp(0.5 * log_variance) * randn",
        look="random",
    ),
    Mistake(
        slug="sample-log-variance",
        cause="samples are scaled by the logarithm of the variance",
        remedy="mean + exp(0.5 * log_variance) * randn",
        look="random",
    ),
    Mistake(
        slug="sample-log-deviation",
        cause="samples are scaled by the logarithm of the deviation",
        remedy="mean + exp(0.5 * log_variance) * randn",
        look="random",
    ),
    Mistake(
        slug="sample-deviation-rooted",
        cause="samples are scaled by the root of the deviation",
        remedy="mean + exp(0.5 * log_variance) * randn",
        look="random",
    ),
    Mistake(
        slug="sample-unit",
        cause="samples ignore the variance: every component has deviation one",
        remedy="mean + exp(0.5 * log_variance) * randn",
        look="random",
    ),
    Mistake(
        slug="sample-weights-ignored",
        cause="components are drawn with equal chances, whatever their weights",
        remedy="torch.multinomial(softmax(logits), n, replacement=True)",
        look="random",
    ),
    Mistake(
        slug="sample-one-component",
        cause="one component is drawn for a whole call instead of one for each sample",
        remedy="draw n components: torch.multinomial(weights, n, replacement=True)",
        look="random",
    ),
    Mistake(
        slug="sample-noise-shared",
        cause="one noise serves several samples or several dimensions",
        remedy="torch.randn(n, d): one number for each sample and dimension",
        look="random",
    ),
    Mistake(
        slug="sample-mean-missing",
        cause="samples are not moved to the mean of their component",
        remedy="mean + exp(0.5 * log_variance) * randn",
        look="random",
    ),
    Mistake(
        slug="conditional-ignored",
        cause="the samples of one component come from several",
        remedy="use the component that was asked for",
        look="random",
    ),
    Mistake(
        slug="conditional-wrong",
        cause="the samples of one component come from another",
        remedy="index means and variances with the component as given",
        look="random",
    ),
    Mistake(
        slug="sample-covariance",
        cause="samples have another covariance than the density: the factor that makes them of noise is not that of the covariance",
        remedy="mean + L @ z with L L^T the covariance: for rows of noise, z @ L.T",
        look="random",
    ),
    Mistake(
        slug="labels-by-density",
        cause="a point's label is the component with the largest density there: the mixing weights are left out",
        remedy="argmax of log weight + log density",
        look="softmax",
    ),
    Mistake(
        slug="em-step",
        cause="a step of EM does not follow from the responsibilities",
        remedy="with r the responsibilities and n_k = r.sum(0): weights n_k / n, means r.T @ x / n_k, variances about the new means, weighed by r and divided by n_k",
        look="mean power",
    ),
    Mistake(
        slug="em-old-means",
        cause="in a step of EM the variances are taken about the old means: they are computed before the means are new",
        remedy="compute the means first, then the variances about them",
        look="mean power",
    ),
)
