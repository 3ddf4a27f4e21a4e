"""Every screen of the app for the benchmarks: how it is opened, and keys that draw something there.

:func:`lived_in` is the data of somebody who has studied for weeks, has a date, and has sat two self-tests: on an empty
home the plan, the statistics and the results have nothing to move in.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

from textual.screen import Screen

from engine.demos import load
from quizbank.card import Card
from quizbank.home import Home
from quizbank.learning.day import local_day, now_ms
from quizbank.learning.log import ReviewLog
from quizbank.learning.memory import Rating
from quizbank.settings import write_setting
from tui.app import ProofdeckApp
from tui.workspace import Workspace

DAY_MS = 86_400_000
STUDIED, TIMES = 60, 4
RATINGS = (Rating.GOOD, Rating.AGAIN, Rating.EASY, Rating.GOOD, Rating.HARD)


class Place(NamedTuple):
    """``opening`` keys lead there from the first screen, or from the one that ``screen`` makes; ``keys`` are pressed there,
    in turn."""

    opening: tuple[str, ...]
    keys: tuple[str, ...]
    screen: Callable[[ProofdeckApp], Screen[Any]] | None = None


def _sitting(kind: str) -> Callable[[ProofdeckApp], Screen[Any]]:
    """A paper of one kind and seed: what a key draws must not hang on the paper that came by chance."""

    def make(app: ProofdeckApp) -> Screen[Any]:
        from tui.screens.sitting import SittingScreen

        return SittingScreen({"kinds": (kind,), "count": 10, "seed": 1})

    return make


def _first_card(app: ProofdeckApp) -> Card:
    return next(card for card in app.workspace.bank.cards if card.drills)


def _drill(app: ProofdeckApp) -> Screen[Any]:
    from tui.screens.drill import DrillScreen, can_be_asked

    card = next(card for card in app.workspace.bank.cards if can_be_asked(card))
    choice = next(n for n, drill in enumerate(can_be_asked(card)))
    return DrillScreen(card, choice, 1, lambda _: None, {})


def _note(app: ProofdeckApp) -> Screen[Any]:
    from tui.screens.writing import NoteScreen

    return NoteScreen(_first_card(app), "", lambda: None)


def _interview(app: ProofdeckApp) -> Screen[Any]:
    from tui.screens.interview import InterviewScreen

    return InterviewScreen({"card": _first_card(app).id})


TYPED = ("1", "backspace")

PLACES: dict[str, Place] = {
    "home": Place((), ("down", "up")),
    "study": Place(("s",), ("space", "down", "up")),
    "card": Place(("b", "enter"), ("down", "up", "tab")),
    "derivation": Place(("l", "enter", "enter", "d"), ("space", "down", "up")),
    "lab list": Place(("l",), ("down", "pagedown", "up")),
    "lab": Place(("l", "enter", "enter"), ("right", "left", "down", "up")),
    "browse": Place(("b",), ("down", "pagedown", "up")),
    "find": Place(("b", "slash"), ("s", "backspace")),
    "self-test": Place(("t",), ("down", "up")),
    "choice": Place((), ("down", "up"), _sitting("choice")),
    "number": Place((), TYPED, _sitting("number")),
    "expression": Place((), TYPED, _sitting("expression")),
    "written steps": Place((), TYPED, _sitting("derivation")),
    "program": Place((), TYPED, _sitting("code")),
    "recall": Place((), TYPED, _sitting("recall")),
    "results": Place(("t", "p"), ("down", "up")),
    "result": Place(("t", "p", "enter"), ("down", "up")),
    "drill": Place((), ("down", "up"), _drill),
    "interviews": Place(("i",), ("down", "up")),
    "interview": Place(("enter", "enter"), ("down", "up"), _interview),
    "workbench": Place(("w",), ("down", "up")),
    "bench": Place(("w", "enter"), TYPED),
    "plan": Place(("p",), ("down", "up", "equals_sign", "minus")),
    "date": Place(("p", "d"), TYPED),
    "statistics": Place(("a",), ("right", "left")),
    "guesses": Place(("l", "o"), ("down", "up")),
    "note": Place((), TYPED, _note),
    "sheets": Place(("e",), ("down", "up")),
    "glossary": Place(("y",), ("down", "up")),
    "settings": Place(("comma",), ("down", "up")),
    "help": Place(("question_mark",), ("down", "up")),
    "palette": Place(("f3",), ("s", "backspace")),
}
"""What a screen is called here: how it is reached."""


def lived_in(folder: Path) -> Home:
    """Sixty cards reviewed four times over a month, an interview in ten days, a guess, and two self-tests that were sat."""
    home = Home.in_folder(folder)
    workspace = Workspace(home, ())
    try:
        cards = [card.id for card in workspace.bank.cards]
        _study(folder, cards[:STUDIED])
        write_setting(folder, "interview_date", (local_day(now_ms()) + timedelta(days=10)).isoformat())
        workspace.keep_guess(load("D19").run(), 12.0)
        for seed in (1, 2):
            _sit(workspace, seed)
    finally:
        workspace.close()
    return home


def _sit(workspace: Workspace, seed: int) -> None:
    paper = workspace.paper({"kinds": ("choice",), "count": 10, "seed": seed})
    sitting = workspace.results.begin(paper, workspace.grader)
    for place, question in enumerate(paper.questions):
        sitting.go_to(place)
        sitting.answer(workspace.asked(question.variant).options[0][0])
    sitting.hand_in()


def _study(folder: Path, cards: list[str]) -> None:
    now = now_ms()
    with ReviewLog(folder) as log:
        for time in range(TIMES):
            for place, card in enumerate(cards):
                rating = RATINGS[(time + place) % len(RATINGS)]
                log.grade(card, rating, now - (28 - 9 * time) * DAY_MS + place * 60_000, 9_000, 1_500)
