"""How weak each topic is, from what the person answered so far; and how many questions that gives a topic.

The law. Of a topic the latest :data:`EVIDENCE` answers in self-tests count, and the latest :data:`EVIDENCE`
reviews that put a scheduled card to the test: an answer by its points, a review as 1, or as 0 where it was a
lapse. With s points out of n, and a Beta(1, 1) prior on the chance of a point, the posterior mean is
(s + 1)/(n + 2) (Laplace's rule of succession). A topic's weight is 1 minus that: near 0 where all is known,
1/2 where nothing is. The expected number of questions a topic is proportional to its weight, but each topic
keeps one where the paper has room for it, and none gets more than it has drills.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from fractions import Fraction

from quizbank.card import Card
from quizbank.drills.variant import digest, shuffled
from quizbank.learning.entry import Entry
from quizbank.learning.log import ReviewLog
from quizbank.learning.memory import Rating
from quizbank.papers.results import Report, Results

EVIDENCE = 30
"""So many latest answers, and as many latest reviews, say how strong a topic is; what is older says little."""
_DIGITS = 4
"""Digits of a weight, which stands in the paper to be read."""


def topic_weights(
    topics: Iterable[str],
    reports: Iterable[Report],
    reviews: Iterable[Entry] = (),
    topic_of: Mapping[str, str] | None = None,
) -> dict[str, float]:
    """The weight of each of ``topics``, in (0, 1).

    ``reports`` are the self-tests so far, ``reviews`` the entries of the review log, both in any order;
    ``topic_of`` gives the topic of a card by its id. The same history gives the same weights.
    """
    points: dict[str, list[tuple[tuple[object, ...], float]]] = defaultdict(list)
    for report in reports:
        for number, line in enumerate(report.lines):
            # an open paper is still being answered: what is not answered yet says nothing
            if line.points is not None and (line.graded is not None or report.status != "open"):
                points[line.question.topic].append(((report.started_ms, report.id, number), line.points))
    held = list(reviews)
    undone = {entry.undoes for entry in held if entry.kind == "undo"}
    recalled: dict[str, list[tuple[tuple[object, ...], float]]] = defaultdict(list)
    for entry in held:
        topic = (topic_of or {}).get(entry.card)
        if topic is None or entry.id in undone or entry.before is None or entry.before.phase != "review":
            continue
        recalled[topic].append(((entry.order_ms, entry.id), float(entry.rating != Rating.AGAIN)))
    return {topic: _weight(_latest(points[topic]) + _latest(recalled[topic])) for topic in topics}


def weights_of(cards: Iterable[Card], results: Results | None, log: ReviewLog | None) -> dict[str, float]:
    """The weight of every topic of ``cards`` by what this person has done; None where there is nothing yet.

    Raises:
        InputError: the results or the log cannot be read.
    """
    topic_of = {card.id: card.topic for card in cards}
    topics = dict.fromkeys(topic_of.values())
    reports = results.history() if results is not None else ()
    return topic_weights(topics, reports, log.entries() if log is not None else (), topic_of)


def shares(weights: Mapping[str, float], room: Mapping[str, int], count: int, seed: int) -> dict[str, int]:
    """How many of ``count`` questions each topic gets: whole numbers whose expectation over seeds is in
    proportion to its weight, between one (none where ``count`` is below the number of topics) and its ``room``.

    Every number is the expected one rounded up or down: systematic sampling (Madow 1949) in a drawn order.
    """
    count = min(count, sum(room.values()))
    least = 1 if count >= len(room) else 0
    expected = _expected(weights, room, count, least)
    found: dict[str, int] = {}
    passed = Fraction(int.from_bytes(digest(seed, "shares")[:8]), 2**64)
    for topic in shuffled(room, seed, "shares order"):
        before = passed
        passed += expected[topic]
        found[topic] = passed.__floor__() - before.__floor__()
    return found


def _expected(
    weights: Mapping[str, float], room: Mapping[str, int], count: int, least: int
) -> dict[str, Fraction]:
    """λ·weight, kept within ``least`` and the room, with the λ at which they add up to ``count``; exact."""
    weight = {topic: Fraction(weights[topic]) for topic in room}

    def at(scale: Fraction) -> dict[str, Fraction]:
        return {
            topic: min(max(scale * weight[topic], Fraction(least)), Fraction(room[topic])) for topic in room
        }

    # the sum grows with λ, and along straight pieces between the points where a topic meets a bound
    bends = sorted({Fraction(bound) / weight[topic] for topic in room for bound in (least, room[topic])})
    low = Fraction(0)
    for high in bends:
        if sum(at(high).values()) >= count:
            below, above = sum(at(low).values()), sum(at(high).values())
            part = Fraction(count - below, above - below) if above > below else Fraction(0)
            return at(low + part * (high - low))
        low = high
    return at(low)


def _latest(found: list[tuple[tuple[object, ...], float]]) -> list[float]:
    return [point for _, point in sorted(found)][-EVIDENCE:]


def _weight(points: list[float]) -> float:
    return round(1 - (sum(points) + 1) / (len(points) + 2), _DIGITS)
