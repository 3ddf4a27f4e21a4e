"""LayerNorm, BatchNorm and RMSNorm: which axis the statistics run over, and the gradients.

Shapes: LayerNorm and RMSNorm take (…, d) and normalise each row over its d features. BatchNorm takes any shape and
normalises each channel (``channel_axis``) over all the other axes: the batch, and the positions of a sequence with it.
``gamma`` and ``beta`` have one entry a feature (channel); None leaves them out. Variances are by two passes, over
centred values: E[x²] - E[x]² loses every digit in float32 when the mean is large.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from engine.nn.softmax import Floats

EpsPlace = Literal["inside", "outside"]
"""``inside``: sqrt(var + eps), as PyTorch and Ba et al. ``outside``: sqrt(var) + eps, as much copied code."""


@dataclass(frozen=True)
class Normalized:
    """A forward pass of LayerNorm or of BatchNorm in training, and what its backward pass needs.

    ``x_hat`` is the input normalised, before gamma and beta. ``mean``, ``var`` and ``denominator`` have x's shape with
    1 along the ``axes`` that the statistics run over.
    """

    y: Floats
    x_hat: Floats
    mean: Floats
    var: Floats
    denominator: Floats
    gamma: Floats | None
    axes: tuple[int, ...]
    feature_axis: int
    ddof: int = 0
    eps_place: EpsPlace = "inside"


@dataclass(frozen=True)
class Gradients:
    """dL/dx, and dL/dgamma and dL/dbeta of shape (features,)."""

    dx: Floats
    dgamma: Floats
    dbeta: Floats


def layer_norm(
    x: Floats,
    gamma: Floats | None = None,
    beta: Floats | None = None,
    eps: float = 1e-5,
    ddof: int = 0,
    eps_place: EpsPlace = "inside",
) -> Normalized:
    """Each row of (…, d) to mean 0 and variance var / (var + eps), then gamma and beta.

    Source: Ba, Kiros, Hinton 2016, equation 4. ``ddof=1`` divides the variance by d - 1, as ``torch.std`` does in
    much copied code; ``torch.nn.LayerNorm`` has 0.

    Raises:
        ValueError: d - ddof is not positive.
    """
    return _normalized(x, gamma, beta, eps, (x.ndim - 1,), x.ndim - 1, ddof, eps_place)


@dataclass(frozen=True)
class RunningStatistics:
    """What BatchNorm keeps for inference: (channels,) each."""

    mean: Floats
    var: Floats

    @classmethod
    def initial(cls, channels: int) -> RunningStatistics:
        return cls(np.zeros(channels), np.ones(channels))

    def updated(self, forward: Normalized, momentum: float = 0.1) -> RunningStatistics:
        """One exponential step towards a training batch's statistics, ``momentum`` being the *new* batch's weight.

        That is PyTorch's meaning; Keras means the old value's weight (0.99). As in PyTorch the variance that is kept is
        the unbiased one, while the batch itself is normalised by the biased one.

        Raises:
            ValueError: one value a channel, which has no unbiased variance (PyTorch refuses to train on it).
        """
        count = math.prod(forward.x_hat.shape[axis] for axis in forward.axes)
        if count < 2:
            raise ValueError("one value per channel has no unbiased variance")
        unbiased = forward.var.ravel() * count / (count - 1)  # (channels,)
        # running <- (1 - momentum) running + momentum batch
        return RunningStatistics(
            (1 - momentum) * self.mean + momentum * forward.mean.ravel(),  # (channels,)
            (1 - momentum) * self.var + momentum * unbiased,  # (channels,)
        )


def batch_norm_train(
    x: Floats,
    gamma: Floats | None = None,
    beta: Floats | None = None,
    eps: float = 1e-5,
    channel_axis: int = -1,
) -> Normalized:
    """Each channel to mean 0 and variance var / (var + eps) over the batch, then gamma and beta.

    Source: Ioffe, Szegedy 2015, algorithm 1. With one value a channel the output is beta whatever x is.
    """
    channel = channel_axis % x.ndim
    others = tuple(axis for axis in range(x.ndim) if axis != channel)
    return _normalized(x, gamma, beta, eps, others, channel, 0, "inside")


def batch_norm_eval(
    x: Floats,
    running: RunningStatistics,
    gamma: Floats | None = None,
    beta: Floats | None = None,
    eps: float = 1e-5,
    channel_axis: int = -1,
) -> Floats:
    """BatchNorm at inference, x's shape: a fixed affine map of each channel, whatever the batch.

    Source: Ioffe, Szegedy 2015, algorithm 2, line 11.
    """
    scale, shift = batch_norm_folded(running, gamma, beta, eps)  # (channels,) both
    channel = channel_axis % x.ndim
    # y = gamma / sqrt(var + eps) x + (beta - gamma mean / sqrt(var + eps))
    y: Floats = _along(scale, channel, x.ndim) * x + _along(shift, channel, x.ndim)  # x's shape
    return y


def batch_norm_folded(
    running: RunningStatistics, gamma: Floats | None = None, beta: Floats | None = None, eps: float = 1e-5
) -> tuple[Floats, Floats]:
    """The (channels,) scale and shift that BatchNorm is at inference, ready to fold into the layer before it."""
    # scale = gamma / sqrt(var + eps), shift = beta - scale mean
    scale: Floats = (1.0 if gamma is None else gamma) / np.sqrt(running.var + eps)  # (channels,)
    shift: Floats = (0.0 if beta is None else beta) - scale * running.mean  # (channels,)
    return scale, shift


def normalization_backward(forward: Normalized, dy: Floats) -> Gradients:
    """Gradients of :func:`layer_norm` and of :func:`batch_norm_train` from dL/dy."""
    axes, gamma = forward.axes, forward.gamma
    summed = tuple(axis for axis in range(dy.ndim) if axis != forward.feature_axis)
    dx_hat = dy if gamma is None else dy * _along(gamma, forward.feature_axis, dy.ndim)  # x's shape

    count = math.prod(dy.shape[axis] for axis in axes)
    x_hat, denominator = forward.x_hat, forward.denominator
    along = (dx_hat * x_hat).sum(axis=axes, keepdims=True) / (count - forward.ddof)
    if forward.eps_place == "outside":
        # d denominator / dx_j = (x_j - mean) / ((n - ddof) r), r the root; with eps inside that is the denominator itself
        root = np.sqrt(forward.var)
        along = along * np.divide(denominator, root, out=np.zeros_like(denominator), where=root > 0)
    # dx = (dx_hat - mean(dx_hat) - x_hat sum(dx_hat x_hat) / (n - ddof) · denominator / r) / denominator
    dx = (dx_hat - dx_hat.sum(axis=axes, keepdims=True) / count - x_hat * along) / denominator  # x's shape
    return Gradients(dx, (dy * x_hat).sum(axis=summed), dy.sum(axis=summed))


@dataclass(frozen=True)
class RootMeanSquare:
    """A forward pass of RMSNorm. ``rms`` is sqrt(mean(x²) + eps), x's shape with 1 in the last place."""

    y: Floats
    x_hat: Floats
    rms: Floats
    gamma: Floats | None


def rms_norm(x: Floats, gamma: Floats | None = None, eps: float = 1e-6) -> RootMeanSquare:
    """Each row of (…, d) to root mean square 1, then gamma; nothing is centred.

    Source: Zhang, Sennrich 2019, equation 4; eps inside the root as in LLaMA and ``torch.nn.RMSNorm``.
    """
    # rms = sqrt(sum_i x_i² / d + eps)
    rms = np.sqrt((x * x).mean(axis=-1, keepdims=True) + eps)  # (…, 1)
    # y = x / rms · gamma
    x_hat = x / rms  # (…, d)
    return RootMeanSquare(x_hat if gamma is None else x_hat * gamma, x_hat, rms, gamma)


def rms_norm_backward(forward: RootMeanSquare, dy: Floats) -> tuple[Floats, Floats]:
    """dL/dx (…, d) and dL/dgamma (d,) of :func:`rms_norm`."""
    dx_hat = dy if forward.gamma is None else dy * forward.gamma  # (…, d)
    # dx = (dx_hat - x_hat mean(dx_hat x_hat)) / rms
    dx = (
        dx_hat - forward.x_hat * (dx_hat * forward.x_hat).mean(axis=-1, keepdims=True)
    ) / forward.rms  # (…, d)
    return dx, (dy * forward.x_hat).sum(axis=tuple(range(dy.ndim - 1)))


def _normalized(
    x: Floats,
    gamma: Floats | None,
    beta: Floats | None,
    eps: float,
    axes: tuple[int, ...],
    feature_axis: int,
    ddof: int,
    eps_place: EpsPlace,
) -> Normalized:
    count = math.prod(x.shape[axis] for axis in axes)
    if count - ddof <= 0:
        raise ValueError(f"a variance over {count} values needs ddof below {count}")
    # mean = sum x / n
    mean = x.sum(axis=axes, keepdims=True) / count  # 1 along axes
    centred = x - mean  # x's shape
    # var = sum (x - mean)² / (n - ddof)
    var = (centred * centred).sum(axis=axes, keepdims=True) / (count - ddof)  # 1 along axes
    denominator = np.sqrt(var + eps) if eps_place == "inside" else np.sqrt(var) + eps  # 1 along axes
    # x_hat = (x - mean) / sqrt(var + eps)
    x_hat = centred / denominator  # x's shape
    y = x_hat
    # y = gamma x_hat + beta
    if gamma is not None:
        y = y * _along(gamma, feature_axis, x.ndim)  # x's shape
    if beta is not None:
        y = y + _along(beta, feature_axis, x.ndim)  # x's shape
    return Normalized(y, x_hat, mean, var, denominator, gamma, axes, feature_axis, ddof, eps_place)


def _along(values: Floats, axis: int, ndim: int) -> Floats:
    """(features,) shaped so that it runs along ``axis``."""
    return values.reshape([-1 if place == axis else 1 for place in range(ndim)])
