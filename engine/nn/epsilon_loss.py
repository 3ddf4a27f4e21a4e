"""Cross-entropy as many tutorials write it, ``-log(softmax(z) + eps)``, with its gradient: what :mod:`engine.nn.loss` avoids.

Shapes: logits ``z`` (…, C), ``targets`` (…) class indices; losses in nats.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.nn.softmax import softmax

Floats: TypeAlias = NDArray[np.float64]
Labels: TypeAlias = NDArray[np.int_]


def epsilon_loss(z: Floats, targets: Labels, epsilon: float) -> Floats:
    """-log(p_target + epsilon), (…): capped at -log(epsilon), and below zero for a sure hit."""
    p = np.take_along_axis(softmax(z), targets[..., None], -1)[..., 0]  # (…)
    # L = -log(p_y + eps)
    loss: Floats = -np.log(p + epsilon)
    return loss


def epsilon_loss_backward(z: Floats, targets: Labels, epsilon: float | Floats, d_loss: Floats) -> Floats:
    """dL/dz (…, C) from ``d_loss`` (…). ``epsilon`` broadcasts to (…); where it is 0 the loss is the exact one."""
    p = softmax(z)  # (…, C)
    onehot = np.arange(p.shape[-1]) == targets[..., None]  # (…, C)
    hit = (p * onehot).sum(axis=-1)  # (…)
    # dL/dz_k = -p_y ([k = y] - p_k) / (p_y + eps): a sure miss, p_y << eps, gets none
    dz: Floats = (d_loss * -hit / (hit + epsilon))[..., None] * (onehot - p)  # (…, C)
    return dz
