# contract: gaussian-mixture
import torch


def gmm_nll(x, logits, mu, log_sigma):
    """Negative log-likelihood per sample of a diagonal mixture: x (b, d), mu and log_sigma (k, d)."""
    z = (x.unsqueeze(1) - mu) * torch.exp(-log_sigma)
    log_n = -0.5 * z.pow(2).sum(-1) - log_sigma.sum(-1) - 0.5 * x.shape[-1] * torch.log(torch.tensor(2 * torch.pi))
    return -torch.logsumexp(torch.log_softmax(logits, -1) + log_n, dim=-1)
