"""Embedding tables: a row of weights for each token, whole or factorised.

The factorisation is that of ALBERT (Lan et al. 2020, section 3.1).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.demonstration import Array

Ids = NDArray[np.int64]


def one_hot(ids: Ids, V: int) -> Array:
    """Rows of the identity, shape (*ids, V)."""
    encoded: Array = np.zeros((*ids.shape, V))
    np.put_along_axis(encoded, ids[..., None], 1.0, axis=-1)
    return encoded


def embed(ids: Ids, table: Array) -> Array:
    """Rows of the table, shape (*ids, d): ids of any shape, table (V, d).

    Raises:
        IndexError: an id outside 0 … V - 1.
    """
    if ids.size and (ids.min() < 0 or ids.max() >= table.shape[0]):
        raise IndexError(f"token ids must lie in 0 … {table.shape[0] - 1}")
    # e_t = onehot(t) E = E[t]
    rows: Array = table[ids]  # (*ids, d)
    return rows


def embed_backward(ids: Ids, upstream: Array, V: int) -> Array:
    """dL/dE, shape (V, d): a token's row collects the gradients of all its occurrences."""
    gradient: Array = np.zeros((V, upstream.shape[-1]))
    # dL/dE_v = sum over the places t where id_t = v of dL/de_t
    np.add.at(gradient, ids.reshape(-1), upstream.reshape(-1, upstream.shape[-1]))  # (V, d)
    return gradient


def factorised_embed(ids: Ids, table: Array, projection: Array) -> Array:
    """A narrow row, then one projection shared by all tokens: table (V, E), projection (E, H)."""
    # e_t = E[t] P
    rows: Array = embed(ids, table) @ projection  # (*ids, H)
    return rows


def factorised_embed_backward(
    ids: Ids, table: Array, projection: Array, upstream: Array
) -> tuple[Array, Array]:
    """(dL/dtable, dL/dprojection) of :func:`factorised_embed`."""
    narrow = embed(ids, table)  # (*ids, E)
    # dL/dP = sum over places of E[t]^T dL/de_t
    projection_gradient: Array = np.einsum(
        "ne,nh->eh", narrow.reshape(-1, narrow.shape[-1]), upstream.reshape(-1, upstream.shape[-1])
    )  # (E, H)
    # dL/dE[t] = dL/de_t P^T, collected over occurrences
    table_gradient = embed_backward(ids, upstream @ projection.T, table.shape[0])  # (V, E)
    return table_gradient, projection_gradient
