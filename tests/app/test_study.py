"""A review as a person goes through it: what the button says is what is stored."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.text import Language
from quizbank.home import Home
from quizbank.learning.interval import interval_text
from quizbank.learning.log import ReviewLog
from quizbank.learning.memory import Rating
from tests.app.driving import SIZES, make_app, press, rows, settle, text

QUESTION = {"en": "Why are attention scores divided by √dₖ?", "zh": "注意力分数为什么要除以 √dₖ？"}


def entries(home: Path) -> list:
    with ReviewLog(Home.in_folder(home).data_folder()) as log:
        return log.entries()


@pytest.mark.parametrize(
    ("language", "size", "rating"),
    [("en", SIZES[0], Rating.AGAIN), ("zh", SIZES[0], Rating.HARD), ("en", SIZES[1], Rating.GOOD),
     ("zh", SIZES[1], Rating.EASY)],
)  # fmt: skip
async def test_the_interval_on_the_button_is_the_one_stored(
    home: Path, language: Language, size: tuple[int, int], rating: Rating
) -> None:
    app = make_app(home, language, "study")
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        assert QUESTION[language] in text(app)
        await press(pilot, "space")
        session = app.screen.session
        shown = interval_text(app.screen.preview[rating].interval).of(language)
        assert f"{app.screen.say(app.screen.OFFERS[rating].name)} {shown}" in text(app)
        card = session.current
        await press(pilot, str(int(rating)))
    (entry,) = entries(home)
    assert (entry.card, entry.rating) == (card, rating)
    assert interval_text(entry.interval).of(language) == shown


async def test_the_answer_comes_in_two_steps_spoken_first(home: Path) -> None:
    app = make_app(home, "en", "study")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "In thirty seconds" not in text(app)
        await press(pilot, "space")
        assert "In thirty seconds" in text(app)
        assert "Full answer" not in text(app)
        await press(pilot, "space")
        assert "Full answer" in text(app)


async def test_a_grade_is_stored_before_the_next_question_is_asked(home: Path) -> None:
    app = make_app(home, "en", "study")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "space", "3")
        # read by another process's eyes, while the app still runs
        assert [entry.rating for entry in entries(home)] == [Rating.GOOD]


async def test_thinking_time_is_measured(home: Path) -> None:
    app = make_app(home, "en", "study")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.pause(0.05)
        await press(pilot, "space", "space", "4")
    (entry,) = entries(home)
    assert entry.thinking_ms > 0
    assert entry.grading_ms > 0


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_the_last_grade_can_be_taken_back_on_the_closing_screen(home: Path, language: Language) -> None:
    app = make_app(home, language, "study")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "space", "4")
        assert app.screen.session.finished
        await press(pilot, "u")
        assert QUESTION[language] in text(app)
        assert not app.screen.session.finished
        await press(pilot, "space", "1")
    with ReviewLog(Home.in_folder(home).data_folder()) as log:
        kinds = [entry.kind for entry in log.entries()]
        assert kinds == ["grade", "undo", "grade"]
        assert log.verify().ok


async def test_an_unrevealed_card_cannot_be_graded(home: Path) -> None:
    app = make_app(home, "en", "study")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "3")
        assert QUESTION["en"] in text(app)
    assert entries(home) == []


async def test_going_through_the_cards_again_stores_nothing(home: Path) -> None:
    app = make_app(home, "en", "study")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "space", "4", "c")
        assert "cram" in rows(app)[0]
        await press(pilot, "space", "2")
        assert app.screen.session.finished
    assert len(entries(home)) == 1


async def test_leaving_in_the_middle_keeps_what_was_given(home: Path) -> None:
    app = make_app(home, "en", "study")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "space", "1", "escape")
        assert "1 back shortly" in text(app)
        await press(pilot, "q")
    assert len(entries(home)) == 1


async def test_a_log_that_cannot_be_opened_is_told_on_the_screen_for_as_long_as_it_lasts(home: Path) -> None:
    (home / "reviews.db").mkdir(parents=True)
    app = make_app(home, "en", "study")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "the review log cannot be opened" in " ".join(text(app).split())
        assert "opening the deck" not in text(app)
        await press(pilot, "space", "1", "f2")
        assert "无法学习" in text(app)
