"""Text generation: a model asked again and again for the next token; whole, or as a stream."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from regard.arguments import MOST, kinds
from regard.errors import RegardError
from regard.generation.captured import captured
from regard.generation.reader import Model, Prompts, Reader, aligned, reader
from regard.generation.sampling import Sampler
from regard.generation.stopping import NOTHING, Stop
from regard.shapes import Bool, Float, Int

Generators = torch.Generator | Sequence[torch.Generator] | None


@dataclass(frozen=True, eq=False)
class Token:
    """One more token for each row, and what the model thought of it."""

    ids: Int[Tensor, " b"]
    "The tokens; -1 in rows that had come to their end before."
    logits: Float[Tensor, "b k"]
    "What the model gave, before the sampler."
    ended: Bool[Tensor, " b"]
    "Which rows are at their end now."

    def log_probabilities(self) -> Float[Tensor, " b"]:
        """Of each token, as the model has it; 0 in rows that had ended."""
        places = self.ids.clamp(min=0).unsqueeze(1)
        found = self.logits.float().log_softmax(-1).gather(1, places).squeeze(1)
        return found.where(self.ids != NOTHING, 0.0)

    def alternatives(self, count: int) -> tuple[Float[Tensor, "b j"], Int[Tensor, "b j"]]:
        """The most probable tokens at this place, the model's log-probabilities first."""
        top = self.logits.float().log_softmax(-1).topk(min(count, self.logits.shape[1]))
        return top.values, top.indices


@kinds
def stream(
    model: Model,
    prompt: Prompts,
    *,
    steps: int,
    context: int | None = None,
    sampler: Sampler | None = None,
    generator: Generators = None,
    stop: Stop | None = None,
    beyond: str = "recompute",
) -> Iterator[Token]:
    """The tokens that follow a prompt, each with the logits that it was chosen from.

    The prompt is ids (b n), or a list of ids (n) of different lengths. The context, unless given, is that of
    the model's config; beyond it goes the rule of that name, see `reading.reader`. Ends after so many steps,
    or where every row has stopped. The model is asked as it is: call `eval()` first, or its dropout will
    speak too.
    """
    known, pads = aligned(prompt)
    check(steps, context)
    asked = reader(model, context=context, pads=pads, beyond=beyond)
    return _tokens(asked, known, pads, steps, sampler or Sampler(), generator, stop)


def _tokens(
    asked: Reader,
    known: Tensor,
    pads: Tensor | None,
    steps: int,
    sampler: Sampler,
    generator: Generators,
    stop: Stop | None,
) -> Iterator[Token]:
    b, n = known.shape
    ids = torch.cat([known, known.new_full((b, steps), NOTHING)], 1)
    if pads is not None:
        ids[:, :n][torch.arange(n, device=ids.device) < pads[:, None]] = NOTHING
    ended = torch.zeros(b, dtype=torch.bool, device=ids.device)
    unread = known
    for length in range(n, n + steps):
        logits = asked.read(unread)
        token = sampler.choose(_plain(logits), ids[:, :length] if sampler.penalty != 1.0 else None, generator)
        if stop is None:
            ids[:, length], unread = token, token.unsqueeze(1)
        else:
            unread = token.unsqueeze(1)
            token = token.masked_fill(ended, NOTHING)
            ids[:, length] = token
            ended = ended | stop.reached(ids[:, n : length + 1])
        yield Token(token, logits, ended)
        if stop is not None and bool(ended.all()):
            return


def generate(model: Model, prompt: Prompts, *, steps: int, **words) -> Iterator[Int[Tensor, " b"]]:
    """The tokens that follow a prompt, one for each row at a time; the words are those of `stream`.

    >>> def count(ids):
    ...     return torch.nn.functional.one_hot((ids + 1) % 5, 5).float()
    >>> tokens = generate(count, torch.tensor([[3]]), steps=4, context=2, sampler=Sampler(temperature=0))
    >>> [int(token) for token in tokens]
    [4, 0, 1, 2]
    """
    return (token.ids for token in stream(model, prompt, steps=steps, **words))


def continuation(model: Model, prompt: Prompts, *, steps: int, **words) -> Int[Tensor, "b steps"]:
    """All the tokens that follow a prompt, at once; the words are those of `stream`.

    A row that has come to its end goes on with -1. On a GPU, where nothing has to be looked at between two
    tokens, a model that offers it takes all its steps by one captured graph; draws are then that graph's own.
    """
    tokens = stream(model, prompt, steps=steps, **words)
    generator = words.get("generator")
    if isinstance(prompt, Tensor) and prompt.is_cuda and words.keys() <= {"sampler", "generator"}:
        sampler = words.get("sampler") or Sampler()
        own = generator if isinstance(generator, torch.Generator) else None
        if own is generator and (found := captured(model, prompt, steps, sampler, own)) is not None:
            return found
    return torch.stack([token.ids for token in tokens], 1)


def _plain(logits: Tensor) -> Tensor:
    """The logits in float32 or wider, so that half precision makes no ties."""
    return logits if logits.dtype in (torch.float32, torch.float64) else logits.float()


def check(steps: int, context: int | None) -> None:
    """Raise where there is nothing to do."""
    for name, value in (("steps", steps), ("context", context)):
        if value is not None and value < 1:
            raise RegardError("there is nothing to generate", f"{name}={value}", "give at least 1")
    if steps > MOST:
        raise RegardError("so many tokens fit into no memory", f"steps={steps}", f"give {MOST} at most")
