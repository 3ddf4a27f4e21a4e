"""py-fsrs's own optimizer, which the extra ``fit`` brings."""

from __future__ import annotations

from datetime import UTC, datetime
from importlib.util import find_spec
from typing import Any

from engine.errors import InputError
from engine.text import Text
from quizbank.fitting.histories import Histories

INSTALL_LINE = "pip install 'proofdeck[fit]'"
NEEDS = 512
"""Reviews on a later day below which the optimizer gives back the weights it starts from, and says nothing."""
SECONDS_A_REVIEW = 0.01
"""What it takes on an ordinary machine, as measured: to say beforehand how long a fit will run."""
_DIGITS = 4
_BROUGHT = ("torch", "pandas", "tqdm")


def is_installed() -> bool:
    return all(find_spec(name) is not None for name in _BROUGHT)


def check_installed() -> None:
    """
    Raises:
        InputError: the optimizer's libraries are missing; the message names the line that installs them.
    """
    if not is_installed():
        raise InputError(
            Text(
                "fitting needs PyTorch, which is not installed: {line}",
                "拟合需要 PyTorch，尚未安装：{line}",
            ).filled(line=INSTALL_LINE)
        )


def optimal_weights(histories: Histories) -> tuple[float, ...]:
    """The 21 weights that fit these grades best, to four digits; the same grades give the same weights.

    Days are handed over as midnights, as the scheduler counts them; what was graded on one day keeps its order.

    Raises:
        InputError: as :func:`check_installed`.
    """
    check_installed()
    import fsrs
    from fsrs.optimizer import Optimizer

    logs: list[Any] = [
        fsrs.ReviewLog(number, fsrs.Rating(int(one.rating)), _midnight(one.day), None)
        for number, history in enumerate(histories.cards.values())
        for one in history
    ]
    found = Optimizer(logs).compute_optimal_parameters()
    return tuple(round(float(weight), _DIGITS) for weight in found)


def _midnight(day: int) -> datetime:
    return datetime.fromordinal(day).replace(tzinfo=UTC)
