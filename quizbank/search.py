"""Finding cards by what they are about and by words, in either language, as one types.

Every word of the query must occur; Latin words match from the start of a word in any case (``lstm``
finds LSTM, ``soft`` finds softmax, in formulas too), Chinese words anywhere: two-character words need
no index that knows where Chinese words end. The folded texts are scanned at every key press, a line a card, a
shelf of cards of one topic at once: one that lacks a word is passed over whole, and one of plain cards is kept
compressed, so that a hundred thousand take less memory than what they say.

Chinese is written without spaces: what no card holds as it was typed is cut into the longest pieces that occur
somewhere, so 注意力缩放 finds what 注意力 缩放 finds.

Words that name something in the glossary also find the cards that use another of its names: 教师强制
finds what English calls teacher forcing.
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from quizbank import labels
from quizbank.card import Card, Outline
from quizbank.card_list import CardList

SHELF = 100
"""Cards whose texts are held as one."""
_HANZI = re.compile(r"[\u3400-\u9fff]")
_RUN = re.compile(r"[\u3400-\u9fff]+|[^\u3400-\u9fff]+")
"""Characters of one script, as they stand together in a query."""
_MARKS = "，。、：；？！（）“”‘’《》,.:;?!()\"'"
_LONGEST_RUN = 24
"""Chinese characters in a row; more are no words that someone looks for."""
LONGEST_QUERY = 400
"""Characters of a query that are read: what is pasted by mistake must not hold up the list that follows every key."""
_WORD = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")


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

    @property
    def admits_all(self) -> bool:
        """Whether nothing is asked for beyond words."""
        return self == Wanted(text=self.text)

    def admits(self, card_id: str, card: Outline) -> bool:
        """Whether a card is of the topics, level, verdict, demonstration and ids asked for, whatever its words."""
        return (
            (not self.cards or card_id in self.cards)
            and (self.among is None or card_id in self.among)
            and (not self.topics or card.topic in self.topics)
            and self.level in ("", card.level)
            and self.verdict in ("", card.verdict)
            and (not self.demo or any(demo.id == self.demo for demo in card.demos))
        )


class _Wish(NamedTuple):
    """Words that stand together in the query, and other names of what they name; a card must hold either.

    A name is looked for as whole words: an abbreviation is not the start of another word.
    """

    words: tuple[str, ...]
    others: tuple[str, ...]

    def occurs(self, text: str, topic: str) -> bool:
        """Whether each of the words, or one of the names, is in one of the two."""
        for word in self.words:
            if not _occurs(word, text) and not _occurs(word, topic):
                break
        else:
            return True
        for other in self.others:
            if _occurs(other, text, whole=True) or _occurs(other, topic, whole=True):
                return True
        return False

    def may_occur(self, text: str, topic: str) -> bool:
        """Whether the letters of it are there at all."""
        return all(word in text or word in topic for word in self.words) or any(
            other in text or other in topic for other in self.others
        )


class _Shelf:
    """Some cards of one topic with their texts folded for searching, when they are first needed."""

    def __init__(self, topic: str, cards: CardList) -> None:
        self.cards = cards
        self._kept: str | bytes | None = None
        # apart from the lines, which a Chinese character in each would make twice as long
        self.topic = folded(" ".join([topic, *labels.TOPIC[topic]]))

    @property
    def text(self) -> str:
        """A line a card: id and question, a tab, everything else that is read and what the card refers to."""
        if self._kept is None:
            text = folded("\n".join(f"{_line(_head(card))}\t{_line(_body(card))}" for card in self.cards))
            # there may be very many plain cards: what they say is kept as small as it is in the bank
            only_plain = all(card.is_plain for _, card in self.cards.outlines())
            self._kept = zlib.compress(text.encode("utf-8", "surrogatepass"), 1) if only_plain else text
            return text
        if isinstance(self._kept, bytes):
            return zlib.decompress(self._kept).decode("utf-8", "surrogatepass")
        return self._kept

    def find(self, wanted: Wanted, wishes: Sequence[_Wish], first: list[str], then: list[str]) -> None:
        """Add the cards asked for: those with all words in id, question or topic to ``first``, others to ``then``."""
        topic, all_ = self.topic, wanted.admits_all
        text = self.text
        if not all(wish.may_occur(text, topic) for wish in wishes):
            return
        for (card_id, card), line in zip(self.cards.outlines(), text.split("\n"), strict=True):
            if (all_ or wanted.admits(card_id, card)) and _meets(line, topic, wishes):
                heads = _meets(line[: line.index("\t")], topic, wishes)
                (first if heads else then).append(card_id)


class SearchIndex:
    """The cards of a bank with their folded texts, ready to be searched at every key press.

    ``synonyms`` give for a folded name the other names of the same thing
    (:meth:`quizbank.glossary.Glossary.synonyms`).
    """

    def __init__(self, cards: Iterable[Card], synonyms: Mapping[str, Sequence[str]] | None = None) -> None:
        self._cards = CardList.of(cards)
        self._shelves = list(_shelves(self._cards))
        self._synonyms = synonyms or {}
        self._longest = max((name.count(" ") + 1 for name in self._synonyms), default=1)

    def found(self, query: str) -> CardList:
        """The cards that hold every word of the query: those with all in id or question first."""
        return self.select(Wanted(text=query))

    def select(self, wanted: Wanted) -> CardList:
        """The cards asked for: those with all words in id or question first, else in the order of the bank or,
        where ids are asked for, in theirs."""
        words = folded(wanted.text[:LONGEST_QUERY]).split()
        if words:
            found = self._holding(wanted, words)
            if not found and (pieces := self._pieces(words)) != words:
                found = self._holding(wanted, pieces)
            return self._cards.chosen(found)
        if wanted.admits_all:
            return self._cards
        admitted = [card_id for card_id, card in self._cards.outlines() if wanted.admits(card_id, card)]
        if wanted.cards:
            place = {card_id: number for number, card_id in enumerate(wanted.cards)}
            admitted.sort(key=place.__getitem__)
        return self._cards.chosen(admitted)

    def _holding(self, wanted: Wanted, words: list[str]) -> list[str]:
        """The ids of the cards asked for that hold every word; none where no word is left to look for."""
        first: list[str] = []
        then: list[str] = []
        wishes = self._wishes(words)
        for shelf in self._shelves if wishes else ():
            shelf.find(wanted, wishes, first, then)
        return first + then

    def _pieces(self, words: list[str]) -> list[str]:
        """The words, those in Chinese cut into the longest pieces that occur, from the left; a character that fits
        nowhere, and punctuation beside Chinese, is left out."""
        runs = [run for word in words for run in (_RUN.findall(word) if _HANZI.search(word) else [word])]
        reach = {run: [1] * len(run) for run in runs if _HANZI.match(run) and len(run) <= _LONGEST_RUN}
        for shelf in self._shelves if reach else ():
            text = f"{shelf.topic}\n{shelf.text}"
            for run, reached in reach.items():
                for at in range(len(run)):
                    while at + reached[at] < len(run) and run[at : at + reached[at] + 1] in text:
                        reached[at] += 1
        pieces: list[str] = []
        for run in runs:
            if run not in reach:
                pieces += [run] if run in words else filter(None, [run.strip(_MARKS)])
                continue
            at = 0
            while at < len(run):
                end = at + reach[run][at]
                if end - at > 1:
                    pieces.append(run[at:end])
                at = end
        return pieces

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
        for shelf in self._shelves:
            _ = shelf.text
        return self


def folded(text: str) -> str:
    """Case, full-width forms and compatibility characters folded away."""
    return unicodedata.normalize("NFKC", text).casefold()


def _meets(text: str, topic: str, wishes: Sequence[_Wish]) -> bool:
    return all(wish.occurs(text, topic) for wish in wishes)


def _shelves(cards: CardList) -> Iterator[_Shelf]:
    first = 0
    for topic, held in groupby(cards.outlines(), lambda one: one[1].topic):
        end = first + sum(1 for _ in held)
        while first < end:
            beyond = min(first + SHELF, end)
            yield _Shelf(topic, cards[first:beyond])
            first = beyond


def _occurs(word: str, text: str, whole: bool = False) -> bool:
    """Whether a Latin word begins a word of the text, or is one where ``whole``; any other anywhere."""
    at = text.find(word)
    if (at <= 0 and not whole) or not word.isascii() or not word[0].isalnum():
        return at >= 0
    while at >= 0:
        if (not at or text[at - 1] not in _WORD) and not (
            whole and text[at + len(word) : at + len(word) + 1] in _WORD
        ):
            return True
        at = text.find(word, at + 1)
    return False


def _line(texts: Iterable[str]) -> str:
    """Texts in one line; what reads the same in both languages once."""
    return " ".join(" ".join(dict.fromkeys(texts)).split())


def _head(card: Card) -> Iterator[str]:
    yield card.id
    yield from card.question


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
