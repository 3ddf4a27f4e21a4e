"""A Vision Transformer: patches as tokens, a class token, learned positions, encoder layers, a linear head.

Shapes: images (…, C, H, W), patch side P, n = floor(H/P) floor(W/P) patches, width d.
Source: Dosovitskiy et al. 2021, section 3.1, equations 1 to 4.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.nn.convolution import correlate, unfold
from engine.nn.normalization import layer_norm
from engine.nn.softmax import Floats
from engine.nn.transformer import (
    Activation,
    EncoderLayerWeights,
    Linear,
    Make,
    Norm,
    Placement,
    linear,
    new_encoder_layer,
    new_linear,
    new_norm,
)
from engine.nn.transformer_layer import EncoderLayer, encoder_layer


class PatchWeights(NamedTuple):
    """``kernel`` (d, C, P, P) and ``bias`` (d,)."""

    kernel: Floats
    bias: Floats


class VisionTransformerWeights(NamedTuple):
    """``class_token`` (d,), ``positions`` (n + 1, d); ``head`` (d, classes)."""

    patch: PatchWeights
    class_token: Floats
    positions: Floats
    layers: tuple[EncoderLayerWeights, ...]
    norm: Norm
    head: Linear


class VisionTransformer(NamedTuple):
    """``tokens`` (…, n + 1, d) that enter the first layer, the layers' traces, ``hidden_state`` after the final norm,
    and the class token's ``logits`` (…, classes)."""

    tokens: Floats
    layers: tuple[EncoderLayer, ...]
    hidden_state: Floats
    logits: Floats


def new_vision_transformer(
    side: int, patch: int, channels: int, d: int, d_ff: int, depth: int, classes: int, make: Make
) -> VisionTransformerWeights:
    """Weights for square images of the given side."""
    return VisionTransformerWeights(
        PatchWeights(make((d, channels, patch, patch)), make((d,))),
        make((d,)),
        make(((side // patch) ** 2 + 1, d)),
        tuple(new_encoder_layer(d, d_ff, make) for _ in range(depth)),
        new_norm(d, make),
        new_linear(d, classes, make),
    )


def patches(images: Floats, patch: int) -> Floats:
    """(…, C, H, W) to (…, n, C P²), row by row; what does not fill a patch is left out.

    Source: Dosovitskiy et al. 2021, section 3.1 (x_p).
    """
    rows = unfold(images, (patch, patch), stride=patch)  # (..., H/P, W/P, C P²)
    return rows.reshape(*rows.shape[:-3], -1, rows.shape[-1])  # (..., n, C P²)


def embed_by_unfolding(images: Floats, weights: PatchWeights) -> Floats:
    """(…, n, d): each patch flattened, then one linear map."""
    d, patch = weights.kernel.shape[0], weights.kernel.shape[-1]
    # z_i = x_p^i E + b, the kernel's taps in the order of the flattened patch
    z: Floats = patches(images, patch) @ weights.kernel.reshape(d, -1).T + weights.bias  # (..., n, d)
    return z


def embed_by_convolution(images: Floats, weights: PatchWeights) -> Floats:
    """(…, n, d): a convolution whose stride is its kernel's side."""
    patch = weights.kernel.shape[-1]
    # z[o, i, j] = sum_{c, u, v} w[o, c, u, v] x[c, P i + u, P j + v] + b[o]
    maps = correlate(images, weights.kernel, weights.bias, stride=patch)  # (..., d, H/P, W/P)
    return maps.reshape(*maps.shape[:-2], -1).swapaxes(-1, -2)  # (..., n, d)


def with_class_token(embedded: Floats, class_token: Floats, positions: Floats) -> Floats:
    """(…, n, d) patches to the (…, n + 1, d) tokens of the encoder, the class token first.

    Raises:
        ValueError: as many positions as the images were not trained with.
    """
    *batch, n, d = embedded.shape
    if len(positions) != n + 1:
        raise ValueError(f"{len(positions)} positions for {n} patches and a class token")
    first = np.broadcast_to(class_token, (*batch, 1, d))
    # z_0 = [x_class; x_p^1 E; ...; x_p^n E] + E_pos
    tokens: Floats = np.concatenate([first, embedded], axis=-2) + positions  # (..., n + 1, d)
    return tokens


def encode(
    tokens: Floats,
    weights: VisionTransformerWeights,
    heads: int,
    *,
    placement: Placement = "pre",
    activation: Activation = "gelu",
    eps: float = 1e-6,
) -> VisionTransformer:
    """Encoder layers, final norm and head on tokens (…, n + 1, d)."""
    layers: list[EncoderLayer] = []
    state = tokens
    for layer in weights.layers:
        # z'_l = MSA(LN(z_{l-1})) + z_{l-1},  z_l = MLP(LN(z'_l)) + z'_l
        layers.append(encoder_layer(state, layer, heads, placement=placement, activation=activation, eps=eps))
        state = layers[-1].y  # (..., n + 1, d)
    hidden_state = layer_norm(state, *weights.norm, eps=eps).y  # (..., n + 1, d)
    # y = LN(z_L^0), then the linear head
    logits = linear(hidden_state[..., 0, :], weights.head)  # (..., classes)
    return VisionTransformer(tokens, tuple(layers), hidden_state, logits)


def vision_transformer(
    images: Floats,
    weights: VisionTransformerWeights,
    heads: int,
    *,
    placement: Placement = "pre",
    activation: Activation = "gelu",
    eps: float = 1e-6,
) -> VisionTransformer:
    """Class logits of images (…, C, H, W).

    Raises:
        ValueError: images of another number of patches than there are positions.
    """
    embedded = embed_by_convolution(images, weights.patch)  # (..., n, d)
    tokens = with_class_token(embedded, weights.class_token, weights.positions)  # (..., n + 1, d)
    return encode(tokens, weights, heads, placement=placement, activation=activation, eps=eps)
