"""Softmax and its derivatives: stable for any finite logits, and for logits masked by -inf.

Shapes: any; ``axis`` is the one that is normalised. ``z`` are logits, ``p`` probabilities. A floating dtype is kept,
integers become float64.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats: TypeAlias = NDArray[np.floating[Any]]

# a weight too small for a float is 0: the right value, and nothing to warn of
_UNDERFLOW_IS_ZERO = np.errstate(under="ignore")

EmptyRow = Literal["nan", "zero"]
"""What a row of nothing but -inf gives. ``nan``: 0/0, as ``torch.softmax``. ``zero``: no weight anywhere, as
``torch.nn.functional.scaled_dot_product_attention`` from 2.5 on."""


@_UNDERFLOW_IS_ZERO
def softmax(z: ArrayLike, axis: int = -1, empty: EmptyRow = "nan") -> Floats:
    """Probabilities p of logits z, same shape; -inf gets exactly 0.

    Source: Bridle 1990. Subtracting the maximum changes nothing (softmax(z + c) = softmax(z)) and keeps exp in (0, 1].

    Raises:
        ValueError: a logit is NaN or +inf.
    """
    shifted, all_masked = _shifted(_logits(z), axis)
    # p_i = e^{z_i - max z} / sum_j e^{z_j - max z}
    p: Floats = np.exp(shifted, out=shifted)  # z's shape
    total = p.sum(axis=axis, keepdims=True)
    if all_masked is None:
        p /= total
        return p
    p /= np.where(all_masked, 1, total)
    return np.where(all_masked, np.nan, p).astype(p.dtype) if empty == "nan" else p


@_UNDERFLOW_IS_ZERO
def log_softmax(z: ArrayLike, axis: int = -1) -> Floats:
    """log softmax(z), same shape, without ever forming a probability that could underflow to 0; -inf stays -inf.

    A row of nothing but -inf gives NaN, as ``torch.log_softmax``.

    Raises:
        ValueError: a logit is NaN or +inf.
    """
    shifted, all_masked = _shifted(_logits(z), axis)
    # log p_i = (z_i - max z) - log sum_j e^{z_j - max z}
    total = np.exp(shifted).sum(axis=axis, keepdims=True)
    if all_masked is not None:
        total = np.where(all_masked, 1, total)
    log_p: Floats = shifted - np.log(total)  # z's shape
    return log_p if all_masked is None else np.where(all_masked, np.nan, log_p).astype(log_p.dtype)


@_UNDERFLOW_IS_ZERO
def logsumexp(z: ArrayLike, axis: int = -1) -> Floats:
    """log sum_j e^{z_j}: z's shape without ``axis``. A row of nothing but -inf gives -inf, as ``torch.logsumexp``.

    Raises:
        ValueError: a logit is NaN or +inf.
    """
    logits = _logits(z)
    shifted, all_masked = _shifted(logits, axis)
    total = np.exp(shifted).sum(axis=axis, keepdims=True)
    if all_masked is not None:
        total = np.where(all_masked, 1, total)
    # log sum_j e^{z_j} = max z + log sum_j e^{z_j - max z}
    result: Floats = logits.max(axis=axis) + np.log(total).squeeze(axis)
    return result


@_UNDERFLOW_IS_ZERO
def softmax_jacobian(p: Floats) -> Floats:
    """d softmax(z) / d z of each row: (…, n) probabilities to (…, n, n), entry [i, j] = dp_i/dz_j."""
    n = p.shape[-1]
    # J = diag(p) - p p^T
    jacobian: Floats = (
        p[..., :, None] * np.eye(n, dtype=p.dtype) - p[..., :, None] * p[..., None, :]
    )  # (…, n, n)
    return jacobian


@_UNDERFLOW_IS_ZERO
def softmax_backward(p: Floats, dp: Floats, axis: int = -1) -> Floats:
    """dL/dz from dL/dp, same shape, without forming the Jacobian: O(n) a row instead of O(n^2)."""
    # dL/dz = J^T dL/dp = p * (dL/dp - sum_j p_j dL/dp_j)
    dz: Floats = p * (dp - (p * dp).sum(axis=axis, keepdims=True))  # p's shape
    return dz


@_UNDERFLOW_IS_ZERO
def log_softmax_backward(log_p: Floats, dlog_p: Floats, axis: int = -1) -> Floats:
    """dL/dz from dL/dlog p, same shape."""
    # d log p_i / d z_j = [i = j] - p_j
    dz: Floats = dlog_p - np.exp(log_p) * dlog_p.sum(axis=axis, keepdims=True)  # log_p's shape
    return dz


def _logits(z: ArrayLike) -> Floats:
    values: NDArray[Any] = np.asarray(z)
    if values.dtype.kind != "f":
        values = values.astype(np.float64)
    return values


def _shifted(z: Floats, axis: int) -> tuple[Floats, NDArray[np.bool_] | None]:
    """z - max z, at most 0, and which rows hold nothing but -inf (their shift is 0); None where no row does."""
    top = z.max(axis=axis, keepdims=True)
    # a maximum passes NaN on, so the rows need no second look
    if not (top < np.inf).all():
        raise ValueError("logits must be finite or -inf")
    all_masked: NDArray[np.bool_] = top == -np.inf
    if not all_masked.any():
        return z - top, None
    return z - np.where(all_masked, np.zeros_like(top), top), all_masked
