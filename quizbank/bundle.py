"""What plain cards say, folded up: a person may have a hundred thousand of them, and reads one at a time.

Of each its id stands in memory, and what it is (topic, level, demonstrations) once for all that share it. Its texts,
tags and place are kept compressed with those of its neighbours in the file, and unpacked whenever it is read. They
are kept in memory, so that a file that is edited or a cache that is swept away meanwhile changes nothing.
"""

from __future__ import annotations

import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from engine.text import Text
from quizbank.card import NO_TRAP, NOTHING_SAID, Card, DemoRef, Drill, FollowUp, Form, Level, Standing

TOGETHER = 50
"""Cards in one bundle: enough to be compressed well, few enough to be unpacked for one of them within a frame."""
_AT_HAND = 4
"""Bundles that stay unpacked, so that cards read in their order are not unpacked once for each."""


@dataclass(frozen=True, slots=True, eq=False)
class Bundle:
    """The texts of some plain cards of one file."""

    file: str
    folded: bytes


@dataclass(frozen=True, slots=True, eq=False)
class PlainOutline:
    """What is known of the plain cards of a bundle that are alike in it, without unpacking one of them."""

    topic: str
    level: Level
    demos: tuple[DemoRef, ...]
    bundle: Bundle
    verdict: ClassVar[Standing] = "unchecked"
    kind: ClassVar[Form] = "plain"
    is_plain: ClassVar[bool] = True
    needs: ClassVar[tuple[str, ...]] = ()
    claims: ClassVar[tuple[str, ...]] = ()
    follow_ups: ClassVar[tuple[FollowUp, ...]] = ()
    drills: ClassVar[tuple[Drill, ...]] = ()

    @property
    def file(self) -> str:
        return self.bundle.file

    def card(self, card_id: str) -> Card:
        """The card, whole. Raises KeyError: it is not in the bundle."""
        question, answer, tags, place = _unpacked(self.bundle)[card_id]
        return _plain(card_id, self, _text(question), _text(answer), tags, self.file + place)


def can_be_bundled(card: Card) -> bool:
    """Whether a card is nothing but what a bundle keeps of it."""
    return card.is_plain and card == _plain(card.id, card, card.question, card.answer, card.tags, card.place)


def packed_bundle(cards: Sequence[Card]) -> list[Any]:
    """Cards of one file that :func:`can_be_bundled`, no two with one id, as a JSON value."""
    file = cards[0].file
    kinds: list[list[Any]] = []
    which: list[int] = []
    for card in cards:
        kind = [card.topic, card.level, [[demo.id, dict(demo.set)] for demo in card.demos]]
        if kind not in kinds:
            kinds.append(kind)
        which.append(kinds.index(kind))
    rows = [
        [card.id, _said(card.question), _said(card.answer), card.tags, card.place[len(file) :]]
        for card in cards
    ]
    text = json.dumps(rows, ensure_ascii=False, separators=(",", ":"))
    # a path may hold bytes that are no UTF-8
    folded = b64encode(zlib.compress(text.encode("utf-8", "surrogatepass"))).decode("ascii")
    return [file, kinds, which, [card.id for card in cards], folded]


def unpacked_bundle(value: list[Any]) -> list[tuple[str, PlainOutline]]:
    """The ids that :func:`packed_bundle` was given, in their order, each with what is known of its card.

    Raises:
        TypeError, ValueError, IndexError: it did not make this.
    """
    file, kinds, which, ids, folded = value
    bundle = Bundle(file, b64decode(folded))
    outlines = [
        PlainOutline(topic, level, tuple(DemoRef(*demo) for demo in demos), bundle)
        for topic, level, demos in kinds
    ]
    return [(card_id, outlines[kind]) for card_id, kind in zip(ids, which, strict=True)]


@lru_cache(maxsize=_AT_HAND)
def _unpacked(bundle: Bundle) -> dict[str, list[Any]]:
    rows = json.loads(zlib.decompress(bundle.folded).decode("utf-8", "surrogatepass"))
    return {card_id: said for card_id, *said in rows}


def _plain(
    card_id: str, like: Card | PlainOutline, question: Text, answer: Text, tags: Sequence[str], place: str
) -> Card:
    return Card(
        card_id,
        like.topic,
        like.level,
        PlainOutline.verdict,
        question,
        NOTHING_SAID,
        answer,
        (),
        NO_TRAP,
        PlainOutline.follow_ups,
        (),
        like.demos,
        PlainOutline.claims,
        PlainOutline.drills,
        kind=PlainOutline.kind,
        tags=tuple(tags),
        place=place,
    )


def _said(text: Text) -> str | Text:
    return text.en if text.en == text.zh else text


def _text(said: str | list[str]) -> Text:
    # what reads the same in both languages is held once
    return Text(said, said) if isinstance(said, str) else Text(*said)
