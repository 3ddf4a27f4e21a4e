"""`stats`: what the log of reviews and the self-tests say, as pictures or as one JSON document."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from engine.text import Language, Text
from tui.shell.emit import emit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quizbank.calibration.summary import Calibration
    from quizbank.card import Card
    from quizbank.home import Home
    from quizbank.papers.results import Report
    from quizbank.statistics.views import View

PLOT_ROWS = 16
_OFFER = Text(
    "There are enough reviews to fit the scheduler to your memory: `proofdeck fit` shows what it would gain.",
    "复习记录已足够拟合排期参数：`proofdeck fit` 会给出拟合前后的对比。",
)


def stats(
    days: int | None,
    topics: tuple[str, ...],
    plain: bool,
    as_json: bool,
    decks: tuple[Path, ...],
    lang: Language,
) -> int:
    """Print every view, or the document; made files of none that is not there yet, but for an empty log."""
    from quizbank.fitting.fit import FIT_NEEDS
    from quizbank.learning.opening import open_log
    from quizbank.settings import check_settings
    from quizbank.statistics.summary import statistics
    from tui.shell.deck import open_deck

    deck = open_deck(decks, lang)
    preferences = check_settings(deck.home.config)
    cards = deck.bank.cards
    reports, calibration = _sat_and_guessed(deck.home, cards, lang)
    with open_log(deck.home, preferences) as log:
        for notice in log.notices:
            print(notice.of(lang), file=sys.stderr)
        found = statistics(log, cards, reports, calibration, topics=topics, days=days, cache=deck.home.cache)
    if as_json:
        from quizbank.statistics.document import document

        emit(document(found, FIT_NEEDS))
        return 0
    from quizbank.statistics.views import views

    rows = [row for view in views(found) for row in _rows(view, lang, plain or preferences.plain)]
    if found.later >= FIT_NEEDS:
        rows += _prose(_OFFER, lang)
    print("\n".join(rows).rstrip())
    return 0


def _sat_and_guessed(
    home: Home, cards: Sequence[Card], lang: Language
) -> tuple[tuple[Report, ...], Calibration]:
    """The self-tests sat and the guesses made; to look at them makes no file."""
    from quizbank.calibration import store as guesses
    from quizbank.calibration.guess import paper_guesses
    from quizbank.calibration.summary import calibration
    from quizbank.papers import store as papers
    from quizbank.papers.results import Results

    reports: tuple[Report, ...] = ()
    made = []
    if (home.data / papers.FILE_NAME).exists():
        with Results(home.data) as results:
            reports = results.history()
            _tell(results.notices, lang)
    if (home.data / guesses.FILE_NAME).exists():
        with guesses.Predictions(home.data) as predictions:
            made = list(predictions.all())
            _tell(predictions.notices, lang)
    by_id = {card.id: card for card in cards}
    return reports, calibration((*made, *paper_guesses(reports, by_id)), by_id)


def _tell(notices: tuple[Text, ...], lang: Language) -> None:
    for notice in notices:
        print(notice.of(lang), file=sys.stderr)


def _rows(view: View, lang: Language, plain: bool) -> Iterator[str]:
    from tui.drawing import figure_rows, plain_text
    from tui.shell.cards import width

    yield f"== {view.name.of(lang)} =="
    if view.figure is not None:
        if not plain:
            drawn = figure_rows(view.figure, width(), PLOT_ROWS, lang, "none")
            yield from plain_text(drawn).rstrip("\n").splitlines()
        yield from _prose(view.figure.see, lang)
    for said in view.said:
        yield from _prose(said, lang)
    yield ""


def _prose(text: Text, lang: Language) -> list[str]:
    from quizbank.plain import prose_rows
    from tui.shell.cards import width

    return prose_rows(text.of(lang), width())
