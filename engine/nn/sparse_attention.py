"""Sparse attention patterns as masks, and Linformer's projection along the length.

Masks are boolean (n, n), True = keep, [i, j] for query i and key j, and go into the scaled dot-product attention as they are.
Sources: Child et al. 2019, sections 4.2-4.3 (strided and fixed); Beltagy et al. 2020, section 3.1 (window, global tokens);
Zaheer et al. 2020, section 2 (random blocks); Jiang et al. 2023 (causal window); Wang et al. 2020 (Linformer).
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.nn.attention import Attention, scaled_dot_product_attention, scaled_dot_product_attention_backward

Bools: TypeAlias = NDArray[np.bool_]
Floats: TypeAlias = NDArray[np.floating[Any]]


def _places(n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Query and key positions, (n, 1) and (1, n)."""
    at = np.arange(n)
    return at[:, None], at[None, :]


def sliding_window_mask(n: int, window: int) -> Bools:
    """Causal: each query sees itself and the ``window`` - 1 tokens before it.

    Source: Jiang et al. 2023 (Mistral 7B), section 2.
    """
    i, j = _places(n)
    # i - W < j <= i
    return (j <= i) & (j > i - window)


def local_mask(n: int, reach: int) -> Bools:
    """Both ways: each query sees ``reach`` tokens to either side and itself, 2 reach + 1 in all."""
    i, j = _places(n)
    # |i - j| <= w
    return (i - j <= reach) & (j - i <= reach)


def global_mask(n: int, tokens: int) -> Bools:
    """The first ``tokens`` see all and are seen by all."""
    i, j = _places(n)
    return (i < tokens) | (j < tokens)


def strided_masks(n: int, stride: int) -> tuple[Bools, Bools]:
    """Child et al.'s two heads, both causal: the last ``stride`` tokens before the query, and every ``stride``-th before it.

    Source: Child et al. 2019, section 4.3, A^(1) and A^(2).
    """
    i, j = _places(n)
    # A1 = {j : i - l <= j <= i},  A2 = {j <= i : (i - j) mod l = 0}
    return (j <= i) & (j >= i - stride), (j <= i) & ((i - j) % stride == 0)


def fixed_masks(n: int, stride: int, summary: int = 1) -> tuple[Bools, Bools]:
    """Child et al.'s two heads for text, both causal: the query's own block, and the last ``summary`` places of each block.

    Source: Child et al. 2019, section 4.3, fixed attention with c = ``summary``.
    """
    i, j = _places(n)
    # A1 = {j <= i : floor(j / l) = floor(i / l)},  A2 = {j <= i : j mod l >= l - c}
    return (j <= i) & (j // stride == i // stride), (j <= i) & (j % stride >= stride - summary)


def random_mask(n: int, keys: int, rng: np.random.Generator) -> Bools:
    """Each query sees ``keys`` random keys (at most n), drawn without replacement."""
    mask = np.zeros((n, n), dtype=np.bool_)
    chosen = np.argsort(rng.random((n, n)), axis=1)[:, : min(keys, n)]
    np.put_along_axis(mask, chosen, True, axis=1)
    return mask


def reached(mask: Bools, query: int, layers: int) -> NDArray[np.int64]:
    """How many positions can influence ``query`` after 0, 1, …, ``layers`` layers of the same mask: (layers + 1,)."""
    seen: Bools = np.zeros(len(mask), dtype=np.bool_)
    seen[query] = True
    counts = [1]
    for _ in range(layers):
        # what the positions reached so far attend to themselves
        seen = np.asarray(mask[seen].any(axis=0))
        counts.append(int(seen.sum()))
    return np.array(counts, dtype=np.int64)


class Linformer(NamedTuple):
    """``key`` and ``value`` (…, k, d) after projection along the length, and what attention made of them."""

    key: Floats
    value: Floats
    attended: Attention


class LinformerGradient(NamedTuple):
    """dL/d query, key, value (as given) and dL/d of the two projections (k, n)."""

    query: Floats
    key: Floats
    value: Floats
    key_projection: Floats
    value_projection: Floats


def linformer_attention(
    query: Floats, key: Floats, value: Floats, key_projection: Floats, value_projection: Floats
) -> Linformer:
    """Attention of queries (…, n, d) over k mixtures of keys and values (…, n, d): O(n k d), for this one length n.

    The projections (k, n) mix tokens from everywhere, later ones too: no causal mask fits on it.
    Source: Wang et al. 2020, equation 7.
    """
    # K' = E K,  V' = F V
    short_key = key_projection @ key  # (..., k, d)
    short_value = value_projection @ value  # (..., k, d_v)
    # C = softmax(Q K'^T / sqrt(d)) V'
    return Linformer(short_key, short_value, scaled_dot_product_attention(query, short_key, short_value))


def linformer_attention_backward(
    done: Linformer,
    query: Floats,
    key: Floats,
    value: Floats,
    key_projection: Floats,
    value_projection: Floats,
    d_context: Floats,
) -> LinformerGradient:
    """Gradients from dL/d context (…, n, d_v)."""
    inner = scaled_dot_product_attention_backward(done.attended, query, done.key, done.value, d_context)

    def of_projection(d_short: Floats, long: Floats) -> Floats:
        # dL/dE = sum over batches of dL/dK' K^T
        product: Floats = (d_short @ long.swapaxes(-1, -2)).reshape(-1, d_short.shape[-2], long.shape[-2])
        return np.asarray(product.sum(axis=0))  # (k, n)

    return LinformerGradient(
        inner.query,
        # dL/dK = E^T dL/dK'
        key_projection.T @ inner.key,
        value_projection.T @ inner.value,
        of_projection(inner.key, key),
        of_projection(inner.value, value),
    )
