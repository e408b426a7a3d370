# contract: gaussian-mixture
# cause: weights-not-normalised
import math
import torch
import torch.nn as nn


class GMM(nn.Module):
    def __init__(self, n_components):
        super(GMM, self).__init__()
        self.K = n_components
        self.logits = nn.Parameter(torch.randn(n_components))
        self.means = nn.Parameter(torch.randn(n_components, 2))
        self.log_variances = nn.Parameter(torch.zeros(n_components, 2))

    def log_gauss(self, x, k):
        v = self.log_variances[k].exp()
        out = 0.0
        for d in range(2):
            out = out - 0.5 * (
                math.log(2 * math.pi) + self.log_variances[k, d] + (x[:, d] - self.means[k, d]) ** 2 / v[d]
            )
        return out

    def forward(self, x):
        terms = []
        for k in range(self.K):
            terms.append(self.logits[k] + self.log_gauss(x, k))
        return torch.logsumexp(torch.stack(terms, dim=1), dim=1)

    def loss_function(self, log_likelihood):
        return -log_likelihood.mean()

    def sample(self, n_samples):
        probs = torch.softmax(self.logits, dim=0)
        ks = torch.multinomial(probs, n_samples, replacement=True)
        eps = torch.randn(n_samples, 2)
        return self.means[ks] + eps * torch.sqrt(torch.exp(self.log_variances[ks]))

    def conditional_sample(self, n_samples, label):
        eps = torch.randn(n_samples, 2)
        return self.means[label] + eps * torch.sqrt(torch.exp(self.log_variances[label]))
