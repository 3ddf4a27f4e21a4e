"""Mutants of D62."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from engine.nn.span_corruption import Denoising
from tests.mutants.mutant import Mutant


def every_draw_is_called_wrong(original: Any) -> Any:
    """A draw that hits the original is labelled a replacement all the same."""

    def corrupt(ids: np.ndarray, selected: np.ndarray, logits: np.ndarray, rng: np.random.Generator) -> Any:
        return original(ids, selected, logits, rng)._replace(replaced=selected)

    return corrupt


def sentinel_for_each_token(original: Any) -> Any:
    """Every hidden token leaves a mark in the input, as [MASK] does."""

    def corrupt_spans(ids: np.ndarray, rng: np.random.Generator, *, first_sentinel: int, **rest: Any) -> Any:
        made = original(ids, rng, first_sentinel=first_sentinel, **rest)
        hidden = int((made.targets < first_sentinel).sum())
        spans = int((made.inputs >= first_sentinel).sum())
        more = np.full(hidden - spans, first_sentinel)
        return Denoising(np.concatenate((made.inputs, more)), made.targets)

    return corrupt_spans


def target_backwards(original: Any) -> Any:
    """The decoder is to write each span from its end."""

    def corrupt_spans(ids: np.ndarray, rng: np.random.Generator, **rest: Any) -> Any:
        made = original(ids, rng, **rest)
        starts = np.flatnonzero(made.targets >= rest["first_sentinel"])
        targets = made.targets.copy()
        for start, end in pairwise(starts):
            targets[start + 1 : end] = targets[start + 1 : end][::-1]
        return made._replace(targets=targets)

    return corrupt_spans


MUTANTS = (
    Mutant(
        "kept-tokens-not-copied",
        "copied_everywhere",
        lambda _: lambda rate, random, kept, V: 1 - rate * (1 - random / V),
        ("copier-everywhere", "copied-everywhere"),
        given={"rate": 0.6},
    ),
    Mutant(
        "nothing-kept",
        "mask_tokens",
        lambda original: lambda *given, **named: original(*given, **{**named, "split": (0.8, 0.2, 0.0)}),
        ("copied-targets", "copied-everywhere"),
    ),
    Mutant(
        "labels-at-every-draw",
        "corrupt",
        every_draw_is_called_wrong,
        ("replaced", "detection-bits"),
    ),
    Mutant(
        "agreement-forgotten",
        "replaced",
        lambda _: lambda rate, agreement: rate + 0 * agreement,
        ("replaced-share", "replaced"),
    ),
    Mutant(
        "posterior-over-the-selected",
        "replaced_given_shown",
        lambda _: lambda p, q, rate: 1 - p + 0 * q,
        ("with-a-perfect-generator", "detection-bits"),
    ),
    Mutant(
        "loss-not-averaged-over-both-labels",
        "detection_loss",
        lambda original: lambda logits, replaced: original(logits, np.ones_like(replaced)),
        "detection-bits",
    ),
    Mutant(
        "blind-detector",
        "detector_logits",
        lambda original: lambda ids, p: 0 * original(ids, p) + original(ids, p).mean(),
        "detection-bits",
        given={"quality": 0.0},
    ),
    Mutant("a-mark-for-each-token", "corrupt_spans", sentinel_for_each_token, "input-length"),
    Mutant(
        "no-closing-sentinel",
        "span_target",
        lambda _: lambda noise, spans: noise + spans,
        ("span-target", "span-both", "target-length"),
    ),
    Mutant("spans-written-backwards", "corrupt_spans", target_backwards, "nothing-lost"),
)
