"""What an interview asks, how it is marked, and what is kept of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.demos import catalogue, load
from engine.errors import InputError
from engine.notation.prose import parse_prose
from engine.proof.derivation import decided
from engine.proof.step import Decided, Status
from engine.text import same
from quizbank.bank import load_bank
from quizbank.card import Card, DemoRef, FollowUp, KeyPoint, Trap
from quizbank.home import Home
from quizbank.interview.plan import LIMIT_MS, Turn, draw_opening, follow_up_kind, plan
from quizbank.interview.question import Posed, pose
from quizbank.interview.session import Interview, Stopwatch
from quizbank.interview.store import FILE_NAME, Interviews
from quizbank.interview.verdict import LevelVerdict, Mark, to_review, verdicts

IDS = ("one", "two", "three", "four")


@st.composite
def banks(draw: st.DrawFn) -> dict[str, Card]:
    """Cards that lead to each other, to themselves and to cards that are not there; some ask the same thing."""
    questions = st.sampled_from(["Why?", "What if?", "And then?", "why?", "How so?", "question one"])
    follow_up = st.builds(
        FollowUp, questions.map(same), st.just(same("answer")), st.sampled_from((*IDS, "gone", ""))
    )
    cards = {}
    for id_ in IDS:
        follow_ups = draw(st.lists(follow_up, max_size=4))
        demos = draw(st.lists(st.sampled_from(["D19", "D07"]).map(DemoRef), max_size=2))
        cards[id_] = card(id_, tuple(follow_ups), tuple(demos))
    return cards


def card(id_: str, follow_ups: tuple[FollowUp, ...] = (), demos: tuple[DemoRef, ...] = ()) -> Card:
    text = same("text")
    points = (KeyPoint("a", text), KeyPoint("b", text))
    trap = Trap(same("popular"), same("correction"), "D19.unit-variance-suffices")
    return Card(
        id_, "attention", "core", "false", same(f"question {id_}"), text, text, points, trap, follow_ups, (), demos, (), ()
    )  # fmt: skip


def question(cards: Mapping[str, Card], turn: Turn) -> str:
    """The words a turn asks in, without their case; what is drawn from a derivation is named by its place."""
    asked = cards[turn.card]
    if turn.kind == "opening":
        return asked.question.en.casefold()
    if turn.kind in ("prove-it", "what-breaks"):
        return f"{turn.kind} {turn.card} {turn.part}"
    return asked.follow_ups[int(turn.part)].question.en.casefold()


seeds = st.integers(0, 10**6)


@given(banks(), st.sampled_from(IDS), seeds)
def test_nothing_is_asked_twice_and_every_level_stands_on_the_one_before(
    cards: dict[str, Card], opening: str, seed: int
) -> None:
    turns = plan(cards, opening, seed)
    asked = [question(cards, turn) for turn in turns]
    assert len(set(asked)) == len(asked)
    assert turns[0] == Turn(1, "opening", opening)
    assert [turn.level for turn in turns] == sorted(turn.level for turn in turns)
    followed = [turn for turn in turns if turn.level == 2 and turn.part.isdigit()]
    links = {cards[turn.card].follow_ups[int(turn.part)].card for turn in followed}
    for turn in turns:
        # level 2 asks about the opening card; level 3 about it or about the card its follow-up leads to
        assert turn.card == opening or (turn.level == 3 and turn.card in links)
        if turn.kind == "prove-it":
            assert turn.part in {demo.id for demo in cards[turn.card].demos}


@given(banks(), st.sampled_from(IDS), seeds)
def test_a_card_with_a_demonstration_yields_three_levels_whatever_its_links(
    cards: dict[str, Card], opening: str, seed: int
) -> None:
    cards[opening] = replace(cards[opening], demos=(DemoRef("D19"),))
    turns = plan(cards, opening, seed)
    assert {turn.level for turn in turns} == {1, 2, 3}
    if all(cards[turn.card].demos for turn in turns):
        assert {"prove-it", "what-breaks"} <= {turn.kind for turn in turns}


@given(banks(), st.sampled_from(IDS), seeds)
def test_the_same_seed_asks_the_same_whatever_else_is_in_the_bank(
    cards: dict[str, Card], opening: str, seed: int
) -> None:
    turns = plan(cards, opening, seed)
    shuffled = dict(reversed(cards.items())) | {"five": card("five", (FollowUp(same("Why?"), same("")),))}
    assert plan(shuffled, opening, seed) == turns


def test_seeds_reach_every_follow_up_and_both_orders_of_the_challenges() -> None:
    follow_ups = tuple(FollowUp(same(f"Why {n}?"), same("")) for n in range(4))
    cards = {"one": card("one", follow_ups, (DemoRef("D19"),))}
    plans = [plan(cards, "one", seed) for seed in range(60)]
    assert {turn.part for turns in plans for turn in turns if turn.kind == "why"} == set("0123")
    assert {turns[2].kind for turns in plans} == {"prove-it", "what-breaks"}


def test_a_follow_up_with_a_card_is_followed() -> None:
    leads = (FollowUp(same("And?"), same("")), FollowUp(same("Why?"), same(""), "two"))
    cards = {
        "one": card("one", leads, (DemoRef("D19"),)),
        "two": card("two", (FollowUp(same("What if not?"), same("")),), (DemoRef("D07"),)),
    }
    for seed in range(20):
        turns = plan(cards, "one", seed)
        assert turns[1].kind == "why"
        assert next((turn.kind, turn.card) for turn in turns if turn.level == 3) == ("what-if", "two")
        assert all(turn.card == "two" for turn in turns if turn.level == 3)


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Why not divide by $d_k$?", "why"),
        ("What does RMSNorm leave out, and why does that not hurt?", "why"),
        ("If the path is one step, why do models miss things?", "why"),
        ("What if only the queries carry positions?", "what-if"),
        ("Can a decoder work without positional encoding?", "what-if"),
        ("What changes with correlated entries?", "what-if"),
        ("Can BERT generate text at all?", "follow-up"),
        ("Did the LSTM not solve this already?", "follow-up"),
    ],
)
def test_a_follow_up_is_named_by_what_it_asks_for(question: str, kind: str) -> None:
    assert follow_up_kind(FollowUp(same(question), same("answer"))) == kind


def test_the_opening_is_a_core_card_of_the_topic() -> None:
    cards = {
        "one": card("one"),
        "two": replace(card("two"), level="deep"),
        "three": replace(card("three"), topic="rnn"),
    }
    assert {draw_opening(cards, ("attention",), seed) for seed in range(20)} == {"one"}
    assert {draw_opening(cards, (), seed) for seed in range(40)} == {"one", "three"}
    with pytest.raises(InputError, match="no core card"):
        draw_opening(cards, ("vit",), 1)
    with pytest.raises(InputError, match="no card is called"):
        plan(cards, "gone", 1)


# What is put, and the answer beside it ---------------------------------------------------------------


@pytest.fixture(scope="module")
def steps_of_d19() -> tuple[Decided, ...]:
    return decided("D19", load("D19").derive)


def test_a_proof_is_asked_of_a_proved_step_and_answered_by_the_derivation_up_to_it(
    steps_of_d19: tuple[Decided, ...],
) -> None:
    one = card("one", demos=(DemoRef("D19"),))
    asked = set()
    for seed in range(30):
        posed = pose(Turn(3, "prove-it", "one", "D19"), one, seed, lambda _: steps_of_d19)
        (place,) = (
            n
            for n, step in enumerate(steps_of_d19)
            if step.statement in posed.question.en and step.rule.en in posed.question.en
        )
        asked.add(place)
        assert steps_of_d19[place].status in (Status.PROVED, Status.PROVED_BOUNDED)
        assert posed.answer.zh.count("$$") == 2 * (place + 1) + 2 * sum(
            bool(step.counterexample) for step in steps_of_d19[: place + 1]
        )
        assert steps_of_d19[place].rule.zh in posed.answer.zh.rpartition(f"{place + 1}. ")[2]
        parse_prose(posed.question.en), parse_prose(posed.answer.zh)
    assert len(asked) > 3


def test_the_popular_version_is_put_as_a_claim_and_answered_by_what_refutes_it(
    steps_of_d19: tuple[Decided, ...],
) -> None:
    one = card("one", demos=(DemoRef("D19", {"d_k": 64}),))
    posed = pose(Turn(2, "what-breaks", "one"), one, 0, lambda _: steps_of_d19)
    assert "popular" in posed.question.en
    assert "correction" not in posed.question.en
    assert posed.answer.en.startswith("correction")
    refuting = next(step for step in steps_of_d19 if step.name == "unit-variance-suffices")
    assert refuting.counterexample in posed.answer.en
    # a check refutes as well: both its numbers stand there, at the card's own setting
    check = load("D19").run({"d_k": 64}).checks[0]
    measured = replace(one, trap=replace(one.trap, refuted_by=f"D19.{check.name}"))
    said = pose(Turn(2, "what-breaks", "one"), measured, 0, lambda _: steps_of_d19).answer
    assert check.claim.zh in said.zh
    assert f"{check.measured:.4g}" in said.en


def test_a_demonstration_without_a_proved_step_is_asked_for_as_a_whole() -> None:
    cited = tuple(step for step in decided("D57", load("D57").derive))
    assert not [step for step in cited if step.status is Status.PROVED]
    posed = pose(Turn(2, "prove-it", "one", "D57"), card("one"), 0, lambda _: cited)
    assert load("D57").shows.en in posed.question.en
    assert posed.answer.en.count("$$") == 2 * len(cited)


# Time, marks, verdicts -------------------------------------------------------------------------------


def test_the_clock_counts_what_was_spoken_and_nothing_else() -> None:
    now = [100.0]
    watch = Stopwatch(lambda: now[0])
    watch.start()
    now[0] += 7.5
    watch.stop()
    now[0] += 100
    assert watch.used_ms == 7500
    watch.start()
    watch.start()
    now[0] += 2.5
    assert watch.used_ms == 10_000
    # a clock set back takes nothing away
    now[0] -= 1000
    assert watch.used_ms == 7500


def mark(level: int, kind: str, said: float, out_of: int = 1, seconds: float = 10, id_: str = "one") -> Mark:
    return Mark(Turn(level, kind, id_), said, out_of, round(seconds * 1000))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("marks", "standing", "advice"),
    [
        ([mark(1, "opening", 5, 5)], "holds", "nothing to mend"),
        ([mark(1, "opening", 4, 5, 31)], "holds", "thirty seconds"),
        ([mark(1, "opening", 3, 5)], "shaky", "spoken answer"),
        ([mark(1, "why", 1), mark(1, "prove-it", 0)], "shaky", "derivation"),
        ([mark(1, "why", 0), mark(1, "what-breaks", 1, 2)], "breaks", "follow-ups"),
        ([mark(1, "why", 0.5), mark(1, "what-breaks", 0, 2)], "breaks", "lab"),
    ],
)
def test_a_level_is_judged_by_what_was_said_and_the_advice_meets_its_weakest_answer(
    marks: list[Mark], standing: str, advice: str
) -> None:
    verdict = LevelVerdict(1, tuple(marks))
    assert verdict.standing == standing
    assert advice in verdict.advice.en
    assert verdict.limit_ms == LIMIT_MS * len(marks)


def test_the_cards_to_review_are_those_that_did_not_hold_the_weakest_first() -> None:
    marks = [
        mark(1, "opening", 5, 5),
        mark(2, "why", 0.5, id_="two"),
        mark(3, "why", 0, id_="three"),
        mark(3, "what-if", 0, id_="two"),
    ]
    assert to_review(marks) == ("three", "two")
    assert [verdict.level for verdict in verdicts(marks)] == [1, 2, 3]


# Held, and kept --------------------------------------------------------------------------------------


def posed_for(turn: Turn) -> Posed:
    points = card("one").key_points if turn.kind in ("opening", "what-breaks") else ()
    return Posed(turn, same("question"), same("answer"), points)


def held(folder: Path, answers: int) -> Interview:
    """An interview in which so many answers were marked."""
    cards = {
        "one": card("one", tuple(FollowUp(same(f"Why {n}?"), same("")) for n in range(3)), (DemoRef("D19"),))
    }
    now = [0.0]
    interview = Interview(cards, "one", 7, Interviews(folder), lambda: now[0])
    for _ in range(answers):
        assert interview.turn is not None
        posed = posed_for(interview.turn)
        interview.listen()
        now[0] += 12
        interview.reveal()
        now[0] += 60
        if posed.points:
            interview.tick(posed, {"a"})
        else:
            interview.judge(posed, "partly")
    return interview


def test_every_answer_is_in_the_file_when_it_is_marked(tmp_path: Path) -> None:
    interview = held(tmp_path, 3)
    (past,) = Interviews(tmp_path).history()
    assert past.marks == tuple(interview.marks)
    assert not past.is_whole
    assert all(mark.used_ms == 12_000 and mark.share == 0.5 for mark in past.marks)
    assert past.verdicts == interview.verdicts


def test_a_whole_interview_has_a_verdict_for_every_level(tmp_path: Path) -> None:
    interview = held(tmp_path, 5)
    assert interview.turn is None
    (past,) = Interviews(tmp_path).history()
    assert past.is_whole
    assert [verdict.level for verdict in past.verdicts] == [1, 2, 3]
    held(tmp_path, 1)
    held(tmp_path, 0)
    # the latest first; one in which nothing was said is none
    assert [len(past.marks) for past in Interviews(tmp_path).history()] == [1, 5]


def test_an_answer_is_marked_once_and_only_when_it_was_revealed(tmp_path: Path) -> None:
    interview = held(tmp_path, 0)
    assert interview.turn is not None
    posed = posed_for(interview.turn)
    with pytest.raises(InputError, match="not at hand"):
        interview.tick(posed, {"a"})
    interview.reveal()
    with pytest.raises(InputError, match="no such key point"):
        interview.tick(posed, {"z"})
    interview.tick(posed, set())
    with pytest.raises(InputError, match="not at hand"):
        interview.tick(posed, {"a"})
    assert [mark.said for mark in interview.marks] == [0]


def test_a_damaged_file_is_set_aside_and_its_interviews_taken_over(tmp_path: Path) -> None:
    held(tmp_path, 5)
    path = tmp_path / FILE_NAME
    with Interviews(tmp_path):
        pass
    import sqlite3

    connection = sqlite3.connect(path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    content = bytearray(path.read_bytes())
    # the index is the last thing made, so its page can go without any row
    content[-4096:] = b"\xff" * 4096
    path.write_bytes(content)
    interviews = Interviews(tmp_path)
    assert any("set aside" in notice.en for notice in interviews.notices)
    assert list(tmp_path.glob("interviews.damaged-*.db"))
    assert [len(past.marks) for past in interviews.history()] == [5]


@pytest.mark.slow
def test_every_shipped_core_card_can_be_asked_three_levels_deep(computed: Home) -> None:
    cards = {card.id: card for card in load_bank(computed, lenient=True).cards}
    known = {entry.id for entry in catalogue()}
    for opening in (card.id for card in cards.values() if card.level == "core"):
        turns = plan(cards, opening, 3)
        assert {turn.level for turn in turns} == {1, 2, 3}
        assert all(turn.part in known for turn in turns if turn.kind == "prove-it")
