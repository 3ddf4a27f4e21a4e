"""What a language model is asked to predict: masked tokens (BERT), next tokens (GPT), next sentences (BERT).

Shapes: B sequences of T tokens. A label of :data:`engine.nn.loss.IGNORED` is no target: the loss skips it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.nn.loss import IGNORED

Ids: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]

BERT_SPLIT = (0.8, 0.1, 0.1)
"""Of the selected tokens: shares that become [MASK], become a random token, stay as they are."""

Selection = Literal["bernoulli", "exact"]
"""``bernoulli``: each token on its own, so the number of targets varies (Hugging Face, fairseq). ``exact``:
max(1, round(rate T)) tokens of each sequence (Google's script)."""


class Fate(IntEnum):
    """What became of a token."""

    UNSELECTED = 0
    MASKED = 1
    RANDOM = 2
    KEPT = 3


@dataclass(frozen=True)
class MaskedBatch:
    """Model input, targets and what was done, each (B, T)."""

    input_ids: Ids
    labels: Ids
    fate: NDArray[np.int8]


def mask_tokens(
    input_ids: Ids,
    rng: np.random.Generator,
    *,
    vocab_size: int,
    mask_id: int,
    rate: float = 0.15,
    split: Sequence[float] = BERT_SPLIT,
    selection: Selection = "bernoulli",
    special: Flags | None = None,
) -> MaskedBatch:
    """Select tokens as targets and corrupt them: (B, T) ids to a batch of the same shape.

    One uniform draw a token decides both its selection and its fate. (Two independent draws, one for "random" and one
    for "kept", give 81/10/9 in place of 80/10/10.) A random token is uniform over ``0 … vocab_size - 1``, so it is the
    original one with probability 1/vocab_size. ``special`` (B, T) marks tokens that are never selected ([CLS], [SEP],
    padding).

    Source: Devlin et al. 2019, section 3.1 (Task #1) and appendix A.1.

    Raises:
        ValueError: a rate outside (0, 1]; a split that is not three shares adding up to 1; no token in the vocabulary.
    """
    if not 0 < rate <= 1:
        raise ValueError("the rate must be in (0, 1]")
    if len(split) != 3 or min(split) < 0 or abs(sum(split) - 1) > 1e-9:
        raise ValueError("the split must be three shares, 0 or more, that add up to 1")
    if vocab_size < 1:
        raise ValueError("the vocabulary is empty")
    u = rng.random(input_ids.shape)  # (B, T)
    if special is not None:
        u = np.where(special, np.inf, u)  # (B, T)
    limit = _selection_limit(u, rate, selection)  # (B, 1)
    # selected: u < limit; u / limit is then again uniform on [0, 1): its thresholds masked and masked + random decide
    # the fate, of which each threshold passed takes one off
    masked, random, _ = split
    selected = u < limit  # (B, T)
    fate = np.int8(Fate.KEPT) * selected - (u < limit * (masked + random)) - (u < limit * masked)  # (B, T)

    corrupted = np.where(fate == Fate.MASKED, mask_id, input_ids)  # (B, T)
    replaced = np.flatnonzero(fate == Fate.RANDOM)  # (n,)
    corrupted.flat[replaced] = rng.integers(vocab_size, size=len(replaced))
    return MaskedBatch(corrupted, masked_labels(input_ids, selected), fate)


def _selection_limit(u: NDArray[np.float64], rate: float, selection: Selection) -> NDArray[np.float64]:
    """(B, T) draws to (B, 1): a token is selected where its draw lies below."""
    rows, tokens = u.shape
    wanted = exact_count(tokens, rate)
    if selection == "bernoulli" or wanted == tokens:
        return np.full((rows, 1), rate if selection == "bernoulli" else 1.0)
    # below the (k+1)-th smallest of T uniform draws lie k draws, uniform between 0 and it
    limit = np.partition(u, wanted, axis=1)[:, wanted, None]  # (B, 1)
    # fewer than k+1 tokens may be selected: all of them are
    return np.where(np.isinf(limit), 1.0, limit)


def exact_count(tokens: int, rate: float) -> int:
    """Targets of a sequence under ``exact`` selection: max(1, round(rate T)), half to even."""
    return max(1, round(tokens * rate))


def masked_labels(input_ids: Ids, selected: Flags) -> Ids:
    """The original id where selected, else ignored: kept tokens are targets like the others. (B, T)."""
    return np.where(selected, input_ids, IGNORED)


def causal_labels(input_ids: Ids, padding_id: int | None = None) -> Ids:
    """Each position's target is the next token; the last has none, nor has one whose next is padding. (B, T).

    The labels are shifted here. (Hugging Face models take unshifted labels and shift inside.) So T tokens give T - 1
    targets, and T with a beginning-of-sequence token in front.
    """
    labels = np.full_like(input_ids, IGNORED)  # (B, T)
    # y_t = x_{t+1}
    labels[:, :-1] = input_ids[:, 1:]
    return labels if padding_id is None else np.where(labels == padding_id, IGNORED, labels)


@dataclass(frozen=True)
class SentencePairs:
    """Indices of first and second sentence, and whether the second truly follows; each (n,)."""

    first: Ids
    second: Ids
    is_next: Flags


def next_sentence_pairs(document_of: Ids, count: int, rng: np.random.Generator) -> SentencePairs:
    """Pairs for next-sentence prediction: half the true successor, half a sentence of another document.

    ``document_of`` (S,) is the document of each sentence, in the order of the text. First sentences are uniform over
    those with a successor, negatives uniform over the sentences of all other documents.

    Source: Devlin et al. 2019, section 3.1 (Task #2) and appendix A.2.

    Raises:
        ValueError: a document in two places, only one document, or no document with two sentences.
    """
    starts = np.flatnonzero(np.diff(document_of, prepend=document_of[:1] - 1))  # (D,)
    if len(starts) != len(np.unique(document_of)):
        raise ValueError("the sentences of a document must stand together")
    if len(starts) < 2:
        raise ValueError("a negative needs a second document")
    sentences = len(document_of)
    lengths = np.diff(starts, append=sentences)  # (D,)
    with_successor = np.flatnonzero(document_of[:-1] == document_of[1:])
    if not len(with_successor):
        raise ValueError("a positive needs a document of two sentences")

    is_next = rng.random(count) < 0.5  # (n,)
    first = rng.choice(with_successor, size=count)  # (n,)
    own = np.searchsorted(starts, first, side="right") - 1  # (n,)
    # uniform over the sentences outside the own document: draw among S - length, step over the own ones
    other = rng.integers(sentences - lengths[own])  # (n,)
    other = np.where(other >= starts[own], other + lengths[own], other)
    return SentencePairs(first, np.where(is_next, first + 1, other), is_next)
