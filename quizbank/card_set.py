"""A set of cards chosen for an occasion, in the order in which to take them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engine.text import Text

Purpose = Literal["study", "read"]


@dataclass(frozen=True)
class CardSet:
    """``purpose`` is what the cards are for: to be studied with spaced repetition, or to be read through.

    ``size`` is how many cards the set promises to hold.
    """

    id: str
    name: Text
    about: Text
    purpose: Purpose
    size: int
    cards: tuple[str, ...]
