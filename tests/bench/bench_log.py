"""The review log at scale: 100,000 cards and 1,000,000 entries, made quickly and then used as the app uses it.

Run by hand: ``python -m tests.bench.bench_log [--cards 100000] [--reviews 10] [--home FOLDER] [--check] [--deck]``.
Prints the time to open, to ask what is due, to store an answer, to open a session, to merge and to back up, with the
memory of the process; then the first paint and the memory of the real app on this log, with ``--deck`` also with as
many cards of one's own in the bank. Nothing is asserted, machines are noisy. ``--home`` keeps the log there; one that
is there already is used.

The entries are inserted by the thousand, not graded one by one. Their states come from a few hundred courses of
reviews computed by the scheduler; each card follows one of them, shifted so that it was last seen some way into its
interval, and its row in the schedule is what replaying it gives (``--check`` shows it, in minutes).
"""

from __future__ import annotations

import argparse
import random
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, timedelta
from pathlib import Path
from threading import Thread

from quizbank.learning import tables
from quizbank.learning.daily import waiting
from quizbank.learning.day import day_start_ms, local_day
from quizbank.learning.due import first_due
from quizbank.learning.entry import Entry
from quizbank.learning.exchange import merge
from quizbank.learning.log import ReviewLog
from quizbank.learning.memory import Memory, Rating
from quizbank.learning.scheduler import Scheduler
from quizbank.learning.session import StudySession
from quizbank.planning.person import person

COURSES = 300
LONGEST_DAYS = 365 * 30
REVIEWS_PER_DAY = 200
"""The usual limit of a day: what a session reads of the queue."""
OVERDUE = 1.02
"""How far into its interval a card may be: one in fifty is overdue, as for a person who keeps up."""
DAY_MS = 86_400_000
TODAY = date(2026, 1, 5)
NOW_MS = day_start_ms(TODAY, UTC) + 23 * 3_600_000
CHUNK = 5_000


@dataclass(frozen=True)
class Course:
    """A card's reviews, first day zero: moments, states before and after, intervals."""

    at_ms: tuple[int, ...]
    entries: tuple[Entry, ...]


def course(chance: random.Random, reviews: int, scheduler: Scheduler) -> Course:
    """Reviews that come about when they are due, now and then late, recalled nine times in ten."""
    memory, moment = Memory(), day_start_ms(TODAY, UTC) + chance.randrange(12 * 3_600_000)
    entries: list[Entry] = []
    for _ in range(reviews):
        rating = chance.choices(list(Rating), (10, 10, 70, 10))[0]
        day = local_day(moment, UTC)
        found = scheduler.advance("", memory, rating, moment, day)
        seconds = chance.randint(3_000, 40_000), chance.randint(300, 4_000)
        entries.append(
            Entry("", "grade", "", moment, moment, day, rating, *seconds, memory, found.after, found.interval)
        )
        memory = found.after
        late = chance.choice((0, 0, 0, 1, 3)) * DAY_MS
        moment += max(60_000, found.interval // timedelta(milliseconds=1)) + late * (memory.phase == "review")
    if (entries[-1].day - entries[0].day + entries[-1].interval).days > LONGEST_DAYS:
        return course(chance, reviews, scheduler)
    return Course(tuple(entry.at_ms for entry in entries), tuple(entries))


def later(memory: Memory | None, days: int) -> Memory | None:
    """The same state, so many days on."""
    if memory is None:
        return None
    ms, shift = days * DAY_MS, timedelta(days=days)
    return replace(
        memory,
        last_ms=None if memory.last_ms is None else memory.last_ms + ms,
        last_day=None if memory.last_day is None else memory.last_day + shift,
        due_ms=None if memory.due_ms is None else memory.due_ms + ms,
        due_day=None if memory.due_day is None else memory.due_day + shift,
    )


def fill(log: ReviewLog, cards: int, reviews: int, seed: int = 0) -> None:
    """Insert the reviews in the order they came about, then the schedule."""
    chance = random.Random(seed)
    courses = [course(chance, reviews, log.scheduler) for _ in range(COURSES)]
    followed = []
    for _ in range(cards):
        which = chance.randrange(COURSES)
        last = courses[which].entries[-1]
        ago = chance.randint(0, round(last.interval.days * OVERDUE))
        followed.append((which, (TODAY - last.day).days - ago))
    order = sorted(
        (courses[which].at_ms[number] + shift * DAY_MS, card, number)
        for card, (which, shift) in enumerate(followed)
        for number in range(reviews)
    )

    def entries() -> Iterator[Entry]:
        for serial, (at_ms, card, number) in enumerate(order):
            which, shift = followed[card]
            given = courses[which].entries[number]
            time_of, rest = f"{at_ms:012x}", f"{serial:012x}"
            yield replace(
                given,
                id=f"{time_of[:8]}-{time_of[8:]}-7000-8000-{rest}",
                card=f"card-{card:06d}",
                at_ms=at_ms,
                order_ms=at_ms,
                day=given.day + timedelta(days=shift),
                before=later(given.before, shift),
                after=later(given.after, shift),
            )

    waiting = entries()
    while chunk := [entry for _, entry in zip(range(CHUNK), waiting, strict=False)]:
        log._database.write(lambda connection, chunk=chunk: [tables.append(connection, one) for one in chunk])

    def schedule(connection: sqlite3.Connection) -> None:
        for card, (which, shift) in enumerate(followed):
            name, last = f"card-{card:06d}", courses[which].entries[-1]
            # which day of the permitted range the interval ends on depends on the card
            state = log.scheduler.advance(name, last.before, last.rating, last.at_ms, last.day).after
            tables.store(connection, name, later(state, shift))

    log._database.write(schedule)


Times = list[tuple[float, float]]
"""Milliseconds by the clock and of the processor, of one run after the other."""


def took(work: Callable[[], object], times: int) -> Times:
    found = []
    for _ in range(times):
        start, processor = time.perf_counter(), time.process_time()
        work()
        found.append(((time.perf_counter() - start) * 1000, (time.process_time() - processor) * 1000))
    return found


def line(name: str, times: Times, note: str = "") -> None:
    """On a shared machine the clock also counts what others did; the processor's time is this process's own."""
    clock, processor = (sorted(column) for column in zip(*times, strict=True))
    print(
        f"{name:<36} n {len(times):4d}   median {statistics.median(clock):9.2f} ms   max {clock[-1]:9.2f}   "
        f"processor {statistics.median(processor):8.2f}   {note}".rstrip(),
        flush=True,
    )


def peak_mb() -> float:
    """The most memory this process has held."""
    try:
        for row in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if row.startswith("VmHWM"):
                return int(row.split()[1]) / 1024
    except OSError:
        pass
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)


def use(folder: Path) -> None:
    """What the app does with the log, in a process of its own so that its memory is counted alone."""
    line("open", took(lambda: ReviewLog(folder, zone=UTC).close(), 9))
    with ReviewLog(folder, zone=UTC) as log:
        last = NOW_MS
        everyone = list(log.seen())
        held = frozenset(everyone)
        for name, at_ms in (("today", last), ("every card", last + 40_000 * DAY_MS)):
            today = log.day(at_ms)
            count = len(log.due(at_ms))

            def asked(at_ms: int = at_ms, today: date = today) -> list[str]:
                return log.read(lambda connection: first_due(connection, at_ms, today, held, REVIEWS_PER_DAY))

            line(f"due queue: {name}", took(asked, 9), f"{REVIEWS_PER_DAY} of {count} cards due")
            line(f"all ids due: {name}", took(lambda at_ms=at_ms: log.due(at_ms), 9))
        deck = [f"card-{number:06d}" for number in range(500)]
        for cards in (deck, everyone):

            def session(cards: list[str] = cards) -> StudySession:
                return StudySession(
                    log, cards, due_limit=REVIEWS_PER_DAY, new_limit=20, clock_ms=lambda: last
                )

            line(f"study session of {len(cards)} cards", took(session, 5))
            line(
                f"counts of the home screen: {len(cards)} cards",
                took(lambda cards=frozenset(cards): waiting(log, cards, 1_200_000, last), 5),
            )
        line("what a plan reads of a person", took(lambda: person(log, deck, TODAY), 3))
        clock = iter(range(last + 60_000, last + 10**9, 60_000))
        chance = random.Random(1)

        def shown_and_stored() -> tuple[Times, Times]:
            card, moment = chance.choice(deck), next(clock)
            return (
                took(lambda: log.preview(card, moment), 1),
                took(lambda: log.grade(card, Rating.GOOD, moment, 5_000, 700), 1),
            )

        shown_and_stored()
        answers = [shown_and_stored() for _ in range(300)]
        line("four buttons of a card", [one for shown, _ in answers for one in shown])
        line("one answer stored", [one for _, stored in answers for one in stored])
        line("undo of the last answer", took(lambda: log.undo(log.entries("card-000000")[0].id), 1))
        print(f"{'memory of this process at most':<36} {peak_mb():7.1f} MB", flush=True)
        backup = Thread(target=lambda: line("daily backup", took(lambda: log.back_up(last), 1)))
        backup.start()
        meanwhile: Times = []
        while backup.is_alive():
            meanwhile += shown_and_stored()[1]
        line("one answer stored while backing up", meanwhile)
        with tempfile.TemporaryDirectory() as away:
            with ReviewLog(Path(away), zone=UTC) as other:
                for number in range(200):
                    other.grade(deck[number % 50], Rating.GOOD, last + number * 60_000)
                path = other.path
            line("merge of 200 entries", took(lambda: merge(log, [path]), 1), "with a backup before it")
        print(f"{'memory with backup and merge':<36} {peak_mb():7.1f} MB", flush=True)


def write_deck(folder: Path, cards: int) -> Path:
    """As many plain cards as the log has, under the ids it has."""
    folder.mkdir(exist_ok=True)
    for first in range(0, cards, CHUNK):
        entries = (
            f"  - kind: plain\n    id: card-{number:06d}\n"
            f"    question: 'Question {number}: what does layer {number % 97} of the network compute?'\n"
            f"    answer: 'Projection {number % 13} of its input, plus the residual. Case {number}.'\n"
            for number in range(first, min(first + CHUNK, cards))
        )
        (folder / f"part-{first:06d}.yaml").write_text(
            "topic: own\ncards:\n" + "".join(entries), encoding="utf-8"
        )
    return folder


def run(bench: str, *arguments: str) -> None:
    subprocess.run([sys.executable, "-m", f"tests.bench.{bench}", *arguments], check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cards", type=int, default=100_000)
    parser.add_argument("--reviews", type=int, default=10, help="entries a card")
    parser.add_argument("--home", type=Path, default=None)
    parser.add_argument("--check", action="store_true", help="replay it all; takes minutes")
    parser.add_argument("--deck", action="store_true", help="also the app with as many cards in the bank")
    parser.add_argument("--use", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.use:
        use(asked.home)
        return
    with tempfile.TemporaryDirectory() as made:
        folder = asked.home or Path(made)
        with ReviewLog(folder, zone=UTC) as log:
            if not log.read(tables.length):
                start = time.perf_counter()
                fill(log, asked.cards, asked.reviews)
                print(f"made in {time.perf_counter() - start:.0f} s", flush=True)
            size = log.path.stat().st_size / 2**20
            print(f"{log.read(tables.length)} entries, {len(log.seen())} cards, {size:.0f} MB", flush=True)
        run("bench_log", "--use", "--home", str(folder))
        run("first_paint", "--runs", "7", "--home", str(folder))
        run("app_memory", "--home", str(folder))
        if asked.deck:
            own = write_deck(folder / "deck", asked.cards)
            run("app_memory", "--home", str(folder), "--deck", str(own))
        if asked.check:
            with ReviewLog(folder, zone=UTC) as log:
                line("log check", took(lambda: print(f"sound: {log.verify().ok}"), 1))
                print(f"{'memory with check':<36} {peak_mb():7.1f} MB", flush=True)


if __name__ == "__main__":
    main()
