"""Drawing a paper: balanced over topics or weighted to weak ones, mixed in kind, each drill at most once, two
questions of one card apart, the same for the same seed."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from engine.errors import InputError
from engine.text import Text
from quizbank.card import KINDS, LEVELS, TOPICS, Card, Drill
from quizbank.drills.variant import digest, draw_variant, shuffled
from quizbank.fault import shown
from quizbank.papers.paper import Paper, Question
from quizbank.papers.weakness import shares

MOST_QUESTIONS = 500
MOST_MINUTES = 600
USUAL_COUNT = 10


@dataclass(frozen=True)
class _Candidate:
    card: Card
    drill: Drill

    @property
    def key(self) -> str:
        return f"{self.card.id}/{self.drill.id}"


def draw(
    cards: Iterable[Card],
    topics: Collection[str] = (),
    kinds: Collection[str] = (),
    levels: Collection[str] = (),
    count: int = USUAL_COUNT,
    minutes: int | None = None,
    seed: int | None = None,
    weights: Mapping[str, float] | None = None,
) -> Paper:
    """Draw a paper; with ``seed`` None the seed itself is drawn and stands in the paper.

    No topic gets two questions more than another that still has some. With ``weights`` (a positive number a
    topic, 1 where none is given) the questions are shared out as :func:`quizbank.papers.weakness.shares` says
    instead; they stand in the paper, so ``weights=paper.weights`` draws it again. Two kinds at least come up
    wherever two questions of different kinds could. Two questions of one card never follow each other where
    they can be kept apart. Where fewer drills exist than ``count``, all of them are
    taken and ``Paper.shortfall`` says so.

    Raises:
        InputError: a name that is none, a number out of range, a weight that is not positive, or no drill at
            all that fits.
    """
    for given, known, what in (
        (topics, TOPICS, Text("topic", "主题")),
        (kinds, KINDS, Text("kind", "题型")),
        (levels, LEVELS, Text("level", "难度")),
    ):
        _check_names(given, known, what)
    _check_range(count, MOST_QUESTIONS, Text("number of questions", "题数"))
    if minutes is not None:
        _check_range(minutes, MOST_MINUTES, Text("number of minutes", "分钟数"))
    if seed is None:
        seed = secrets.randbelow(1_000_000)
    elif seed < 0:
        raise InputError(Text("the seed must be 0 or more", "随机种子不能为负"))
    pool = [
        _Candidate(card, drill)
        for card in cards
        if (not topics or card.topic in topics) and (not levels or card.level in levels)
        for drill in card.drills
        if not kinds or drill.kind in kinds
    ]
    if not pool:
        raise InputError(Text("no question in the bank fits this choice", "题库中没有符合条件的题目"))
    present: tuple[str, ...] = tuple(
        topic for topic in TOPICS if any(one.card.topic == topic for one in pool)
    )
    weighted = None
    quota = dict.fromkeys(present, count)
    if weights is not None:
        weighted = {topic: _weight(weights.get(topic, 1.0)) for topic in present}
        room = Counter(one.card.topic for one in pool)
        quota = shares(weighted, {topic: room[topic] for topic in present}, count, seed)
    chosen = _with_two_kinds(_balanced(pool, count, seed, quota), pool, seed)
    by_key = {candidate.key: candidate for candidate in chosen}
    order = _apart([by_key[key] for key in shuffled(by_key, seed, "order")])
    return Paper(
        seed=seed,
        asked=count,
        minutes=minutes,
        topics=tuple(topic for topic in TOPICS if topic in topics),
        kinds=tuple(kind for kind in KINDS if kind in kinds),
        levels=tuple(level for level in LEVELS if level in levels),
        questions=tuple(
            Question(draw_variant(one.card, one.drill, seed), one.card.topic, one.card.level) for one in order
        ),
        weights=weighted,
    )


def _balanced(
    pool: Sequence[_Candidate], count: int, seed: int, quota: Mapping[str, int]
) -> list[_Candidate]:
    """One question a topic in turn, up to its quota; within a topic the kind, then the card, that came up least."""
    left: dict[str, list[_Candidate]] = {}
    for candidate in sorted(pool, key=lambda candidate: digest(seed, "draw", candidate.key)):
        left.setdefault(candidate.card.topic, []).append(candidate)
    turns = shuffled(left, seed, "topics")
    chosen: list[_Candidate] = []
    kinds: Counter[str] = Counter()
    cards: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    while len(chosen) < count and any(left[topic] and asked[topic] < quota[topic] for topic in turns):
        for topic in turns:
            if left[topic] and asked[topic] < quota[topic] and len(chosen) < count:
                best = min(left[topic], key=lambda one: (kinds[one.drill.kind], cards[one.card.id]))
                left[topic].remove(best)
                chosen.append(best)
                kinds[best.drill.kind] += 1
                cards[best.card.id] += 1
                asked[topic] += 1
    return chosen


def _with_two_kinds(chosen: list[_Candidate], pool: Sequence[_Candidate], seed: int) -> list[_Candidate]:
    """Exchange one question where all are of one kind and another kind was to be had.

    The exchange is within a topic if it can be, so the balance stands.
    """
    only = chosen[0].drill.kind
    if len(chosen) < 2 or any(one.drill.kind != only for one in chosen):
        return chosen
    others = sorted(
        (one for one in pool if one.drill.kind != only),
        key=lambda one: digest(seed, "other kind", one.key),
    )
    if not others:
        return chosen
    asked = Counter(one.card.topic for one in chosen)
    new = min(others, key=lambda one: one.card.topic not in asked)
    if new.card.topic in asked:
        gone = next(one for one in reversed(chosen) if one.card.topic == new.card.topic)
    else:
        gone = max(reversed(chosen), key=lambda one: asked[one.card.topic])
    return [new if one is gone else one for one in chosen]


def _apart(order: Sequence[_Candidate]) -> list[_Candidate]:
    """As near the order given as can be with no two of one card in a row, where any order has none.

    The next is the first that is of another card than the last; but a card that has more than half of what
    is left goes next, since otherwise its last ones would meet.
    """
    left = list(order)
    placed: list[_Candidate] = []
    while left:
        last = placed[-1].card.id if placed else ""
        card, most = Counter(one.card.id for one in left).most_common(1)[0]
        if card != last and most * 2 > len(left):
            following = next(one for one in left if one.card.id == card)
        else:
            following = next((one for one in left if one.card.id != last), left[0])
        left.remove(following)
        placed.append(following)
    return placed


def _weight(given: float) -> float:
    if not 0 < given < float("inf"):
        raise InputError(Text("a topic's weight must be a positive number", "主题权重须为正数"))
    return given


def _check_names(given: Collection[str], known: Sequence[str], what: Text) -> None:
    for name in given:
        if name not in known:
            raise InputError(
                Text(
                    f"there is no {what.en} {shown(name)}; there are {', '.join(known)}",
                    f"没有{what.zh} {shown(name)}；可用的有 {'、'.join(known)}",
                )
            )


def _check_range(given: int, most: int, what: Text) -> None:
    if not 1 <= given <= most:
        raise InputError(
            Text(
                f"the {what.en} must be 1 to {most}, not {given}",
                f"{what.zh}应为 1 到 {most}，而不是 {given}",
            )
        )
