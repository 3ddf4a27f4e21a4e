"""Siblings, and the order in which new cards are met."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC
from itertools import islice
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.text import Text
from quizbank.bank import load_bank
from quizbank.card import Card, DemoRef, FollowUp
from quizbank.home import Home
from quizbank.learning.daily import met_today
from quizbank.learning.log import ReviewLog
from quizbank.learning.memory import Rating
from quizbank.learning.new_cards import order_of_meeting
from quizbank.learning.relations import Company, Relations
from quizbank.learning.session import StudySession
from tests.bank.decks import sample_card

Level = Literal["core", "deep", "expert"]
SAMPLE = sample_card()
NOON = 1_767_600_000_000
DAY = 86_400_000


def card(
    id_: str,
    level: Level = "core",
    needs: Sequence[str] = (),
    next_: Sequence[str] = (),
    claims: Sequence[str] = (),
    demos: Sequence[DemoRef] = (),
    topic: str = "attention",
) -> Card:
    asked = tuple(FollowUp(Text("?", "？"), Text(".", "。"), other) for other in next_)
    return replace(
        SAMPLE, id=id_, level=level, needs=tuple(needs), follow_ups=asked, claims=tuple(claims),
        demos=tuple(demos), topic=topic,
    )  # fmt: skip


def order(cards: Sequence[Card], met: Sequence[str] = (), relations: Relations | None = None) -> list[str]:
    return list(order_of_meeting([c.id for c in cards], relations or Relations(cards), met))


@pytest.mark.parametrize(
    ("one", "other", "siblings"),
    [
        (card("a", next_=["b"]), card("b"), True),
        (card("a"), card("b", needs=["a"]), True),
        (card("a", claims=["x", "y"]), card("b", claims=["y"]), True),
        (card("a", demos=[DemoRef("D19", {"d_k": 64})]), card("b", demos=[DemoRef("D19", {"d_k": 64})]), True),
        (card("a", demos=[DemoRef("D19", {"d_k": 64})]), card("b", demos=[DemoRef("D19", {"d_k": 8})]), False),
        (card("a", demos=[DemoRef("D19")]), card("b", demos=[DemoRef("D07")]), False),
        (card("a", next_=["c"]), card("b", next_=["c"]), False),
        (card("a", needs=["c"]), card("b", needs=["c"]), False),
    ],
    ids=["follow-up", "need", "claim", "demonstration", "other values", "other demonstrations",
         "asked next by both", "needed by both"],
)  # fmt: skip
def test_siblings_are_cards_that_give_each_other_away(one: Card, other: Card, siblings: bool) -> None:
    relations = Relations([one, other, card("c")])
    assert relations.are_siblings("a", "b") is relations.are_siblings("b", "a") is siblings
    assert relations.are_siblings("a", "a")
    assert not relations.are_siblings("a", "no card of the deck")


def test_what_a_card_needs_comes_first_in_another_topic_too() -> None:
    cards = [card("a", needs=["z"]), card("b"), card("z", topic="rnn")]
    assert order(cards) == ["b", "z", "a"]


def test_core_comes_before_deep_though_a_sibling_waits_for_another_day() -> None:
    cards = [card("a", claims=["x"]), card("b", claims=["x"]), card("c", "deep"), card("d", topic="rnn")]
    assert order(cards) == ["a", "d", "b", "c"]


def test_a_card_comes_before_its_follow_ups_where_none_leads_back() -> None:
    assert order([card("b"), card("a", next_=["b"])]) == ["a", "b"]
    assert order([card("b", next_=["a"]), card("a", next_=["b"])]) == ["b", "a"]
    assert order([card("b"), card("c", "deep", next_=["b"])]) == ["b", "c"]


def test_a_circle_of_needs_is_broken_on_the_circle() -> None:
    cards = [card("x", needs=["a"]), card("a", needs=["b"]), card("b", needs=["a"]), card("c", needs=["c"])]
    found = order(cards)
    assert sorted(found) == ["a", "b", "c", "x"]
    assert found.index("a") < found.index("x")


def test_siblings_of_what_was_met_today_wait_while_others_are_there() -> None:
    cards = [card("a", claims=["x"]), card("b", claims=["y"]), card("c")]
    assert order([*cards], met=["elsewhere"]) == ["a", "b", "c"]
    relations = Relations([*cards, card("met", claims=["x", "y"])])
    assert order(cards, ["met"], relations) == ["c", "a", "b"]


ids = st.integers(0, 8)
decks = st.lists(
    st.tuples(
        st.sampled_from(["core", "deep", "expert"]),
        st.sets(ids, max_size=2),
        st.sets(ids, max_size=2),
        st.sets(st.integers(0, 4), max_size=2),
        st.sampled_from(["attention", "rnn"]),
    ),
    min_size=1,
    max_size=9,
)


def deck(drawn: list[tuple[Level, set[int], set[int], set[int], str]]) -> list[Card]:
    return [
        card(
            f"c{i}",
            level,
            [f"c{n}" for n in sorted(needs) if n < i],
            [f"c{n}" for n in sorted(asked)],
            [f"claim {n}" for n in sorted(claims)],
            topic=topic,
        )
        for i, (level, needs, asked, claims, topic) in enumerate(drawn)
    ]


@settings(max_examples=40)
@given(decks, st.randoms(use_true_random=False))
def test_the_order_is_the_rule_applied_card_by_card(drawn, chance) -> None:
    """The same as looking at every card each time, as the rule is worded."""
    cards = deck(drawn)
    chance.shuffle(cards)
    relations = Relations(cards)
    left = [c.id for c in cards]
    company, expected = Company(relations), []
    while left:
        known = [c for c in left if not set(relations.needs(c)) & set(left)]
        basic = {
            topic: min(relations.stage(c)[1] for c in known if relations.stage(c)[0] == topic)
            for topic in {relations.stage(c)[0] for c in known}
        }
        free = [c for c in known if relations.stage(c)[1] == basic[relations.stage(c)[0]]]

        def wait(one: str) -> tuple[bool, bool]:
            is_sibling = company.gives_away(one)
            return is_sibling, not is_sibling and any(one in relations.asks_next(c) for c in left)

        chosen = min(free, key=wait)
        left.remove(chosen)
        company.join(chosen)
        expected.append(chosen)
    assert order(cards) == expected


class Counting(Relations):
    looks = 0

    def stage(self, card: str) -> tuple[str, int]:
        self.looks += 1
        return super().stage(card)


@pytest.mark.parametrize("alike", [False, True], ids=["strangers", "all of them siblings"])
def test_the_work_grows_with_the_cards_and_not_with_their_square(alike: bool) -> None:
    looks = []
    for count in (300, 1200):
        levels: tuple[Level, ...] = ("core", "deep", "expert")
        cards = [
            card(f"c{i}", levels[i % 3], claims=["x"] if alike else [f"claim {i}"]) for i in range(count)
        ]
        relations = Counting(cards)
        assert len(list(islice(order_of_meeting([c.id for c in cards], relations, ()), count))) == count
        looks.append(relations.looks)
    assert looks[1] < 5 * looks[0]


def test_the_shipped_cards_day_by_day(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    """Weeks of study at ten new cards a day, through one session a morning and one an evening."""
    bank = load_bank(Home(tmp_path, tmp_path, pytestconfig.cache.mkdir("proofdeck")))
    relations = Relations(bank.cards)
    place: dict[str, int] = {}
    at_ms = NOON
    with ReviewLog(tmp_path, zone=UTC) as log:
        for half_day in range(6):
            at_ms = NOON + half_day // 2 * DAY + half_day % 2 * 3_600_000
            session = StudySession(
                log, [c.id for c in bank.cards], relations=relations, new_limit=5, due_limit=0,
                clock_ms=lambda at_ms=at_ms: at_ms, stopwatch=lambda: 0.0,
            )  # fmt: skip
            before = met_today(log, at_ms)
            assert len(before) == half_day % 2 * 5
            while session.current is not None:
                place[session.current] = len(place)
                session.reveal()
                session.grade(Rating.EASY)
            today = met_today(log, at_ms)
            assert len(today) == len(before) + 5
            assert set(before) < set(today)
            pairs = [(a, b) for a in today for b in today if a < b and relations.are_siblings(a, b)]
            assert pairs == [], "so many that are no siblings are always free"
    for id_ in place:
        assert all(need in place and place[need] < place[id_] for need in bank.card(id_).needs)
        topic, level = relations.stage(id_)
        for other in bank.cards:
            known_to = all(need in place and place[need] < place[id_] for need in other.needs)
            if other.id not in place and known_to:
                assert relations.stage(other.id)[0] != topic or relations.stage(other.id)[1] >= level
