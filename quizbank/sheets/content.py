"""What stands on a sheet, before any format: filled cards, what backs them, and the bibliography."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from engine.demonstration import Demonstration, Run
from engine.demos import load
from engine.proof.derivation import ProofCache, decided
from engine.proof.step import Decided
from engine.text import Language, Text
from quizbank.card import Card

Mode = Literal["paper", "embedded", "key"]
MODES: tuple[Mode, ...] = ("paper", "embedded", "key")

_T = TypeVar("_T")


@dataclass(frozen=True)
class Backing:
    """A demonstration as it ran for a card: its steps, its numbers, its figures."""

    demo: Demonstration
    run: Run
    steps: tuple[Decided, ...]


@dataclass(frozen=True)
class Heading:
    """What a sheet says of itself: which paper it is, of which bank, drawn how."""

    form: str
    revision: str
    seed: int
    version: str
    date: str


@dataclass(frozen=True)
class Sheet:
    """``cards`` have their slots filled; ``backings`` holds what backs each card, by its id."""

    heading: Heading
    mode: Mode
    languages: tuple[Language, ...]
    cards: tuple[Card, ...]
    backings: Mapping[str, tuple[Backing, ...]]


def filled(value: _T, fill: Callable[[str], str]) -> _T:
    """A card, or any frozen part of it, with ``fill`` applied to every text."""
    if isinstance(value, Text):
        return Text(fill(value.en), fill(value.zh))  # type: ignore[return-value]
    if isinstance(value, tuple):
        return tuple(filled(part, fill) for part in value)  # type: ignore[return-value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        changes: dict[str, Any] = {
            field.name: filled(getattr(value, field.name), fill) for field in dataclasses.fields(value)
        }
        return dataclasses.replace(value, **changes)
    return value


def form_id(cards: Sequence[Card], seed: int, revision: str) -> str:
    """Eight characters that a paper and its key share: the same cards of the same bank, drawn alike."""
    digest = hashlib.sha256("\n".join([revision, str(seed), *(card.id for card in cards)]).encode())
    return digest.hexdigest()[:8].upper()


def back(card: Card, proofs: ProofCache | None) -> tuple[Backing, ...]:
    """Run and prove every demonstration of a card at the card's parameters (seed 0)."""
    backings = []
    for reference in card.demos:
        demo = load(reference.id)
        backings.append(Backing(demo, demo.run(reference.set), decided(demo.id, demo.derive, proofs)))
    return tuple(backings)
