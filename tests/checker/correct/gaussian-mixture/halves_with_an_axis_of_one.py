# contract: gaussian-mixture
import torch
import numpy as np


class GaussianMixture(torch.nn.Module):
    """EM in torch, diagonal covariance; parameters in buffers-like nn.Parameter without grad."""

    def __init__(self, n_components, n_features, eps=1e-6):
        super().__init__()
        self.n_components, self.n_features, self.eps = n_components, n_features, eps
        self.mu = torch.nn.Parameter(torch.randn(1, n_components, n_features), requires_grad=False)
        self.var = torch.nn.Parameter(torch.ones(1, n_components, n_features), requires_grad=False)
        self.pi = torch.nn.Parameter(torch.ones(1, n_components, 1) / n_components, requires_grad=False)

    def _log_prob(self, x):
        x = x.unsqueeze(1)
        prec = 1 / self.var
        log_p = torch.sum((self.mu ** 2 + x ** 2 - 2 * x * self.mu) * prec, dim=2, keepdim=True)
        log_det = torch.sum(torch.log(self.var), dim=2, keepdim=True)
        return -0.5 * (self.n_features * np.log(2 * np.pi) + log_p + log_det)

    def _e_step(self, x):
        weighted = self._log_prob(x) + torch.log(self.pi)
        norm = torch.logsumexp(weighted, dim=1, keepdim=True)
        return norm.mean(), weighted - norm

    def _m_step(self, x, log_resp):
        resp = torch.exp(log_resp)
        x = x.unsqueeze(1)
        nk = resp.sum(0, keepdim=True) + self.eps
        mu = (resp * x).sum(0, keepdim=True) / nk
        var = (resp * (x - mu) ** 2).sum(0, keepdim=True) / nk + self.eps
        self.pi.data, self.mu.data, self.var.data = nk / x.shape[0], mu, var

    def fit(self, x, n_iter=50, delta=1e-4):
        j = np.inf
        for _ in range(n_iter):
            ll, lr = self._e_step(x)
            self._m_step(x, lr)
            if abs(float(ll) - j) < delta:
                break
            j = float(ll)

    def score_samples(self, x):
        weighted = self._log_prob(x) + torch.log(self.pi)
        return torch.logsumexp(weighted, dim=1).squeeze(-1)

    def predict(self, x):
        return (self._log_prob(x) + torch.log(self.pi)).argmax(1).squeeze(-1)
