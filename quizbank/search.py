"""Finding cards by what they are about and by words, in either language, as one types.

Every word of the query must occur; Latin words match from the start of a word in any case (``lstm``
finds LSTM, ``soft`` finds softmax, in formulas too), Chinese words anywhere. Each card keeps its
distinct Latin words and its Chinese text apart, which are short enough to be scanned at every key
press: two-character words need no index that knows where Chinese words end.

Words that name something in the glossary also find the cards that use another of its names: 教师强制
finds what English calls teacher forcing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from quizbank import labels
from quizbank.card import Card

_LATIN = re.compile(r"[a-z0-9]+")
_HAN = re.compile(r"[\u3400-\u9fff]+")


@dataclass(frozen=True)
class Wanted:
    """What cards are asked for; an empty field asks for nothing."""

    topics: tuple[str, ...] = ()
    level: str = ""
    verdict: str = ""
    demo: str = ""
    text: str = ""
    cards: tuple[str, ...] = ()
    """Only these, by id, and in this order unless words are asked for too."""
    among: frozenset[str] | None = None
    """Only these, by id, in whatever order; None for all."""

    def admits(self, card: Card) -> bool:
        """Whether a card is of the topics, level, verdict, demonstration and ids asked for, whatever its words."""
        return (
            (not self.cards or card.id in self.cards)
            and (self.among is None or card.id in self.among)
            and (not self.topics or card.topic in self.topics)
            and self.level in ("", card.level)
            and self.verdict in ("", card.verdict)
            and (not self.demo or any(demo.id == self.demo for demo in card.demos))
        )


class _Entry:
    """A card with its texts folded for searching, each when it is first needed."""

    def __init__(self, card: Card) -> None:
        self.card = card
        self._named: dict[str, bool] = {}

    @cached_property
    def head(self) -> str:
        """Id, question and topic."""
        card = self.card
        return folded(" ".join([card.id, *card.question, card.topic, *labels.TOPIC[card.topic]]))

    @cached_property
    def body(self) -> str:
        """Everything else that is read, and what the card refers to."""
        return folded(" ".join(_body(self.card)))

    @cached_property
    def words(self) -> str:
        """Every Latin word and number once, each between spaces."""
        found = {*_LATIN.findall(self.head), *_LATIN.findall(self.body)}
        return f" {' '.join(found)} "

    @cached_property
    def han(self) -> str:
        return " ".join((*_HAN.findall(self.head), *_HAN.findall(self.body)))

    def holds(self, word: str) -> bool:
        if word.isascii() and word.isalnum():
            return f" {word}" in self.words
        if _HAN.fullmatch(word):
            return word in self.han
        # words and signs in a row, such as d_k or multi-head: its words alone are looked up faster
        if _LATIN.match(word) and any(f" {part}" not in self.words for part in _LATIN.findall(word)):
            return False
        return _occurs(word, self.head) or _occurs(word, self.body)

    def names(self, name: str) -> bool:
        """Whether a name occurs, its Latin words whole: an abbreviation is not the start of another word."""
        if name.isascii() and name.isalnum():
            return f" {name} " in self.words
        # names come from the glossary, so there are not many, and each is looked up at every key press
        if name not in self._named:
            self._named[name] = self.holds(name)
        return self._named[name]


class _Wish(NamedTuple):
    """Words that stand together in the query, and other names of what they name; a card must hold either."""

    words: tuple[str, ...]
    others: tuple[str, ...]

    def is_met(self, entry: _Entry) -> bool:
        return all(map(entry.holds, self.words)) or any(map(entry.names, self.others))

    def occurs(self, text: str) -> bool:
        return all(_occurs(word, text) for word in self.words) or any(
            _occurs(other, text, whole=True) for other in self.others
        )


class SearchIndex:
    """The cards of a bank with their folded texts, ready to be searched at every key press.

    ``synonyms`` give for a folded name the other names of the same thing
    (:meth:`quizbank.glossary.Glossary.synonyms`).
    """

    def __init__(self, cards: Iterable[Card], synonyms: Mapping[str, Sequence[str]] | None = None) -> None:
        self._entries = [_Entry(card) for card in cards]
        self._synonyms = synonyms or {}
        self._longest = max((name.count(" ") + 1 for name in self._synonyms), default=1)

    def found(self, query: str) -> list[Card]:
        """The cards that hold every word of the query: those with all in id or question first."""
        return self.select(Wanted(text=query))

    def select(self, wanted: Wanted) -> list[Card]:
        """The cards asked for: those with all words in id or question first, else in the order of the bank or,
        where ids are asked for, in theirs."""
        wishes = self._wishes(folded(wanted.text).split())
        entries = [
            entry
            for entry in self._entries
            if wanted.admits(entry.card) and all(wish.is_met(entry) for wish in wishes)
        ]
        if wishes:
            entries.sort(key=lambda entry: not all(wish.occurs(entry.head) for wish in wishes))
        elif wanted.cards:
            entries.sort(key=lambda entry: wanted.cards.index(entry.card.id))
        return [entry.card for entry in entries]

    def _wishes(self, words: list[str]) -> list[_Wish]:
        """The query in stretches, each the longest that names something, else a single word."""
        wishes: list[_Wish] = []
        while words:
            for length in range(min(self._longest, len(words)), 0, -1):
                others = self._synonyms.get(" ".join(words[:length]), ())
                if others or length == 1:
                    wishes.append(_Wish(tuple(words[:length]), tuple(others)))
                    words = words[length:]
                    break
        return wishes

    def ready(self) -> SearchIndex:
        """The same, with everything prepared that the first search would otherwise wait for."""
        for entry in self._entries:
            _ = entry.words, entry.han
        return self


def folded(text: str) -> str:
    """Case, full-width forms and compatibility characters folded away."""
    return unicodedata.normalize("NFKC", text).casefold()


def _occurs(word: str, text: str, whole: bool = False) -> bool:
    """Whether a Latin word begins a word of the text, or is one where ``whole``; any other anywhere."""
    if not word.isascii() or not word[0].isalnum():
        return word in text
    end = "(?![a-z0-9])" if whole else ""
    return word in text and re.search(rf"(?<![a-z0-9]){re.escape(word)}{end}", text) is not None


def _body(card: Card) -> Iterator[str]:
    yield from (*card.spoken, *card.answer, *card.trap.popular, *card.trap.correction, *card.claims)
    yield from card.tags
    yield from (demo.id for demo in card.demos)
    yield from (source.key for source in card.sources)
    for text in (
        *(point.text for point in card.key_points),
        *(follow_up.question for follow_up in card.follow_ups),
        *(follow_up.answer for follow_up in card.follow_ups),
        *(drill.question for drill in card.drills),
    ):
        yield from text
