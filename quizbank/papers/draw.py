"""Drawing a paper: balanced over topics, mixed in kind, each drill at most once, the same for the same seed."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from engine.errors import InputError
from engine.text import Text
from quizbank.card import KINDS, LEVELS, TOPICS, Card, Drill
from quizbank.drills.variant import digest, draw_variant, shuffled
from quizbank.fault import shown
from quizbank.papers.paper import Paper, Question

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
) -> Paper:
    """Draw a paper; with ``seed`` None the seed itself is drawn and stands in the paper.

    No topic gets two questions more than another that still has some. Two kinds at least come up wherever
    two questions of different kinds could. Where fewer drills exist than ``count``, all of them are
    taken and ``Paper.shortfall`` says so.

    Raises:
        InputError: a name that is none, a number out of range, or no drill at all that fits.
    """
    for given, known, what in (
        (topics, TOPICS, Text("topic", "主题")),
        (kinds, KINDS, Text("kind", "题型")),
        (levels, LEVELS, Text("level", "级别")),
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
    chosen = _with_two_kinds(_balanced(pool, count, seed), pool, seed)
    order = shuffled((candidate.key for candidate in chosen), seed, "order")
    by_key = {candidate.key: candidate for candidate in chosen}
    return Paper(
        seed=seed,
        asked=count,
        minutes=minutes,
        topics=tuple(topic for topic in TOPICS if topic in topics),
        kinds=tuple(kind for kind in KINDS if kind in kinds),
        levels=tuple(level for level in LEVELS if level in levels),
        questions=tuple(
            Question(
                draw_variant(by_key[key].card, by_key[key].drill, seed),
                by_key[key].card.topic,
                by_key[key].card.level,
            )
            for key in order
        ),
    )


def _balanced(pool: Sequence[_Candidate], count: int, seed: int) -> list[_Candidate]:
    """One question a topic in turn; within a topic the kind, then the card, that came up least so far."""
    left: dict[str, list[_Candidate]] = {}
    for candidate in sorted(pool, key=lambda candidate: digest(seed, "draw", candidate.key)):
        left.setdefault(candidate.card.topic, []).append(candidate)
    turns = shuffled(left, seed, "topics")
    chosen: list[_Candidate] = []
    kinds: Counter[str] = Counter()
    cards: Counter[str] = Counter()
    while len(chosen) < count and any(left.values()):
        for topic in turns:
            if left[topic] and len(chosen) < count:
                best = min(left[topic], key=lambda one: (kinds[one.drill.kind], cards[one.card.id]))
                left[topic].remove(best)
                chosen.append(best)
                kinds[best.drill.kind] += 1
                cards[best.card.id] += 1
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
