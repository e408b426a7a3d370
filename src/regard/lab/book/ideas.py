"""The idea of each experiment: what is at work, in a few sentences, before the method and its details."""

from collections.abc import Mapping
from typing import Any

DERIVATION = "*Derivation.*"
"What parts the statement of a theorem from its proof."

IDEAS = {
    "attention-as-convolution": """A convolution takes the dot product of a kernel with every pixel, attention that of
        every pixel with every other. Both compare things, so one may ask whether what they compute keeps the rules of
        a similarity, and what has to be divided out until it does.""",
    "autoencoders": """A code that is narrower than the data must choose what to keep. A linear model can keep no more
        than the principal components do; a hidden layer can bend, and noise or masks on the input ask for something
        else than a copy.""",
    "composers": """Who wrote a piece shows in which notes sound together, follow or overlap. A scrap of notes with
        these relations is a graph, and graph attention can weigh each relation by itself; what the relations are worth
        is seen by taking them away.""",
    "cora": """Papers that cite each other are mostly of one field, so a network may average over neighbours. Graph
        convolution averages with fixed weights, graph attention with learned ones; and what either reaches depends
        also on when its training stops and on how the words are scaled.""",
    "decoding": """Taking the most probable word each time need not give the most probable text: a poor beginning can
        have the best end. A beam keeps several beginnings. A sampler does not search at all, but should draw each
        token as often as its probability says.""",
    "error-rate": """A verdict over a handful of seeds can be wrong by chance. Where the truth is planted, one can count how
        often a rule says held or failed when it should not, and how often it says nothing when it could have.""",
    "exactness": """A cache keeps keys and values that do not change, and flash attention computes the softmax in blocks,
        with a running maximum and a running sum. Both should change nothing but rounding. What flash attention saves is
        the table of scores and its way to and from memory, not arithmetic.""",
    "fairy-tales": """A GPT with many parameters and a single book may learn it by heart: if it does, the loss on what it
        reads parts from the loss on other pages of the book. Dropout is meant to hinder this while it trains, and must
        be off when it speaks.""",
    "gpt-parts": """A GPT is a handful of formulas: norm, attention with rotary positions, activation, sampling. Each can
        be written out in a few lines and held against the part that is used, and each has a property of its own that
        must hold whatever the input.""",
    "graph-algebra": """A graph is a matrix of who is joined to whom, and powers of that matrix count walks. A layer that
        passes messages is a product of matrices as long as it takes sums or means.""",
    "karate": """Two rounds of averaging over friends draw the members of a community together: if that is enough, a
        graph network can do without features and with few labels. What its accuracy means depends on which labels it was trained on, and on where
        the labels came from.""",
    "linear-attention": """If the weight of a pair is a product φ(q)·φ(k), the sums over keys can be taken once for all
        queries, and the cost grows with N and not with N². The price is the choice of φ: it must keep the denominator
        positive, and a rich one is wide.""",
    "mixtures": """A sum of normal densities can follow any shape if there are enough of them. Gradient descent and EM
        climb the same likelihood, one by many small steps, the other by exact ones, and may end elsewhere when they
        start elsewhere.""",
    "one-operator": """A sum over a support, with weights from a normalised similarity, is attention. With other choices of
        its factors it should be a convolution, a graph layer or the responsibilities of a mixture: one function that
        gives what each of their usual formulas gives, in value and in gradient.""",
    "padding": """A filter is the same everywhere, but near the border some of its elements meet padding and not the
        picture. What a layer answers there depends on how near the border is, and later layers can pass that on: a
        network that was not to know places can read them off its padding.""",
    "pca": """A linear autoencoder projects onto a subspace and comes back, and the subspace that loses least is that of
        the principal components. The loss knows the subspace alone, and any basis of it is as good: the weights need
        not be the components.""",
    "pixels": """To a transformer the patches of a picture are a heap until positions tell how they lie; in a convolutional
        network it is built in that neighbours belong together. What each model minds when a picture is shifted or
        turned shows what it goes by.""",
    "positions": """Attention sums over keys, and a sum has no order: without positions the past is a bag of tokens, but
        for what a causal mask lets through from layer to layer. Positions can be learned for each place, turned into
        queries and keys, or taken off the score by distance, and differ in what they mean at a place that no training
        text reached.""",
    "receptive-field": """A convolution sees a window that grows with every layer; attention sees everything at once, and
        pays for every pair. A head is one set of weights, so what has to be fetched from two places at once asks for
        two.""",
    "relative-attention": """If the score depends on how far apart two places are, a softmax can single out one offset,
        which is what an element of a kernel does. If it grows with the value itself, the softmax leans towards the
        largest value, as max pooling does.""",
    "rotation": """Shifting a picture shifts what a convolution answers, but turning a picture does not turn it, for the
        filters stay upright. A network can be shown turned pictures, or be built so that a quarter turn of the input
        only exchanges its channels.""",
    "scaled-dot-product": """q·k is a sum of d products, so its variance grows with d and its usual size with √d. Scores
        that are large make a softmax choose one key with near certainty, and a softmax that is certain lets hardly any
        gradient through.""",
    "shakespeare": """A model of characters begins by guessing among all of them. Loss on text that was held out tells how
        far it has come, and samples on the way tell what it has learned by then: letters, words, lines.""",
    "unet": """Halving a picture again and again tells what is in it and forgets where. Skips hand the fine picture past
        the narrow middle, so that outlines need not be made up again.""",
    "uniform-mixture": """A box has one density inside and none outside. Moving its centre a little changes nothing for the
        points within, and those outside have no gradient at all, so that a descent has no slope towards a better
        place; soft edges would give it one.""",
    "width-or-depth": """The MLP of a block widens and then narrows, and holds most of the parameters. The same parameters
        could make it narrower and deeper. Which is better can only be measured, and only at equal count.""",
}  # fmt: skip
"By the name of the experiment."


def idea_and_method(request: Mapping[str, Any]) -> tuple[str, str]:
    """The idea of a run's experiment and how it is measured; of a theorem, what it states and its derivation."""
    stated, derivation, steps = request["method"].partition(DERIVATION)
    if derivation:
        return stated.strip(), steps.strip()
    idea = request.get("idea") or IDEAS.get(request["name"], "")
    return " ".join(idea.split()), request["method"]
