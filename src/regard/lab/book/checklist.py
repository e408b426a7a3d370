"""The 93 things that the five assignments ask for, in a few words each: what the lab has to cover."""

NOT_APPLICABLE = {42: "administrative: how long it took, with whom"}

ITEMS: dict[int, str] = dict(
    enumerate(
        """\
joint log-likelihood of two outputs with correlated noise
maximum-likelihood slope under correlated noise
expected squared error under noisy inputs
input noise as ridge: its strength
Laplace prior as lasso: its strength
a sample of an untrained GPT
attention forward, step by step
training a small GPT: the loss curve
text from the trained GPT
an image and its kernels, shown
activation maps of a convolution, and which rule of a similarity they break
when cosine similarity is a similarity
cosine similarity by convolution
the matrix of all dot products of pixels
its row softmax
normalised pixels under one softmax over the whole matrix
that matrix by convolution
a multi-relational graph attention layer
training and tuning it on scraps of music
composers confused and not
graph convolution on the karate club, nine steps
what the karate club shows
mean of q·k
variance of q·k
the scale that keeps it at one
why the denominator must be positive
the kernel (q·k + 1)²
its feature map
linear attention from a feature map
cost and memory of softmax attention
cost and memory of linear attention
vanilla, denoising and masked autoencoders
linear autoencoders on synthetic data
nonlinear autoencoders on synthetic data
linear autoencoders on MNIST
nonlinear autoencoders on MNIST
first-order conditions of the linear autoencoder
principal directions fulfil them
beam search, step by step
beam search misses the best sequence
cost of beam search
process questions
a Gaussian mixture trained by gradient descent
its samples for several numbers of components
its samples through training
its likelihood curves
started from country means
a uniform mixture
the uniform mixture's plots
why the uniform mixture fails
causal self-attention
training it on characters: loss and accuracy
sentences after each epoch
sentences by top-k
which pixels a padded filter element misses
where squares stand, by convolution type: max-pooled network
the pattern over convolution types
why it is so
the same with a flattened network
what flattening changes
accuracy under rotation
accuracy under rotation, trained with rotation
cost, receptive fields, scale and heads of attention
the parts of a GPT: norm, activation, rotary positions, sampling
why the MLP is wide
why positions are needed, absolute or rotary
training on fairy tales; prompts, temperature, top-p
flash attention: equal output, and what it saves
adjacency matrices
powers of the adjacency matrix
the Laplacian
the self-connection
a layer as messages and an update
the same layer as matrices
a median has no such form
attention on graphs against convolution
gradient of a chain of ReLUs
a bound on it by the weights
gradient of a sigmoid recurrence
linear attention by associativity
attention by low rank
attention by projected keys and values
relative attention as a convolution
relative attention as max pooling
many almost orthogonal directions
a graph convolution layer
a graph convolution network
training it on Cora
a graph attention layer
training graph attention on Cora
the two compared
a U-Net's parts
U-Net with and without skips""".splitlines(),
        start=1,
    )
)
