"""Random recurrent matrices."""

from __future__ import annotations

import math
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]

RecurrentLaw = Literal["normal", "orthogonal"]


def recurrent_matrix(rng: np.random.Generator, hidden: int, gain: float, law: RecurrentLaw) -> Floats:
    """W (hidden, hidden) whose spectral radius is ``gain``: exactly if orthogonal, else as hidden grows.

    ``normal``: independent entries of variance gain²/hidden. ``orthogonal``: gain times a rotation
    or reflection, uniform over all of them (Saxe et al. 2014; Mezzadri 2007, section 5, for the signs).
    """
    entries = rng.standard_normal((hidden, hidden))
    if law == "normal":
        # w_ij ~ N(0, g^2/H)
        return gain / math.sqrt(hidden) * entries
    q, r = np.linalg.qr(entries)
    # W = g Q diag(sign R_ii)
    signed: Floats = gain * q * np.sign(np.diag(r))
    return signed


Scheme = Literal["torch", "glorot", "small_normal", "orthogonal"]
"""How libraries and tutorials fill a recurrent matrix before training."""


def initial_recurrent(rng: np.random.Generator, hidden: int, scheme: Scheme) -> Floats:
    """W (hidden, hidden) as a library leaves it.

    ``torch``: ``torch.nn.RNN``. ``glorot``: Glorot and Bengio 2010, equation 16, with as many outputs as inputs.
    ``small_normal``: ``0.1 * randn``, as in many NumPy tutorials. ``orthogonal``: Saxe et al. 2014.
    """
    shape = (hidden, hidden)
    match scheme:
        case "torch":
            # w_ij ~ U(-1/sqrt H, 1/sqrt H)
            return rng.uniform(-1 / math.sqrt(hidden), 1 / math.sqrt(hidden), shape)
        case "glorot":
            # w_ij ~ U(-sqrt(6 / (n_in + n_out)), +sqrt(6 / (n_in + n_out)))
            bound = math.sqrt(6 / (hidden + hidden))
            return rng.uniform(-bound, bound, shape)
        case "small_normal":
            # w_ij ~ N(0, 0.1^2)
            return 0.1 * rng.standard_normal(shape)
        case "orthogonal":
            return recurrent_matrix(rng, hidden, 1.0, "orthogonal")
