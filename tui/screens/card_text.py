"""A card's texts as entries of a page, the same in review and in the card view."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.notation.prose import clean
from engine.text import Language, Text, same
from quizbank import labels
from tui.widgets.menu import Item

if TYPE_CHECKING:
    from quizbank.card import Card


def spoken_items(card: Card, language: Language) -> list[Item]:
    """The answer as one says it in thirty seconds; a plain card has none."""
    if card.is_plain:
        return []
    return [
        Item("spoken", labels.SPOKEN.of(language), role="heading"),
        Item("spoken text", card.spoken.of(language), role="text"),
    ]


def answer_items(card: Card, language: Language) -> list[Item]:
    """The full answer, the trap with what refutes it, the key points, and how far the popular answer holds."""

    def of(text: Text) -> str:
        return text.of(language)

    if card.is_plain:
        believed = [] if card.demos else [Item("believed", of(labels.NO_DEMONSTRATION), role="quiet")]
        tags = _labelled(labels.TAGS, same(clean(" ".join(card.tags))), language)
        return [
            Item("answer", of(labels.ANSWER), role="heading"),
            Item("answer text", of(card.answer), role="text"),
            *believed,
            *([Item("tags", tags, role="quiet")] if card.tags else []),
        ]
    trap = card.trap
    return [
        Item("answer", of(labels.ANSWER), role="heading"),
        Item("answer text", of(card.answer), role="text"),
        Item("trap", f"{of(labels.TRAP)} ({of(labels.VERDICT[card.verdict])})" if language == "en"
             else f"{of(labels.TRAP)}（{of(labels.VERDICT[card.verdict])}）", role="heading"),
        Item("popular", _labelled(labels.POPULAR, trap.popular, language), role="text"),
        Item("correction", _labelled(labels.CORRECTION, trap.correction, language), role="text"),
        Item("refuted", _labelled(labels.REFUTED_BY, labels.refuted_by(trap.refuted_by), language), role="quiet"),
        Item("points", of(labels.KEY_POINTS), role="heading"),
        Item("points text", "\n".join(f"- {of(point.text)}" for point in card.key_points), role="text"),
    ]  # fmt: skip


def _labelled(label: Text, text: Text, language: Language) -> str:
    colon = "：" if language == "zh" else ": "
    return f"{label.of(language)}{colon}{text.of(language)}"
