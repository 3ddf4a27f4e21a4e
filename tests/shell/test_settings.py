"""The settings, as the calls of the shell go by them."""

from __future__ import annotations

import json
from datetime import date, timedelta
from pathlib import Path

import pytest

import quizbank.bank
from quizbank.home import Home
from quizbank.learning.opening import open_log
from quizbank.settings import FILE_NAME, read_settings
from tests.bank.decks import SAMPLE
from tui.cli import main

Capture = pytest.CaptureFixture[str]
OWN = "topic: own\ncards:\n  - {kind: plain, id: mine, question: What?, answer: This.}\n"


@pytest.fixture(autouse=True)
def _sample(monkeypatch: pytest.MonkeyPatch) -> None:
    bibliography = quizbank.bank.SHIPPED / quizbank.bank.BIBLIOGRAPHY
    monkeypatch.setattr(
        quizbank.bank, "shipped_deck", lambda: quizbank.bank.Deck((SAMPLE,), "sample", bibliography)
    )


def call(capsys: Capture, *arguments: str) -> tuple[int, str, str]:
    status = main(list(arguments))
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def write(home: Path, text: str) -> None:
    home.mkdir(exist_ok=True)
    (home / FILE_NAME).write_text(text, encoding="utf-8")


def test_decks_of_the_settings_are_loaded_beside_those_named(home: Path, capsys: Capture) -> None:
    (home / "cards").mkdir(parents=True)
    (home / "cards" / "own.yaml").write_text(OWN, encoding="utf-8")
    write(home, 'decks = ["cards"]\n')
    for arguments in (("--deck", str(home / "cards")), ()):
        status, out, err = call(capsys, "list", "--topic", "own", "--json", *arguments)
        assert (status, err) == (0, "")
        assert [card["id"] for card in json.loads(out)] == ["mine"]


def test_a_fault_ends_the_call_with_its_line(home: Path, capsys: Capture) -> None:
    write(home, "\n\nnew_per_days = 3\n")
    status, out, err = call(capsys, "list")
    assert (status, out) == (2, "")
    assert f"{FILE_NAME}:3: no setting is called new_per_days; did you mean new_per_day?" in err
    # what needs no settings does not stumble over them
    assert call(capsys, "schema")[0] == 0


def test_the_language_of_the_settings_gives_way_to_variable_and_option(
    home: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(home, 'language = "zh"\n')
    monkeypatch.delenv("PROOFDECK_LANG")
    assert "共 1 张卡片" in call(capsys, "list")[2]
    assert "1 card" in call(capsys, "list", "--lang", "en")[2]
    monkeypatch.setenv("PROOFDECK_LANG", "en")
    assert "1 card" in call(capsys, "list")[2]


def test_the_plan_starts_from_the_settings(home: Path, capsys: Capture) -> None:
    status, _, err = call(capsys, "plan")
    assert status == 2
    assert "interview_date" in err
    day = date.today() + timedelta(days=20)
    write(home, f'interview_date = "{day}"\nminutes_a_day = 7\n')
    found = json.loads(call(capsys, "plan", "--json")[1])
    assert (found["date"], found["minutes"]) == (str(day), 7)
    found = json.loads(call(capsys, "plan", "--json", "--minutes", "30")[1])
    assert found["minutes"] == 30


def test_the_retention_that_is_wanted_makes_the_schedule(home: Path) -> None:
    intervals = []
    for retention in ("0.8", "0.95"):
        write(home, f"desired_retention = {retention}\n")
        found = Home.in_folder(home)
        with open_log(found) as log:
            log.grade("card", 4)
            assert log.scheduler.settings.desired_retention == read_settings(home)[0].desired_retention
            intervals.append(log.memory("card").due_day)
    # the log derives what was graded before anew
    assert intervals[0] > intervals[1]


def test_plain_leaves_the_plot_out_and_keeps_what_it_shows(home: Path, capsys: Capture) -> None:
    drawn = call(capsys, "demo", "D19")[1]
    asked = call(capsys, "demo", "D19", "--plain")[1]
    write(home, "plain = true\n")
    chosen = call(capsys, "demo", "D19")[1]
    assert asked == chosen
    assert "⠀" not in asked
    assert len(asked.splitlines()) < len(drawn.splitlines()) - 10
    # each sentence about a figure begins with the title that the drawing had
    assert "Variance of the scores against dₖ: unscaled the variance rises" in " ".join(asked.split())
    assert asked.splitlines()[-1].split()[-1] == drawn.splitlines()[-1].split()[-1]
