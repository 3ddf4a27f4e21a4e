"""Decoding: what turns next-token logits into a token, and a search for a whole sequence.

Shapes: logits z and probabilities p (…, V), V the vocabulary; any leading axes. A *warper* maps logits to logits, a
removed token gets -inf. Warpers do not commute: :func:`warp` applies them in the order that it is given.

Sources: Ackley et al. 1985 (temperature); Fan et al. 2018, section 5.4 (top-k); Holtzman et al. 2020, section 3.1
(nucleus); Keskar et al. 2019, section 4.1 (repetition penalty).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.nn.softmax import softmax

Floats: TypeAlias = NDArray[np.floating[Any]]
Integers: TypeAlias = NDArray[np.int64]

Boundary = Literal["reaches", "within"]
"""Where a nucleus ends. ``reaches``: the shortest prefix whose mass is at least p, so the token that crosses p is kept
(Holtzman et al. 2020, equation 2). ``within``: the longest prefix whose mass is at most p, and never fewer than one token."""

Ties = Literal["keep", "first"]
"""Tokens as probable as the k-th. ``keep``: all of them, so that more than k may stay (a threshold on the logits).
``first``: the lowest token ids, so that exactly k stay."""

WarperName = Literal["temperature", "top_k", "top_p"]
ORDER: tuple[WarperName, ...] = ("temperature", "top_k", "top_p")
"""The order of common generation code: the nucleus is taken of the tempered, truncated distribution."""


def temper(z: ArrayLike, temperature: float) -> Floats:
    """Logits at a temperature: z / T, same shape; -inf stays -inf.

    Raises:
        ValueError: T is not positive: T = 0 is a limit, not a division; use :func:`greedy`.
    """
    if not temperature > 0:
        raise ValueError("the temperature must be positive")
    # p_i proportional to e^{z_i / T}
    return np.asarray(z, dtype=np.float64) / temperature  # (..., V)


def top_k(z: ArrayLike, k: int, ties: Ties = "first") -> Floats:
    """Logits with all but the k largest at -inf; k above V keeps all.

    Raises:
        ValueError: k below 1.
    """
    if k < 1:
        raise ValueError("k must be at least 1")
    logits = np.asarray(z, dtype=np.float64)
    k = min(k, logits.shape[-1])
    if ties == "keep":
        # z_i >= the k-th largest
        threshold = np.partition(logits, -k, axis=-1)[..., -k, None]
        return np.where(logits >= threshold, logits, -np.inf)
    order = by_probability(logits)
    return _keep(logits, order, np.arange(logits.shape[-1]) < k)


def top_p(z: ArrayLike, p: float, boundary: Boundary = "reaches") -> Floats:
    """Logits with everything outside the nucleus at -inf.

    Raises:
        ValueError: p outside (0, 1].
    """
    if not 0 < p <= 1:
        raise ValueError("p must lie in (0, 1]")
    logits = np.asarray(z, dtype=np.float64)
    order = by_probability(logits)
    ranked = np.take_along_axis(softmax(logits), order, axis=-1)
    mass = ranked.cumsum(axis=-1)  # (..., V) of the r most probable tokens
    if boundary == "reaches":
        # the r-th token stays while the ones before it have not reached p
        kept = mass - ranked < p
        # rounding may leave the whole mass just below 1
        kept |= p == 1
    else:
        kept = mass <= p
    kept[..., 0] = True
    return _keep(logits, order, kept)


def penalize_repetition(z: ArrayLike, seen: Sequence[int], penalty: float, by_sign: bool = True) -> Floats:
    """Logits of one position (V,) with the ``seen`` tokens made less likely by ``penalty`` at least 1.

    ``by_sign``: a positive logit is divided, a negative one multiplied, as common code does. Otherwise every logit is divided,
    as the paper's formula reads, which makes a token of negative logit *more* likely.

    Source: Keskar et al. 2019, section 4.1.
    """
    logits = np.array(z, dtype=np.float64)
    tokens = np.unique(np.asarray(seen, dtype=np.int64))
    old = logits[tokens]
    # z_i / theta, or z_i theta where z_i < 0
    logits[tokens] = np.where((old < 0) & by_sign, old * penalty, old / penalty)
    return logits


def penalize_counts(z: ArrayLike, seen: Sequence[int], presence: float, frequency: float) -> Floats:
    """Logits of one position (V,) less ``presence`` for each token in ``seen``, and ``frequency`` for each time it stands there.

    Subtraction, unlike :func:`penalize_repetition`, acts alike on logits that differ by a common number.
    """
    logits = np.array(z, dtype=np.float64)
    tokens, counts = np.unique(np.asarray(seen, dtype=np.int64), return_counts=True)
    # z_i - alpha - beta c_i
    logits[tokens] -= presence + frequency * counts
    return logits


def warp(
    z: ArrayLike,
    *,
    temperature: float = 1.0,
    k: int | None = None,
    p: float = 1.0,
    order: Sequence[WarperName] = ORDER,
    boundary: Boundary = "reaches",
) -> Floats:
    """Logits (…, V) after the named warpers, one after the other; each sees what the one before left."""
    logits: Floats = np.asarray(z, dtype=np.float64)
    for name in order:
        match name:
            case "temperature":
                logits = temper(logits, temperature)
            case "top_k":
                logits = logits if k is None else top_k(logits, k)
            case "top_p":
                logits = top_p(logits, p, boundary)
    return logits


def greedy(z: ArrayLike) -> Integers:
    """The most probable token (…,); of equal ones the first."""
    # argmax_i z_i
    return np.asarray(np.argmax(np.asarray(z), axis=-1), dtype=np.int64)


def sample(probabilities: ArrayLike, rng: np.random.Generator, draws: int) -> Integers:
    """``draws`` tokens of one distribution (V,) by its cumulative sums; a token of probability 0 never comes."""
    p = np.asarray(probabilities, dtype=np.float64)
    support = np.flatnonzero(p > 0)
    edges = p[support].cumsum()
    # the first token whose cumulative sum exceeds u; the last sum stands for 1
    place = np.searchsorted(edges[:-1], rng.random(draws) * edges[-1], side="right")  # (draws,)
    return np.asarray(support[place], dtype=np.int64)


def entropy(probabilities: ArrayLike) -> Floats:
    """-sum p log p over the last axis, in nats: (…, V) to (…,); 0 log 0 is 0."""
    p = np.asarray(probabilities, dtype=np.float64)
    log_p = np.log(p, out=np.zeros_like(p), where=p > 0)
    # H = -sum_i p_i log p_i
    result: Floats = -(p * log_p).sum(axis=-1)  # (...)
    return result


def by_probability(z: Floats) -> Integers:
    """Token ids from the most to the least probable, (…, V); of equal ones the lower id first."""
    return np.asarray(np.argsort(-z, axis=-1, kind="stable"), dtype=np.int64)


def _keep(z: Floats, order: Integers, kept: NDArray[np.bool_]) -> Floats:
    """``kept`` says of each rank whether its token stays; broadcasts to (…, V)."""
    by_token = np.empty(z.shape, dtype=np.bool_)
    np.put_along_axis(by_token, order, np.broadcast_to(kept, z.shape), axis=-1)
    return np.where(by_token, z, -np.inf)
