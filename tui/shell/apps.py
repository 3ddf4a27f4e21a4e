"""`study`, `test` and `interview`: straight into the app's review, self-test or interview."""

from __future__ import annotations

from pathlib import Path

from engine.text import Language
from tui.shell.start import open_app


def study(
    topics: tuple[str, ...],
    level: str | None,
    verdict: str | None,
    limit: int | None,
    cram: bool,
    decks: tuple[Path, ...],
    lang: Language,
) -> int:
    """Open the app in review, over the cards that match."""
    options = {"topics": topics, "level": level, "verdict": verdict, "limit": limit, "cram": cram}
    return open_app("study", lang, decks, options)


def self_test(
    topics: tuple[str, ...],
    kinds: tuple[str, ...],
    count: int | None,
    minutes: float | None,
    seed: int | None,
    resume: bool,
    decks: tuple[Path, ...],
    lang: Language,
) -> int:
    """Open the app in a self-test drawn as asked, or in the one left unfinished."""
    options = {
        "topics": topics, "kinds": kinds, "count": count, "minutes": minutes, "seed": seed, "resume": resume,
    }  # fmt: skip
    return open_app("test", lang, decks, options)


def interview(
    topics: tuple[str, ...], card: str | None, seed: int | None, decks: tuple[Path, ...], lang: Language
) -> int:
    """Open the app in an interview from this card, else from a core card of these topics.

    Raises:
        InputError: no such card; said here, before a screen is taken.
    """
    if card is not None:
        from quizbank.bank import load_bank
        from quizbank.home import Home

        load_bank(Home.from_environment(), decks).card(card)
    return open_app("interview", lang, decks, {"topics": topics, "card": card, "seed": seed})
