"""How probable each theory of memory is for one person, as far as their grades tell."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from math import lgamma
from typing import TypeAlias

import numpy as np

from quizbank.planning.curve import log_evidence
from quizbank.planning.forgetting import DEFAULT
from quizbank.planning.theories import Past, Scales, Sittings, Theory, Traces

Weighed: TypeAlias = tuple[tuple[float, Theory], ...]
"""Theories beside the scheduler's with their probabilities; what these lack to one is the scheduler's."""

_LEAST = 0.02
"""No theory less probable is weighed; and no answer is taken for surer than that it failed so seldom."""
THEORIES: tuple[tuple[Theory, ...], ...] = (
    tuple(Traces(ease) for ease in (-0.15, 0.2)),
    tuple(Scales(f) for f in (0.1, 0.2)),
)
"""As probable as each other and as the scheduler's, before anything was seen; so are the variants of each: cards that
come harder and easier than in the published experiments, and forgetting as the tenth and as the fifth root of time."""


def weighed(pasts: Iterable[Past], sitting: float, decay: float = DEFAULT[20]) -> Weighed:
    """The theories as the meetings after a first one leave them. ``sitting`` is how many seconds were studied a day,
    ``decay`` the scheduler's."""
    pasts = [past for past in pasts if len(past) > 1]
    later = [
        (meeting.day - before.day, meeting.stability, meeting.recalled)
        for past in pasts
        for before, meeting in pairwise(past)
        if meeting.day > before.day and meeting.stability is not None
    ]
    days, stability, recalled = zip(*later, strict=True) if later else ((), (), ())
    again = [
        meeting.recalled
        for past in pasts
        for before, meeting in pairwise(past)
        if meeting.day == before.day and meeting.stability is not None
    ]
    family = -np.log(1 + len(THEORIES))
    logs = [family + log_evidence(days, stability, recalled, decay) + _whatever(sum(again), len(again))]
    sittings = Sittings((), sitting)
    kinds = [(family - np.log(len(variants)), theory) for variants in THEORIES for theory in variants]
    for prior, theory in kinds:
        logs.append(prior + sum(_log_likelihood(theory, past, sittings) for past in pasts))
    shares = np.exp(np.array(logs) - np.logaddexp.reduce(logs))
    shares[shares < _LEAST] = 0.0
    shares /= shares.sum()
    return tuple(
        (float(share), theory) for share, (_, theory) in zip(shares[1:], kinds, strict=True) if share
    )


def _whatever(right: int, count: int) -> float:
    """ln of the probability of these answers in this order where every chance of recall is as probable: what the
    scheduler's model, which counts in days, has to say of a second look on the same one."""
    return lgamma(right + 1) + lgamma(count - right + 1) - lgamma(count + 2)


def _log_likelihood(theory: Theory, past: Past, sittings: Sittings) -> float:
    told = np.clip(theory.told(past, sittings), _LEAST, 1 - _LEAST)
    return sum(
        float(np.log(p if meeting.recalled else 1 - p))
        for meeting, p in zip(past[1:], told[1:], strict=True)
        if meeting.stability is not None
    )
