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
