# contract: gaussian-mixture
# target: Mezcla
import math


class Mezcla:
    """Lists of numbers, and no tensor anywhere."""

    def __init__(self, weights, means, variances):
        self.parts = list(zip(weights, means, variances))

    def _terms(self, point):
        for weight, mean, variance in self.parts:
            off = sum(math.log(2 * math.pi * v) + (x - m) ** 2 / v for x, m, v in zip(point, mean, variance))
            yield math.log(weight) - 0.5 * off

    def log_prob(self, X):
        found = []
        for point in X:
            terms = list(self._terms(point))
            top = max(terms)
            found.append(top + math.log(sum(math.exp(t - top) for t in terms)))
        return found
