"""TextCNN: filters of several widths over word vectors, each map reduced to its largest value.

Shapes: n words of width d, filters (maps, d, width); leading axes (…) are sentences of one length.
Source: Kim 2014, section 2, for one input channel and without dropout.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from engine.nn.convolution import correlate, correlate_backward
from engine.nn.pooling import MaxPooled, max_pool, max_pool_backward
from engine.nn.recurrent import Activation, activate, activation_slope
from engine.nn.windows import Floats


@dataclass(frozen=True)
class TextCNNWeights:
    """``filters``: one (maps, d, width) for each width; ``biases``: one (maps,) for each."""

    filters: tuple[Floats, ...]
    biases: tuple[Floats, ...]


class TextCNN(NamedTuple):
    """For each width: ``pre_activations`` and ``feature_maps`` (…, maps, n - width + 1), ``pooled`` y and winners (…, maps, 1);
    ``sentence`` (…, sum of maps)."""

    pre_activations: tuple[Floats, ...]
    feature_maps: tuple[Floats, ...]
    pooled: tuple[MaxPooled, ...]
    sentence: Floats


def text_cnn(words: Floats, weights: TextCNNWeights, activation: Activation = "relu") -> TextCNN:
    """One vector for a sentence ``words`` (…, n, d) of any length n not below the widest filter.

    Raises:
        ValueError: a filter wider than the sentence.

    Source: Kim 2014, equations 2 and 3, and the maximum over time.
    """
    x = words.swapaxes(-1, -2)  # (..., d, n)
    pre_activations, feature_maps, pooled = [], [], []
    for filters, bias in zip(weights.filters, weights.biases, strict=True):
        # a_i = w · x_{i:i+h-1} + b
        a = correlate(x, filters, bias)  # (..., maps, n - h + 1)
        # c_i = f(a_i)
        c = activate(a, activation)  # (..., maps, n - h + 1)
        # c_hat = max_i c_i
        best = max_pool(c, c.shape[-1:])  # (..., maps, 1)
        pre_activations.append(a)
        feature_maps.append(c)
        pooled.append(best)
    # z = [c_hat_1, ..., c_hat_m]
    sentence = np.concatenate([best.y[..., 0] for best in pooled], axis=-1)  # (..., sum of maps)
    return TextCNN(tuple(pre_activations), tuple(feature_maps), tuple(pooled), sentence)


def text_cnn_backward(
    trace: TextCNN,
    words: Floats,
    weights: TextCNNWeights,
    d_sentence: Floats,
    activation: Activation = "relu",
) -> tuple[Floats, TextCNNWeights]:
    """dL/d words (…, n, d) and dL/d weights from dL/d sentence (…, sum of maps): only the winning windows learn."""
    x = words.swapaxes(-1, -2)  # (..., d, n)
    d_x = np.zeros_like(x)
    d_filters, d_biases = [], []
    start = 0
    for index, filters in enumerate(weights.filters):
        stop = start + len(filters)
        a = trace.pre_activations[index]
        size = a.shape[-1:]
        # dL/dc_i = dL/dc_hat for the winner, else 0
        d_c = max_pool_backward(trace.pooled[index], d_sentence[..., start:stop, None], size, size)
        # dL/da_i = f'(a_i) dL/dc_i
        gradient = correlate_backward(x, filters, activation_slope(a, activation) * d_c)
        d_x = d_x + gradient.x  # (..., d, n)
        d_filters.append(gradient.weight)
        d_biases.append(gradient.bias)
        start = stop
    return d_x.swapaxes(-1, -2), TextCNNWeights(tuple(d_filters), tuple(d_biases))
