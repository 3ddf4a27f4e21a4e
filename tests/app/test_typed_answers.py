"""Questions answered by typing, in a paper: read while one types, refused without penalty, kept in a crash."""

from __future__ import annotations

import asyncio
import contextlib
import shlex
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import TextArea

import quizbank.bank
from engine.coding import load
from engine.text import Language
from quizbank.home import Home
from quizbank.papers.results import Report, Results
from tests.app.driving import SIZES, make_app, settle, text, type_keys
from tui.app import ProofdeckApp
from tui.judging import SharedJudge
from tui.screens.sitting import SittingScreen
from tui.widgets.code_editor import CodeEditor

TYPED = Path(__file__).parent.parent / "data" / "typed_cards.yaml"
SOLUTION = load("attention").solution


@pytest.fixture(autouse=True)
def typed_deck(deck: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bibliography = quizbank.bank.SHIPPED / quizbank.bank.BIBLIOGRAPHY
    monkeypatch.setattr(
        quizbank.bank, "shipped_deck", lambda: quizbank.bank.Deck((TYPED,), "typed", bibliography)
    )


@asynccontextmanager
async def paper(
    home: Path, kind: str, language: Language = "en", size: tuple[int, int] = SIZES[0], **options: object
) -> AsyncIterator[tuple[Pilot[int], SittingScreen]]:
    """A paper with the one question of this kind."""
    app = make_app(home, language, "test", {"kinds": (kind,), "minutes": 30, **options})
    # a busy machine must not turn an answer into one that takes too long
    app.workspace.judge = SharedJudge(deadline=60)
    try:
        async with app.run_test(size=size, notifications=True) as pilot:
            await settle(pilot)
            assert isinstance(app.screen, SittingScreen)
            yield pilot, app.screen
    finally:
        app.workspace.close()


def report(home: Path) -> Report:
    with Results(Home.in_folder(home).data_folder()) as results:
        return results.history()[0]


@pytest.mark.parametrize(("language", "size"), [("en", SIZES[1]), ("zh", SIZES[0])])
async def test_a_formula_is_laid_out_under_the_names_one_may_use(
    home: Path, language: Language, size: tuple[int, int]
) -> None:
    async with paper(home, "expression", language, size) as (pilot, _):
        await type_keys(pilot, *"d_k*sigma^4/2")
        rows = text(pilot.app).splitlines()
        assert any({"en": "positive integer", "zh": "正整数"}[language] in row for row in rows)
        line = next(n for n, row in enumerate(rows) if "───" in row)
        assert "dₖ σ⁴" in rows[line - 1]
        assert {"en": "Read as", "zh": "读作"}[language] in rows[line]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("typed", "earned"), [("sigma**4 dk", 1.0), ("d_k*sigma^2", 0.0), ("(sigma^2)^2 + (d_k-1)σ⁴", 1.0)]
)
async def test_a_formula_counts_by_what_it_is_worth(home: Path, typed: str, earned: float) -> None:
    async with paper(home, "expression") as (pilot, _):
        await type_keys(pilot, *typed, "enter", "h")
        shown = " ".join(text(pilot.app).split())
        assert ("1 / 1" if earned else "0 / 1") in shown
        if not earned:
            await type_keys(pilot, "end")
            assert "the variance of a single entry" in " ".join(text(pilot.app).split())
    assert report(home).score.earned == earned


@pytest.mark.slow
async def test_what_is_not_understood_is_said_at_once_and_costs_nothing(home: Path) -> None:
    async with paper(home, "expression") as (pilot, screen):
        await type_keys(pilot, *"d_k*rho", "enter")
        shown = " ".join(text(pilot.app).split())
        assert "not counted against you" in shown
        assert "“rho” is not declared" in shown
        assert screen.sitting is not None
        assert screen.sitting.running
        # mended and given again, it counts
        await type_keys(pilot, *["backspace"] * 3)
        assert "not counted" not in " ".join(text(pilot.app).split())
        await type_keys(pilot, *"sigma^4", "enter", "h")
    assert report(home).score.earned == 1.0


async def test_what_is_not_understood_may_stay_and_then_counts_for_nothing(home: Path) -> None:
    async with paper(home, "expression") as (pilot, _):
        await type_keys(pilot, *"q", "enter", "enter", "h")
    assert (report(home).score.earned, report(home).score.possible) == (0.0, 0)


async def test_a_number_shows_how_it_was_read(home: Path) -> None:
    async with paper(home, "number") as (pilot, _):
        await type_keys(pilot, *"4 MiB")
        assert "4,194,304" in text(pilot.app)
        await type_keys(pilot, "enter", "h")
    assert report(home).score.earned == 1.0


@pytest.mark.slow
async def test_a_derivation_in_a_paper(home: Path) -> None:
    async with paper(home, "derivation") as (pilot, screen):
        await type_keys(pilot, *"d*(m^4+2m^2*s^2+s^4-m^4)", "enter", "f9", "f9", *"d s^2 (2m^2+s^2)", "enter")
        assert not any(mark in text(pilot.app) for mark in "✓✗")
        await type_keys(pilot, "enter")
        assert screen.sitting is not None
        assert screen.sitting.answers[0].given == (
            "= d*(m^4+2m^2*s^2+s^4-m^4)\n?= d*(2*m^2*s^2 + s^4)\n= d s^2 (2m^2+s^2)"
        )
        await type_keys(pilot, "h")
    graded = report(home).lines[0].graded
    assert graded is not None
    assert graded.points == pytest.approx(2 / 3)
    assert [line.hint for line in graded.lines] == [False, True, False]


@pytest.mark.slow
async def test_half_a_derivation_is_a_draft_that_a_crash_leaves(home: Path) -> None:
    async with paper(home, "derivation") as (pilot, screen):
        await type_keys(pilot, *"d*m", "enter", *"d*s")
        await screen._tick()
        assert screen.sitting is not None
        assert screen.sitting.answers[0].given is None
    async with paper(home, "derivation", resume=True) as (pilot, screen):
        assert screen.panel.answer == "= d*m\n= d*s"
        # the end of the paper makes an answer of it
        await type_keys(pilot, "f8")
    given = report(home).lines[0].given
    assert given == "= d*m\n= d*s"


async def test_a_draft_is_for_the_question_it_was_typed_for(home: Path) -> None:
    async with paper(home, "", kinds=("expression", "number"), count=2) as (pilot, screen):
        sitting = screen.sitting
        assert sitting is not None
        await type_keys(pilot, *"12", "f7")
        assert screen.panel.answer == ""
        await screen._tick()
        await type_keys(pilot, "f6")
        assert screen.panel.answer == "12"
        assert sitting.answers[1].draft is None


@pytest.mark.parametrize(
    ("language", "size"), [pytest.param("en", SIZES[0], marks=pytest.mark.slow), ("zh", SIZES[1])]
)
async def test_a_function_is_written_tried_and_graded(
    home: Path, language: Language, size: tuple[int, int]
) -> None:
    async with paper(home, "code", language, size) as (pilot, screen):
        area = screen.query_one(TextArea)
        assert area.has_focus
        assert area.text.startswith("import numpy as np\n\n\ndef attention(")
        # Tab is for the text, Esc leaves it and Enter comes back
        await type_keys(pilot, "tab", *"if mask:", "enter", *"pass", "enter", "backspace", *"return")
        assert area.text.endswith('"""\n    if mask:\n        pass\n    return')
        await type_keys(pilot, "f9")
        await _ran(pilot, screen)
        await type_keys(pilot, *["ctrl+down"] * 3)
        shown = "".join(text(pilot.app).split())
        assert {"en": "returnsNone", "zh": "返回None"}[language] in shown
        await type_keys(pilot, "escape", "enter")
        assert area.has_focus
        area.load_text(SOLUTION)
        await type_keys(pilot, "ctrl+o")
        await type_keys(pilot, "h")
    assert report(home).score.earned == 1.0
    assert report(home).lines[0].given == SOLUTION


async def test_a_program_that_python_cannot_read_is_said_at_once_and_costs_nothing(home: Path) -> None:
    async with paper(home, "code") as (pilot, screen):
        screen.query_one(TextArea).load_text(
            "def attention(query, key, value, mask):\n    return 'never closed"
        )
        await type_keys(pilot, "ctrl+o")
        shown = " ".join(text(pilot.app).split())
        assert "not counted against you" in shown
        assert "Mend it, then ^o; ^o again leaves it as it is" in shown
        assert screen.panel.answer.endswith("never closed")
        await type_keys(pilot, "ctrl+o", "h")
    assert (report(home).score.earned, report(home).score.possible) == (0.0, 0)


async def _ran(pilot: Pilot[int], screen: SittingScreen) -> None:
    while screen.query_one(CodeEditor).running:
        await settle(pilot)


async def test_an_untouched_signature_is_no_answer(home: Path) -> None:
    async with paper(home, "code") as (pilot, screen):
        await type_keys(pilot, "ctrl+o")
        assert "Nothing was written" in text(pilot.app)
        assert screen.sitting is not None
        assert screen.sitting.answers[0].given is None
        # what one begins with speaks the language of the moment
        await type_keys(pilot, "f2")
        assert "返回" in screen.query_one(TextArea).text


EDITORS = {
    "writes": ("import sys; open(sys.argv[1], 'a').write('    return None\\r\\n')", ""),
    "fails": ("import sys; sys.exit(3)", "ended with 3"),
    "writes no text": ("import sys; open(sys.argv[1], 'wb').write(b'\\xff\\xfe')", "not UTF-8"),
    "removes it": ("import os, sys; os.remove(sys.argv[1])", "is gone"),
}


@pytest.mark.slow
@pytest.mark.parametrize("editor", EDITORS)
async def test_the_persons_own_editor(home: Path, monkeypatch: pytest.MonkeyPatch, editor: str) -> None:
    program, fault = EDITORS[editor]
    monkeypatch.setenv("VISUAL", shlex.join([sys.executable, "-c", program]))
    monkeypatch.setattr(ProofdeckApp, "suspend", lambda app: contextlib.nullcontext())
    async with paper(home, "code") as (pilot, screen):
        before = screen.query_one(TextArea).text
        await type_keys(pilot, "ctrl+g")
        after = screen.query_one(TextArea).text
        assert fault in " ".join(text(pilot.app).split())
        assert after == (before if fault else before + "    return None\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("editor", "fault"),
    [("", "no editor is named"), ("no-such-editor-here", "cannot be started"), ("'", "no editor"), ("true", "cannot be given")],
)  # fmt: skip
async def test_an_editor_that_cannot_be_used_is_told_and_costs_nothing(
    home: Path, monkeypatch: pytest.MonkeyPatch, editor: str, fault: str
) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", editor)
    if "started" in fault:
        monkeypatch.setattr(ProofdeckApp, "suspend", lambda app: contextlib.nullcontext())
    async with paper(home, "code") as (pilot, screen):
        before = screen.query_one(TextArea).text
        await type_keys(pilot, "ctrl+g")
        assert fault in " ".join(text(pilot.app).split())
        assert screen.query_one(TextArea).text == before


async def test_a_recall_has_room_for_more_than_a_line(home: Path) -> None:
    async with paper(home, "recall") as (pilot, screen):
        await type_keys(pilot, *"the variance", "ctrl+j", *"[grows] with d_k", "enter")
        shown = text(pilot.app)
        assert "[grows] with d_k" in shown
        assert "[x]" in shown
        assert screen.sitting is not None
        assert screen.sitting.answers[0].given == "the variance\n[grows] with d_k"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["recall", "code"])
async def test_the_keys_between_questions_work_in_a_text_too(home: Path, kind: str) -> None:
    async with paper(home, "", kinds=(kind, "number"), count=2) as (pilot, screen):
        assert screen.sitting is not None
        for _ in range(4):
            before = screen.sitting.position
            await type_keys(pilot, "f7")
            assert screen.sitting.position != before


async def test_letters_typed_into_a_text_are_no_commands(home: Path) -> None:
    async with paper(home, "recall") as (pilot, screen):
        await type_keys(pilot, *"hnfqpi:?")
        assert screen.panel.answer == "hnfqpi:?"
        assert screen.sitting is not None
        assert screen.sitting.running


async def test_more_lines_than_a_derivation_has_are_refused_at_once(home: Path) -> None:
    async with paper(home, "derivation") as (pilot, _):
        await type_keys(pilot, *"d/s", "enter")
        pilot.app.post_message(events.Paste("d=s=1\n" * 5000))
        await settle(pilot)
        assert "at most 40 lines" in " ".join(text(pilot.app).split())
        await type_keys(pilot, "up", "d")
        assert not pilot.app.screen.panel.answer


async def test_what_is_too_long_to_be_kept_is_said_once(home: Path) -> None:
    async with paper(home, "recall") as (pilot, screen):
        pilot.app.post_message(events.Paste("x" * 100_001))
        await settle(pilot)
        for _ in range(3):
            await screen._tick()
        await settle(pilot)
        assert text(pilot.app).count("longer than 100000") == 1
        # it can be mended
        await type_keys(pilot, "backspace")
        await screen._tick()
        assert len(screen.sitting.draft) == 100_000


async def test_a_question_that_comes_when_one_has_gone_back_ends_nothing(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with paper(home, "derivation") as (pilot, screen):
        put, going = screen.panel.put, asyncio.Event()

        async def slowly(*args: object) -> None:
            going.set()
            while screen in pilot.app.screen_stack:
                await asyncio.sleep(0.01)
            await put(*args)

        monkeypatch.setattr(screen.panel, "put", slowly)
        screen._ask()
        await going.wait()
        await pilot.press("escape", "escape")
        await settle(pilot)
        assert screen not in pilot.app.screen_stack
        assert len(pilot.app.screen_stack) == 1
    assert report(home).status == "open"
