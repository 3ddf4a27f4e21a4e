"""Attention masks: which key each query may attend to.

Frameworks disagree on two conventions, so both are named arguments here.

``polarity``: what True means. ``keep`` as in ``torch.nn.functional.scaled_dot_product_attention``
(True takes part); ``block`` as in ``torch.nn.MultiheadAttention`` (True is masked out).

``alignment``: how a causal triangle sits on a score matrix of L queries and S keys when L ≠ S.
``top-left``: query i is the i-th position, as ``is_causal=True`` of PyTorch. ``bottom-right``: the
last query is the last position, which is what a decoder with a cache needs.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Bools: TypeAlias = NDArray[np.bool_]
Floats: TypeAlias = NDArray[np.floating[Any]]

Polarity = Literal["keep", "block"]
Alignment = Literal["top-left", "bottom-right"]


def causal_mask(
    queries: int, keys: int, *, alignment: Alignment = "bottom-right", polarity: Polarity = "keep"
) -> Bools:
    """Each query sees its own position and the ones before it: (queries, keys).

    Bottom-right with fewer keys than queries leaves the first queries with nothing to attend to.
    Source: Vaswani et al. 2017, section 3.2.3 (square case).
    """
    offset = keys - queries if alignment == "bottom-right" else 0
    # query i stands at position i + offset and keeps key j where j <= i + offset
    keep = np.arange(keys)[None, :] <= np.arange(queries)[:, None] + offset  # (L, S)
    return _with_polarity(keep, polarity)


def prefix_mask(length: int, prefix: int, *, polarity: Polarity = "keep") -> Bools:
    """Causal, but every position also sees the whole prefix: (length, length).

    Source: Raffel et al. 2020, section 3.2.1 ("causal with prefix").
    """
    # key j is kept where j <= i or j < prefix
    keep = causal_mask(length, length) | (np.arange(length)[None, :] < prefix)  # (L, L)
    return _with_polarity(keep, polarity)


def padding_mask(
    lengths: ArrayLike, keys: int, *, side: Literal["right", "left"] = "right", polarity: Polarity = "keep"
) -> Bools:
    """Keys that are tokens and not padding, for each sequence: (batch, 1, keys), to broadcast over queries.

    ``lengths`` (batch,) counts the true tokens; ``side`` is where the padding stands.

    Raises:
        ValueError: a length below 0 or above ``keys``.
    """
    count = np.asarray(lengths, dtype=np.int64)  # (B,)
    if ((count < 0) | (count > keys)).any():
        raise ValueError(f"lengths must lie in 0..{keys}")
    position = np.arange(keys)  # (S,)
    # right: tokens 0 … length-1; left: tokens S-length … S-1
    keep = position < count[:, None] if side == "right" else position >= keys - count[:, None]  # (B, S)
    return _with_polarity(keep[:, None, :], polarity)


def combine_masks(*masks: Bools, polarity: Polarity = "keep") -> Bools:
    """A key takes part only where every mask lets it: AND of what is kept, OR of what is blocked."""
    combined = masks[0]
    for mask in masks[1:]:
        combined = combined & mask if polarity == "keep" else combined | mask
    return combined


def additive_mask(mask: Bools, *, polarity: Polarity = "keep", fill: float = -np.inf) -> Floats:
    """The mask as a term to add to scores: 0 where a key is kept, ``fill`` where it is not; same shape.

    Only -inf masks exactly: a finite ``fill`` on a row of nothing but masked keys leaves the unmasked weights,
    uniform ones once the scores are lost to rounding (float32 at -1e9).
    """
    keep = _with_polarity(mask, polarity)
    # softmax(s + m): m = 0 keeps e^s, m = -inf makes it 0
    return np.where(keep, 0.0, fill)


def _with_polarity(keep: Bools, polarity: Polarity) -> Bools:
    return keep if polarity == "keep" else ~keep
