"""Mutants of D40."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from engine.nn.masked_lm import Fate, MaskedBatch, SentencePairs, masked_labels
from tests.mutants.mutant import Mutant


def independent_draws(_: Callable[..., MaskedBatch]) -> Callable[..., MaskedBatch]:
    """'Kept' and 'random' each from a draw of its own, kept first: 81/10/9."""

    def mask_tokens(
        input_ids: np.ndarray,
        rng: np.random.Generator,
        *,
        vocab_size: int,
        mask_id: int,
        rate: float,
        **_: Any,
    ) -> MaskedBatch:
        selected = rng.random(input_ids.shape) < rate
        kept = selected & (rng.random(input_ids.shape) < 0.1)
        random = selected & ~kept & (rng.random(input_ids.shape) < 0.1)
        fate = np.where(selected, Fate.MASKED, Fate.UNSELECTED)
        fate = np.where(kept, Fate.KEPT, np.where(random, Fate.RANDOM, fate))
        ids = np.where(fate == Fate.MASKED, mask_id, input_ids)
        ids = np.where(random, rng.integers(vocab_size, size=ids.shape), ids)
        return MaskedBatch(ids, masked_labels(input_ids, selected), fate)

    return mask_tokens


def never_the_original(original: Callable[..., MaskedBatch]) -> Callable[..., MaskedBatch]:
    """The random token is drawn among the other tokens."""

    def mask_tokens(
        input_ids: np.ndarray, rng: np.random.Generator, *, vocab_size: int, **rest: Any
    ) -> MaskedBatch:
        batch = original(input_ids, rng, vocab_size=vocab_size, **rest)
        same = (batch.fate == Fate.RANDOM) & (batch.input_ids == input_ids)
        return replace(batch, input_ids=np.where(same, (input_ids + 1) % vocab_size, batch.input_ids))

    return mask_tokens


def whole_sequences(original: Callable[..., MaskedBatch]) -> Callable[..., MaskedBatch]:
    """One draw decides for a whole sequence: the right shares, the wrong law of the count."""

    def mask_tokens(input_ids: np.ndarray, rng: np.random.Generator, **rest: Any) -> MaskedBatch:
        batch = original(input_ids, rng, **rest)
        fate = np.broadcast_to(batch.fate[:, :1], batch.fate.shape)
        return replace(batch, fate=fate)

    return mask_tokens


def negatives_from_anywhere(_: Callable[..., SentencePairs]) -> Callable[..., SentencePairs]:
    """The own document is not left out."""

    def next_sentence_pairs(document_of: np.ndarray, count: int, rng: np.random.Generator) -> SentencePairs:
        is_next = rng.random(count) < 0.5
        first = rng.choice(np.flatnonzero(document_of[:-1] == document_of[1:]), size=count)
        return SentencePairs(
            first, np.where(is_next, first + 1, rng.integers(len(document_of), size=count)), is_next
        )

    return next_sentence_pairs


MUTANTS = (
    Mutant("independent-draws", "mask_tokens", independent_draws, "split"),
    Mutant(
        "shares-of-all-tokens",
        "share_of_all",
        lambda _: lambda rate, share: share,
        ("shares", "bert-shares", "mask-share", "random-share"),
    ),
    Mutant(
        "poisson-variance",
        "selected_variance",
        lambda _: lambda tokens, rate: tokens * rate,
        ("variance", "variance-selected"),
        given={"rate": 0.4},
    ),
    Mutant(
        "exact-count-called-binomial",
        "mask_tokens",
        lambda original: lambda *arguments, **named: original(*arguments, **{**named, "selection": "exact"}),
        "variance-selected",
    ),
    Mutant("one-draw-a-sequence", "mask_tokens", whole_sequences, ("variance-selected", "none-selected")),
    Mutant(
        "without-bayes",
        "drawn_given_visible",
        lambda _: lambda rate, masked, random: rate * random,
        ("drawn-given-visible", "bert-drawn-given-visible", "wrong-given-visible"),
    ),
    Mutant(
        "random-token-never-the-original",
        "mask_tokens",
        never_the_original,
        "random-is-original",
        given={"V": 10},
    ),
    Mutant(
        "static-masks-drawn-anew",
        "static_mask",
        lambda _: lambda epoch, masks: epoch,
        "static-coverage",
        given={"static_masks": 1},
    ),
    Mutant(
        "coverage-adds-up",
        "ever_selected",
        lambda _: lambda rate, masks: rate * masks,
        ("dynamic", "static", "dynamic-coverage"),
    ),
    Mutant(
        "negatives-from-the-own-document", "next_sentence_pairs", negatives_from_anywhere, "topic-accuracy"
    ),
)
