"""`list` and `show`."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import InputError
from engine.text import Language, Text
from quizbank import labels
from quizbank.card import Card
from quizbank.search import Wanted
from tui.shell.deck import Deck, open_deck
from tui.shell.emit import emit

if TYPE_CHECKING:
    from quizbank.own_cards import Vanished

_REVIEWED = Text("{n} {n:review|reviews}, last {day}", "复习 {n} 次，最近 {day}")
_UNREVIEWED = Text("marked, never reviewed", "有标记，未复习过")
_WAS_IN = Text("was in {deck}", "原在 {deck}")
_NOW = Text("asked as {id} now; its history stays with the old id", "现编号为 {id}；学习记录仍归旧编号")
_GONE = Text(
    "{n} {n:card with a history is|cards with a history are} in no deck that is loaded; the history is kept",
    "{n} 张有学习记录的卡片不在已载入的题库中；记录仍然保留",
)
WIDEST = 100
"""Cells beyond which a text is no longer comfortable to read."""


def list_cards(
    topics: tuple[str, ...],
    level: str | None,
    verdict: str | None,
    demo: str | None,
    search: str | None,
    vanished: bool,
    marked: str | None,
    card_set: str | None,
    as_json: bool,
    decks: tuple[Path, ...],
    lang: Language,
) -> int:
    """The cards that match, one a line or as JSON."""
    deck = open_deck(decks, lang)
    if vanished:
        return _list_vanished(deck, as_json, lang)
    if demo is not None:
        from engine.demos import find

        demo = find(demo).id
    chosen = deck.bank.card_set(card_set).cards if card_set is not None else ()
    marks: Mapping[str, tuple[str, ...]] | None = None
    if marked is not None or as_json:
        from tui.shell.marks import marks_by_card

        try:
            marks = marks_by_card(deck, lang)
        except InputError as error:
            # the cards can be listed without; which are marked cannot be said
            if marked is not None:
                raise
            print(error.line(lang), file=sys.stderr)
    among = None
    if marked is not None and marks is not None:
        among = frozenset(card for card, words in marks.items() if marked in words)
    cards = deck.bank.index.select(
        Wanted(topics, level or "", verdict or "", demo or "", search or "", chosen, among)
    )
    if as_json:
        from quizbank.card_json import listed_json

        emit(
            [
                {**listed_json(card), "marks": None if marks is None else list(marks.get(card.id, ()))}
                for card in cards
            ]
        )
        return 0
    # what is found by words stands in the order of how well it meets them: a topic would come up again and again
    _print_table(cards, lang, by_topic=card_set is None and not search)
    return 0


def _list_vanished(deck: Deck, as_json: bool, language: Language) -> int:
    """The cards with a history that no loaded deck holds."""
    from engine.notation.prose import clean
    from quizbank.learning.log import FILE_NAME
    from quizbank.learning.opening import open_log
    from quizbank.own_cards import vanished

    gone: tuple[Vanished, ...] = ()
    if (deck.home.data / FILE_NAME).exists():
        with open_log(deck.home) as log:
            gone = vanished(deck.home, deck.bank, log)
    if as_json:
        emit(
            [
                {
                    "id": card.id,
                    "question": card.known and {"en": card.known.question.en, "zh": card.known.question.zh},
                    "deck": card.known and card.known.deck,
                    "now": card.now or None,
                    "reviews": card.reviews,
                    "last": card.last or None,
                    "note": card.note or None,
                }
                for card in gone
            ]
        )
        return 0
    for card in gone:
        reviewed = _REVIEWED.filled(n=card.reviews, day=card.last) if card.last else _UNREVIEWED
        parts = [clean(card.id), reviewed.of(language)]
        if card.known is not None:
            parts += [card.known.question.of(language), _WAS_IN.filled(deck=card.known.deck).of(language)]
        if card.now:
            parts.append(_NOW.filled(id=card.now).of(language))
        if card.note:
            parts.append(card.note)
        print(clean(" · ".join(" ".join(part.split()) for part in parts)))
    print(_GONE.filled(n=len(gone)).of(language), file=sys.stderr)
    return 0


def show_card(card: str, as_json: bool, decks: tuple[Path, ...], lang: Language) -> int:
    """One card, whole."""
    deck = open_deck(decks, lang)
    shown = deck.bank.card(card)
    if as_json:
        from quizbank.card_json import card_json

        emit(card_json(shown, deck.bank, deck.quantities))
        return 0
    from quizbank.plain import card_text

    sys.stdout.write(card_text(shown, deck.bank, deck.quantities, lang, width()))
    return 0


def _topic(topic: str, language: Language) -> str:
    return f"{labels.TOPIC[topic].of(language)} ({topic})"


def width() -> int:
    """Cells a line may take: the terminal's, within what reads well."""
    return min(shutil.get_terminal_size((80, 24)).columns, WIDEST)


def _print_table(cards: list[Card], language: Language, by_topic: bool = True) -> None:
    """Under the headings of their topics, else with the topic at each card."""
    from engine.notation.prose import clean
    from engine.notation.wide import width as cells_of
    from quizbank.plain import prose_rows

    widest = max((cells_of(card.id) for card in cards), default=0)
    topic = None
    for card in cards:
        if by_topic and card.topic != topic:
            topic = card.topic
            print(_topic(topic, language))
        level, verdict = labels.LEVEL[card.level], labels.VERDICT_WORD[card.verdict]
        told = [level.of(language), verdict.of(language), " ".join(demo.id for demo in card.demos)]
        facts = " · ".join(told if by_topic else [_topic(card.topic, language), *told])
        question = prose_rows(card.question.of(language), max(40, width() - 6))
        print(f"  {clean(card.id)}{' ' * (widest - cells_of(card.id))}  {facts}")
        for row in question:
            print(f"      {row}")
    print(
        {"en": f"{len(cards)} card{'' if len(cards) == 1 else 's'}", "zh": f"共 {len(cards)} 张卡片"}[
            language
        ],
        file=sys.stderr,
    )
