"""Finding cards by words, in either language, as one types.

Every word of the query must occur; Latin words match from the start of a word in any case (``lstm``
finds LSTM, ``soft`` finds softmax, in formulas too), Chinese words anywhere. Scanning a few hundred
cards in memory takes less than a millisecond, so there is no index to keep.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from quizbank import labels
from quizbank.card import Card


class SearchIndex:
    """The cards of a bank with their folded texts, ready to be searched at every key press."""

    def __init__(self, cards: Iterable[Card]) -> None:
        self._entries = [(card, *_texts(card)) for card in cards]

    def found(self, query: str) -> list[Card]:
        """The cards that hold every word of the query: those with all in id or question first."""
        words = folded(query).split()
        ranked = [
            (not all(_occurs(word, head) for word in words), position, card)
            for position, (card, head, body) in enumerate(self._entries)
            if all(_occurs(word, head) or _occurs(word, body) for word in words)
        ]
        return [card for _, _, card in sorted(ranked, key=lambda entry: entry[:2])]


def folded(text: str) -> str:
    """Case, full-width forms and compatibility characters folded away."""
    return unicodedata.normalize("NFKC", text).casefold()


def _occurs(word: str, text: str) -> bool:
    if not word.isascii() or not word[0].isalnum():
        return word in text
    return re.search(rf"(?<![a-z0-9]){re.escape(word)}", text) is not None


def _texts(card: Card) -> tuple[str, str]:
    """(id, question and topic; everything else that is read) of a card, folded."""
    head = [card.id, *card.question, card.topic, *labels.TOPIC[card.topic]]
    body = [*card.spoken, *card.answer, *card.trap.popular, *card.trap.correction, *card.claims]
    body += [demo.id for demo in card.demos]
    body += [part for point in card.key_points for part in point.text]
    body += [part for follow_up in card.follow_ups for part in (*follow_up.question, *follow_up.answer)]
    return folded(" ".join(head)), folded(" ".join(body))
