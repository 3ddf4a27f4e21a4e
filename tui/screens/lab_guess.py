"""Guessing the headline before it is seen: what was typed, and how far off it was."""

from __future__ import annotations

import math
import unicodedata
from typing import TYPE_CHECKING

from textual.events import Key
from textual.widgets import Input

from engine.text import Text
from tui import messages
from tui.widgets.checks import number

if TYPE_CHECKING:
    from engine.demonstration import Headline


class GuessInput(Input):
    """A line for a number: keys that write none are left to the screen, whose letters do something."""

    def check_consume_key(self, key: str, character: str | None = None) -> bool:
        if character is None:
            return False
        plain = unicodedata.normalize("NFKC", character)
        # an exponent follows a digit
        return plain in "0123456789.,+-−" or (plain in "eE" and self.value[-1:].isdigit())

    def _on_key(self, event: Key) -> None:
        if event.is_printable and not self.check_consume_key(event.key, event.character):
            # the line itself would take it
            event.prevent_default()


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
