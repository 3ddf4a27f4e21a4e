"""A self-test from the form to the result: choice, number and recall, the clock, coming back."""

from __future__ import annotations

from pathlib import Path

import pytest

import quizbank.bank
from engine.text import Language
from quizbank.home import Home
from quizbank.papers.results import Results
from tests.app.driving import SAMPLE, SIZES, make_app, press, rows, settle, text
from tui.app import ProofdeckApp


def results(home: Path) -> Results:
    return Results(Home.in_folder(home).data_folder())


async def answer_all(app: ProofdeckApp, pilot: object, right: bool) -> None:
    """Answer the three questions of the sample deck as they come."""
    for _ in range(3):
        question = app.screen.sitting.question.variant
        if question.kind == "choice":
            options = app.screen.asked.options
            place = next(n for n, (option, _) in enumerate(options) if (option == "variance") is right)
            await press(pilot, "abc"[place])
        elif question.kind == "number":
            answer = question.variables["d_k"] if right else 1
            await press(pilot, *str(answer), "enter")
        else:
            # nothing typed: said aloud; then every point is ticked, or none
            await press(pilot, "enter")
            for _ in range(3 if right else 0):
                await press(pilot, "space", "down")
            await press(pilot, "enter")


@pytest.mark.parametrize(("language", "size", "right"), [("en", SIZES[0], True), ("zh", SIZES[1], False)])
async def test_a_paper_is_set_up_sat_and_scored_by_topic_and_kind(
    home: Path, language: Language, size: tuple[int, int], right: bool
) -> None:
    app = make_app(home, language)
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await press(pilot, "t", "enter")
        await answer_all(app, pilot, right)
        await press(pilot, "h" if right else "f8")
        top = text(app)
        assert ("3 / 3 (100%)" if right else "0 / 3（0%）") in top
        assert {"en": "Attention", "zh": "注意力"}[language] in top
        await press(pilot, "end")
        bottom = text(app)
        # each answer beside the reference
        assert ("✓ right" if right else "✗ 错误") in top + bottom
        await press(pilot, "home", "enter")
        assert {"en": "Why are attention scores", "zh": "注意力分数为什么"}[language] in rows(app)[0]
    (report,) = results(home).history()
    assert (report.status, report.score.earned, report.score.possible) == (
        "handed in",
        3.0 if right else 0.0,
        3,
    )


async def test_an_unfinished_self_test_is_resumed_where_it_was(home: Path) -> None:
    app = make_app(home, "en", "test", {"count": 3, "seed": 5, "minutes": 10})
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "f7")
        where = rows(app)[0][:40]
        asked = app.screen.sitting.question.variant
        await press(pilot, "escape", "q")
    app = make_app(home, "en", "test", {"resume": True})
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert rows(app)[0][:40] == where
        assert app.screen.sitting.question.variant == asked
        assert app.screen.sitting.remaining_ms <= 10 * 60_000


async def test_time_up_ends_the_paper_and_shows_the_result(home: Path) -> None:
    app = make_app(home, "en", "test", {"count": 3, "minutes": 1})
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settle(pilot)
        screen, sitting = app.screen, app.screen.sitting
        sitting._stopwatch = lambda now=sitting._stopwatch: now() + 60
        await screen._tick()
        await settle(pilot)
        assert "Result" in rows(app)[0]
    (report,) = results(home).history()
    assert report.status == "timed out"


async def test_time_goes_on_beneath_the_help_and_ends_the_paper(home: Path) -> None:
    app = make_app(home, "en", "test", {"count": 3, "minutes": 1})
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settle(pilot)
        screen, sitting = app.screen, app.screen.sitting
        await press(pilot, "f1")
        assert app.screen is not screen
        begun = sitting._stopwatch()
        sitting._stopwatch = lambda: begun + 20
        await screen._tick()
        # a crash just now would lose nothing
        assert results(home).history()[0].used_ms >= 20_000
        sitting._stopwatch = lambda: begun + 60
        await screen._tick()
        await press(pilot, "escape")
        await screen._tick()
        await settle(pilot)
        assert "Result" in rows(app)[0]


async def test_options_stand_as_typed(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deck = tmp_path / "deck.yaml"
    typed = "[MASK] h[t-1] [/ Q[/b] <sos> 2*3*4"
    source = SAMPLE.read_text(encoding="utf-8")
    deck.write_text(source.replace("{en: their variance,", f"{{en: '{typed}',"), encoding="utf-8")
    monkeypatch.setattr(quizbank.bank, "shipped_deck", lambda: quizbank.bank.Deck((deck,), "deck"))
    app = make_app(home, "en", "test", {"kinds": ("choice",)})
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert typed in text(app)
        options = [option for option, _ in app.screen.asked.options]
        await press(pilot, "abc"[options.index("variance")], "h")
        assert f"Your answer: {typed}" in text(app)


async def test_a_paper_with_questions_left_is_handed_in_at_the_second_asking(home: Path) -> None:
    app = make_app(home, "en", "test", {"count": 3, "kinds": ("choice", "number", "recall"), "seed": 5})
    async with app.run_test(size=(60, 16), notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "f8")
        assert app.screen.sitting.running
        assert "3 questions still have no answer" in " ".join(text(app).split())
        # a recall means nothing without the question of its card
        await press(
            pilot, *["f7"] * [q.variant.kind for q in app.screen.sitting.paper.questions].index("recall")
        )
        assert "Why are attention scores divided" in text(app)
        # another question in between, and the asking begins anew
        await press(pilot, "f7")
        while app.screen.asked.kind != "choice":
            await press(pilot, "f7")
        # the room that the recall needed for its text is the options' now
        assert all(f" {letter}. " in text(app) for letter in "ABC")
        await press(pilot, "f8")
        assert app.screen.sitting.running
        await press(pilot, "f8")
        assert "Score: 0 / 3" in text(app)
        # what was asked before lies no longer over it
        assert "still have no answer" not in " ".join(text(app).split())


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["f8", "escape", "time"])
async def test_what_was_typed_and_not_entered_counts(home: Path, ending: str) -> None:
    app = make_app(home, "en", "test", {"count": 1, "kinds": ("number",), "minutes": 1})
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        screen, sitting = app.screen, app.screen.sitting
        await press(pilot, *"3,072")
        if ending == "time":
            # two moments that stand still: a busy machine must not run through the last two seconds by itself
            end = sitting._stopwatch() + sitting.remaining_ms / 1000
            sitting._stopwatch = lambda: end - 2
            await screen._tick()
            sitting._stopwatch = lambda: end
            await screen._tick()
        else:
            await press(pilot, ending)
        await settle(pilot)
        assert sitting.answers[0].given == "3,072"


@pytest.mark.slow
async def test_what_was_typed_is_on_the_screen_while_its_points_are_ticked(home: Path) -> None:
    app = make_app(home, "en", "test", {"kinds": ("recall",)})
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, *"h[t-1] and [MASK]", "enter")
        assert "h[t-1] and [MASK]" in text(app)
        assert "[ ] the variance of" in text(app)
        # the list has the place that the editor had
        assert "more" not in rows(app)[0]


async def test_the_asking_before_the_end_takes_the_word_of_grading_back(home: Path) -> None:
    app = make_app(home, "zh", "test", {"count": 3, "kinds": ("choice", "number", "recall"), "seed": 5})
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settle(pilot)
        while app.screen.asked.kind != "number":
            await press(pilot, "f7")
        await press(pilot, *"3072", "f8")
        assert app.screen.sitting.running
        assert "没有作答" in text(app)
        assert "判定中" not in text(app)
