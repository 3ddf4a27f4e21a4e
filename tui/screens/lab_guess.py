"""Guessing the headline before it is seen: what was typed, and how far off it was."""

from __future__ import annotations

import math
import unicodedata
from typing import TYPE_CHECKING

from engine.text import Text
from tui import messages
from tui.widgets.checks import number

if TYPE_CHECKING:
    from engine.demonstration import Headline


def off_by(headline: Headline, guess: float, measured: float) -> Text:
    """How far a guess was from what came out: by a factor where the headline is told on a log scale."""
    if headline.scale == "log" and guess > 0 and measured > 0:
        factor = max(guess / measured, measured / guess)
        return messages.GUESS_FACTOR.filled(guess=number(guess), factor=number(factor))
    return messages.GUESS_GAP.filled(guess=number(guess), gap=number(abs(guess - measured)))


def read_guess(typed: str) -> float | None:
    """A number as a person types one, full-width digits and thousands separators included; None for anything else."""
    plain = unicodedata.normalize("NFKC", typed).replace(",", "").replace("−", "-").replace(" ", "")
    if len(plain) > 40:
        return None
    try:
        guess = float(plain)
    except ValueError:
        return None
    return guess if math.isfinite(guess) else None
