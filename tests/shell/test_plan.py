"""`plan`: readiness and the days up to the interview, from the shell."""

from __future__ import annotations

import json
from datetime import date, timedelta
from pathlib import Path

import pytest

from quizbank.home import Home
from quizbank.learning.day import local_day, now_ms
from quizbank.learning.log import ReviewLog
from quizbank.learning.memory import Rating
from quizbank.planning.futures import Costs
from tui.cli import main

Capture = pytest.CaptureFixture[str]
DECK = Path(__file__).parent.parent / "data" / "sample_cards.yaml"


def call(capsys: Capture, *arguments: str) -> tuple[int, str, str]:
    status = main(list(arguments))
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def soon(days: int) -> str:
    return (local_day(now_ms()) + timedelta(days=days)).isoformat()


def test_the_plan_names_days_and_topics_in_both_languages(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROOFDECK_HOME", str(tmp_path))
    for lang, words in (
        ("en", ("Today", "RNN", "one more hour")),
        ("zh", ("今天", "循环神经网络", "再加一小时")),
    ):
        status, out, err = call(capsys, "plan", "--date", soon(4), "--topic", "rnn", "--lang", lang)
        assert (status, err) == (0, "")
        assert all(word in out for word in words)


@pytest.mark.slow
def test_the_json_plan_keeps_its_minutes_and_starts_with_what_was_forgotten(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROOFDECK_HOME", str(tmp_path))
    with ReviewLog(Home.from_environment().data_folder()) as log:
        log.grade("rnn-recurrence", Rating.AGAIN)
    status, out, _ = call(capsys, "plan", "--date", soon(6), "--minutes", "5", "--topic", "rnn", "--json")
    assert status == 0
    found = json.loads(out)
    assert found["date"] == soon(6)
    assert len(found["days"]) == 6
    assert found["overall"]["planned"] > found["overall"]["without"]
    assert found["overall"]["low"] <= found["overall"]["planned"] <= found["overall"]["high"]
    cards = {card for day in found["days"] for card in day["cards"]}
    assert "rnn-recurrence" in cards
    new = [card for day in found["days"] for card in day["new"]]
    assert len(new) == len(set(new))
    assert "rnn-recurrence" not in new


@pytest.mark.slow
def test_minutes_that_may_be_moved_are_as_many_in_all_and_keep_to_the_most_of_a_day(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROOFDECK_HOME", str(tmp_path))
    call_ = ("plan", "--date", soon(5), "--minutes", "4", "--topic", "attention", "--json")
    even, moved = (json.loads(call(capsys, *call_, *more)[1]) for more in ((), ("--most-a-day", "9")))
    assert (even["most_minutes_a_day"], moved["most_minutes_a_day"]) == (None, 9)
    usual = Costs()

    def minutes(day: dict[str, list[str]]) -> float:
        again = len(day["cards"]) - len(day["new"])
        return (len(day["new"]) * usual.first + again * usual.review) / 60

    assert all(minutes(day) <= 4 for day in even["days"])
    assert max(minutes(day) for day in moved["days"]) > 4
    assert all(minutes(day) <= 9 for day in moved["days"])
    assert sum(minutes(day) for day in moved["days"]) <= 20
    assert moved["overall"]["planned"] >= even["overall"]["planned"]


@pytest.mark.slow
def test_what_was_studied_today_is_taken_from_todays_minutes(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROOFDECK_HOME", str(tmp_path))
    call_ = ("plan", "--date", soon(3), "--minutes", "2", "--topic", "rnn", "--json")
    before = json.loads(call(capsys, *call_)[1])["days"][0]
    # time for one card that was never seen
    assert len(before["cards"]) == 1
    with ReviewLog(Home.from_environment().data_folder()) as log:
        log.grade(before["cards"][0], Rating.GOOD)
    days = json.loads(call(capsys, *call_)[1])["days"]
    # what is left is too little for another new card; for the same one again it is enough
    assert set(days[0]["cards"]) <= set(before["cards"])
    assert days[0]["new"] == []
    assert days[1]["cards"]


@pytest.mark.slow
@pytest.mark.parametrize("given", ["soon", "2026-02-30", "2001-01-01", "2999-01-01"])
def test_a_date_that_cannot_be_planned_for_is_one_line(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    monkeypatch.setenv("PROOFDECK_HOME", str(tmp_path))
    status, out, err = call(capsys, "plan", "--date", given)
    assert status == 2
    assert out == ""
    assert len(err.splitlines()) == 1


@pytest.mark.slow
def test_today_is_a_plan_without_days(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROOFDECK_HOME", str(tmp_path))
    status, out, _ = call(capsys, "plan", "--date", soon(0), "--json")
    assert status == 0
    assert json.loads(out)["days"] == []
    assert date.fromisoformat(json.loads(out)["today"]) == date.fromisoformat(json.loads(out)["date"])


def test_the_day_of_the_interview_is_called_today(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROOFDECK_HOME", str(tmp_path))
    for lang, said, never in (("en", "today, ", "0 days"), ("zh", "就是今天", "0 天")):
        _, out, _ = call(capsys, "plan", "--date", soon(0), "--topic", "rnn", "--lang", lang)
        assert said in out
        assert never not in out
