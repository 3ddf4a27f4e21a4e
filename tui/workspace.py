"""What the screens share: the deck, the review log, computed values and kept proofs.

Importing this module imports none of them. Every method may be slow and is called in a thread; none
touches a widget.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, NamedTuple

from engine.text import Text
from quizbank.settings import Preferences, write_setting
from tui.judging import SharedJudge

if TYPE_CHECKING:
    from datetime import date

    from engine.demonstration import Run
    from engine.proof.derivation import ProofCache
    from engine.proof.step import Decided
    from quizbank.bank import Bank
    from quizbank.calibration.store import Predictions
    from quizbank.calibration.summary import Calibration
    from quizbank.card import Card
    from quizbank.card_list import CardList
    from quizbank.drills.grading import Grader
    from quizbank.drills.variant import Variant
    from quizbank.fault import Fault
    from quizbank.home import Home
    from quizbank.interview.plan import Turn
    from quizbank.interview.question import Posed
    from quizbank.interview.session import Interview
    from quizbank.interview.store import Interviews
    from quizbank.learning.daily import Studied
    from quizbank.learning.log import ReviewLog
    from quizbank.learning.session import StudySession
    from quizbank.notebook import Notebook
    from quizbank.papers.paper import Paper
    from quizbank.papers.results import Results
    from quizbank.planning.outlook import Outlook
    from quizbank.renewal import Renewal
    from quizbank.slots import Quantities
    from quizbank.statistics.summary import Statistics
    from quizbank.workbench import Task
    from tui.asking import Asked
    from tui.run_process import RunProcess


class TopicCount(NamedTuple):
    """Cards of a topic, and how many of them are due or were never seen."""

    name: str
    cards: int
    due: int
    new: int


class SetCount(NamedTuple):
    """A set of cards, what it is for, and how many of its cards are due or were never seen."""

    id: str
    name: Text
    about: Text
    purpose: str
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
    sets: tuple[SetCount, ...] = ()


class Workspace:
    """Opened piece by piece, each piece when it is first asked for."""

    def __init__(
        self,
        home: Home,
        decks: tuple[Path, ...],
        preferences: Preferences | None = None,
        faults: tuple[Fault, ...] = (),
    ) -> None:
        self.home = home
        self.preferences = preferences or Preferences()
        self._setting_faults = faults
        self._named_decks = decks
        self.judge = SharedJudge()
        self._lock = Lock()
        self._bank: Bank | None = None
        self._deck_state: tuple[tuple[str, int, int], ...] = ()
        self._log: ReviewLog | None = None
        self._results: Results | None = None
        self._interviews: Interviews | None = None
        self._predictions: Predictions | None = None
        self._told: set[Text] = set()
        self.own_task: dict[str, str] = {}
        """What stands in the fields of a derivation of one's own, for as long as the app runs."""
        self._notebook: Notebook | None = None
        self._outlook: tuple[tuple[object, ...], Outlook] | None = None

    @property
    def decks(self) -> tuple[Path, ...]:
        """The person's own decks: those of the settings, then those named in the call."""
        return tuple(dict.fromkeys((*self.preferences.decks, *self._named_decks)))

    def keep(self, name: str, value: Callable[[], object]) -> None:
        """Write a setting and go by it from now on.

        Raises:
            InputError: as :func:`quizbank.settings.write_setting`.
        """
        from quizbank.settings import read_settings

        with self._lock:
            write_setting(self.home.config_folder(), name, value())
            before, self.preferences = self.preferences, read_settings(self.home.config)[0]
            if before.decks != self.preferences.decks:
                self._bank = None
                self.__dict__.pop("grader", None)
            asked = [(one.desired_retention, one.fsrs_weights) for one in (before, self.preferences)]
            if asked[0] != asked[1] and self._log is not None:
                from quizbank.learning.opening import scheduled_by

                # the same log, which a session that is open goes on with
                self._log.reschedule(scheduled_by(self.preferences))

    @property
    def bank(self) -> Bank:
        """The cards. Raises InputError as :func:`quizbank.bank.load_bank`."""
        with self._lock:
            if self._bank is None:
                from quizbank.bank import load_bank
                from quizbank.renewal import deck_state

                self._deck_state = deck_state(self.decks) if self.decks else ()
                self._bank = load_bank(self.home, self.decks)
            return self._bank

    def renew(self) -> Renewal | None:
        """The bank read again where a file of the person's own decks has changed since; None where none has.

        Raises:
            InputError: a deck is there no longer; the cards stay as they were.
        """
        from quizbank.bank import load_bank
        from quizbank.own_cards import remember
        from quizbank.renewal import deck_state, renewal

        before = self.bank
        state = deck_state(self.decks)
        if state == self._deck_state:
            return None
        self._deck_state = state
        found = renewal(before, load_bank(self.home, self.decks))
        with self._lock:
            self._bank = found.bank
            self.__dict__.pop("grader", None)
        remember(self.home, found.bank)
        return found

    @property
    def log(self) -> ReviewLog:
        """The reviews. Raises InputError as :class:`quizbank.learning.log.ReviewLog`."""
        with self._lock:
            if self._log is None:
                from quizbank.learning.opening import open_log

                self._log = open_log(self.home, self.preferences)
                # beside what the person waits for; a copy that a quit interrupts is made the next time
                Thread(target=self._log.back_up, kwargs={"daily": True}, daemon=True, name="backup").start()
            return self._log

    @property
    def results(self) -> Results:
        """The self-tests sat. Raises InputError as :class:`quizbank.papers.results.Results`."""
        with self._lock:
            if self._results is None:
                from quizbank.papers.results import Results

                self._results = Results(self.home.data_folder())
            return self._results

    @property
    def interviews(self) -> Interviews:
        """The interviews held. Raises InputError as :class:`quizbank.interview.store.Interviews`."""
        with self._lock:
            if self._interviews is None:
                from quizbank.interview.store import Interviews

                self._interviews = Interviews(self.home.data_folder())
            return self._interviews

    @property
    def predictions(self) -> Predictions:
        """The guesses made in the lab. Raises InputError as :class:`quizbank.calibration.store.Predictions`."""
        with self._lock:
            if self._predictions is None:
                from quizbank.calibration.store import Predictions

                self._predictions = Predictions(self.home.data_folder())
            return self._predictions

    @property
    def notebook(self) -> Notebook:
        """The derivations kept. Raises InputError as :class:`quizbank.notebook.Notebook`."""
        with self._lock:
            if self._notebook is None:
                from quizbank.notebook import Notebook

                self._notebook = Notebook(self.home.data_folder())
            return self._notebook

    def task(self, options: Mapping[str, Any]) -> Task:
        """The derivation asked for: a drill by its name, or a start and goal over declared names.

        Raises:
            InputError: as :func:`quizbank.workbench.find_task` and :func:`quizbank.workbench.own_task`.
        """
        from quizbank.workbench import find_task, own_task

        if options.get("drill"):
            return find_task(self.bank.cards.full, options["drill"])
        return own_task(
            options["start"],
            options["goal"],
            options["symbols"],
            self.judge,
            options["mode"],
            options["where"],
        )

    @cached_property
    def grader(self) -> Grader:
        from quizbank.drills.grading import Grader

        return Grader(self.bank.by_id, self.quantities.value, self.quantities.fill, self.judge)

    @cached_property
    def quantities(self) -> Quantities:
        from quizbank.slots import Quantities

        return Quantities(self.home.cache / "quantities")

    @cached_property
    def runs(self) -> RunProcess:
        from tui.run_process import RunProcess

        return RunProcess()

    @cached_property
    def proofs(self) -> ProofCache:
        from engine.proof.derivation import ProofCache

        return ProofCache(self.home.cache / "proofs")

    def end_processes(self) -> None:
        """End those of ours that run, whatever they are doing."""
        self.judge.close()
        if "runs" in vars(self):
            self.runs.close()

    def close(self) -> None:
        self.end_processes()
        for opened in (self._log, self._results, self._interviews, self._predictions, self._notebook):
            if opened is not None:
                opened.close()

    def notices(self) -> tuple[Text, ...]:
        """What a person should know about their files: a log set aside, faults in a deck of theirs."""
        from tui import messages

        told = [notice for notice in self.log.notices if notice not in self._told]
        self._told.update(told)
        told += [Text(fault.line("en"), fault.line("zh")) for fault in self._setting_faults]
        if faults := self.bank.faults:
            told.append(messages.DECK_FAULTS.filled(n=len(faults), first=str(faults[0].where)))
        if self.decks:
            from quizbank.own_cards import remember

            told += [
                messages.ID_CHANGED.filled(old=old, new=new) for old, new in remember(self.home, self.bank)
            ]
        return tuple(told)

    def untold(self) -> tuple[Text, ...]:
        """Notices about the files of reviews, self-tests, interviews and guesses, those not given before."""
        files = (self._log, self._results, self._interviews, self._predictions)
        opened = (file for file in files if file is not None)
        fresh = tuple(notice for file in opened for notice in file.notices if notice not in self._told)
        self._told.update(fresh)
        return fresh

    def warm_up(self) -> None:
        """Import what the lab and the first symbolic step need, while nobody waits for it."""
        from engine.demos import catalogue, load
        from quizbank.lasting import objects_that_stay

        # left out of later passes over garbage: each would stop the loop for a tenth of a second
        with objects_that_stay():
            for entry in catalogue():
                load(entry.id)
            import engine.proof.ladder  # noqa: F401

    def overview(self) -> Overview:
        from engine.demos import catalogue
        from quizbank.learning.daily import waiting
        from quizbank.learning.session import LEARN_AHEAD_MS

        cards = self.bank.outlines
        there = waiting(self.log, cards, LEARN_AHEAD_MS)
        left = self.left_today()
        # cards, those due and those new of each topic, in the order of the topics
        topics: dict[str, list[int]] = {}
        for card_id, card in self.bank.cards.outlines():
            counts = topics.setdefault(card.topic, [0, 0, 0])
            counts[0] += 1
            counts[1] += card_id in there.due
            counts[2] += card_id in there.new

        def count(ids: Sequence[str]) -> tuple[int, int]:
            return sum(card in there.due for card in ids), sum(card in there.new for card in ids)

        return Overview(
            min(len(there.due), left.reviews),
            max(len(there.brought), min(len(there.new), left.new)),
            cards=len(cards),
            drills=sum(len(card.drills) for card in cards.values()),
            demos=len(catalogue()),
            topics=tuple(TopicCount(name, *counts) for name, counts in topics.items()),
            soon=len(there.soon),
            first_time=there.is_first,
            sets=tuple(
                SetCount(one.id, one.name, one.about, one.purpose, *count(held.ids))
                for one in self.bank.sets.values()
                if (held := self.bank.of_set(one.id))
            ),
        )

    def matching(self, options: Mapping[str, Any]) -> CardList:
        """The cards asked for by ids, set, topics, level, verdict and demonstration; no wish means all.

        They come in the order of the set, else of the bank.

        Raises:
            InputError: no such set.
        """
        chosen = options.get("set")
        topics, level, verdict = options.get("topics"), options.get("level"), options.get("verdict")
        ids, demo = frozenset(options.get("cards") or ()), options.get("demo")
        cards = self.bank.of_set(chosen) if chosen else self.bank.cards
        return cards.chosen(
            card_id
            for card_id, card in cards.outlines()
            if (not ids or card_id in ids)
            and (not demo or any(ref.id == demo for ref in card.demos))
            and (not topics or card.topic in topics)
            and level in (None, "", card.level)
            and verdict in (None, "", card.verdict)
        )

    def left_today(self) -> Studied:
        """How many new cards, and how many that come back, the settings leave for today."""
        from quizbank.learning.daily import Studied, studied

        done, wanted = studied(self.log), self.preferences
        return Studied(max(0, wanted.new_per_day - done.new), max(0, wanted.reviews_per_day - done.reviews))

    def session(self, options: Mapping[str, Any]) -> StudySession:
        """A study session over the cards that match, within the limits of the day."""
        from quizbank.learning.relations import Relations
        from quizbank.learning.session import StudySession

        left = self.left_today()
        return StudySession(
            self.log,
            self.matching(options).ids,
            relations=Relations(self.bank.outlines),
            limit=options.get("limit"),
            new_limit=left.new,
            due_limit=left.reviews,
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
        from quizbank.papers.weakness import weights_of

        minutes = options.get("minutes")
        weak = bool(options.get("weak"))
        return draw(
            self.bank.cards.full,
            topics=options.get("topics") or (),
            kinds=options.get("kinds") or (),
            levels=options.get("levels") or (),
            count=options.get("count") or USUAL_COUNT,
            minutes=minutes,
            seed=options.get("seed"),
            weights=weights_of(self.bank.cards, self.results, self.log) if weak else None,
        )

    def asked(self, variant: Variant) -> Asked:
        """The variant's question and options, with their slots computed.

        Raises:
            InputError: the drill is gone from the bank or has changed.
        """
        from quizbank.drills.variant import find_drill
        from tui.asking import asked

        card, drill = find_drill(self.grader.cards, variant)
        return asked(card, drill, variant, self.quantities.fill)

    def interview(self, options: Mapping[str, Any]) -> Interview:
        """An interview from the card asked for, else from a core card drawn from the topics.

        Raises:
            InputError: no such card, or no core card of these topics.
        """
        from quizbank.interview.plan import draw_opening, new_seed
        from quizbank.interview.session import Interview

        cards = {card.id: card for card in self.bank.cards.full}
        seed = options.get("seed")
        seed = new_seed() if seed is None else seed
        opening = options.get("card") or draw_opening(cards, options.get("topics") or (), seed)
        return Interview(cards, opening, seed, self.interviews)

    def posed(self, turn: Turn, seed: int) -> Posed:
        """An interview's question with its numbers computed; its proof is decided where none is kept.

        Raises:
            InputError: a slot or a measurement that cannot be computed.
        """
        from quizbank.interview.question import pose

        return pose(turn, self.filled(self.bank.card(turn.card)), seed, self.derivation)

    def derivation(self, demo: str) -> tuple[Decided, ...]:
        """A demonstration's steps, decided here and kept, or read where they are kept."""
        from engine.demos import load
        from engine.proof.derivation import decided

        found = load(demo)
        return decided(found.id, found.derive, self.proofs)

    def keep_guess(self, run: Run, guess: float) -> None:
        """Keep what was guessed of a run's headline. Nothing is kept of an outcome that is no finite number.

        Raises:
            InputError: it could not be stored.
        """
        import math

        from quizbank.calibration.guess import Guess
        from quizbank.learning.day import now_ms

        headline = run.demo.headline
        if math.isfinite(run.headline):
            self.predictions.add(
                Guess(
                    "lab", now_ms(), run.demo.id, headline.name, guess, run.headline, headline.scale,
                    headline.low, headline.high, headline.unit, run.params.as_dict(), run.seed,
                )
            )  # fmt: skip

    def statistics(self) -> Statistics:
        """What the log, the self-tests and the guesses say of the last year, by the cards there are.

        Raises:
            InputError: one of the files cannot be read.
        """
        from quizbank.statistics.summary import statistics

        return statistics(
            self.log, self.bank.cards, self.results.history(), self.calibration(), cache=self.home.cache
        )

    def outlook(
        self, interview: date, minutes: int, told: Callable[[float], None] = lambda _: None
    ) -> Outlook:
        """The plan up to the interview over all cards; the same one while log, cards, date and minutes are the same.

        ``told`` hears which share of the work is done.

        Raises:
            InputError: as :func:`quizbank.planning.outlook.outlook`, or the log cannot be read.
        """
        from quizbank.planning.outlook import outlook

        bank, log = self.bank, self.log
        latest = log.read(lambda connection: connection.execute("SELECT max(seq) FROM entry").fetchone()[0])
        key = (bank.fingerprint, latest, log.day(), interview, minutes)
        if self._outlook is None or self._outlook[0] != key:
            self._outlook = key, outlook(log, bank.cards, log.day(), interview, minutes, told=told)
        return self._outlook[1]

    def calibration(self) -> Calibration:
        """How far off the guesses of lab and papers were."""
        from quizbank.calibration.guess import paper_guesses
        from quizbank.calibration.summary import calibration

        cards = self.bank.by_id
        return calibration((*self.predictions.all(), *paper_guesses(self.results.history(), cards)), cards)
