"""The glossary on screen, and the sets of cards on the first screen and in the list."""

from __future__ import annotations

from pathlib import Path

import pytest

import quizbank.bank
from engine.text import Language
from tests.app.driving import SIZES, make_app, press, rows, settle, text
from tests.bank.decks import several
from tui.app import ProofdeckApp
from tui.screens.browse import BrowseScreen
from tui.screens.card import CardScreen
from tui.screens.glossary import GlossaryScreen
from tui.screens.study import StudyScreen
from tui.widgets.menu import Menu


@pytest.fixture(autouse=True)
def known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three cards that the glossary and both sets name, not in the order of the sets."""
    names = ("decoder-no-peeking", "sqrt-dk-scale", "vanishing-gradient")
    deck = several(tmp_path / "decks", *([("sample-attention-scale", name)] for name in names))
    monkeypatch.setattr(quizbank.bank, "shipped_deck", lambda: quizbank.bank.Deck((deck,), "cards"))


def entries(app: ProofdeckApp) -> list[str]:
    return [item.id for item in app.screen.query_one(Menu).items if item.role == "entry"]


@pytest.mark.parametrize("size", [pytest.param(SIZES[0], marks=pytest.mark.slow), SIZES[1]])
@pytest.mark.parametrize(
    ("language", "words", "shown"),
    [("en", "teacher f", "教师强制"), ("zh", "教师强", "teacher forcing")],
)
async def test_a_term_is_found_as_one_types_and_shown_in_both_languages(
    home: Path, size: tuple[int, int], language: Language, words: str, shown: str
) -> None:
    app = make_app(home, language)
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await press(pilot, "y")
        await settle(pilot)
        assert isinstance(app.screen, GlossaryScreen)
        everything = len(entries(app))
        assert everything == len(app.workspace.bank.glossary.terms)
        await press(pilot, *words)
        assert entries(app)[0] == "teacher-forcing"
        assert len(entries(app)) < everything
        assert shown in text(app)
        await press(pilot, "f2")
        assert entries(app)[0] == "teacher-forcing"
        await press(pilot, "enter")
        await settle(pilot)
        assert isinstance(app.screen, CardScreen)
        assert app.screen.card_id == "decoder-no-peeking"
        await press(pilot, "escape")
        assert words in rows(app)[1]


async def test_a_term_without_a_card_says_so_and_nothing_found_says_so(home: Path) -> None:
    app = make_app(home, "en")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        # the slash begins a search on the list of cards; here one types at once
        await press(pilot, "y", "slash", *"distillation", "f1")
        # a letter that would only be typed is no key
        offered = [key for item in app.screen.query_one(Menu).items for key in item.lead.split()]
        assert "F1" in offered
        assert not any(len(key) == 1 and key.isalpha() for key in offered)
        await press(pilot, "escape", "enter")
        assert isinstance(app.screen, GlossaryScreen)
        await press(pilot, *"zebra")
        assert entries(app) == []
        assert "No term is called" in text(app)
        await press(pilot, "escape", "x")
        assert len(entries(app)) == len(app.workspace.bank.glossary.terms)


async def test_a_set_is_begun_or_read_from_the_first_screen_in_its_order(home: Path) -> None:
    app = make_app(home, "en")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        menu = app.screen.query_one(Menu)
        assert "The thirty most asked" in text(app)
        bank = app.workspace.bank
        for name, screen in (("thirty-most-asked", StudyScreen), ("last-evening", BrowseScreen)):
            place = [item.id for item in menu.items].index(f"set:{name}")
            menu.cursor = place
            await press(pilot, "enter")
            await settle(pilot)
            assert isinstance(app.screen, screen)
            if isinstance(app.screen, StudyScreen):
                assert app.screen.card is not None
                assert app.screen.card.id == "vanishing-gradient"
            if isinstance(app.screen, BrowseScreen):
                assert entries(app) == ["vanishing-gradient", "sqrt-dk-scale"]
                assert "Set The last evening" in text(app)
                await press(pilot, "x")
                assert len(entries(app)) == len(bank.cards)
            await press(pilot, "escape")
