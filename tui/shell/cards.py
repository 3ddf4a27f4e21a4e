"""`list` and `show`."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from engine.text import Language
from quizbank import labels
from quizbank.card import Card
from quizbank.search import Wanted
from tui.shell.deck import open_deck
from tui.shell.emit import emit

WIDEST = 100
"""Cells beyond which a text is no longer comfortable to read."""


def list_cards(
    topics: tuple[str, ...],
    level: str | None,
    verdict: str | None,
    demo: str | None,
    search: str | None,
    card_set: str | None,
    as_json: bool,
    decks: tuple[Path, ...],
    lang: Language,
) -> int:
    """The cards that match, one a line or as JSON."""
    deck = open_deck(decks, lang)
    if demo is not None:
        from engine.demos import find

        demo = find(demo).id
    chosen = deck.bank.card_set(card_set).cards if card_set is not None else ()
    cards = deck.bank.index.select(
        Wanted(topics, level or "", verdict or "", demo or "", search or "", chosen)
    )
    if as_json:
        from quizbank.card_json import listed_json

        emit([listed_json(card) for card in cards])
        return 0
    _print_table(cards, lang, by_topic=card_set is None)
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


def width() -> int:
    """Cells a line may take: the terminal's, within what reads well."""
    return min(shutil.get_terminal_size((80, 24)).columns, WIDEST)


def _print_table(cards: list[Card], language: Language, by_topic: bool = True) -> None:
    from engine.notation.prose import clean
    from engine.notation.wide import width as cells_of
    from quizbank.plain import prose_rows

    widest = max((cells_of(card.id) for card in cards), default=0)
    topic = None
    for card in cards:
        if by_topic and card.topic != topic:
            topic = card.topic
            print(f"{labels.TOPIC[topic].of(language)} ({topic})")
        level, verdict = labels.LEVEL[card.level], labels.VERDICT_WORD[card.verdict]
        facts = " · ".join(
            (level.of(language), verdict.of(language), " ".join(demo.id for demo in card.demos))
        )
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
