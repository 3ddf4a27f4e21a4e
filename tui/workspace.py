"""What the screens share: the deck, the review log, computed values and kept proofs.

Importing this module imports none of them. Every method may be slow and is called in a thread; none
touches a widget.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from engine.text import Text

if TYPE_CHECKING:
    from engine.proof.derivation import ProofCache
    from quizbank.bank import Bank
    from quizbank.card import Card
    from quizbank.home import Home
    from quizbank.learning.log import ReviewLog
    from quizbank.learning.session import StudySession
    from quizbank.slots import Quantities


class TopicCount(NamedTuple):
    """Cards of a topic, and how many of them are due or were never seen."""

    name: str
    cards: int
    due: int
    new: int


class Overview(NamedTuple):
    """What the first screen says about today. ``soon``: cards that come back within minutes."""

    due: int
    new: int
    cards: int
    drills: int
    demos: int
    topics: tuple[TopicCount, ...]
    soon: int
    first_time: bool


class Workspace:
    """Opened piece by piece, each piece when it is first asked for."""

    def __init__(self, home: Home, decks: tuple[Path, ...]) -> None:
        self.home = home
        self.decks = decks
        self._lock = Lock()
        self._bank: Bank | None = None
        self._log: ReviewLog | None = None

    @property
    def bank(self) -> Bank:
        """The cards. Raises InputError as :func:`quizbank.bank.load_bank`."""
        with self._lock:
            if self._bank is None:
                from quizbank.bank import load_bank

                self._bank = load_bank(self.home, self.decks)
            return self._bank

    @property
    def log(self) -> ReviewLog:
        """The reviews. Raises InputError as :class:`quizbank.learning.log.ReviewLog`."""
        with self._lock:
            if self._log is None:
                from quizbank.learning.log import ReviewLog

                self._log = ReviewLog(self.home.data_folder())
            return self._log

    @cached_property
    def quantities(self) -> Quantities:
        from quizbank.slots import Quantities

        return Quantities(self.home.cache / "quantities")

    @cached_property
    def proofs(self) -> ProofCache:
        from engine.proof.derivation import ProofCache

        return ProofCache(self.home.cache / "proofs")

    def close(self) -> None:
        if self._log is not None:
            self._log.close()

    def notices(self) -> tuple[Text, ...]:
        """What a person should know about their files: a log set aside, faults in a deck of theirs."""
        from tui import messages

        told = list(self.log.notices)
        if faults := self.bank.faults:
            told.append(messages.DECK_FAULTS.filled(n=len(faults), first=str(faults[0].where)))
        return tuple(told)

    def overview(self) -> Overview:
        from engine.demos import catalogue
        from quizbank.learning.day import now_ms
        from quizbank.learning.session import LEARN_AHEAD_MS

        cards = self.bank.cards
        seen, due = self.log.memories(), self.log.due()
        topics: dict[str, list[str]] = {}
        for card in cards:
            topics.setdefault(card.topic, []).append(card.id)

        def count(ids: Iterable[str]) -> tuple[int, int]:
            ids = list(ids)
            return sum(card in due for card in ids), sum(card not in seen for card in ids)

        return Overview(
            *count(card.id for card in cards),
            cards=len(cards),
            drills=sum(len(card.drills) for card in cards),
            demos=len(catalogue()),
            topics=tuple(TopicCount(name, len(ids), *count(ids)) for name, ids in topics.items()),
            soon=len(self.log.due(now_ms() + LEARN_AHEAD_MS)) - len(due),
            first_time=not seen,
        )

    def matching(self, options: Mapping[str, Any]) -> tuple[Card, ...]:
        """The cards of the topics, level and verdict asked for; no wish means all."""
        topics, level, verdict = options.get("topics"), options.get("level"), options.get("verdict")
        return tuple(
            card
            for card in self.bank.cards
            if (not topics or card.topic in topics)
            and level in (None, "", card.level)
            and verdict in (None, "", card.verdict)
        )

    def session(self, options: Mapping[str, Any]) -> StudySession:
        """A study session over the cards that match."""
        from quizbank.learning.session import StudySession

        return StudySession(
            self.log,
            [card.id for card in self.matching(options)],
            limit=options.get("limit"),
            cram=bool(options.get("cram")),
        )

    def filled(self, card: Card) -> Card:
        """The card with every value slot of its texts computed, and without its drills: those are filled
        for the variant that is asked.

        Raises:
            ExpressionError: a slot names a quantity no demonstration has.
        """
        from dataclasses import replace

        from quizbank.slots import filled

        return filled(replace(card, drills=()), self.quantities.fill)
