"""What one Transformer layer keeps for its backward pass: the real arrays, to be counted.

Shapes: s tokens, b sequences, width h, a heads of width h / a. Numbers are kept in float16 (2 bytes), dropout masks as
booleans (1 byte), as in mixed-precision training; the small means and variances of LayerNorm are left out.

Source: Korthikanti et al. 2023, Reducing Activation Recomputation in Large Transformer Models, section 4.1, figure 2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.nn.normalization import layer_norm
from engine.nn.softmax import Floats, logsumexp, softmax


@dataclass
class Tape:
    """Arrays by name, kept for the backward pass."""

    saved: dict[str, NDArray[Any]] = field(default_factory=dict)

    def half(self, name: str, values: Floats) -> Floats:
        """Keep in float16; the kept numbers, for further use in float32."""
        # what is too small for float16 becomes 0, as on a GPU
        with np.errstate(under="ignore"):
            self.saved[name] = values.astype(np.float16)
        return self.saved[name].astype(np.float32)

    def dropout(self, name: str, values: Floats, p: float, rng: np.random.Generator) -> Floats:
        """Drop with probability p, keeping the mask."""
        mask = rng.random(values.shape) >= p
        self.saved[name] = mask
        # y = x * mask / (1 - p)
        dropped: Floats = values * mask / (1 - p)
        return dropped

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in self.saved.values())


def gelu(x: Floats) -> Floats:
    """x Phi(x) by the tanh approximation of Hendrycks & Gimpel 2016, section 2; same shape."""
    # 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))
    result: Floats = 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return result


def transformer_layer(
    x: Floats, heads: int, rng: np.random.Generator, *, flash: bool = False, p: float = 0.1
) -> tuple[Floats, Tape]:
    """A pre-norm Transformer layer of random weights on x (s, b, h): its output (s, b, h) and its tape.

    ``flash``: attention keeps a logsumexp in float32 for each query and head, and draws its dropout again in the
    backward pass, instead of keeping the s × s maps.

    Raises:
        ValueError: the width is no multiple of the heads.
    """
    s, b, h = x.shape
    if h % heads:
        raise ValueError("the width must be a multiple of the number of heads")
    tape = Tape()

    def linear(values: Floats, outputs: int) -> Floats:
        weight = rng.standard_normal((values.shape[-1], outputs), dtype=np.float32) / math.sqrt(
            values.shape[-1]
        )
        product: Floats = values @ weight
        return product

    x = tape.half("norm 1 input", x)  # (s, b, h)
    normed = tape.half("query, key, value input", layer_norm(x).y)  # (s, b, h)
    q, k, v = (
        tape.half(name, linear(normed, h)).reshape(s, b, heads, h // heads).transpose(1, 2, 0, 3)
        for name in ("query", "key", "value")
    )  # (b, a, s, h/a) each
    # S = Q K^T / sqrt(h/a)
    scores = q @ k.swapaxes(-1, -2) / math.sqrt(h // heads)  # (b, a, s, s)
    if flash:
        tape.saved["logsumexp"] = logsumexp(scores).astype(np.float32)  # (b, a, s)
        weights = softmax(scores) * (rng.random(scores.shape) >= p) / (1 - p)  # (b, a, s, s)
    else:
        maps = tape.half("softmax output", softmax(scores))  # (b, a, s, s)
        weights = tape.half("dropped maps", tape.dropout("map mask", maps, p, rng))  # (b, a, s, s)
    context = (weights @ v).transpose(2, 0, 1, 3).reshape(s, b, h)  # (s, b, h)
    projected = linear(tape.half("projection input", context), h)  # (s, b, h)
    # x <- x + dropout(attention(norm(x)))
    x = x + tape.dropout("projection mask", projected, p, rng)

    normed = tape.half("first linear input", layer_norm(tape.half("norm 2 input", x)).y)  # (s, b, h)
    hidden = tape.half("gelu input", linear(normed, 4 * h))  # (s, b, 4h)
    hidden = linear(tape.half("second linear input", gelu(hidden)), h)  # (s, b, h)
    # x <- x + dropout(mlp(norm(x)))
    return x + tape.dropout("mlp mask", hidden, p, rng), tape
