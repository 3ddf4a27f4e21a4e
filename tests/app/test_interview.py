"""An interview by keyboard: the clock, the answer, the marks, the verdict; what is kept; how it is opened."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

import quizbank.bank
from engine.text import Language
from quizbank.interview.store import Interviews
from tests.app.driving import SAMPLE, SIZES, make_app, press, rows, settle, text
from tui.app import ProofdeckApp
from tui.cli import main
from tui.screens.interview import InterviewScreen
from tui.screens.interview_words import INTERVIEW, KIND, STANDING
from tui.widgets.countdown import Countdown

CARD = "sample-attention-scale"


def screen(app: ProofdeckApp) -> InterviewScreen:
    assert isinstance(app.screen, InterviewScreen)
    return app.screen


def stop_time(page: InterviewScreen) -> list[float]:
    """A clock in the test's hand."""
    now = [0.0]
    assert page.interview is not None
    page.interview._clock = page.interview.stopwatch._clock = lambda: now[0]
    page.interview.stopwatch._since = 0.0 if page.interview.stopwatch.runs else None
    page.interview.stopwatch._before = 0.0
    return now


async def answer(pilot: Pilot[int], page: InterviewScreen, full: bool) -> None:
    """Reveal, then mark all of it, or nothing."""
    await press(pilot, "space")
    assert page.posed is not None
    if page.posed.points:
        await press(pilot, "space")
        for _ in page.posed.points if full else ():
            await press(pilot, "space", "down")
        await press(pilot, "enter")
    else:
        await press(pilot, "1" if full else "3")


@pytest.mark.parametrize(("language", "size", "full"), [("en", SIZES[0], True), ("zh", SIZES[1], False)])
async def test_an_interview_is_held_and_judged_level_by_level(
    home: Path, language: Language, size: tuple[int, int], full: bool
) -> None:
    app = make_app(home, language)
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await press(pilot, "i", "d")
        page = screen(app)
        assert page.interview is not None
        assert {"en": "question 1 of 5", "zh": "第 1 题，共 5 题"}[language] in rows(app)[0]
        kinds = []
        while page.interview.turn is not None:
            kinds.append(page.interview.turn.kind)
            await answer(pilot, page, full)
        assert {"opening", "prove-it", "what-breaks"} < set(kinds)
        sign, word = STANDING["holds" if full else "breaks"]
        seen = text(app)
        await press(pilot, "end")
        seen += text(app)
        for level in (1, 2, 3):
            assert any(
                {"en": f"Level {level}", "zh": f"第 {level} 层"}[language] in row
                and row.endswith(f"{sign} {word.of(language)}")
                for row in seen.splitlines()
            )
        question = {"en": "Why are attention scores", "zh": "注意力分数为什么"}[language]
        assert (question in seen) is not full
        if not full:
            await press(pilot, "enter")
            assert question in rows(app)[0]
    (past,) = Interviews(home).history()
    assert past.is_whole
    assert [verdict.share for verdict in past.verdicts] == [float(full)] * 3


async def test_the_answer_is_hidden_while_the_clock_runs_and_the_clock_stops_with_it(home: Path) -> None:
    app = make_app(home, "en", "interview", {"card": CARD, "seed": 3})
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        page = screen(app)
        now = stop_time(page)
        now[0] = 12.0
        page._tick()
        await settle(pilot)
        assert "18 s left" in rows(app)[1]
        assert rows(app)[1].count("━") < 50
        assert "variance $d_k$" not in text(app)
        assert "saturation" not in text(app)
        # the answer's own keys are not offered yet
        assert not {"p Proof", "l Lab", "1 yes"} & {f"{c.shown_keys()[0]} {c.name.en}" for c in page.offers()}
        await press(pilot, "space")
        now[0] = 100.0
        page._tick()
        await settle(pilot)
        assert "12 s of 30" in rows(app)[1]
        assert "saturation" in text(app)


async def test_the_clock_goes_over_waits_on_request_and_while_another_screen_is_looked_at(home: Path) -> None:
    app = make_app(home, "en", "interview", {"card": CARD, "seed": 3})
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        page = screen(app)
        now = stop_time(page)
        now[0] = 10.0
        await press(pilot, "t")
        now[0] = 50.0
        assert page.interview is not None
        assert page.interview.stopwatch.used_ms == 10_000
        assert "clock stopped" in rows(app)[1]
        await press(pilot, "question_mark")
        now[0] = 60.0
        await press(pilot, "escape")
        # stopped by hand, it stays stopped
        assert not page.interview.stopwatch.runs
        await press(pilot, "t")
        now[0] = 65.0
        await press(pilot, "question_mark")
        now[0] = 95.0
        await press(pilot, "escape")
        assert page.interview.stopwatch.used_ms == 15_000
        assert page.interview.stopwatch.runs
        now[0] = 115.0
        page._tick()
        await settle(pilot)
        assert "5 s over" in rows(app)[1]
        assert "━" not in rows(app)[1]


async def test_an_interview_broken_off_keeps_what_was_marked(home: Path) -> None:
    app = make_app(home, "en")
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "i", "d", "escape")
        # nothing was marked: nothing is lost, and so it is not asked
        assert "no answer was marked" in text(app)
        await press(pilot, "d")
        page = screen(app)
        await answer(pilot, page, True)
        await press(pilot, "escape")
        assert app.screen is page
        assert "Esc again ends it" in " ".join(text(app).split())
        # what is done in between is an answer: it is asked anew
        await press(pilot, "space", "escape")
        assert app.screen is page
        await press(pilot, "escape")
        assert "1 of 5 answers is kept" in " ".join(text(app).split())
        assert "again ends it" not in text(app)
        app.clear_notifications()
        await settle(pilot)
        assert "1 held" in text(app)
        assert "1✓" in text(app)
        await press(pilot, "h")
        assert "broken off" in text(app)
        await press(pilot, "f2")
        assert "中途结束" in text(app)
        await press(pilot, "enter")
        assert "站得住" in text(app)
    assert [len(past.marks) for past in Interviews(home).history()] == [1]


@pytest.mark.slow
async def test_what_did_not_hold_comes_back_today_and_can_be_taken_back(home: Path) -> None:
    app = make_app(home, "en")
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settle(pilot)
        # known by now, so not due before some days have gone by
        await press(pilot, "s", "space", "4", "escape")
        log = app.workspace.log
        assert log.due() == ()
        app.push_screen(InterviewScreen({"card": CARD, "seed": 3}))
        await settle(pilot)
        page = screen(app)
        while app.screen is page:
            await answer(pilot, page, False)
        await press(pilot, "a")
        assert log.due() == (CARD,)
        assert "1 card added to today's study" in " ".join(text(app).split())
        await press(pilot, "u")
        assert log.due() == ()
        # an interview by itself touches nothing
        assert [entry.kind for entry in log.entries() if entry.kind == "grade"] == ["grade"]


async def test_the_proof_and_the_lab_are_a_key_away_once_the_answer_stands(home: Path) -> None:
    app = make_app(home, "en")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "b", "enter", "i")
        page = screen(app)
        await press(pilot, "space", "p")
        assert "Derivation" in rows(app)[0]
        await press(pilot, "escape", "l")
        assert "D19" in rows(app)[0]
        await press(pilot, "escape")
        assert app.screen is page
        assert page.phase == "answer"


async def test_a_popular_error_is_put_as_a_claim_and_named_only_in_the_answer(home: Path) -> None:
    app = make_app(home, "en", "interview", {"card": CARD, "seed": 3})
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        page = screen(app)
        assert page.interview is not None
        while page.interview.turn is not None and page.interview.turn.kind != "what-breaks":
            await answer(pilot, page, True)
        asked = " ".join(text(app).split())
        assert "I would put it like this: Variance 1 of the entries alone" in asked
        assert KIND["what-breaks"].en not in asked
        await press(pilot, "space")
        shown = " ".join(text(app).split())
        assert "Means different from zero" in shown
        await press(pilot, "home")
        shown = " ".join(text(app).split())
        assert KIND["what-breaks"].en in shown


async def test_an_answer_without_key_points_stays_while_it_is_marked(home: Path) -> None:
    app = make_app(home, "en", "interview", {"card": CARD, "seed": 3})
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        page = screen(app)
        while page.posed is not None and page.posed.points:
            await answer(pilot, page, True)
        assert page.posed is not None
        begins = page.posed.answer.en.replace("$", "")[:20]
        await press(pilot, "space")
        assert begins in " ".join(text(app).split())
        await press(pilot, "space")
        shown = " ".join(text(app).split())
        assert "Did you say it?" in shown
        assert begins in shown


async def test_a_card_that_is_not_there_is_said_on_the_screen(home: Path) -> None:
    app = make_app(home, "zh", "interview", {"card": "no-such-[/b]-card"})
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "没有名为 no-such-[/b]-card 的卡片" in text(app)
        await press(pilot, "escape")
        assert rows(app)[0].startswith(" Proofdeck")


@pytest.mark.slow
@pytest.mark.parametrize("size", [pytest.param(SIZES[0], marks=pytest.mark.slow), SIZES[1]])
async def test_every_phase_can_be_read_in_both_languages(home: Path, size: tuple[int, int]) -> None:
    app = make_app(home, "en", "interview", {"card": CARD, "seed": 1})
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        page = screen(app)
        assert page.interview is not None
        stop_time(page)
        while page.interview.turn is not None:
            for keys in ((), ("space",), ("space",)):
                # from the top: the two languages need not be equally long
                await press(pilot, *keys, "home")
                english = rows(app)
                await press(pilot, "f2")
                assert INTERVIEW.zh in rows(app)[0]
                assert rows(app) != english
                await press(pilot, "f2", "home")
                assert rows(app) == english
                assert page.query_one(Countdown).display
            await press(pilot, "enter")


async def test_a_damaged_file_is_told_once_and_interviews_go_on(home: Path) -> None:
    home.mkdir(parents=True)
    (home / "interviews.db").write_bytes(b"no database")
    app = make_app(home, "en")
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "i")
        assert "interviews.damaged-" in text(app)
        assert app.workspace.untold() == ()
        await press(pilot, "d")
        await answer(pilot, screen(app), True)
    assert len(Interviews(home).history()) == 1


@pytest.mark.slow
async def test_a_question_of_another_card_says_what_it_is_about(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = SAMPLE.read_text(encoding="utf-8").partition("cards:\n")[2]
    other = body.replace("sample-attention-scale", "sample-other")
    other = other.replace("Why are attention scores", "Why, on [the] other card, are they")
    answered = "          zh: 那样方差为 $1 / d_k$，注意力会接近简单平均。\n"
    assert answered in body
    linked = body.replace(answered, f"{answered}        card: sample-other\n")
    deck = tmp_path / "deck.yaml"
    deck.write_text(f"topic: attention\ncards:\n{linked}{other}", encoding="utf-8")
    bibliography = quizbank.bank.SHIPPED / quizbank.bank.BIBLIOGRAPHY
    monkeypatch.setattr(
        quizbank.bank, "shipped_deck", lambda: quizbank.bank.Deck((deck,), "deck", bibliography)
    )
    app = make_app(home, "en", "interview", {"card": CARD, "seed": 2})
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        page = screen(app)
        assert page.interview is not None
        said = {}
        while app.screen is page and page.interview.turn is not None:
            said[page.interview.turn] = "Now about: Why, on [the] other card" in text(app)
            await answer(pilot, page, True)
        assert {turn.level for turn, told in said.items() if told} == {3}
        assert all(told == (turn.card == "sample-other") for turn, told in said.items())


@pytest.mark.parametrize(
    ("arguments", "said"), [(("--card", "no-such-card"), "no-such-card"), ((), "needs a terminal")]
)
def test_the_shell_says_what_is_wrong_before_a_screen_is_taken(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str
) -> None:
    assert main(["interview", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert said in captured.err
    assert len(captured.err.splitlines()) == 1
