"""The checklist: 93 things that five course assignments ask for, each with its question, in a few words.

Who the assignments are from is in `sources.py`; which experiment answers an item, in `coverage.py`.
"""

from collections.abc import Iterator
from dataclasses import dataclass

NOT_APPLICABLE = {42: "administrative: how long it took, with whom"}


@dataclass(frozen=True)
class ChecklistItem:
    """One thing that an assignment asks for."""

    number: int
    "Its place among the 93."
    course: str
    "The word of its source, such as duke."
    question: str
    "The question of the assignment, as it is numbered there."
    text: str
    "What is asked for, in a few words."


ASKED = """\
duke
1a | joint log-likelihood of two outputs with correlated noise
1b | maximum-likelihood slope under correlated noise
2a.i | expected squared error under noisy inputs
2a.ii | input noise as ridge: its strength
2b | Laplace prior as lasso: its strength
3a | a sample of an untrained GPT
3b | attention forward, step by step
3c | training a small GPT: the loss curve
3d | text from the trained GPT
4a.i | an image and its kernels, shown
4a.ii | activation maps of a convolution, and which rule of a similarity they break
4a.iii | when cosine similarity is a similarity
4a.iv | cosine similarity by convolution
4b.i | the matrix of all dot products of pixels
4b.ii | row softmax of those products
4b.iii | products of normalised pixels under one softmax over the whole matrix
4b.iv | products of normalised pixels by convolution
5.1 | a multi-relational graph attention layer
5.2 | training and tuning a graph network on scraps of music
5.3 | which composers are confused with which
berkeley
1.1 | graph convolution on the karate club, nine steps
1.2 | what the karate club shows
2a | mean of q·k
2b | variance of q·k
2c | the scale that keeps the variance of q·k at one
3a | why the denominator must be positive
3b.i | the kernel (q·k + 1)²
3b.ii | the feature map of (q·k + 1)²
3b.iii | linear attention from a feature map
3c.i | cost and memory of softmax attention
3c.ii | cost and memory of linear attention
4a | vanilla, denoising and masked autoencoders
4a (1.1) | linear autoencoders on synthetic data
4a (1.2) | nonlinear autoencoders on synthetic data
4a (1.3) | linear autoencoders on MNIST
4a (1.4) | nonlinear autoencoders on MNIST
4b.i | first-order conditions of the linear autoencoder
4b.ii | principal directions fulfil those conditions
5a-c | beam search, step by step
5d | beam search misses the best sequence
5e | cost of beam search
6 | how long it took, and with whom
jerusalem
Gaussian mixture | a Gaussian mixture trained by gradient descent
Gaussian mixture 1 | samples of the Gaussian mixture by number of components
Gaussian mixture 2a | samples of the Gaussian mixture through training
Gaussian mixture 2b | likelihood of the Gaussian mixture, training and test
Gaussian mixture 2c | the Gaussian mixture started from country means
uniform mixture | a uniform mixture
uniform mixture 1 | the uniform mixture's plots
uniform mixture 2 | why the uniform mixture fails
transformer 1 | causal self-attention
transformer 2 | training a small GPT on characters: loss and accuracy
transformer 3 | sentences after each epoch
transformer 4 | sentences by top-k
amsterdam
1.1a | which pixels a padded filter element misses
1.1b.i | accuracy by type of convolution, max-pooled network
1.1b.ii | what sets the two classes apart, in training and in test
1.1c | why the types of convolution differ
1.1d.i | accuracy by type of convolution, flattened network
1.1d.ii-iii | what flattening changes
1.2a | accuracy under rotation
1.2b | accuracy under rotation, trained with rotation
2.1 | cost, receptive fields, scale and heads of attention
2.2-2.7 | the parts of a GPT: norm, activation, rotary positions, sampling
2.3c | why the MLP is wide
2.4 | why positions are needed, absolute or rotary
2.8 | training on fairy tales; prompts, temperature, top-p
2.9 | flash attention: equal output, and what it saves
3.1a | adjacency matrices
3.1b | powers of the adjacency matrix
3.1c | the Laplacian
3.2a | the self-connection
3.2b | a layer as messages and an update
3.3a | that layer as matrices
3.3b | why a median has no matrix form
3.4 | attention on graphs against convolution
toronto
1.1.1 | gradient of a chain of ReLUs
1.1.2 | a bound on that gradient by the weights
1.2.1 | gradient of a sigmoid recurrence
1.3.1 | linear attention by associativity
1.3.2 | attention by low rank
1.3.3 | attention by projected keys and values
1.4.1 | relative attention as a convolution
1.4.2 | relative attention as max pooling
2.1.1 | many almost orthogonal directions
3.1 | a graph convolution layer
3.2 | a graph convolution network
3.3 | training graph convolution on Cora
3.4 | a graph attention layer
3.5 | training graph attention on Cora
3.6 | graph convolution and attention compared
4.1 | a U-Net's parts
4.2 | U-Net with and without skips"""
"A course's word, then a line for each of its items: the question, and what it asks for."


def _items() -> Iterator[ChecklistItem]:
    course, number = "", 0
    for line in ASKED.splitlines():
        question, bar, text = line.partition(" | ")
        if bar:
            number += 1
            yield ChecklistItem(number, course, question, text)
        else:
            course = line


ITEMS: dict[int, ChecklistItem] = {one.number: one for one in _items()}
