"""Guesses of the lab kept where they were made, and the view of how far off they were."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from engine.demos import load
from engine.text import Language
from quizbank.calibration.guess import Guess
from quizbank.calibration.store import Predictions
from tests.app.driving import SIZES, make_app, press, rows, settle, text
from tui.app import ProofdeckApp
from tui.screens.calibration import CalibrationScreen
from tui.screens.lab import LabScreen
from tui.screens.lab_view import LabView

DAY = 86_400_000
START = 1_767_268_800_000


async def open_lab(app: ProofdeckApp, pilot: Pilot[int], demo: str = "D19") -> LabView:
    await settle(pilot)
    app.push_screen(LabScreen(demo))
    await settle(pilot)
    return app.screen.query_one(LabView)


def kept(home: Path) -> tuple[Guess, ...]:
    with Predictions(home) as predictions:
        return predictions.all()


@pytest.mark.slow
async def test_a_guess_is_kept_beside_the_outcome_at_its_own_setting(home: Path) -> None:
    app = make_app(home, "en")
    async with app.run_test(size=(80, 24)) as pilot:
        view = await open_lab(app, pilot)
        await press(pilot, "down", "right", "up", *"8", "enter")
        values = view.values()
        # what moves afterwards is no part of it
        await press(pilot, "right", "right")
        await settle(pilot)
    (guess,) = kept(home)
    run = load("D19").run(guess.parameters, guess.seed)
    assert values != run.demo.read({})
    assert dict(guess.parameters) == values
    assert (guess.demo, guess.name, guess.guess, guess.seed) == ("D19", "score_variance", 8.0, 0)
    assert guess.value == run.headline
    assert (guess.scale, guess.low, guess.high) == ("log", run.demo.headline.low, run.demo.headline.high)


@pytest.mark.slow
async def test_neither_a_look_without_a_guess_nor_a_guess_after_a_look_is_kept(home: Path) -> None:
    app = make_app(home, "en")
    async with app.run_test(size=(80, 24)) as pilot:
        await open_lab(app, pilot)
        # waived, then asked for again at the same setting
        await press(pilot, "enter", "p", *"1", "enter")
        assert kept(home) == ()
        # another sample is another outcome
        await press(pilot, "p", "down", "right", "up", *"2", "enter")
        await settle(pilot)
    assert [guess.guess for guess in kept(home)] == [2.0]


def seeded(home: Path) -> None:
    """Guesses of two demonstrations, on a logarithmic and a linear scale."""
    with Predictions(home) as predictions:
        for n, (guess, value) in enumerate([(10, 1), (30, 3), (2, 4), (5, 5), (8, 2), (1, 1)]):
            predictions.add(
                Guess(
                    "lab", START + n * DAY, "D19", "score_variance", guess, value, "log", 0.001, 1e4, seed=n
                )
            )
        for n, (guess, value) in enumerate([(0.2, 0.5), (0.6, 0.5)]):
            predictions.add(
                Guess("lab", START + n * DAY, "D21", "top_weight", guess, value, "linear", 0, 1, seed=n)
            )


@pytest.mark.slow
@pytest.mark.parametrize("size", [pytest.param(SIZES[0], marks=pytest.mark.slow), SIZES[1]])
async def test_the_view_says_how_far_off_in_words_and_shows_it(home: Path, size: tuple[int, int]) -> None:
    seeded(home)
    app = make_app(home, "en")
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await press(pilot, "l", "o")
        assert isinstance(app.screen, CalibrationScreen)
        assert "8 guesses" in rows(app)[0]
        assert "guessed against true" in text(app)
        seen = text(app)
        for _ in range(40):
            await press(pilot, "down")
            seen += "\n" + text(app)
        said = " ".join(seen.split())
        # factors 10, 10, 2, 1, 4, 1: their geometric mean is the sixth root of 800
        assert "by a factor of 3.05" in said
        assert "within 10%: 2 of 6; within a factor of 2: 3 of 6" in said
        assert "too high: 3, too low: 1;" in said
        assert "by 20% of the range" in said
        await press(pilot, "v")
        assert "shares of the range" in " ".join(text(app).split())
        await press(pilot, "z")
        assert "typically" not in text(app)
        await press(pilot, "z", "end", "enter")
        assert isinstance(app.screen, LabScreen)


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "zh"])
async def test_without_guesses_it_says_how_to_make_one(home: Path, language: Language) -> None:
    app = make_app(home, language)
    async with app.run_test(size=(60, 20)) as pilot:
        await settle(pilot)
        await press(pilot, "o")
        assert {"en": "No guess so far", "zh": "还没有猜测"}[language] in text(app)
        await press(pilot, "l")
        assert {"en": "Lab", "zh": "实验室"}[language] in rows(app)[0]


async def test_a_number_given_in_a_self_test_stands_apart_from_the_lab(home: Path) -> None:
    app = make_app(home, "en", "test", {"count": 1, "kinds": ("number",), "seed": 1})
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, *"32", "enter", "h")
        app.push_screen(CalibrationScreen())
        await settle(pilot)
        assert "Self-tests: guessed against true" in text(app)
        await press(pilot, "f2")
        await press(pilot, "home")
        assert "自测：试卷中填写的数值" in text(app)
        assert "guess" not in text(app)


@pytest.mark.slow
async def test_a_file_that_cannot_be_written_is_said_and_the_lab_goes_on(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = make_app(home, "en")
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        view = await open_lab(app, pilot)
        (home / "predictions.db").mkdir(parents=True)
        await press(pilot, *"8", "enter")
        await settle(pilot)
        assert "predictions.db" in " ".join(text(app).split())
        assert not view.hidden


async def test_a_file_that_cannot_be_read_is_said_where_the_view_would_be(home: Path) -> None:
    (home / "predictions.db").mkdir(parents=True)
    app = make_app(home, "zh")
    async with app.run_test(size=(60, 20)) as pilot:
        await settle(pilot)
        await press(pilot, "o")
        # a path may be as long as it likes: it is broken where the line ends
        assert "predictions.db" in "".join(text(app).split())
        await press(pilot, "escape")
        assert rows(app)[0].startswith(" Proofdeck")


async def test_a_demonstration_that_is_gone_keeps_its_guesses(home: Path) -> None:
    with Predictions(home) as predictions:
        predictions.add(Guess("lab", START, "D999", "gone", 1.0, 2.0, "log"))
    app = make_app(home, "en")
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "o", "end")
        assert "D999" in text(app)
        await press(pilot, "enter")
        await settle(pilot)
        await press(pilot, "escape")
        assert isinstance(app.screen, CalibrationScreen)
