"""What stands on a sheet, before any format: filled cards, drawn drills, what backs them, the sources."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.demonstration import Check, Value
from engine.proof.step import Decided
from engine.text import Language
from quizbank.card import Card
from quizbank.reference import Source
from quizbank.sheets.evidence import Demo
from quizbank.sheets.formats import Mode
from quizbank.sheets.picture import Picture
from quizbank.sheets.questions import Asked

if TYPE_CHECKING:
    from quizbank.papers.paper import Paper, Question
    from quizbank.papers.results import Report


@dataclass(frozen=True)
class Backing:
    """A demonstration as it ran for a card (seed 0): the values of all its parameters, its steps, results, checks and figures.

    ``results`` are those that are single numbers.
    """

    demo: Demo
    params: Mapping[str, Value]
    results: Mapping[str, float | int]
    steps: tuple[Decided, ...]
    checks: tuple[Check, ...]
    figures: tuple[Picture, ...]


@dataclass(frozen=True)
class Heading:
    """What a sheet says of itself: which paper it is, of which bank, drawn how, of which day (YYYY-MM-DD)."""

    form: str
    revision: str
    seed: int
    version: str
    date: str


@dataclass(frozen=True)
class Item:
    """One question of a paper; ``card`` and ``asked`` are None where a self-test outlived them."""

    question: Question
    card: Card | None
    asked: Asked | None


@dataclass(frozen=True)
class Sheet:
    """Everything a sheet may print.

    ``cards`` have their slots filled and stand in order; ``asked`` holds the drawn drills of each card, by its id
    (with their keys), ``backings`` what backs it (in mode ``embedded`` and for formats that draw cards),
    ``bibliography`` every source of the bank by key, and ``revised`` when each card and each of its parts last changed
    (:func:`quizbank.revisions.revised`).
    ``paper`` and ``items`` (its questions) are there where the sheet is of a drawn paper or a self-test, ``report``
    where it is of a self-test.
    """

    heading: Heading
    mode: Mode
    languages: tuple[Language, ...]
    cards: tuple[Card, ...]
    asked: Mapping[str, tuple[Asked, ...]]
    backings: Mapping[str, tuple[Backing, ...]]
    bibliography: Mapping[str, Source]
    revised: Mapping[str, int]
    paper: Paper | None = None
    items: tuple[Item, ...] = ()
    report: Report | None = None


def form_id(cards: Sequence[Card], seed: int, revision: str) -> str:
    """Eight characters that a paper and its key share: the same cards of the same bank, drawn alike."""
    digest = hashlib.sha256("\n".join([revision, str(seed), *(card.id for card in cards)]).encode())
    return digest.hexdigest()[:8].upper()
