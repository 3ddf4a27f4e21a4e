"""What stands on a sheet, before any format: filled cards, what backs them, and the bibliography."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from engine.demonstration import Demonstration, Run
from engine.demos import load
from engine.proof.derivation import ProofCache, decided
from engine.proof.step import Decided
from engine.text import Language
from quizbank.card import Card

Mode = Literal["paper", "embedded", "key"]
MODES: tuple[Mode, ...] = ("paper", "embedded", "key")


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
