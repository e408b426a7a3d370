# contract: gaussian-mixture
import math
from dataclasses import dataclass, field


@dataclass
class Bell:
    share: float
    centre: list[float]
    variance: list[float]

    def log_pdf(self, point):
        return sum(-0.5 * (math.log(2 * math.pi * v) + (float(a) - m) ** 2 / v) for a, m, v in zip(point, self.centre, self.variance))


@dataclass
class BellMixture:
    components: list[Bell] = field(default_factory=lambda: [Bell(0.4, [0.0, 1.0], [1.0, 0.5]), Bell(0.6, [2.0, -1.0], [0.3, 2.0])])

    def log_likelihood(self, points):
        out = []
        for point in points:
            terms = [math.log(b.share) + b.log_pdf(point) for b in self.components]
            top = max(terms)
            out.append(top + math.log(sum(math.exp(t - top) for t in terms)))
        return out

    def responsibilities(self, points):
        out = []
        for point in points:
            terms = [math.log(b.share) + b.log_pdf(point) for b in self.components]
            top = max(terms)
            raised = [math.exp(t - top) for t in terms]
            out.append([r / sum(raised) for r in raised])
        return out
