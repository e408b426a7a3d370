"""Glossary: the terms of the field that the book uses, each in a sentence."""

GLOSSARY = """\
activation map | what one kernel of a convolution answers at every place of a picture
adjacency matrix | the matrix with a 1 where two nodes of a graph are joined, and 0 elsewhere
ALiBi | a position term that lowers the score of a key in proportion to its distance
attention | for each query a weighted sum of values, with weights from the similarity of query and keys
attention head, heads | one of several attentions that run side by side, each with its own maps
autoencoder | a network that is trained to return its input through a code
batch | the examples from which one gradient is taken
beam search, beam | a search for the most probable text that keeps the best few beginnings at each step
bottleneck | the narrow layer of an autoencoder, whose numbers are the code
causal attention, causal mask, causal | attention in which a token sees itself and what came before it
class | one of the answers among which a classifier chooses
confusion matrix, confusions | the table of how often each true class was answered by each class
convolution, convolutional network, convolutions | the same small filter applied at every place
cosine similarity, cosine | the dot product of two vectors divided by both lengths
cross-entropy | the mean of −log p of the true class: the usual loss of a classifier or a language model
denoising autoencoder, denoising | an autoencoder that sees a noisy input and must return the clean one
Dice | an overlap of found and true area: twice the common pixels over the sum of both
dot product, q·k | the sum of the products of two vectors' entries
dropout | setting random activations to zero while training, so that no unit is relied upon
early stopping | ending a training when the loss on validation data has stopped falling
ELU | an activation that is x above zero and exp(x) − 1 below
EM | fitting a mixture by turns: who belongs to which component, then the best component for those
entropy | how spread out a distribution is: 0 for one certain outcome, log n for n equal ones
epoch | one pass over the training data
equivariant, equivariance | turning or shifting the input turns or shifts the output alike
feature map | a function φ with φ(q)·φ(k) equal to a kernel of q and k
flash attention | exact attention in blocks that never holds the whole table of weights
Gaussian mixture, Gaussian mixtures | a density that is a weighted sum of normal densities
GELU | an activation: x times the probability that a standard normal value lies below x
gradient | the vector of partial derivatives of the loss, along which training descends
graph attention, GAT | message passing in which each neighbour has a learned weight from a softmax
graph convolution, GCN | message passing that averages the neighbours with fixed weights of the degrees
greedy decoding, greedy | taking the most probable token at each step | token, tokens, beam
held-out, held out | kept from training, so that it can judge what was learned
IoU | intersection over union: common pixels over all pixels of found and true area
kernel | a function of two vectors that is a dot product of their feature maps; or the filter of a convolution
key, keys | what a query is compared with | query, queries
KV cache, cache | keys and values of earlier tokens, kept so that generating one more costs one step
Laplacian | degree matrix less adjacency matrix; it measures how much a signal differs along edges
lasso | least squares with a penalty on the absolute values of the weights
layer norm, RMS norm | rescaling the numbers of a token to a common size
learning rate | the length of a step of the descent
linear attention | attention with a kernel in place of the softmax, computed in time linear in the length
linear probe, probe | a linear classifier on frozen features, to see what they hold
log-likelihood, likelihood | the logarithm of the probability, or density, that a model gives to the data
logits | the numbers from which a softmax makes probabilities
low rank, rank | of a matrix: a product of two thin ones
masked autoencoder | an autoencoder that must fill in entries that were set to zero
max pooling | taking the largest value of a window
message passing | each node of a graph takes in what its neighbours send, and is updated by it
mixture | a density that is a weighted sum of simpler ones
MLP | the two or more linear maps with an activation between that follow attention in a block
MNIST | 70,000 pictures of handwritten digits, 28 by 28 pixels
modularity | how many more edges lie within groups than would by chance
normaliser | what turns similarities into weights: softmax, a division by the sum, or nothing
overfitting, overfit | doing better on training data than on other data of the same kind
padding | what is put around a picture so that a filter can reach over its border
parameters | the numbers of a model that training sets
patch, patches | a small square of a picture that a transformer takes as a token
PCA, principal components | the orthogonal directions along which data vary most
perplexity | the exponential of the cross-entropy
position, positions | what tells a transformer where a token stands
query, queries | what asks: it is compared with all keys
receptive field | the part of the input that one output can see
relative positions | a score that depends on how far apart query and key are, not on where
ReLU | an activation: x where x is positive, else 0
residual, skips, skip connection | handing on a layer's input beside its output | layer, layers, skips
responsibilities | in a mixture, the probability of each component given a point
ridge | least squares with a penalty on the squared weights
rotary positions, rotary | turning queries and keys by an angle that grows with their place
sampler, sampling | drawing the next token from the model's probabilities | temperature, top-k, top-p, beam
seed | the number from which everything random in a run follows
self-attention | attention in which queries, keys and values come from the same tokens
sigmoid | the function 1 / (1 + exp(−x))
softmax | exponentials divided by their sum: positive weights that add up to 1
standard error | the standard deviation of an estimate
stride | by how many places a filter moves at a time
temperature | what logits are divided by before the softmax; small values make choices certain
token, tokens | the unit of a sequence: a character, a piece of a word, a patch, a note
tokenizer | what cuts a text into tokens and puts it together again
top-k | drawing among the k most probable tokens only
top-p | drawing among the fewest tokens that reach a probability of p together
transformer | a network of blocks of attention and MLP
U-Net | a network that halves a picture several times and brings it back, with skips between equal sizes
validation, validation loss | held-out data that choose settings, or the end of a training
value, values | what attention sums up | query, queries, keys
vanishing gradient, exploding gradient | gradients that shrink or grow from layer to layer
vision transformer | a transformer on the patches of a picture
weight decay | pulling weights towards zero at every step"""
"""The term, then other words by which the texts call it, and after the bar what it is.

Where a word has another meaning elsewhere, a second bar is followed by words of which a text that means this
one has some.
"""
