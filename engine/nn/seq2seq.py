"""Encoder and decoder over recurrent networks: through one fixed vector (Cho et al. 2014; Sutskever et al. 2014),
or looking back with attention at every step (Bahdanau et al. 2015)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.demonstration import Array
from engine.nn.alignment import Additive, additive_attention
from engine.nn.recurrent import RNNWeights, rnn_forward


class Decoded(NamedTuple):
    """``hidden`` states s_1 … s_T' (T', B, H) and, with attention, the weights (T', B, T)."""

    hidden: Array
    weights: Array | None


def encode(x: Array, weights: RNNWeights, reverse: bool = False) -> Array:
    """Annotations h_1 … h_T (T, B, H) of x (T, B, D); ``reverse`` reads the source backwards and returns them so."""
    source = x[::-1] if reverse else x
    h_0 = np.zeros((x.shape[1], weights.recurrent.shape[0]))
    return rnn_forward(source, h_0, weights).hidden[1:]


def decode_from_vector(y: Array, summary: Array, weights: RNNWeights) -> Decoded:
    """Teacher-forced decoding that knows the source by its first state alone: y (T', B, D'), summary (B, H)."""
    # s_0 = h_T, s_t = phi(W s_{t-1} + U y_{t-1} + b)
    return Decoded(rnn_forward(y, summary, weights).hidden[1:], None)


def decode_with_attention(
    y: Array, annotations: Array, summary: Array, weights: RNNWeights, alignment: Additive
) -> Decoded:
    """As above, but each step reads [y_{t-1}; c_t], c_t attended with s_{t-1}: ``inputs`` of width D' + H."""
    h = annotations.transpose(1, 0, 2)  # (B, T, H)
    s, hidden, looked = summary, [], []
    for previous in y:
        at = additive_attention(s, h, alignment)
        # s_t = phi(W s_{t-1} + U [y_{t-1}; c_t] + b)
        s = rnn_forward(np.concatenate([previous, at.context], axis=-1)[None], s, weights).hidden[1]  # (B, H)
        hidden.append(s)
        looked.append(at.weights)
    return Decoded(np.array(hidden), np.array(looked))
