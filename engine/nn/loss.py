"""Cross-entropy from logits, with label smoothing and ignored positions, and its gradient.

Shapes: logits ``z`` (…, C) with C classes, ``targets`` (…) class indices. Losses are in nats.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.nn.softmax import Floats, log_softmax

Reduction = Literal["mean", "sum", "none"]

IGNORED = -100
"""The target that marks a position as not counted, as in PyTorch and in masked-language-model code."""


@dataclass(frozen=True)
class CrossEntropy:
    """A forward pass: the loss and what the backward pass needs.

    ``loss``: a scalar, or (…) where ``reduction`` is ``none``. ``each``: (…) losses, 0 where ignored. ``log_p``: (…, C).
    ``q``: (…, C) target distribution. ``counted``: (…), False where ignored. ``divisor``: what the sum is divided by.
    """

    loss: Floats
    each: Floats
    log_p: Floats
    q: Floats
    counted: NDArray[np.bool_]
    divisor: int
    reduction: Reduction


def cross_entropy(
    z: ArrayLike,
    targets: ArrayLike,
    label_smoothing: float = 0.0,
    ignore: int = IGNORED,
    reduction: Reduction = "mean",
) -> CrossEntropy:
    """-sum_c q_c log softmax(z)_c, averaged over the counted positions (not over all of them).

    The target distribution q puts 1 - s on the target and spreads s evenly over all C classes, the target included
    (Szegedy et al. 2016, section 7; the convention of ``torch.nn.functional.cross_entropy``). Smoothing makes the loss
    infinite where a class is masked by -inf.

    Raises:
        ValueError: a target out of range, ``label_smoothing`` outside [0, 1], or nothing to average.
    """
    log_p = log_softmax(z)  # (…, C)
    classes = log_p.shape[-1]
    labels: NDArray[Any] = np.asarray(targets)  # (…)
    if labels.shape != log_p.shape[:-1]:
        raise ValueError(f"targets have shape {labels.shape}, the logits need {log_p.shape[:-1]}")
    if not 0 <= label_smoothing <= 1:
        raise ValueError("label_smoothing lies between 0 and 1")
    counted: NDArray[np.bool_] = labels != ignore  # (…)
    if not ((labels >= 0) & (labels < classes) | ~counted).all():
        raise ValueError(f"a target lies outside 0 to {classes - 1}")
    divisor = int(counted.sum()) if reduction == "mean" else 1
    if divisor == 0:
        raise ValueError("every target is ignored: there is no mean")

    safe = np.where(counted, labels, 0)[..., None]  # (…, 1)
    # q_c = (1 - s) [c = target] + s / C
    q = np.full_like(log_p, label_smoothing / classes)  # (…, C)
    np.put_along_axis(q, safe, np.take_along_axis(q, safe, -1) + (1 - label_smoothing), -1)
    # loss = -(1 - s) log p_target - (s / C) sum_c log p_c
    each = -(1 - label_smoothing) * np.take_along_axis(log_p, safe, -1)[..., 0]  # (…)
    if label_smoothing:
        each = each - label_smoothing / classes * log_p.sum(axis=-1)  # (…)
    each = np.where(counted, each, 0).astype(log_p.dtype)
    loss = each if reduction == "none" else each.sum() / divisor
    return CrossEntropy(np.asarray(loss), each, log_p, q, counted, divisor, reduction)


def cross_entropy_backward(forward: CrossEntropy, dloss: ArrayLike = 1.0) -> Floats:
    """dL/dz, (…, C), from dL/dloss (a scalar, or (…) where nothing was reduced)."""
    upstream = np.asarray(dloss, dtype=forward.log_p.dtype)
    weight = np.where(forward.counted, upstream / forward.divisor, 0)  # (…)
    # dL/dz = softmax(z) - q: no division by p, so a probability of 0 does no harm
    with np.errstate(under="ignore"):
        dz: Floats = weight[..., None] * (np.exp(forward.log_p) - forward.q)  # (…, C)
    return dz
