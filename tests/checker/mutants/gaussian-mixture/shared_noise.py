# contract: gaussian-mixture
# cause: sample-noise-shared
import torch
from torch import nn


LOG_2PI = 1.8378770664093453


class GMM(nn.Module):
    def __init__(self, n_components: int):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(n_components))
        self.means = nn.Parameter(torch.randn(n_components, 2))
        self.log_variances = nn.Parameter(torch.zeros(n_components, 2))

    def component_log_prob(self, x):
        x = x.unsqueeze(1)
        inner = LOG_2PI + self.log_variances + (x - self.means).pow(2) / self.log_variances.exp()
        return inner.sum(-1).mul(-0.5)

    def forward(self, x):
        return (self.component_log_prob(x) + self.logits.log_softmax(-1)).logsumexp(-1)

    def loss_function(self, log_likelihood):
        return -log_likelihood.sum() / log_likelihood.numel()

    def _noisy(self, mu, sigma):
        z = torch.randn(mu.shape[0], 1)
        return mu + z * sigma

    def sample(self, n_samples):
        with torch.no_grad():
            idx = torch.multinomial(self.logits.softmax(-1), n_samples, replacement=True)
            return self._noisy(self.means[idx], (0.5 * self.log_variances[idx]).exp())

    def conditional_sample(self, n_samples, label):
        with torch.no_grad():
            idx = torch.full((n_samples,), label, dtype=torch.long)
            return self._noisy(self.means[idx], (0.5 * self.log_variances[idx]).exp())
