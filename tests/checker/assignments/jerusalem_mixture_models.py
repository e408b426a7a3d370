"""Mixtures in the plane: GMM and UMM, with the training loop below."""

import math

import matplotlib.pyplot as plt
import numpy as np
import torch
import torch.nn as nn
from dataset import EuropeDataset


def normalize_tensor(tensor, d):
    mean = torch.mean(tensor, dim=d, keepdim=True)
    std = torch.std(tensor, dim=d, keepdim=True)
    return (tensor - mean) / std


class GMM(nn.Module):
    def __init__(self, n_components):
        super().__init__()
        self.n_components = n_components
        self.logits = nn.Parameter(torch.randn(n_components))
        self.means = nn.Parameter(torch.randn(n_components, 2))
        self.log_variances = nn.Parameter(torch.randn(n_components, 2))

    def forward(self, x):
        """The log-likelihood of every sample: (n_samples, n_dim) to (n_samples,)."""
        log_prior = nn.functional.log_softmax(self.logits, dim=0)
        squares = (x.unsqueeze(1) - self.means) ** 2 / torch.exp(self.log_variances)
        log_conditional = -math.log(2 * math.pi) - 0.5 * self.log_variances.sum(1) - 0.5 * squares.sum(2)
        return torch.logsumexp(log_prior + log_conditional, dim=1)

    def loss_function(self, log_likelihood):
        return -log_likelihood.mean()

    def sample(self, n_samples):
        k = torch.multinomial(torch.softmax(self.logits, dim=0), n_samples, replacement=True)
        return self.means[k] + torch.randn(n_samples, 2) * torch.exp(0.5 * self.log_variances[k])

    def conditional_sample(self, n_samples, label):
        return self.means[label] + torch.randn(n_samples, 2) * torch.exp(0.5 * self.log_variances[label])


class UMM(nn.Module):
    def __init__(self, n_components):
        super().__init__()
        self.n_components = n_components
        self.logits = nn.Parameter(torch.randn(n_components))
        self.centers = nn.Parameter(torch.randn(n_components, 2))
        self.log_sizes = nn.Parameter(torch.log(torch.ones(n_components, 2) + torch.rand(n_components, 2) * 0.2))

    def forward(self, x):
        half = torch.exp(self.log_sizes) / 2
        inside = ((x.unsqueeze(1) - self.centers).abs() <= half).all(2)
        log_conditional = torch.where(inside, -self.log_sizes.sum(1), torch.tensor(-1e6))
        return torch.logsumexp(nn.functional.log_softmax(self.logits, dim=0) + log_conditional, dim=1)


if __name__ == "__main__":
    torch.manual_seed(42)
    np.random.seed(42)
    batch_size, num_epochs = 4096, 50
    train_dataset = EuropeDataset("train.csv")
    test_dataset = EuropeDataset("test.csv")
    train_dataset.features = normalize_tensor(train_dataset.features, d=0)
    plt.show()
