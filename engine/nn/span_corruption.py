"""Span corruption: runs of tokens give way to one sentinel each, and the target spells them out.

Raffel et al. 2020 (T5), section 3.3.4 and figure 2.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int64]


class Denoising(NamedTuple):
    """What an encoder-decoder gets, ``inputs`` (I,), and what it writes, ``targets`` (O,)."""

    inputs: Ids
    targets: Ids


def noise_counts(tokens: int, rate: float, mean_span: float) -> tuple[int, int]:
    """Tokens hidden of a sequence, and the spans that they form.

    At least one of each; at least one token stays, and one before every span. Halves round to even.

    Raises:
        ValueError: fewer than two tokens, a rate outside (0, 1), or spans shorter than one token.
    """
    if tokens < 2 or not 0 < rate < 1 or mean_span < 1:
        raise ValueError("two tokens or more, a rate in (0, 1) and spans of one token or more")
    noise = min(max(1, round(tokens * rate)), tokens - 1)
    return noise, min(max(1, round(noise / mean_span)), tokens - noise)


def corrupt_spans(
    ids: Ids, rng: np.random.Generator, *, rate: float, mean_span: float, first_sentinel: int
) -> Denoising:
    """Hide spans of ids (T,): both kinds of runs are cut at random, and they take turns, a visible one first.

    Sentinels are ``first_sentinel``, ``first_sentinel + 1``, … in order; the target ends with one more.
    """
    noise, spans = noise_counts(len(ids), rate, mean_span)
    hidden, visible = _cut(noise, spans, rng), _cut(len(ids) - noise, spans, rng)
    inputs: list[int] = []
    targets: list[int] = []
    at = 0
    for i in range(spans):
        sentinel = first_sentinel + i
        # inputs: the visible run, then one sentinel in place of the hidden one
        inputs += [*ids[at : at + visible[i]], sentinel]
        at += visible[i]
        # targets: the sentinel, then the tokens that it hides
        targets += [sentinel, *ids[at : at + hidden[i]]]
        at += hidden[i]
    targets.append(first_sentinel + spans)
    return Denoising(np.array(inputs, dtype=np.int64), np.array(targets, dtype=np.int64))


def restore(denoising: Denoising, first_sentinel: int) -> Ids:
    """The sequence that inputs and targets were made of: each sentinel gives way to what the target has after it."""
    inputs, targets = denoising
    starts = np.flatnonzero(targets >= first_sentinel)  # (spans + 1,)
    restored: list[int] = []
    for token in inputs:
        if token < first_sentinel:
            restored.append(int(token))
            continue
        span = token - first_sentinel
        restored += targets[starts[span] + 1 : starts[span + 1]].tolist()
    return np.array(restored, dtype=np.int64)


def _cut(items: int, parts: int, rng: np.random.Generator) -> list[int]:
    """Lengths of so many runs, none empty, that make up the items; every such cut is equally likely."""
    cuts = np.sort(rng.choice(items - 1, size=parts - 1, replace=False)) + 1  # (parts - 1,)
    lengths: list[int] = np.diff(cuts, prepend=0, append=items).tolist()
    return lengths
