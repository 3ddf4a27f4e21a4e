"""`stats` and `fit` from the shell: pictures, the document, and weights that are used only where they are better."""

from __future__ import annotations

import json
import re
from datetime import UTC
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from quizbank.fitting import fit as fitting
from quizbank.fitting import optimizer
from quizbank.home import Home
from quizbank.learning.day import now_ms
from quizbank.learning.log import ReviewLog
from quizbank.learning.memory import Rating
from quizbank.learning.opening import open_log
from quizbank.planning.forgetting import DEFAULT
from quizbank.settings import read_settings, write_setting
from tests.fitting.learner import FORGETFUL, keep, study
from tui.cli import main

Capture = pytest.CaptureFixture[str]
DAY = 86_400_000
WRONG = (*(100.0,) * 4, *DEFAULT[4:])
"""Every new card is held to be remembered for months."""


def call(capsys: Capture, *arguments: str) -> tuple[int, str, str]:
    status = main(list(arguments))
    captured = capsys.readouterr()
    return status, captured.out, captured.err


@pytest.fixture
def studied(home: Path) -> Path:
    """Two cards met two days ago and seen again today."""
    now = now_ms()
    with ReviewLog(Home.from_environment().data_folder()) as log:
        for at_ms, rating in ((now - 2 * DAY, Rating.EASY), (now, Rating.GOOD)):
            for card in ("rnn-recurrence", "why-qkv"):
                log.grade(card, rating, at_ms, 9_000, 2_000)
    return home


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        ("en", ("== Calendar ==", "2 of 2, too few to say", "4 reviews", "2 in review", "No self-test")),
        pytest.param(
            "zh",
            ("== 日历 ==", "2 次中 2 次，次数太少", "共 4 次", "复习中 2", "没有完成的自测"),
            marks=pytest.mark.slow,
        ),
    ],
)
def test_pictures_and_sentences_in_both_languages(
    capsys: Capture, studied: Path, lang: str, words: tuple[str, ...]
) -> None:
    status, out, err = call(capsys, "stats", "--lang", lang)
    assert (status, err) == (0, "")
    assert [word for word in words if word not in " ".join(out.split())] == []
    assert re.search("[⠁-⣿]", out)
    # to look at self-tests and guesses makes no files of them
    assert sorted(path.name for path in studied.glob("*.db")) == ["reviews.db"]
    status, plain, _ = call(capsys, "stats", "--lang", lang, "--plain")
    assert status == 0
    assert not re.search("[█⠀-⣿░▒▓]", plain)
    assert words[1] in " ".join(plain.split())


def test_the_document_is_what_its_schema_says(capsys: Capture, studied: Path) -> None:
    schema = json.loads(call(capsys, "schema", "--stats")[1])
    status, out, _ = call(capsys, "stats", "--json", "--days", "2", "--topic", "rnn")
    assert status == 0
    found = json.loads(out)
    Draft202012Validator(schema).validate(found)
    assert (found["topics_asked"], found["totals"]["reviews"], found["totals"]["reviews_ever"]) == (
        ["rnn"],
        1,
        2,
    )
    assert found["retention"]["overall"]["trials"] == 1
    assert found["fit"] == {"later_reviews": 2, "needed": fitting.FIT_NEEDS, "offered": False}


@pytest.mark.parametrize("days", ["0", "99999", "many"])
def test_days_that_cannot_be_are_one_line(capsys: Capture, home: Path, days: str) -> None:
    status, out, err = call(capsys, "stats", "--days", days)
    assert (status, out, len(err.splitlines())) == (2, "", 1)
    assert "--days" in err


def test_without_the_extra_the_line_that_installs_it_is_named(
    capsys: Capture, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(optimizer, "is_installed", lambda: False)
    for lang in ("en", "zh"):
        status, out, err = call(capsys, "fit", "--lang", lang)
        assert (status, out, len(err.splitlines())) == (2, "", 1)
        assert "pip install 'proofdeck[fit]'" in err
    assert call(capsys, "fit", "--apply", "--reset")[0] == 2


@pytest.fixture
def with_history(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A log long enough to fit to, weights in force that fit nobody, and an optimizer that finds at once what the
    learner forgets by."""
    with ReviewLog(Home.from_environment().data_folder(), zone=UTC) as log:
        keep(study(1, 90, 60), log)
    write_setting(home, "fsrs_weights", list(WRONG))
    monkeypatch.setattr(optimizer, "is_installed", lambda: True)
    monkeypatch.setattr(fitting, "optimal_weights", lambda _: FORGETFUL)
    return home


def test_better_weights_are_applied_when_asked_and_taken_back_in_one_call(
    capsys: Capture, with_history: Path
) -> None:
    status, out, err = call(capsys, "fit")
    assert status == 0
    assert "log loss" in out
    assert "--apply" in err
    assert read_settings(with_history)[0].fsrs_weights == WRONG
    status, out, _ = call(capsys, "fit", "--apply", "--json")
    found = json.loads(out)
    assert (status, found["applied"], found["better"]) == (0, True, True)
    assert found["after"]["log_loss"] < found["before"]["log_loss"]
    assert read_settings(with_history)[0].fsrs_weights == FORGETFUL
    # the schedule is the replay of the log by the new weights
    status, out, _ = call(capsys, "log", "check", "--json")
    assert (status, json.loads(out)["ok"]) == (0, True)
    with open_log(Home.from_environment()) as log:
        assert log.scheduler.settings.parameters == FORGETFUL
        fitted = log.memories()
    # fitted again, they are no better than themselves
    status, out, err = call(capsys, "fit", "--apply")
    assert status == 1
    assert "not applied" in err
    assert "no better" in out
    assert call(capsys, "fit", "--reset")[0] == 0
    assert read_settings(with_history)[0].fsrs_weights == ()
    with open_log(Home.from_environment()) as log:
        assert log.scheduler.settings.parameters is None
        assert log.memories() != fitted
        assert log.verify().ok


@pytest.mark.slow
def test_a_log_long_enough_is_offered_a_fit(capsys: Capture, with_history: Path) -> None:
    status, out, _ = call(capsys, "stats", "--days", "36500", "--plain")
    assert status == 0
    assert "proofdeck fit" in out


def test_weights_in_the_settings_are_checked(home: Path) -> None:
    home.mkdir(parents=True, exist_ok=True)
    path = home / "settings.toml"
    path.write_text(f"fsrs_weights = {list(DEFAULT)}\n", encoding="utf-8")
    found, faults = read_settings(home)
    assert (found.fsrs_weights, faults) == (DEFAULT, ())
    path.write_text("fsrs_weights = [1, 2]\n", encoding="utf-8")
    found, (fault,) = read_settings(home)
    assert found.fsrs_weights == ()
    assert "21 numbers" in fault.what.en
    assert str(fault.where).endswith("settings.toml:1")
