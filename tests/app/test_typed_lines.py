"""A derivation written line by line: read back as it is typed, judged where there is a judge, hints at a cost."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.app import ComposeResult
from textual.events import Paste
from textual.pilot import Pilot

from engine.answers.symbolic import judge_formula
from engine.answers.verdict import Verdict
from engine.notation.page import page
from engine.text import Language, Text, same
from quizbank.card import Milestone
from tests.app.driving import SIZES, make_app, settle, text, type_keys
from tui.answer_text import symbols_prose
from tui.screens.base import Page
from tui.widgets.derived_lines import DerivedLines, JudgeLine
from tui.widgets.lines_editor import LinesEditor
from tui.widgets.menu import Menu

SYMBOLS = {"a": "vec:real", "n": "dim", "i": "index", "sigma": "pos"}
START, GOAL = "sum(2*(a_i+1), i, 1, n)", "2*sum(a_i, i, 1, n) + 2n"
MILESTONES = (
    Milestone("sum(2a_i + 2, i, 1, n)", Text("Multiply out.", "先乘开。")),
    Milestone("sum(2a_i, i, 1, n) + sum(2, i, 1, n)", Text("Split the sum.", "拆成两个和。")),
)


class Desk(Page):
    HEADING = same("Desk")
    AUTO_FOCUS = "LinesEditor Input"

    def __init__(self, judge_line: JudgeLine | None) -> None:
        super().__init__()
        self.judge_line = judge_line
        self.heard: list[object] = []

    def body(self) -> ComposeResult:
        yield LinesEditor(
            START, GOAL, SYMBOLS, milestones=MILESTONES, judge_line=self.judge_line, where={"a": "simplex"}
        )

    def show(self) -> None:
        self.query_one(LinesEditor).show()

    def on_lines_editor_changed(self, event: LinesEditor.Changed) -> None:
        self.heard.append(event.lines)

    def on_lines_editor_finished(self, event: LinesEditor.Finished) -> None:
        self.heard.append("finished")

    def on_lines_editor_judged(self, event: LinesEditor.Judged) -> None:
        self.heard.append(event.reached)


def judge_line(before: str, line: str) -> Verdict:
    return judge_formula(line, before, SYMBOLS)


@asynccontextmanager
async def desk(
    home: Path, judge: JudgeLine | None = None, language: Language = "en", size: tuple[int, int] = SIZES[0]
) -> AsyncIterator[tuple[Pilot[int], LinesEditor, Desk]]:
    app = make_app(home, language)
    async with app.run_test(size=size, notifications=True) as pilot:
        await settle(pilot)
        page = Desk(judge)
        app.push_screen(page)
        await settle(pilot)
        yield pilot, page.query_one(LinesEditor), page


@pytest.mark.parametrize(
    ("language", "size"), [pytest.param("en", SIZES[0], marks=pytest.mark.slow), ("zh", SIZES[1])]
)
async def test_start_goal_and_names_are_at_hand(
    home: Path, language: Language, size: tuple[int, int]
) -> None:
    async with desk(home, language=language, size=size) as (pilot, _, _):
        shown = "".join(text(pilot.app).split())
        assert {"en": "Goal:2∑ᵢ₌₁ⁿaᵢ+2n", "zh": "目标式：2∑ᵢ₌₁ⁿaᵢ+2n"}[language] in shown
        assert {"en": "σ,typedsigma(positive)", "zh": "σ，键入sigma（正数）"}[language] in shown
        assert {"en": "sumto1", "zh": "和为1"}[language] in shown


async def test_what_is_typed_is_laid_out_while_it_is_typed(home: Path) -> None:
    async with desk(home) as (pilot, _, _):
        await type_keys(pilot, *"n/sqrt(2")
        assert "is missing at the end" in text(pilot.app)
        await type_keys(pilot, ")")
        lines = text(pilot.app).splitlines()
        above = next(n for n, line in enumerate(lines) if "─" in line and "Read as" in line)
        assert lines[above - 1].split() == ["n"]
        assert "√2" in lines[above + 1]


async def test_in_a_paper_lines_are_read_back_and_not_judged(home: Path) -> None:
    async with desk(home) as (pilot, editor, page):
        await type_keys(pilot, *"= 3n", "enter", *"n+1")
        assert editor.lines == ("= 3n",)
        # what is typed and not entered counts as well
        assert editor.answer == "= 3n\n= n+1"
        assert not any(mark in text(pilot.app) for mark in "✓✗")
        await type_keys(pilot, "enter", "enter")
        assert page.heard == [("= 3n",), ("= 3n", "= n+1"), "finished"]


async def test_a_line_that_is_not_understood_goes_back_to_be_mended(home: Path) -> None:
    async with desk(home) as (pilot, editor, _):
        await type_keys(pilot, *"2q", "enter")
        assert editor.lines == ()
        assert editor.input.value == "2q"
        assert "“q” is not declared here" in text(pilot.app)
        await type_keys(pilot, "backspace", "n", "enter")
        assert editor.lines == ("= 2n",)


@pytest.mark.slow
async def test_a_line_judged_wrong_comes_with_the_case_that_breaks_it(home: Path) -> None:
    async with desk(home, judge_line) as (pilot, _, page):
        await type_keys(pilot, *"sum(2a_i + 2, i, 1, n)", "enter", *"2*sum(a_i, i, 1, n) + 2", "enter")
        shown = text(pilot.app)
        assert "✓ follows" in shown
        assert "✗ does not follow" in shown
        assert "this line is" in shown
        assert "the one before" in shown
        assert page.heard[-1] is False
        # mended, the line follows and is the goal
        await type_keys(pilot, "up", "enter", "n", "enter")
        assert "✗" not in text(pilot.app)
        assert "the goal" in text(pilot.app)
        assert page.heard[-1] is True


async def test_only_lines_that_follow_another_are_judged_anew(home: Path) -> None:
    asked: list[str] = []

    def counting(before: str, line: str) -> Verdict:
        asked.append(line)
        return Verdict("equal", same(""))

    async with desk(home, counting) as (pilot, editor, _):
        await type_keys(pilot, "n", "enter", "2", "n", "enter", "3", "n", "enter")
        assert asked == ["n", "2n", "3n"]
        await type_keys(pilot, "up", "up", "up", "d")
        assert editor.lines == ("= 2n", "= 3n")
        assert asked == ["n", "2n", "3n", "2n"]


async def test_what_stands_behind_a_wrong_line_waits_until_that_is_mended(home: Path) -> None:
    asked: list[str] = []

    def no_seven(before: str, line: str) -> Verdict:
        asked.append(line)
        return Verdict("different" if "7" in (before, line) else "equal", same(""))

    async with desk(home, no_seven) as (pilot, _, page):
        await type_keys(pilot, "7", "enter", "n", "enter", "2", "n", "enter")
        shown = text(pilot.app)
        assert shown.count("✗ does not follow") == 1
        assert shown.count("– not checked") == 2
        assert asked == ["7"]
        assert page.heard[-1] is False
        await type_keys(pilot, "up", "up", "up", "enter", "backspace", "n", "enter")
        shown = text(pilot.app)
        assert asked == ["7", "n", "n", "2n"]
        assert shown.count("✓ follows") == 3
        assert "not checked" not in shown


async def test_enter_with_nothing_written_says_what_to_do(home: Path) -> None:
    async with desk(home) as (pilot, _, page):
        await type_keys(pilot, "enter")
        assert "type one that equals the start" in " ".join(text(pilot.app).split())
        assert page.heard == []


async def test_the_footer_says_what_enter_does_to_the_line_at_hand(home: Path) -> None:
    async with desk(home) as (pilot, _, _):
        await type_keys(pilot, "n", "enter", "up")
        assert "Enter Change" in text(pilot.app)
        await type_keys(pilot, "up")
        # the start stays as it is
        assert "Enter Change" not in text(pilot.app)
        await type_keys(pilot, "down", "down")
        assert "Enter Next line" in text(pilot.app)
        await type_keys(pilot, "up", "enter")
        assert "Enter Keep line" in text(pilot.app)
        await type_keys(pilot, "enter")
        assert "Enter Next line" in text(pilot.app)


async def test_a_hint_costs_two_keys_in_a_paper_and_stays(home: Path) -> None:
    async with desk(home) as (pilot, editor, _):
        await type_keys(pilot, "f9")
        assert editor.lines == ()
        assert "costs points" in " ".join(text(pilot.app).split())
        await type_keys(pilot, "f9")
        assert editor.lines == ("?= sum(2a_i + 2, i, 1, n)",)
        assert "hint" in text(pilot.app)
        assert "Multiply out." in text(pilot.app)
        await type_keys(pilot, "up", "d", "enter")
        assert editor.lines == ("?= sum(2a_i + 2, i, 1, n)",)
        # typing in between takes the asking back
        await type_keys(pilot, "down", "f9", "n", "f9")
        assert len(editor.lines) == 1


async def test_hints_pass_over_milestones_the_person_reached(home: Path) -> None:
    async with desk(home, judge_line) as (pilot, editor, _):
        await type_keys(pilot, *"sum(2+a_i*2,i,1,n)", "enter", "f9")
        assert editor.lines[-1] == f"?= {MILESTONES[1].line}"
        await type_keys(pilot, "f9")
        assert len(editor.lines) == 2
        assert "only the goal" in text(pilot.app)


def test_of_milestones_with_one_form_the_hint_gives_the_one_not_written_yet() -> None:
    start, goal = (
        "(exp(z)*(exp(z)+c) - exp(z)*exp(z))/(exp(z)+c)^2",
        "exp(z)/(exp(z)+c)*(1 - exp(z)/(exp(z)+c))",
    )
    first, second = "c*exp(z)/(exp(z)+c)^2", "exp(z)/(exp(z)+c)*(c/(exp(z)+c))"
    milestones = tuple(Milestone(line, same("")) for line in (first, second))
    derived = DerivedLines(start, goal, {"z": "real", "c": "pos"}, "symbolic", {}, milestones, True)

    def hint_after(*lines: str) -> str:
        derived.load("\n".join(lines))
        derived.known |= derived.read(derived.unread)
        milestone = derived.next_milestone()
        return milestone.line if milestone else ""

    assert hint_after() == first
    assert hint_after("= c e^z/(e^z+c)^2") == second
    assert hint_after(f"?= {first}") == second
    assert hint_after(f"= {start}") == first
    assert hint_after("= c/(exp(z)+c)*exp(z)/(exp(z)+c)") in ("", second)
    assert hint_after(f"= {second}") == ""


async def test_nothing_half_typed_is_lost_by_going_up(home: Path) -> None:
    async with desk(home) as (pilot, editor, _):
        await type_keys(pilot, "n", "enter", *"2n", "up", "down")
        assert editor.input.value == "2n"
        # a line is changed meanwhile, or left as it was
        await type_keys(pilot, "up", "enter", "+", "1")
        assert editor.answer == "= n+1\n= 2n"
        await type_keys(pilot, "escape")
        assert editor.input.value == "2n"
        await type_keys(pilot, "up", "enter", "+", "1", "enter")
        assert editor.answer == "= n+1\n= 2n"
        assert editor.lines == ("= n+1",)


async def test_lines_come_back_as_they_were_given(home: Path) -> None:
    async with desk(home) as (pilot, editor, page):
        editor.load("= n\n?= 2n\n\n= ")
        await settle(pilot)
        assert editor.answer == "= n\n?= 2n"
        assert page.heard == []
        editor.load("")
        assert editor.lines == ()


async def test_several_pasted_lines_are_several_lines(home: Path) -> None:
    async with desk(home) as (pilot, editor, _):
        editor.input.post_message(Paste("= n\n= 2n\n"))
        await settle(pilot)
        assert editor.lines == ("= n", "= 2n")
        editor.input.post_message(Paste("3n"))
        await settle(pilot)
        assert editor.input.value == "3n"


async def test_nothing_typed_is_read_as_markup(home: Path) -> None:
    async with desk(home) as (pilot, editor, _):
        editor.load("= [b]x[/b] $ ` \\ h[t-1]")
        await settle(pilot)
        assert "[b]x[/b] $ ' \\ h[t-1]" in text(pilot.app)
        assert pilot.app.screen.query_one(Menu).items


def test_every_kind_of_name_is_told_in_words() -> None:
    symbols = {
        "d_k": "dimval", "x": "real", "s": "pos", "p": "prob", "T": "posint", "k": "nat0", "n": "dim", "i": "index",
        "y": "vec:prob", "A": "mat:n,d_k", "S": "mat:n,n:sym", "E": "mat:3,3:I", "mu": "vec:real",
    }  # fmt: skip
    english, chinese = (symbols_prose(symbols, {"y": "simplex"}, language) for language in ("en", "zh"))
    for kind in symbols.values():
        assert kind not in english.split()
    assert r"$A$ ($n \times d_{k}$ matrix)" in english
    assert r"$E$（$3 \times 3$ 单位矩阵）" in chinese
    assert "$\\mu$，键入 `mu`（向量，实数）" in chinese
    # both say the same formulas, in their own words
    assert english.count("$") == chinese.count("$")
    assert page(english, 60)
    assert page(chinese, 60)
