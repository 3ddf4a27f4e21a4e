"""What every screen shares: footer, help and palette from one source, one way back, text as typed."""

from __future__ import annotations

from pathlib import Path

import pytest

import quizbank.bank
from engine.text import Language
from tests.app.driving import SAMPLE, SIZES, make_app, press, rows, settle, text
from tui import messages
from tui.screens.home import HomeScreen
from tui.widgets.chrome import COMMON, OPTIONAL

TOKENS = "[MASK] [CLS] h[t-1] [/ Q[/b] [/INST] <sos> 2*3*4 {x} [N]"


@pytest.mark.parametrize("size", SIZES)
async def test_footer_help_and_palette_offer_the_same_commands(home: Path, size: tuple[int, int]) -> None:
    app = make_app(home, "en")
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        offered = [command for command in app.screen.offers() if command.footer]
        for language in ("en", "zh"):
            footer = " ".join(rows(app)[-2:])
            for command in offered:
                # Enter on a list goes without saying where it would take a row of its own
                if command.footer < OPTIONAL or command.footer >= COMMON:
                    assert f"{command.shown_keys()[0]} {command.name.of(language)}" in footer
            await press(pilot, "f2")
        await press(pilot, "question_mark")
        helped = {item.id for item in app.screen.query_one("Menu").items}
        assert {command.action for command in offered} <= helped
        await press(pilot, "escape", "colon")
        picked = {item.id for item in app.screen.query_one("Menu").items}
        assert {command.action for command in offered if command.palette} - {"choose"} <= picked


async def test_a_command_picked_in_the_palette_runs_where_it_was_asked_for(home: Path) -> None:
    app = make_app(home, "en")
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "f3", *"学习", "enter")
        assert rows(app)[0].startswith(" Proofdeck · Study")


async def test_back_is_the_same_key_everywhere_and_ends_at_home(home: Path) -> None:
    app = make_app(home, "en")
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settle(pilot)
        for key in ("s", "e", "b", "question_mark", "colon"):
            await press(pilot, key)
            assert not isinstance(app.screen, HomeScreen)
            await press(pilot, "escape")
            assert isinstance(app.screen, HomeScreen)
        await press(pilot, "escape")
        assert isinstance(app.screen, HomeScreen)


@pytest.fixture
def hostile_deck(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A deck whose texts hold what a markup parser would eat."""
    deck = tmp_path / "hostile.yaml"
    deck.write_text(
        SAMPLE.read_text(encoding="utf-8")
        .replace("Why are attention scores divided by $\\sqrt{d_k}$?", f"Why {TOKENS}?")
        .replace("Why not divide by $d_k$?", f"And {TOKENS}?"),
        encoding="utf-8",
    )
    monkeypatch.setattr(quizbank.bank, "shipped_deck", lambda: quizbank.bank.Deck((deck,), "hostile"))
    return deck


@pytest.mark.usefixtures("hostile_deck")
async def test_tokens_in_brackets_stand_as_typed(home: Path) -> None:
    app = make_app(home, "en", "study")
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settle(pilot)
        assert f"Why {TOKENS}?" in text(app)
        await press(pilot, "space", "o")
        # the title, too
        assert f"Why {TOKENS[:20]}" in rows(app)[0]
        await press(pilot, "f")
        assert f"And {TOKENS}?" in text(app)
        app.notice(TOKENS, title="[MASK]", severity="error")
        await settle(pilot)
        await pilot.pause(0.1)
        assert TOKENS[:30] in text(app)
        assert "[MASK]" in text(app).replace(TOKENS, "")


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_a_fault_of_the_app_becomes_a_notice_and_the_app_lives_on(
    home: Path, language: Language
) -> None:
    app = make_app(home, language)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settle(pilot)

        def break_down() -> None:
            raise ZeroDivisionError("[/b] no")

        app.screen.later(break_down, lambda _: None)
        await settle(pilot)
        await pilot.pause(0.1)
        shown = text(app)
        assert "ZeroDivisionError: [/b] no" in shown
        assert messages.FAULT.of(language).partition("{")[0] in shown
        await press(pilot, "b")
        assert not isinstance(app.screen, HomeScreen)


async def test_a_notice_that_is_said_again_stands_once(home: Path) -> None:
    app = make_app(home, "zh")
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settle(pilot)
        for _ in range(3):
            app.notice("已撤销")
            await settle(pilot)
        app.notice("已去掉书签")
        await settle(pilot)
        assert text(app).count("已撤销") == 1
        assert "已去掉书签" in text(app)
