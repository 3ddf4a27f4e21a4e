"""A person who forgets by weights of their own, and studies by a schedule that does not know them."""

from __future__ import annotations

import random
from datetime import UTC, date

from quizbank.fitting.histories import Graded, Histories
from quizbank.learning.day import day_start_ms
from quizbank.learning.entry import Entry, new_id
from quizbank.learning.log import ReviewLog
from quizbank.learning.memory import Memory, Rating
from quizbank.learning.scheduler import Scheduler, Settings
from quizbank.planning.forgetting import DEFAULT

FORGETFUL = (0.05, 0.3, 0.7, 2.5, *DEFAULT[4:8], 1.3, *DEFAULT[9:20], 0.4)
"""First stabilities a third of the usual ones, slower growth, a steeper curve."""
START = date(2025, 1, 1)


def study(
    seed: int, cards: int, days: int, weights: tuple[float, ...] = FORGETFUL, a_day: int = 6
) -> Histories:
    """``a_day`` new cards a day are met, each reviewed on the days it falls due; a lapse is seen again at once."""
    chance = random.Random(seed)
    schedule, memory_of = Scheduler(), Scheduler(Settings(parameters=weights))
    histories: dict[str, list[Graded]] = {}
    planned: dict[str, Memory] = {}
    true: dict[str, Memory] = {}

    def grade(card: str, day: date, rating: Rating) -> None:
        histories.setdefault(card, []).append(Graded(day.toordinal(), rating))
        planned[card] = schedule.advance(card, planned.get(card, Memory()), rating, 0, day).after
        true[card] = memory_of.advance(card, true.get(card, Memory()), rating, 0, day).after

    for number in range(days):
        day = date.fromordinal(START.toordinal() + number)
        for card, memory in list(planned.items()):
            if memory.due_day is None or memory.due_day <= day:
                recalled = chance.random() < memory_of.retrievability(true[card], day)
                rating = (
                    chance.choices((Rating.HARD, Rating.GOOD, Rating.EASY), (1, 8, 1))[0]
                    if recalled
                    else Rating.AGAIN
                )
                grade(card, day, rating)
                while planned[card].due_day is None:
                    grade(card, day, Rating.GOOD)
        for _ in range(min(a_day, cards - len(planned))):
            card = f"card-{len(planned):03d}"
            grade(card, day, chance.choices((Rating.AGAIN, Rating.GOOD), (4, 6))[0])
            while planned[card].due_day is None:
                grade(card, day, Rating.GOOD)
    return Histories({card: tuple(history) for card, history in histories.items()})


def keep(histories: Histories, log: ReviewLog) -> None:
    """The same grades in a review log, as another machine's entries would come."""
    entries = []
    for card, history in histories.cards.items():
        memory = Memory()
        for number, graded in enumerate(history):
            day = date.fromordinal(graded.day)
            at_ms = day_start_ms(day, UTC) + 60_000 * (number + 1)
            outcome = log.scheduler.advance(card, memory, graded.rating, at_ms, day)
            entries.append(
                Entry(
                    new_id(at_ms), "grade", card, at_ms, at_ms, day, graded.rating, 5_000, 1_000,
                    memory, outcome.after, outcome.interval,
                )
            )  # fmt: skip
            memory = outcome.after
    log.merge(lambda: (("", entry) for entry in entries))
