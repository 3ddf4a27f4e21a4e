"""What comes after a self-test: the result, today's study, ticking afterwards, the trend."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.answers.verdict import Verdict
from engine.text import Language, Text
from quizbank.bank import load_bank
from quizbank.drills.grading import Grader
from quizbank.home import Home
from quizbank.learning.log import ReviewLog
from quizbank.papers.draw import draw
from quizbank.papers.results import Report, Results
from quizbank.settings import Preferences
from quizbank.slots import Quantities
from tests.app.driving import SIZES, make_app, press, rows, settle, text

CARD = "sample-attention-scale"


def sit(home: Path, kinds: tuple[str, ...], given: dict[str, str], minutes: int | None = None) -> Report:
    """A paper of the sample deck, sat without the app."""
    folder = Home.in_folder(home)
    cards = load_bank(folder).cards
    quantities = Quantities()
    grader = Grader({card.id: card for card in cards}, quantities.value, quantities.fill)
    with Results(folder.data_folder()) as results:
        sitting = results.begin(draw(cards, kinds=kinds, count=3, minutes=minutes, seed=3), grader)
        for position, question in enumerate(sitting.paper.questions):
            sitting.go_to(position)
            if question.variant.kind in given:
                sitting.answer(given[question.variant.kind])
        sitting.hand_in()
        return results.report(sitting.id)


async def open_result(pilot: object) -> None:
    """From home to the latest result."""
    await settle(pilot)
    await press(pilot, "t", "p", "enter")


@pytest.mark.parametrize(
    ("language", "size"), [pytest.param("en", SIZES[0], marks=pytest.mark.slow), ("zh", SIZES[1])]
)
async def test_what_was_missed_is_added_to_todays_reviews_and_taken_back(
    home: Path, language: Language, size: tuple[int, int]
) -> None:
    report = sit(home, ("number",), {"number": "1"})
    assert report.missed == (CARD,)
    app = make_app(home, language)
    async with app.run_test(size=size, notifications=True) as pilot:
        await open_result(pilot)
        with ReviewLog(home) as log:
            assert log.due() == ()
            await press(pilot, "a")
            assert log.due() == (CARD,)
            told = {"en": "1 card added to today's study", "zh": "已将 1 张卡片加入今天的学习"}[language]
            assert "".join(told.split()) in "".join(text(app).split())
            # never seen, it stays a new card, and is counted once
            assert app.workspace.overview()[:2] == (0, 1)
            await press(pilot, "u")
            assert log.due() == ()
            assert app.workspace.overview()[:2] == (0, 1)
            await press(pilot, "a", "escape", "escape", "escape", "s")
            # it comes in study, as the new card it is
            assert app.screen.session.current == CARD
            assert app.screen.session.current_came == "new"
            assert [entry.kind for entry in log.entries()] == ["forward", "undo", "forward"]


async def test_what_is_due_already_is_not_added_again(home: Path) -> None:
    sit(home, ("number",), {"number": "1"})
    with ReviewLog(home) as log:
        log.bring_forward([CARD])
    app = make_app(home, "en")
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await open_result(pilot)
        await press(pilot, "a")
        assert "1 card, due today already" in " ".join(text(app).split())
        assert "u Undo" not in text(app)


@pytest.mark.slow
async def test_the_demonstration_is_one_key_away(home: Path) -> None:
    sit(home, ("number",), {"number": "1"})
    app = make_app(home, "en")
    async with app.run_test(size=(80, 24)) as pilot:
        await open_result(pilot)
        await press(pilot, "l")
        assert (app.screen.card_id, app.screen.open_panel) == (CARD, "lab")
        await press(pilot, "escape", "d")
        assert (app.screen.card_id, app.screen.open_panel) == (CARD, "derivation")


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_an_answer_stands_beside_the_reference_with_its_time(home: Path, language: Language) -> None:
    sit(home, ("number",), {"number": "`$1 & [x]"})
    app = make_app(home, language)
    async with app.run_test(size=(80, 24)) as pilot:
        await open_result(pilot)
        await press(pilot, "end")
        shown = text(app)
        assert "`$1 & [x]" in shown
        assert {"en": "? not understood · 0:0", "zh": "? 无法识别 · 0:0"}[language] in shown
        assert {"en": "Reference: 64", "zh": "参考答案：64"}[language] in shown


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "shown"),
    [("number", "Reference: 64"), ("choice", "Reference: "), ("recall", "Reference: ")],
)
async def test_what_was_not_answered_has_its_reference_once_the_paper_is_over(
    home: Path, kind: str, shown: str
) -> None:
    sit(home, (kind,), {})
    app = make_app(home, "en")
    async with app.run_test(size=(80, 40)) as pilot:
        await open_result(pilot)
        await press(pilot, "end")
        assert "– no answer" in text(app)
        assert shown in text(app)


async def test_points_left_to_tick_are_ticked_afterwards(home: Path) -> None:
    sit(home, ("recall",), {"recall": "something"})
    app = make_app(home, "en")
    async with app.run_test(size=(80, 24)) as pilot:
        await open_result(pilot)
        assert "1 answer counts only once its key points are ticked" in " ".join(text(app).split())
        assert "Score: –" in text(app)
        await press(pilot, "end", "enter")
        assert "Key points" in rows(app)[0]
        assert "something" in text(app)
        await press(pilot, "space", "enter")
        await press(pilot, "home")
        assert "Score: 0.333 / 1 (33%)" in text(app)
    with Results(home) as results:
        assert results.history()[0].score.possible == 1


@pytest.mark.parametrize(("key", "score"), [("y", "1 / 1 (100%)"), ("n", "0 / 1 (0%)")])
async def test_what_the_engine_left_undecided_the_person_settles(
    home: Path, key: str, score: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    undecided = Verdict("undecided", Text("too hard to decide", "难以判定"))
    monkeypatch.setattr("quizbank.drills.grading.judge_number", lambda *_: undecided)
    sit(home, ("number",), {"number": "1"})
    app = make_app(home, "en")
    async with app.run_test(size=(80, 24)) as pilot:
        await open_result(pilot)
        assert "Score: –" in text(app)
        assert "1 answer is left out of the score" in text(app)
        assert "y I was right" in text(app)
        await press(pilot, key)
        assert score in text(app)


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "zh"])
async def test_the_trend_has_a_bar_for_each_self_test(home: Path, language: Language) -> None:
    sit(home, ("choice",), {})
    sit(home, ("choice",), {"choice": "variance"})
    app = make_app(home, language)
    async with app.run_test(size=(80, 24)) as pilot:
        await open_result(pilot)
        assert "▁█" in text(app)
        await press(pilot, "escape", "t")
        assert "▁█ 100%  1 / 2" in text(app)
        assert {"en": "Trend", "zh": "趋势"}[language] in rows(app)[0]
        await press(pilot, "enter")
        assert {"en": "Why are attention scores", "zh": "注意力分数为什么"}[language] in text(app)


@pytest.mark.parametrize(("start", "options"), [("home", None), ("test", {"count": 1})])
async def test_results_that_had_to_be_set_aside_are_reported(
    home: Path, start: str, options: dict[str, int] | None
) -> None:
    home.mkdir()
    (home / "results.db").write_bytes(b"not a database" * 400)
    app = make_app(home, "en", start, options)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settle(pilot)
        if start == "home":
            await press(pilot, "t")
        told = [" ".join(notice.message.split()) for notice in app._notifications]
        assert any("could not be read and was set aside as results.damaged-" in notice for notice in told)


@pytest.mark.slow
async def test_the_form_asks_for_level_and_weak_topics(home: Path) -> None:
    app = make_app(home, "en")
    async with app.run_test(size=(60, 20)) as pilot:
        await settle(pilot)
        await press(pilot, "t")
        kinds = [name for name, _ in app.screen.picker("kind")._options]
        assert kinds == ["", "choice", "number", "expression", "derivation", "code", "recall"]
        await press(pilot, "down", "right")  # the level: core
        await press(pilot, "down", "down", "down", "down", "right", "enter")
        paper = app.screen.sitting.paper
        assert paper.levels == ("core",)
        assert paper.weights == {"attention": 0.5}
        assert paper.minutes == 10


def test_new_cards_asked_for_are_counted_beyond_the_limit_of_the_day(home: Path) -> None:
    with ReviewLog(home) as log:
        log.bring_forward([CARD])
    workspace = make_app(home, "en").workspace
    workspace.preferences = Preferences(new_per_day=0)
    try:
        assert workspace.overview()[:2] == (0, 1)
        assert workspace.session({}).progress.new == 1
    finally:
        workspace.close()
