"""Sources: the five public course assignments from which the 93 items of the checklist come.

They are told in our own words. None of the institutions has a part in this project, or answers for it.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from regard.errors import RegardError, nearest
from regard.lab.book.checklist import ITEMS, ChecklistItem


@dataclass(frozen=True, kw_only=True)
class Assignment:
    """A course assignment: whose it is, what it asks, and what of it was read."""

    word: str
    "What a person types: regard list --course WORD."
    name: str
    "What it is called in every text of the project."
    institution: str
    "Where the course is held."
    course: str
    "The course, as it calls itself."
    term: str
    "When it was set."
    title: str
    "The assignment, as the course numbers it."
    asks: str
    "What it asks, in our own words."
    read: str
    "What of it is public and was read: questions alone, or answers too."

    @property
    def items(self) -> list[ChecklistItem]:
        """The checklist items that are its own, in the order of its questions."""
        return [one for one in ITEMS.values() if one.course == self.word]


SOURCES = (
    Assignment(
        word="duke",
        name="Duke HW3",
        institution="Duke University",
        course="Machine Learning (CS 671)",
        term="fall 2024",
        title="Homework 3",
        asks="""A regression with two outputs whose noise is correlated; noise on the inputs as ridge, a
            Laplace prior as lasso; a small GPT on Shakespeare, with its attention written step by step;
            when a convolution, or an attention matrix, is a similarity; and graph attention that tells
            composers apart.""",
        read="the questions",
    ),
    Assignment(
        word="berkeley",
        name="Berkeley HW6",
        institution="University of California, Berkeley",
        course="Deep Neural Networks (EECS 182)",
        term="fall 2022",
        title="Homework 6",
        asks="""Graph convolution on the karate club, by hand; why dot products are divided by √d;
            attention with kernels and its cost; vanilla, denoising and masked autoencoders, and what the
            linear one has to do with principal components; beam search and where it fails.""",
        read="the questions with the course's solutions",
    ),
    Assignment(
        word="jerusalem",
        name="Jerusalem ex. 5",
        institution="Hebrew University of Jerusalem",
        course="Machine Learning Methods (IML)",
        term="January 2025",
        title="Exercise 5",
        asks="""Mixtures of Gaussians, and of boxes, fitted by gradient descent to places in Europe, and
            why the boxes fail; a small GPT on Shakespeare, and what it says after each epoch, with and
            without top-k.""",
        read="the questions",
    ),
    Assignment(
        word="amsterdam",
        name="Amsterdam A2",
        institution="University of Amsterdam",
        course="Deep Learning 1",
        term="2024",
        title="Assignment 2",
        asks="""What padding tells a convolutional network about place, and what rotation does to it;
            the cost, the parts and the training of a GPT on fairy tales; graphs as matrices, message
            passing, and attention on graphs beside convolution.""",
        read="the questions with one set of worked answers, which are not the course's own",
    ),
    Assignment(
        word="toronto",
        name="Toronto A4",
        institution="University of Toronto",
        course="Neural Networks and Deep Learning (CSC413)",
        term="fall 2024",
        title="Assignment 4",
        asks="""Products of gradients through depth; attention made linear by kernels, low rank and
            projection; relative attention that imitates convolution and max pooling; how many directions
            can be almost orthogonal; graph convolution and graph attention on Cora; a U-Net with and
            without skips.""",
        read="the questions, version 1.3",
    ),
)
"The five, in the order of their items."


def find(word: str) -> Assignment:
    """The source that a person means by a word such as amsterdam.

    >>> find("amsterdam").name
    'Amsterdam A2'
    """
    known = {one.word: one for one in SOURCES}
    if word.lower() not in known:
        otherwise = f"the courses are {', '.join(known)}"
        raise RegardError("no course of that name", f"'{word}'", nearest(word.lower(), known, otherwise))
    return known[word.lower()]


def asked(items: Iterable[int]) -> list[tuple[Assignment, list[ChecklistItem]]]:
    """Checklist items by the assignment that asks them.

    >>> [(source.word, [one.question for one in found]) for source, found in asked([24, 61])]
    [('berkeley', ['2b']), ('amsterdam', ['1.2a'])]
    """
    wanted = set(items)
    own = [(source, [one for one in source.items if one.number in wanted]) for source in SOURCES]
    return [(source, found) for source, found in own if found]
