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
    from quizbank.drills.grading import Grader
    from quizbank.drills.variant import Variant
    from quizbank.home import Home
    from quizbank.learning.log import ReviewLog
    from quizbank.learning.session import StudySession
    from quizbank.papers.paper import Paper
    from quizbank.papers.results import Results
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


class Asked(NamedTuple):
    """A question as it is put: its text, and of a choice the options in their order as (id, text)."""

    question: Text
    options: tuple[tuple[str, Text], ...]
    unit: str


class Workspace:
    """Opened piece by piece, each piece when it is first asked for."""

    def __init__(self, home: Home, decks: tuple[Path, ...]) -> None:
        self.home = home
        self.decks = decks
        self._lock = Lock()
        self._bank: Bank | None = None
        self._log: ReviewLog | None = None
        self._results: Results | None = None

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

    @property
    def results(self) -> Results:
        """The self-tests sat. Raises InputError as :class:`quizbank.papers.results.Results`."""
        with self._lock:
            if self._results is None:
                from quizbank.papers.results import Results

                self._results = Results(self.home.data_folder())
            return self._results

    @cached_property
    def grader(self) -> Grader:
        from quizbank.drills.grading import Grader

        cards = {card.id: card for card in self.bank.cards}
        return Grader(cards, self.quantities.value, self.quantities.fill)

    @cached_property
    def quantities(self) -> Quantities:
        from quizbank.slots import Quantities

        return Quantities(self.home.cache / "quantities")

    @cached_property
    def proofs(self) -> ProofCache:
        from engine.proof.derivation import ProofCache

        return ProofCache(self.home.cache / "proofs")

    def close(self) -> None:
        for opened in (self._log, self._results):
            if opened is not None:
                opened.close()

    def notices(self) -> tuple[Text, ...]:
        """What a person should know about their files: a log set aside, faults in a deck of theirs."""
        from tui import messages

        told = list(self.log.notices)
        if faults := self.bank.faults:
            told.append(messages.DECK_FAULTS.filled(n=len(faults), first=str(faults[0].where)))
        return tuple(told)

    def warm_up(self) -> None:
        """Import what the first demonstration and the first symbolic step need, while nobody waits for it."""
        import engine.demonstration
        import engine.proof.ladder  # noqa: F401

    def overview(self) -> Overview:
        from engine.demos import catalogue
        from quizbank.learning.day import now_ms
        from quizbank.learning.session import LEARN_AHEAD_MS

        cards = self.bank.cards
        seen, due = self.log.seen(), frozenset(self.log.due())
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
        """The cards asked for by ids, topics, level, verdict and demonstration; no wish means all."""
        topics, level, verdict = options.get("topics"), options.get("level"), options.get("verdict")
        ids, demo = options.get("cards"), options.get("demo")
        return tuple(
            card
            for card in self.bank.cards
            if (not ids or card.id in ids)
            and (not demo or any(ref.id == demo for ref in card.demos))
            and (not topics or card.topic in topics)
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

    def paper(self, options: Mapping[str, Any]) -> Paper:
        """A paper drawn as asked. Raises InputError as :func:`quizbank.papers.draw.draw`."""
        from quizbank.papers.draw import USUAL_COUNT, draw

        minutes = options.get("minutes")
        return draw(
            self.bank.cards,
            topics=options.get("topics") or (),
            kinds=options.get("kinds") or (),
            count=options.get("count") or USUAL_COUNT,
            minutes=None if minutes is None else max(1, round(minutes)),
            seed=options.get("seed"),
        )

    def asked(self, variant: Variant) -> Asked:
        """The variant's question and options, with their slots computed.

        Raises:
            InputError: the drill is gone from the bank or has changed.
        """
        from quizbank.card import ChoiceDrill, NumberDrill
        from quizbank.drills.variant import find_drill

        _, drill = find_drill(self.grader.cards, variant)

        def fill(text: Text) -> Text:
            en, zh = (self.quantities.fill(language, variant.variables) for language in text)
            return Text(en, zh)

        options: tuple[tuple[str, Text], ...] = ()
        if isinstance(drill, ChoiceDrill):
            texts = {option.id: option.text for option in drill.options}
            options = tuple((option, fill(texts[option])) for option in variant.options)
        return Asked(fill(drill.question), options, drill.unit if isinstance(drill, NumberDrill) else "")
