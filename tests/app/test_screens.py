"""Every screen, in both languages and at any size, held to what all of them promise.

A title in the first row and the keys in the last, each of them bound to what the footer says it does;
one language at a time; a way back; no line that begins as no line may.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.cells import cell_len
from textual.pilot import Pilot
from textual.widgets import Input

from engine.text import Language
from tests.app.driving import make_app, press, rows, settle, text, type_keys
from tests.app.test_languages import CLOSING, phrases
from tests.app.test_words import HAN
from tests.app.test_workbench import DECK
from tui.app import ProofdeckApp
from tui.commands import HELP, QUIT
from tui.keymap import commands
from tui.screens.answering import CHOOSE
from tui.screens.base import Page
from tui.screens.home import HomeScreen
from tui.widgets.chrome import KeyBar, TitleBar
from tui.widgets.slider import Slider
from tui.widgets.text_areas import ProseArea

PLACES: dict[str, tuple[str, ...]] = {
    "home": (),
    "help": ("question_mark",),
    "palette": ("colon",),
    "palette, nothing found": ("colon", *"zzqx"),
    "study": ("s",),
    "study, graded": ("s", "space", "space"),
    "study, over": ("s", "space", "4"),
    "study, help": ("s", "space", "question_mark"),
    "an answer first": ("s", "a"),
    "report": ("s", "W"),
    "note": ("s", "N"),
    "card": ("b", "enter"),
    "card, derivation": ("b", "enter", "d", "space"),
    "card, guess": ("b", "enter", "l"),
    "card, lab": ("b", "enter", "l", "enter"),
    "card, follow-ups": ("b", "enter", "f", "enter"),
    "card, sources": ("b", "enter", "s"),
    "labs": ("l",),
    "guess": ("l", "enter"),
    "lab": ("l", "enter", "enter"),
    "lab, derivation": ("l", "enter", "enter", "d", "space"),
    "browse": ("b",),
    "browse, finding": ("b", "slash", *"d_k"),
    "browse, nothing found": ("b", "slash", *"zzqx"),
    "self-test": ("t",),
    "sitting": ("t", "enter"),
    "results so far": ("t", "p"),
    "interviews": ("i",),
    "interview": ("i", "enter"),
    "interview, revealed": ("i", "enter", "space"),
    "interviews held": ("i", "h"),
    "workbench": ("w",),
    "workbench, derivation": ("w", "down", "enter"),
    "workbench, own": ("w", "n"),
    "glossary": ("y",),
    "statistics": ("a",),
    "plan": ("p",),
    "plan, date": ("p", "d"),
    # of an English sheet: how it begins is shown in its own languages
    "sheets": ("e", "down", "down", "down", "left"),
    "how far off": ("o",),
    "settings": ("comma",),
}

_PHRASES = phrases()
BOTH = ("glossary", "sheets")
"""What shows texts in both languages on purpose."""

EVERYDAY: tuple[tuple[Language, tuple[int, int], tuple[str, ...]], ...] = (
    ("en", (60, 20), ("home", "study, graded", "lab", "sitting", "settings")),
    ("zh", (60, 20), ("card", "browse, finding", "self-test", "interview, revealed")),
)


@pytest.mark.parametrize(("language", "size", "places"), EVERYDAY)
async def test_a_screen_opened_in_a_small_terminal(
    home: Path, language: Language, size: tuple[int, int], places: tuple[str, ...]
) -> None:
    app = make_app(home, language)
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        for place in places:
            await type_keys(pilot, *PLACES[place])
            _hold(app, place)
            await _go_home(app, pilot, place)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "sizes"), [("en", [(80, 24)]), ("zh", [(120, 40), (60, 20)])], ids=["en", "zh, resized"]
)
async def test_every_screen(home: Path, language: Language, sizes: list[tuple[int, int]]) -> None:
    app = make_app(home, language, decks=(DECK,))
    async with app.run_test(size=sizes[0]) as pilot:
        await settle(pilot)
        for place, keys in PLACES.items():
            await type_keys(pilot, *keys)
            _hold(app, place)
            for size in sizes[1:]:
                await pilot.resize_terminal(*size)
                await settle(pilot)
                _hold(app, f"{place} at {size[0]} × {size[1]}")
            await pilot.resize_terminal(*sizes[0])
            await _go_home(app, pilot, place)


async def test_the_help_of_a_lab_says_in_full_what_its_sliders_mean(home: Path) -> None:
    app = make_app(home, "zh")
    async with app.run_test(size=(60, 20)) as pilot:
        await settle(pilot)
        await type_keys(pilot, "l", "enter", "enter")
        labels = [slider.label for slider in app.screen.query(Slider)]
        # one of them has no room
        assert not all(label in text(app) for label in labels)
        await press(pilot, "question_mark")
        assert all(f"• {label}" in text(app) for label in labels)
        assert "⇧← H" in text(app)


def _hold(app: ProofdeckApp, place: str) -> None:
    screen = app.screen
    assert isinstance(screen, Page)
    shown = f"{place}\n{text(app)}"
    _frame(screen, rows(app), shown)
    _keys(screen, shown)
    _language(app, place, shown)
    for row in rows(app):
        assert not row.lstrip(" ▸").startswith(CLOSING), shown


def _frame(screen: Page, lines: list[str], shown: str) -> None:
    width, height = screen.size
    assert len(lines) == height, shown
    assert all(cell_len(row) <= width for row in lines), shown
    title, keys = screen.query_one(TitleBar), screen.query_one(KeyBar)
    assert lines[0].startswith(" Proofdeck"), shown
    assert (title.region.y, title.region.height) == (0, 1), shown
    assert keys.region.bottom == height, shown
    laid = keys.rows(keys.size.width)
    assert len(laid) <= KeyBar.ROWS, shown
    for row, pairs in zip(lines[-len(laid) :], laid, strict=True):
        # each key and name in full: none is cut off at the edge
        assert row.strip() == "  ".join(f"{key} {name}" for key, name in pairs), shown


def _keys(screen: Page, shown: str) -> None:
    """Help, back and quit are in the footer, and each of its keys is bound to what it says."""
    # what the help begins with
    assert "<key:" not in screen.about() + shown, shown
    typing = screen.focused is not None and screen.focused.check_consume_key("a", "a")
    offered = list(screen.offers())
    bound = [key for command in offered if not command.everywhere for key in command.keys]
    assert len(bound) == len(set(bound)), shown
    in_footer = [pair for row in screen.query_one(KeyBar).rows(screen.size.width - 2) for pair in row]
    by_footer = {command.offered(screen.language, typing): command for command in offered}
    picks = [command for command in offered if command.together == CHOOSE]
    if picks:
        # the letters of a choice share an entry; each of them answers
        in_footer.remove((f"a–{'abcde'[len(picks) - 1]}", CHOOSE.of(screen.language)))
        in_footer += [command.offered(screen.language, typing) for command in picks]
    for pair in in_footer:
        command = by_footer[pair]
        key = next(
            key for key in command.keys if command._replace(keys=(key,)).shown_keys(typing) == (pair[0],)
        )
        action = screen.active_bindings[key].binding.action
        allowed = [command.action]
        if isinstance(screen.focused, Input | ProseArea) and key == "enter":
            # the line hands over what was typed; the screen does with it what its command says
            allowed += ["submit", "finish"]
        assert action in allowed, (pair, action, shown)
    actions = {by_footer[pair].action for pair in in_footer}
    assert HELP.action in actions, shown
    # a text that is written has its own way out
    assert isinstance(screen, HomeScreen) or any(pair[0] == "Esc" for pair in in_footer), shown
    assert typing or QUIT.action in actions, shown


def _language(app: ProofdeckApp, place: str, shown: str) -> None:
    if place.partition(" at ")[0] in BOTH:
        return
    said = text(app).replace("中文", "")
    if app.language == "en":
        assert not HAN.search(said), shown
    else:
        assert HAN.search(said), shown
        left = [phrase for phrase in _PHRASES if phrase in said]
        assert not left, (left, shown)


async def _go_home(app: ProofdeckApp, pilot: Pilot[int], place: str) -> None:
    """Esc alone leads back, and every press of it does something."""
    while len(app.screen_stack) > 1:
        before = (app.screen, app.focused)
        await press(pilot, "escape")
        assert (app.screen, app.focused) != before, f"Esc does nothing: {place}\n{text(app)}"


def test_the_style_of_a_screen_reaches_the_screens_made_from_it() -> None:
    """Textual puts a screen's own name before its rules, so one that names another screen matches nothing."""
    commands()
    named = {
        page.__name__: set(re.findall(r"\b[A-Z]\w+(?:Page|Screen)\b", page.CSS)) - {page.__name__}
        for page in pages()
    }
    assert {name: others for name, others in named.items() if others} == {}


def pages(base: type[Page] = Page) -> Iterator[type[Page]]:
    for page in base.__subclasses__():
        yield page
        yield from pages(page)


def test_no_two_widgets_or_screens_are_called_the_same() -> None:
    """A style's selector is the bare name of a class: once both are loaded, each would have the other's style."""
    tui = Path(__file__).parent.parent.parent / "tui"
    names = Counter(
        name
        for folder in ("screens", "widgets")
        for file in (tui / folder).glob("*.py")
        for name in re.findall(r"^class (\w+)", file.read_text(encoding="utf-8"), re.MULTILINE)
    )
    assert len(names) > 50
    assert [name for name, times in names.items() if times > 1] == []


async def test_a_card_scrolls_after_a_question_was_answered(home: Path) -> None:
    app = make_app(home)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        # the drill's widgets, and their styles, are loaded from here on
        await press(pilot, "s", "a", "escape", "space", "o")
        assert "↓ more" in rows(app)[0]
        await press(pilot, "end")
        assert "↑ more" in rows(app)[0]
