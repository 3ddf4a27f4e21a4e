"""PyTorch's arrays: those that are recorded, and under the ``torch`` marker those made on the spot."""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import pytest

GOLDEN = Path(__file__).parent.parent / "golden"

SOURCES = ("recorded", pytest.param("live", marks=pytest.mark.torch))
"""Parametrise a test over these and pass the value to :func:`arrays`."""

RTOL, ATOL = 1e-12, 1e-14


def arrays(family: str, source: str) -> dict[str, np.ndarray]:
    """``tests/golden/<family>.npz``, or what ``tests/golden/make_<family>.py`` makes of PyTorch now."""
    if source == "live":
        # a missing torch is a failure here: whoever asks for the tier wants the comparison
        made: dict[str, np.ndarray] = importlib.import_module(f"tests.golden.make_{family}").arrays()
        return made
    with np.load(GOLDEN / f"{family}.npz", allow_pickle=False) as recorded:
        return dict(recorded)


def cases(made: dict[str, np.ndarray], prefix: str = "") -> dict[str, dict[str, np.ndarray]]:
    """Arrays named ``case.key`` as one dictionary a case; only cases whose name starts with ``prefix``."""
    found: dict[str, dict[str, np.ndarray]] = {}
    for name, value in made.items():
        case, dot, key = name.rpartition(".")
        if dot and case.startswith(prefix):
            found.setdefault(case, {})[key] = value
    return found


def assert_close(ours: object, theirs: object, where: str, rtol: float = RTOL, atol: float = ATOL) -> None:
    np.testing.assert_allclose(
        np.asarray(ours), np.asarray(theirs), rtol=rtol, atol=atol, err_msg=where, strict=True
    )
