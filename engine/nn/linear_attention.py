"""Mixing a sequence without an L by S matrix: linear attention, Performer's random features, FNet, RWKV's WKV.

Shapes: L queries, S keys and values, d the width of queries and keys, m features, d_v the width of values; leading axes (…) are
batches. Linear attention keeps a state of fixed size, S (m, d_v) and z (m,), whatever the length.

Sources: Katharopoulos et al. 2020; Choromanski et al. 2021; Lee-Thorp et al. 2022; Peng et al. 2023.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.floating[Any]]
FeatureMap: TypeAlias = Callable[[Floats], Floats]
"""Rows (…, d) to features (…, m); linear attention needs them positive."""


@np.errstate(under="ignore")
def elu_plus_one(x: Floats) -> Floats:
    """elu(x) + 1, positive, same shape: replaces the softmax's kernel, does not approximate it.

    Source: Katharopoulos et al. 2020, equation 7.
    """
    # phi(x) = x + 1 where x > 0, e^x elsewhere
    return np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))


@np.errstate(under="ignore")
def elu_plus_one_backward(x: Floats, d_features: Floats) -> Floats:
    """dL/dx, same shape."""
    # phi'(x) = 1 where x > 0, e^x elsewhere
    return d_features * np.where(x > 0, 1.0, np.exp(np.minimum(x, 0)))


@np.errstate(under="ignore")
def positive_random_features(x: Floats, directions: Floats) -> Floats:
    """FAVOR+ features (…, m) of rows ``x`` (…, d) under ``directions`` (m, d), rows of N(0, I) or orthogonal ones.

    Their products average to e^{q·k}: no scale by √d is included. Source: Choromanski et al. 2021, lemma 1 and equation 5.
    """
    m = directions.shape[0]
    # phi_i(x) = e^{w_i·x - |x|^2 / 2} / sqrt(m)
    exponent = x @ directions.T - (x * x).sum(axis=-1, keepdims=True) / 2  # (..., m)
    features: Floats = np.exp(exponent) / np.sqrt(m)  # (..., m)
    return features


def orthogonal_directions(m: int, d: int, rng: np.random.Generator) -> Floats:
    """Directions (m, d) whose blocks of d rows are orthogonal, each row as long as one of N(0, I).

    Source: Choromanski et al. 2021, section 2.4.
    """
    blocks = []
    for first in range(0, m, d):
        q, r = np.linalg.qr(rng.standard_normal((d, d)))
        # signs of the diagonal of R: without them Q is not Haar-distributed (Mezzadri 2007)
        blocks.append((q * np.sign(np.diagonal(r))).T[: m - first])
    lengths = np.linalg.norm(rng.standard_normal((m, d)), axis=1)
    directions: Floats = np.concatenate(blocks) * lengths[:, None]  # (m, d)
    return directions


def linear_attention(query: Floats, key: Floats, value: Floats) -> Floats:
    """Every query over every key, from *features* (…, L, m) and (…, S, m), values (…, S, d_v): context (…, L, d_v).

    O((L + S) m d_v): the product over the keys is formed first. Source: Katharopoulos et al. 2020, equation 5.
    """
    state = key.swapaxes(-1, -2) @ value  # (..., m, d_v)
    normaliser = key.sum(axis=-2)[..., None]  # (..., m, 1)
    # c_i = phi(q_i)^T sum_j phi(k_j) v_j^T / phi(q_i)^T sum_j phi(k_j)
    context: Floats = query @ state / (query @ normaliser)  # (..., L, d_v)
    return context


class State(NamedTuple):
    """``s`` (…, m, d_v): sum of phi(k) v^T; ``z`` (…, m): sum of phi(k)."""

    s: Floats
    z: Floats

    @property
    def size(self) -> int:
        """Numbers kept for one sequence."""
        return int(self.s.shape[-2] * (self.s.shape[-1] + 1))


def empty_state(features: int, width: int, batch: tuple[int, ...] = ()) -> State:
    """The state before the first token."""
    return State(np.zeros((*batch, features, width)), np.zeros((*batch, features)))


def linear_attention_step(query: Floats, key: Floats, value: Floats, state: State) -> tuple[Floats, State]:
    """One token, features (…, m) and value (…, d_v): its context (…, d_v) and the new state.

    Source: Katharopoulos et al. 2020, equations 16-20.
    """
    # S_t = S_{t-1} + phi(k_t) v_t^T,  z_t = z_{t-1} + phi(k_t)
    s = state.s + key[..., :, None] * value[..., None, :]  # (..., m, d_v)
    z = state.z + key  # (..., m)
    # c_t = phi(q_t)^T S_t / phi(q_t)^T z_t
    above = (query[..., None, :] @ s)[..., 0, :]  # (..., d_v)
    context: Floats = above / (query * z).sum(axis=-1, keepdims=True)
    return context, State(s, z)


def causal_linear_attention(query: Floats, key: Floats, value: Floats) -> Floats:
    """As :func:`linear_attention` with query i over keys j <= i, by the masked L by L matrix: the parallel form."""
    n = query.shape[-2]
    # A = tril(phi(Q) phi(K)^T)
    weights = (query @ key.swapaxes(-1, -2)) * np.tri(n)  # (..., L, L)
    # C = A V / A 1
    context: Floats = weights @ value / weights.sum(axis=-1, keepdims=True)  # (..., L, d_v)
    return context


def fourier_mixing(x: Floats) -> Floats:
    """FNet's mixing of tokens and channels, (…, n, d) to the same shape: no parameters, no weights that depend on x.

    Source: Lee-Thorp et al. 2022, equation 3.
    """
    # y = Re(F_n x F_d)
    mixed: Floats = np.fft.fft2(x, axes=(-2, -1)).real  # (..., n, d)
    return mixed


def fourier_mixing_backward(d_mixed: Floats) -> Floats:
    """dL/dx, same shape: the map is linear and symmetric, so it is its own adjoint."""
    return fourier_mixing(d_mixed)


@np.errstate(under="ignore")
def wkv(decay: Floats, bonus: Floats, key: Floats, value: Floats) -> Floats:
    """RWKV-4's weighted mean of values, channel by channel: keys and values (T, d), ``decay`` w >= 0 and ``bonus`` u (d,).

    Runs as a recursion whose exponents are kept relative to the largest so far: no key overflows.
    Source: Peng et al. 2023, equation 16 and appendix D.
    """
    above, below = np.zeros_like(decay), np.zeros_like(decay)
    # sums are kept times e^{-top}
    top = np.full_like(decay, -np.inf)
    out = np.empty_like(value)
    for t, (k, v) in enumerate(zip(key, value, strict=True)):
        # wkv_t = (a_{t-1} + e^{u + k_t} v_t) / (b_{t-1} + e^{u + k_t})
        peak = np.maximum(top, bonus + k)
        old, new = np.exp(top - peak), np.exp(bonus + k - peak)
        out[t] = (old * above + new * v) / (old * below + new)
        # a_t = e^{-w} a_{t-1} + e^{k_t} v_t,  b_t = e^{-w} b_{t-1} + e^{k_t}
        peak = np.maximum(top - decay, k)
        old, new = np.exp(top - decay - peak), np.exp(k - peak)
        above, below, top = old * above + new * v, old * below + new, peak
    return out


@np.errstate(under="ignore")
def wkv_parallel(decay: Floats, bonus: Floats, key: Floats, value: Floats) -> Floats:
    """The same as one sum over all earlier tokens: (T, d). O(T² d); the form that needs no recursion."""
    T = key.shape[0]
    gap = np.arange(T)[:, None] - 1 - np.arange(T)[None, :]  # (T, T): t - 1 - i
    # exponent of token i at t: -(t - 1 - i) w + k_i before, u + k_t at t itself, none after
    exponent = np.where(gap[..., None] >= 0, key - gap[..., None] * decay, -np.inf)  # (T, T, d)
    exponent[np.arange(T), np.arange(T)] = bonus + key
    weights = np.exp(exponent - exponent.max(axis=1, keepdims=True))
    # wkv_t = sum_i e^{…} v_i / sum_i e^{…}
    mixed: Floats = (weights * value).sum(axis=1) / weights.sum(axis=1)  # (T, d)
    return mixed
