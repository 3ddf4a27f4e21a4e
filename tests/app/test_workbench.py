"""The derivation workbench by keyboard: the list, a derivation written and kept, one's own start and goal."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from engine.errors import InputError
from engine.text import Language, same
from quizbank.notebook import Notebook
from tests.app.driving import SIZES, make_app, press, rows, settle, text, type_keys
from tui.app import ProofdeckApp
from tui.screens.card import CardScreen
from tui.screens.derive import DeriveScreen
from tui.screens.workbench import OwnTaskScreen, WorkbenchScreen, read_names
from tui.widgets.lines_editor import LinesEditor

pytestmark = pytest.mark.slow

DECK = Path(__file__).parents[1] / "data" / "derivations.yaml"
CARD = "sample-derivations"
VARIANCE = {"drill": f"{CARD}/derive-variance"}
ROOT = {"drill": f"{CARD}/derive-checkpoint-optimum"}


def bench(app: ProofdeckApp) -> DeriveScreen:
    assert isinstance(app.screen, DeriveScreen)
    return app.screen


async def write(pilot: Pilot[int], *lines: str) -> None:
    """Type lines, each ended by Enter."""
    for line in lines:
        for character in line:
            await pilot.press("space" if character == " " else character)
        await press(pilot, "enter")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "size"), [pytest.param("en", SIZES[0], marks=pytest.mark.slow), ("zh", SIZES[1])]
)
async def test_a_derivation_is_written_kept_and_taken_up_again(
    home: Path, language: Language, size: tuple[int, int]
) -> None:
    app = make_app(home, language, "derive", ROOT, (DECK,))
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        page = bench(app)
        assert "k = √n" in text(app).replace("  ", " ")
        await write(pilot, "sqrt(n) + sqrt(n)")
        assert page.work is not None
        assert not page.work.complete
        assert {"en": "not yet the goal", "zh": "还没有到达目标式"}[language] in text(app).replace("\n", "")
        await write(pilot, "2*sqrt(n)")
        assert page.work is not None
        assert page.work.complete
        await press(pilot, "f5")
        assert {"en": "Complete, and kept", "zh": "完成，已保存"}[language] in text(app)
        (kept,) = app.workspace.notebook.kept(CARD)
        assert kept.complete
        assert kept.lines == ("= sqrt(n) + sqrt(n)", "= 2*sqrt(n)")
        # back to the list, which shows it twice: at its drill, and among those kept
        await press(pilot, "escape")
        await press(pilot, "w")
        assert isinstance(app.screen, WorkbenchScreen)
        await press(pilot, "end")
        assert kept.day.isoformat() in text(app)
        await press(pilot, "enter")
        assert bench(app).lines == kept.lines
        # nothing new stands there: leaving asks nothing
        await press(pilot, "escape")
        assert isinstance(app.screen, WorkbenchScreen)


async def test_an_editor_whose_parts_come_late_is_waited_for_without_holding_up_the_app(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = LinesEditor._compose

    async def late(editor: LinesEditor) -> None:
        await asyncio.sleep(0.3)
        await usual(editor)

    monkeypatch.setattr(LinesEditor, "_compose", late)
    app = make_app(home, "en", "derive", ROOT, (DECK,))
    async with app.run_test(size=SIZES[0]) as pilot:
        await settle(pilot)
        await pilot.press("f2")
        await settle(pilot)
        assert isinstance(app.focused, Input)
        assert "下一行" in text(app)


@pytest.mark.parametrize(
    ("language", "size"), [pytest.param("en", SIZES[0], marks=pytest.mark.slow), ("zh", SIZES[1])]
)
async def test_enter_alone_says_how_far_the_derivation_is(
    home: Path, language: Language, size: tuple[int, int]
) -> None:
    def said(app: ProofdeckApp) -> str:
        return "".join(notification.message for notification in app._notifications)

    app = make_app(home, language, "derive", ROOT, (DECK,))
    async with app.run_test(size=size, notifications=True) as pilot:
        await settle(pilot)
        assert {"en": "Enter alone says how far", "zh": "空行 Enter 查看进度"}[language] in text(app)
        await write(pilot, "sqrt(n) + sqrt(n)", "")
        assert {"en": "Not complete yet: every line follows", "zh": "还没有完成：每一行都成立"}[
            language
        ] in said(app)
        await write(pilot, "3*sqrt(n)", "")
        assert {"en": "line 2 does not follow", "zh": "第 2 行不成立"}[language] in said(app)
        await press(pilot, "up", "d", "down")
        await write(pilot, "2*sqrt(n)", "")
        assert {"en": "✓ Complete.", "zh": "✓ 完成。"}[language] in said(app)


async def test_a_bad_line_has_its_case_and_a_slip_its_name(home: Path) -> None:
    app = make_app(home, "en", "derive", VARIANCE, (DECK,))
    async with app.run_test(size=SIZES[0]) as pilot:
        await settle(pilot)
        await write(pilot, "d_k*sigma^4")
        shown = text(app)
        assert "does not follow" in shown
        assert "the scale is forgotten" in shown
        assert "this line is" in shown
        # mended, it is forgotten
        await press(pilot, "up", "enter")
        for _ in range(len("d_k*sigma^4")):
            await pilot.press("backspace")
        await write(pilot, "d_k*sigma^4/d_k")
        assert "forgotten" not in text(app)
        assert bench(app).lines == ("= d_k*sigma^4/d_k",)


@pytest.mark.slow
async def test_a_chain_on_one_line_is_several_lines(home: Path) -> None:
    app = make_app(home, "en", "derive", ROOT, (DECK,))
    async with app.run_test(size=SIZES[0]) as pilot:
        await settle(pilot)
        await write(pilot, "= sqrt(n) + sqrt(n) = 2*sqrt(")
        # what cannot be read stands where it was typed
        assert bench(app).lines == ()
        await write(pilot, "n)")
        assert bench(app).lines == ("= sqrt(n) + sqrt(n)", "= 2*sqrt(n)")
        assert bench(app).work is not None
        assert bench(app).work.complete
        # an entry changed to a chain is two
        await press(pilot, "up", "enter")
        await write(pilot, " = sqrt(n)*2")
        assert bench(app).lines[1:] == ("= 2*sqrt(n)", "= sqrt(n)*2")


async def test_hints_cost_nothing_here_and_are_kept_as_hints(home: Path) -> None:
    app = make_app(home, "en", "derive", VARIANCE, (DECK,))
    async with app.run_test(size=SIZES[0]) as pilot:
        await settle(pilot)
        await press(pilot, "f9")
        await write(pilot, "sigma^4")
        await press(pilot, "f5")
        (kept,) = app.workspace.notebook.kept()
        assert kept.lines == ("?= sum(sigma^4, i, 1, d_k)/d_k", "= sigma^4")
        assert kept.complete


async def test_lines_that_are_not_kept_are_not_lost_by_one_key(home: Path) -> None:
    app = make_app(home, "en", "derive", ROOT, (DECK,))
    async with app.run_test(size=SIZES[0]) as pilot:
        await settle(pilot)
        await press(pilot, "f5")
        assert app.workspace.notebook.kept() == ()
        await write(pilot, "sqrt(n)*2")
        await press(pilot, "escape")
        assert bench(app).lines == ("= sqrt(n)*2",)
        await press(pilot, "escape")
        assert not isinstance(app.screen, DeriveScreen)


async def test_from_a_card_to_its_derivations_and_back(home: Path) -> None:
    app = make_app(home, "zh", "home", decks=(DECK,))
    async with app.run_test(size=SIZES[1]) as pilot:
        await settle(pilot)
        app.workspace.notebook.keep(app.workspace.task(ROOT).drill, ["= 2*sqrt(n)"], True, CARD)
        app.push_screen(CardScreen(CARD))
        await settle(pilot)
        await press(pilot, "end")
        assert "你保存的推导" in text(app)
        assert "=2√n" in text(app).replace(" ", "")
        await press(pilot, "w")
        page = app.screen
        assert isinstance(page, WorkbenchScreen)
        assert page.only == CARD
        assert not page.check_action("own", ())
        await press(pilot, "enter")
        assert bench(app).derivation is not None
        await press(pilot, "f8")
        assert isinstance(app.screen, CardScreen)
        assert app.screen.open_panel == "derivation"


async def test_a_card_without_a_derivation_does_not_offer_one(home: Path) -> None:
    app = make_app(home, "en", "home")
    async with app.run_test(size=SIZES[0]) as pilot:
        await settle(pilot)
        app.push_screen(CardScreen("sample-attention-scale"))
        await settle(pilot)
        await press(pilot, "w")
        assert isinstance(app.screen, CardScreen)


async def test_what_was_kept_can_be_taken_out_with_two_keys(home: Path) -> None:
    app = make_app(home, "en", "derive", {}, (DECK,))
    async with app.run_test(size=SIZES[0]) as pilot:
        await settle(pilot)
        app.workspace.notebook.keep(app.workspace.task(ROOT).drill, ["= 2*sqrt(n)"], True, CARD)
        app.screen.query_one("#derivations").focus()
        await press(pilot, "escape", "w", "end", "d")
        assert len(app.workspace.notebook.kept()) == 1
        await press(pilot, "d")
        assert app.workspace.notebook.kept() == ()
        assert "Kept" not in [row.strip() for row in rows(app)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "size"), [pytest.param("en", SIZES[0], marks=pytest.mark.slow), ("zh", SIZES[1])]
)
async def test_a_start_and_a_goal_of_ones_own(home: Path, language: Language, size: tuple[int, int]) -> None:
    app = make_app(home, language, "derive", {})
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await press(pilot, "n")
        page = app.screen
        assert isinstance(page, OwnTaskScreen)
        for value in ("1/(1+exp(-z))", "sigmoid(-z)", "z=real"):
            for character in value:
                await pilot.press(character)
            await pilot.press("down")
        await press(pilot, "enter")
        # not equal: the case says so, and the fields stand as they were
        assert app.screen is page
        assert "z = " in text(app)
        for _ in range(2):
            await pilot.press("up")
        await press(pilot, "home", "1", "-", "enter")
        assert bench(app).derivation is not None
        await write(pilot, "sigmoid(z)", "1 - sigmoid(-z)")
        assert bench(app).work is not None
        assert bench(app).work.complete
        await press(pilot, "f5")
        (kept,) = app.workspace.notebook.kept("")
        assert kept.goal == "1-sigmoid(-z)"
        # it can be gone on with, though no card has it
        await press(pilot, "escape", "escape", "end", "enter")
        assert bench(app).lines == kept.lines


async def test_a_derivation_that_is_not_there_is_told(home: Path) -> None:
    app = make_app(home, "en", "derive", {"drill": "no-such-thing"})
    async with app.run_test(size=SIZES[0]) as pilot:
        await settle(pilot)
        assert "no-such-thing" in text(app)
        await press(pilot, "f5", "f8", "escape")
        assert not isinstance(app.screen, DeriveScreen)


async def test_the_language_changes_in_place(home: Path) -> None:
    app = make_app(home, "en", "derive", ROOT, (DECK,))
    async with app.run_test(size=SIZES[0]) as pilot:
        await settle(pilot)
        await write(pilot, "sqrt(n) + sqrt(n)")
        await press(pilot, "f2")
        assert "还没有到达目标式" in text(app)
        assert bench(app).lines == ("= sqrt(n) + sqrt(n)",)


def test_names_as_they_are_typed(home: Path) -> None:
    assert read_names("d_k=dim, W = mat:m,n，y=vec:prob; B=mat:3,k:sym") == {
        "d_k": "dim", "W": "mat:m,n", "y": "vec:prob", "B": "mat:3,k:sym",
    }  # fmt: skip
    assert read_names("") == {}
    for typed in ("x", "x=", "=real", "x=real, y"):
        with pytest.raises(InputError):
            read_names(typed)
    assert same("") == ("", "")
    assert Notebook(home).kept() == ()


async def test_what_was_typed_for_ones_own_is_there_again_and_a_missing_name_is_mended_among_the_names(
    home: Path,
) -> None:
    app = make_app(home, "zh", "derive", {})
    async with app.run_test(size=SIZES[0]) as pilot:
        await settle(pilot)
        await press(pilot, "n")
        await type_keys(
            pilot, *"q+z", "down", *"z+q", "down", *"z=real", "down", "down", "right", "left", "enter"
        )
        assert "没有声明“q”" in text(app)
        focused = app.focused
        assert isinstance(focused, Input)
        assert focused.value == "z=real"
        await press(pilot, "escape", "n")
        page = app.screen
        assert isinstance(page, OwnTaskScreen)
        assert [field.value for field in page.query(Input)] == ["q+z", "z+q", "z=real", ""]
