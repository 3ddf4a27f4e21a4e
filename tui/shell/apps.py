"""`study`, `test` and `interview`: straight into the app's review, self-test or interview."""

from __future__ import annotations

from pathlib import Path

from engine.errors import InputError
from engine.text import Language, Text
from tui.shell.lines import goes_by_lines, interview_by_lines, study_by_lines, test_by_lines
from tui.shell.start import open_app, with_own


def study(
    topics: tuple[str, ...],
    level: str | None,
    verdict: str | None,
    limit: int | None,
    cram: bool,
    card_set: str | None,
    plain: bool,
    decks: tuple[Path, ...],
    lang: Language,
) -> int:
    """Open the app in review, over the cards that match; or review them line by line.

    Raises:
        InputError: no such set; said here, before a screen is taken.
    """
    if card_set is not None:
        from quizbank.bank import load_bank
        from quizbank.home import Home

        load_bank(Home.from_environment(), decks).card_set(card_set)
    options = {
        "topics": topics, "level": level, "verdict": verdict, "limit": limit, "cram": cram, "set": card_set,
    }  # fmt: skip
    if goes_by_lines(plain):
        return study_by_lines(options, decks, lang)
    return open_app("study", lang, decks, options)


def self_test(
    topics: tuple[str, ...],
    kinds: tuple[str, ...],
    levels: tuple[str, ...],
    count: int | None,
    minutes: int | None,
    seed: int | None,
    weak: bool,
    resume: bool,
    plain: bool,
    decks: tuple[Path, ...],
    lang: Language,
) -> int:
    """Open the app in a self-test drawn as asked, or in the one left unfinished; or sit it line by line.

    Raises:
        InputError: what was asked for cannot be drawn or resumed; said here, before a screen is taken.
    """
    wishes = {
        "topics": topics, "kinds": kinds, "levels": levels, "count": count, "minutes": minutes, "seed": seed,
        "weak": weak,
    }  # fmt: skip
    wished = any(value not in (None, (), False) for value in wishes.values())
    if resume:
        if wished:
            raise InputError(
                Text(
                    "goes on with a paper as it was drawn: leave the other choices out",
                    "继续的是已经组好的试卷：请去掉其他选项",
                ),
                "--resume",
            )
        _check_resumable()
    elif wished:
        from quizbank.bank import load_bank
        from quizbank.home import Home
        from quizbank.papers.draw import USUAL_COUNT, draw

        home = Home.from_environment()
        bank = load_bank(home, with_own(home, decks))
        draw(bank.cards, topics, kinds, levels, USUAL_COUNT if count is None else count, minutes, seed)
    options = {**wishes, "resume": resume}
    if goes_by_lines(plain):
        return test_by_lines(options, decks, lang)
    return open_app("test", lang, decks, options)


def _check_resumable() -> None:
    from quizbank.home import Home
    from quizbank.papers.results import NOTHING_TO_RESUME, Results
    from quizbank.papers.store import FILE_NAME

    folder = Home.from_environment().data
    if (folder / FILE_NAME).exists():
        with Results(folder) as results:
            if any(report.status == "open" for report in results.history()):
                return
    raise InputError(NOTHING_TO_RESUME)


def interview(
    topics: tuple[str, ...],
    card: str | None,
    seed: int | None,
    plain: bool,
    decks: tuple[Path, ...],
    lang: Language,
) -> int:
    """Open the app in an interview from this card, else from a core card of these topics; or hold it line by line.

    Raises:
        InputError: no such card; said here, before a screen is taken.
    """
    if card is not None:
        from quizbank.bank import load_bank
        from quizbank.home import Home

        home = Home.from_environment()
        load_bank(home, with_own(home, decks)).card(card)
    options = {"topics": topics, "card": card, "seed": seed}
    if goes_by_lines(plain):
        return interview_by_lines(options, decks, lang)
    return open_app("interview", lang, decks, options)
