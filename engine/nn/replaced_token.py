"""Replaced-token detection: a small generator fills masks, a discriminator tells what was replaced.

Clark et al. 2020 (ELECTRA), section 2.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.demonstration import Array
from engine.nn.sigmoid import sigmoid
from engine.nn.softmax import softmax

Ids = NDArray[np.int64]


class Corrupted(NamedTuple):
    """``ids`` (B, T) with the generator's tokens put in; ``replaced`` (B, T) is True where they differ from the original."""

    ids: Ids
    replaced: NDArray[np.bool_]


def corrupt(
    ids: Ids, selected: NDArray[np.bool_], generator_logits: Array, rng: np.random.Generator
) -> Corrupted:
    """Put a token sampled from the generator at every selected place.

    ids and selected (B, T), generator_logits (B, T, V). A sample that happens to be the original
    token counts as original (section 2), so the label asks whether the token *is* another one.
    """
    p = softmax(generator_logits)  # (B, T, V)
    # x_hat ~ p_G(. | x_masked): the first place where the cumulative probability passes a uniform draw
    draws = rng.random((*ids.shape, 1))
    sampled = np.minimum((np.cumsum(p, axis=-1) < draws).sum(axis=-1), p.shape[-1] - 1)  # (B, T)
    corrupted = np.where(selected, sampled, ids).astype(np.int64)
    # label_t = 1 where x_hat_t != x_t
    return Corrupted(corrupted, corrupted != ids)


def detection_loss(logits: Array, replaced: NDArray[np.bool_]) -> float:
    """Mean binary cross-entropy over *all* positions: logits (B, T)."""
    # L = -[y ln sigma(z) + (1 - y) ln(1 - sigma(z))] = max(z, 0) - y z + ln(1 + e^-|z|)
    losses = np.maximum(logits, 0.0) - replaced * logits + np.log1p(np.exp(-np.abs(logits)))  # (B, T)
    return float(losses.mean())


def detection_loss_backward(logits: Array, replaced: NDArray[np.bool_]) -> Array:
    """dL/dlogits, shape (B, T)."""
    # dL/dz = (sigma(z) - y) / (B T)
    gradient: Array = (sigmoid(logits) - replaced) / logits.size  # (B, T)
    return gradient
