"""What an interview asks: three levels, from a core card along the links of its follow-ups.

Level 1 is the card's own question. Level 2 follows up on it. Level 3 goes to the card that the follow-up leads
to, or further into the first one where it leads nowhere. One of levels 2 and 3 also asks for a proof and the
other puts the popular wrong version as a claim. Everything is drawn by hashing (seed, card, what is drawn), as
in :mod:`quizbank.drills.variant`, so a plan depends on the seed and on the cards it visits, and on nothing else.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from engine.errors import InputError
from engine.text import Text
from quizbank.card import Card, FollowUp
from quizbank.drills.variant import digest, pick, shuffled
from quizbank.fault import shown

Kind = Literal["opening", "why", "what-if", "follow-up", "prove-it", "what-breaks"]
LEVELS = (1, 2, 3)
LIMIT_MS = 30_000
"""A spoken answer has thirty seconds."""

_WHY = re.compile(r"\b(why|how come)\b", re.IGNORECASE)
_WHAT_IF = re.compile(r"\b(if|without)\b|^(what (changes|happens|would)|suppose)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Turn:
    """One question of an interview: at which level, of what kind, about which card.

    ``part`` is the number of the follow-up, or the demonstration to prove from; empty for the card as a whole.
    """

    level: int
    kind: Kind
    card: str
    part: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        """Names the question, at whatever level it is asked."""
        kind = "follow-up" if self.kind in ("why", "what-if") else self.kind
        return self.card, kind, self.part


def draw_opening(cards: Mapping[str, Card], topics: Collection[str] = (), seed: int | None = None) -> str:
    """A core card to start from, of these topics (none: of all).

    Raises:
        InputError: no core card is there.
    """
    core = [
        card.id
        for card in cards.values()
        if card.level == "core" and not card.is_plain and (not topics or card.topic in topics)
    ]
    if not core:
        raise InputError(
            Text("there is no core card of this topic to start from", "这个主题没有可以开场的基础卡片")
        )
    return shuffled(core, new_seed() if seed is None else seed, "opening")[0]


def new_seed() -> int:
    """A seed for an interview that names none."""
    return secrets.randbelow(1_000_000)


def plan(cards: Mapping[str, Card], opening: str, seed: int) -> tuple[Turn, ...]:
    """The questions, level by level; none comes twice. A card with neither follow-ups nor demonstrations has two levels.

    Raises:
        InputError: no card has this id, or the seed is negative.
    """
    if opening not in cards:
        raise InputError(Text("no card is called {id}", "没有名为 {id} 的卡片").filled(id=shown(opening, 64)))
    if seed < 0:
        raise InputError(Text("the seed must be 0 or more", "随机种子不能为负"))
    first = cards[opening]
    turns = [Turn(1, "opening", first.id)]
    said = {_plain(first.question)}

    beyond = first
    second = next(_follow_ups(first, seed, said, links=cards), None)
    if second is not None:
        turns.append(_follow_up_turn(2, first, second))
        said.add(_plain(first.follow_ups[second].question))
        beyond = cards.get(first.follow_ups[second].card, first)

    challenges = shuffled(("prove-it", "what-breaks"), seed, first.id, "challenges")
    turns += _challenge(2, challenges[0], first, seed, turns)

    for card in dict.fromkeys((beyond.id, first.id)):
        third = next(_follow_ups(cards[card], seed, said), None)
        if third is not None:
            turns.append(_follow_up_turn(3, cards[card], third))
            break
    turns += _challenge(3, challenges[1], beyond, seed, turns)
    return tuple(turns)


def _follow_ups(card: Card, seed: int, said: Collection[str], links: Collection[str] = ()) -> Iterator[int]:
    """Numbers of the card's follow-ups not yet asked, as drawn; first those that lead to one of ``links``."""

    def rank(number: int) -> tuple[bool, bytes]:
        link = card.follow_ups[number].card
        return link not in links or link == card.id, digest(seed, card.id, "follow-up", number)

    for number in sorted(range(len(card.follow_ups)), key=rank):
        if _plain(card.follow_ups[number].question) not in said:
            yield number


def _follow_up_turn(level: int, card: Card, number: int) -> Turn:
    return Turn(level, follow_up_kind(card.follow_ups[number]), card.id, str(number))


def _challenge(level: int, wanted: str, card: Card, seed: int, asked: Collection[Turn]) -> list[Turn]:
    """The proof or the claim that is wanted; the other where the card cannot give it or gave it before."""
    claim = Turn(level, "what-breaks", card.id)
    proofs = []
    if card.demos:
        demo = card.demos[pick(len(card.demos), seed, card.id, "proof")].id
        proofs = [Turn(level, "prove-it", card.id, demo)]
    offered = [*proofs, claim] if wanted == "prove-it" else [claim, *proofs]
    before = {turn.key for turn in asked}
    return [turn for turn in offered if turn.key not in before][:1]


def follow_up_kind(follow_up: FollowUp) -> Kind:
    """What the question asks for, by its words in English: a reason, a change of the premises, or more."""
    question = follow_up.question.en
    if _WHY.search(question):
        return "why"
    return "what-if" if _WHAT_IF.search(question) else "follow-up"


def _plain(question: Text) -> str:
    """The question as one would hear it, so that two cards cannot ask the same thing in one interview."""
    return " ".join(question.en.casefold().split())
