"""`mark` and `reports`: what a person says of a card, and what its author is told."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import InputError
from engine.text import Language, Text
from quizbank import labels
from tui.shell.deck import Deck, open_deck
from tui.shell.emit import emit

if TYPE_CHECKING:
    from quizbank.learning.log import ReviewLog
    from quizbank.learning.marks import Report

_BOTH = Text("{one} and {other} exclude each other", "{one} 与 {other} 不能同时使用")
_COMMA = Text(", ", "、")
_UNMARKED = Text("no mark", "没有标记")
_CHANGED = Text("the card has changed since", "卡片此后有改动")
_UNCHANGED = Text("the card is still the same", "卡片没有改动")
_GONE = Text("the card is in no deck that is loaded", "卡片不在已载入的题库中")
_REPORTS = Text(
    "reports: {n}; bank {bank}; `proofdeck log undo ID` takes one back",
    "共 {n} 条；题库版本 {bank}；用 `proofdeck log undo ID` 撤回其中一条",
)
_SHOWN_DIGITS = 8
"""Of a digest, as on sheets."""


def mark(
    card: str,
    bookmark: bool | None,
    suspend: bool,
    resume: bool,
    bury: bool,
    note: str | None,
    report: str | None,
    as_json: bool,
    decks: tuple[Path, ...],
    lang: Language,
) -> int:
    """Do to a card what is asked for, in the order of the options; then say which marks it bears."""
    from quizbank.learning.log import FILE_NAME
    from quizbank.learning.marked import words_and_marks
    from quizbank.learning.marks import NONE, edition, kept_text

    if resume and (suspend or bury):
        raise InputError(_BOTH.filled(one="--resume", other="--suspend" if suspend else "--bury"))
    deck = open_deck(decks, lang)
    chosen = deck.bank.card(card)
    # refused before anything is stored
    for kind, text in (("note", note), ("report", report)):
        if text is not None:
            kept_text(kind, text)
    words, marks = (), NONE
    looks_only = bookmark is note is report is None and not (suspend or resume or bury)
    if not looks_only or (deck.home.data / FILE_NAME).exists():
        with _log(deck, lang) as (log, threshold):
            if bookmark is not None:
                log.mark("bookmark" if bookmark else "unbookmark", card)
            for wanted, put_off in ((suspend, log.suspend), (resume, log.resume), (bury, log.bury)):
                if wanted:
                    put_off([card])
            if note is not None:
                log.mark("note", card, note)
            if report is not None:
                log.mark("report", card, report, edition(chosen))
            words, marks = words_and_marks(log, card, threshold)
    if as_json:
        said = [_report_json(deck, card, one) for one in marks.reports]
        emit({"id": card, "marks": list(words), "note": marks.note or None, "reports": said})
        return 0
    listed = _COMMA.of(lang).join(labels.MARK[word].of(lang) for word in words)
    print(f"{card}: {listed or _UNMARKED.of(lang)}")
    _print_text(marks.note)
    return 0


def reports(as_json: bool, decks: tuple[Path, ...], lang: Language) -> int:
    """Everything reported as wrong with a card, the earliest first, for whoever writes the cards."""
    deck = open_deck(decks, lang)
    found = _reports(deck, lang)
    if as_json:
        from importlib.metadata import version

        emit(
            {
                "bank": deck.bank.fingerprint,
                "version": version("proofdeck"),
                "reports": [_report_json(deck, card, report) for card, report in found],
            }
        )
        return 0
    from engine.notation.prose import clean

    for card, report in found:
        place = deck.bank.card(card).place if card in deck.bank else ""
        state = _state(deck, card, report)
        words = _GONE if state is None else _CHANGED if state else _UNCHANGED
        facts = (
            place,
            clean(card),
            report.day.isoformat(),
            report.edition[:_SHOWN_DIGITS],
            words.of(lang),
            report.id,
        )
        print(" · ".join(fact for fact in facts if fact))
        _print_text(report.text)
    print(_REPORTS.filled(n=len(found), bank=deck.bank.fingerprint[:_SHOWN_DIGITS]).of(lang), file=sys.stderr)
    return 0


@contextmanager
def _log(deck: Deck, lang: Language) -> Iterator[tuple[ReviewLog, int]]:
    """The log, and how many lapses make a leech; what became of the log's file is told at the end."""
    from quizbank.learning.opening import open_log
    from quizbank.settings import read_settings

    preferences, _ = read_settings(deck.home.config)
    with open_log(deck.home, preferences) as log:
        try:
            yield log, preferences.leech_lapses
        finally:
            for notice in log.notices:
                print(notice.of(lang), file=sys.stderr)


def marks_by_card(deck: Deck, lang: Language) -> Mapping[str, tuple[str, ...]]:
    """The words that hold of each card; none where there is no log, and none is made.

    Raises:
        InputError: the log cannot be read.
    """
    from quizbank.learning.log import FILE_NAME
    from quizbank.learning.marked import marked

    if not (deck.home.data / FILE_NAME).exists():
        return {}
    with _log(deck, lang) as (log, threshold):
        return marked(log, threshold)


def _reports(deck: Deck, lang: Language) -> list[tuple[str, Report]]:
    from quizbank.learning.log import FILE_NAME
    from quizbank.learning.marks import all_marks

    if not (deck.home.data / FILE_NAME).exists():
        return []
    with _log(deck, lang) as (log, _):
        marks = all_marks(log)
    found = [(card, report) for card, of_card in marks.items() for report in of_card.reports]
    return sorted(found, key=lambda pair: (pair[1].at_ms, pair[1].id))


def _state(deck: Deck, card: str, report: Report) -> bool | None:
    """Whether the card says something else by now; None where it is in no deck."""
    from quizbank.learning.marks import edition

    return edition(deck.bank.card(card)) != report.edition if card in deck.bank else None


def _report_json(deck: Deck, card: str, report: Report) -> dict[str, Any]:
    return {
        "id": report.id,
        "card": card,
        "place": deck.bank.card(card).place if card in deck.bank else None,
        "at": datetime.fromtimestamp(report.at_ms / 1000, UTC).isoformat(timespec="milliseconds"),
        "text": report.text,
        "edition": report.edition,
        "changed": _state(deck, card, report),
    }


def _print_text(text: str) -> None:
    """What a person wrote, indented, as it stands; from another machine's log it may be anything."""
    from engine.notation.prose import clean
    from engine.notation.wrap import wrap
    from tui.shell.cards import width

    for line in clean(text).splitlines():
        for row in wrap(line.expandtabs(4), width() - 4):
            print(f"    {row}")
