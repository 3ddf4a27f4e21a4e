"""Answer sheets from the app: chosen, looked at, written, opened; stopped without a trace."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Event

import pytest
from textual.events import Key

import quizbank.sheets.gather
import quizbank.sheets.html
from engine.text import Language, Text
from quizbank.sheets.formats import FORMATS, SheetFormat
from tests.app.driving import SIZES, make_app, press, rows, settle, text, type_keys
from tests.app.test_results import CARD, sit
from tui.app import ProofdeckApp
from tui.screens.sheets import SheetsScreen
from tui.screens.sitting import SittingScreen
from tui.sheet_selection import WHOLE_BANK, Selection


def sheets(app: ProofdeckApp) -> SheetsScreen:
    assert isinstance(app.screen, SheetsScreen)
    return app.screen


def left_in(folder: Path, home: Path) -> set[str]:
    return {path.name for path in folder.iterdir() if path != home}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.mark.parametrize(
    ("language", "size"), [pytest.param("en", SIZES[0], marks=pytest.mark.slow), ("zh", SIZES[1])]
)
async def test_a_sheet_is_written_and_never_replaced_unasked(
    home: Path, here: Path, language: Language, size: tuple[int, int]
) -> None:
    app = make_app(home, language)
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        # Markdown, questions only: nothing has to be proved for it
        await press(pilot, "e", "down", "right", "down", "left")
        assert "proofdeck-cards.md" in text(app)
        await press(pilot, "enter")
        written = here / "proofdeck-cards.md"
        assert "sqrt" in written.read_text(encoding="utf-8")
        assert {"en": "Written", "zh": "已写出"}[language] in text(app)
        assert {"en": "no desktop", "zh": "没有可用来打开"}[language] in text(app)
        written.write_text("mine", encoding="utf-8")
        await press(pilot, "enter")
        assert written.read_text(encoding="utf-8") == "mine"
        assert {"en": "already there", "zh": "已存在"}[language] in text(app)
        await press(pilot, "enter")
        assert written.read_text(encoding="utf-8") != "mine"
    assert left_in(here, home) == {"proofdeck-cards.md"}


async def test_a_path_that_cannot_be_written_is_one_line_and_a_folder_gets_a_name_in_it(
    home: Path, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHEETS", str(here / "sheets"))
    (here / "sheets").mkdir()
    app = make_app(home, "en")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "e", "down", "right", "end")
        await type_keys(pilot, "ctrl+u", *"no/such.html", "enter")
        assert "there is no folder" in text(app)
        assert "Traceback" not in text(app)
        # the rest of a folder's name is proposed, → takes it
        await type_keys(pilot, "ctrl+u", *"she", "right")
        assert "sheets/" in text(app)
        await type_keys(pilot, "ctrl+u", *"$SHEETS", "enter")
        assert (here / "sheets" / "proofdeck-cards.html").is_file()
    assert left_in(here, home) == {"sheets"}


@pytest.mark.parametrize("while_", ["cards", pytest.param("file", marks=pytest.mark.slow)])
async def test_esc_stops_a_sheet_that_is_being_made_and_nothing_is_left_of_it(
    home: Path, here: Path, monkeypatch: pytest.MonkeyPatch, while_: str
) -> None:
    begun, go_on = Event(), Event()
    of_cards, of_file = quizbank.sheets.gather.ask, quizbank.sheets.html.write

    def held(made: object) -> object:
        begun.set()
        assert go_on.wait(60)
        return made

    app = make_app(home, "en")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "e", "down", "right")
        screen = sheets(app)
        if while_ == "cards":
            monkeypatch.setattr(quizbank.sheets.gather, "ask", lambda *given: held(of_cards(*given)))
        else:
            monkeypatch.setattr(quizbank.sheets.html, "write", lambda *given: held(of_file(*given)))
        await pilot.press("enter")
        while not begun.is_set():
            await pilot.pause(0.01)
        await pilot.press("escape")
        assert screen.stopping
        go_on.set()
        await settle(pilot)
        assert app.screen is screen
        assert "Stopped. Nothing was written." in text(app)
        assert left_in(here, home) == set()
        # and it can be written after all
        await press(pilot, "enter")
        assert left_in(here, home) == {"proofdeck-cards.html"}


async def test_the_preview_follows_the_choices_and_scrolls_alone_on_the_screen(
    home: Path, here: Path
) -> None:
    app = make_app(home, "en")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "e")
        screen = sheets(app)
        assert "Interview questions with answers" in text(app)
        assert "面试题与解答" in text(app)
        await press(pilot, "down", "right")
        assert "with answers" not in "\n".join(rows(app)[7:])
        await press(pilot, "down", "down", "left")
        assert "面试题" not in text(app)
        assert "1. Why are attention scores divided" in text(app)
        # keys that come in one breath go each to the field that the one before led to
        await press(pilot, "escape", "e")
        screen = sheets(app)
        for key in ("down", "right", "down", "left"):
            app.post_message(Key(key, None))
        await settle(pilot)
        assert app.screen is screen
        assert (screen.picker("mode").value, screen.format.name) == ("paper", "md")
        await press(pilot, "down", "down", "left")
        pane = screen.query_one("#sheet-preview")
        await press(pilot, "pagedown")
        assert pane.scroll_offset.y > 0
        await press(pilot, "v", "home")
        assert rows(app)[1].strip() == "Interview questions"
        await press(pilot, "j", "j")
        assert pane.scroll_offset.y == 2
        await press(pilot, "escape")
        assert app.screen is screen
        assert "▸ What" in text(app)


async def test_a_format_that_is_not_installed_is_shown_with_the_line_that_installs_it(
    home: Path, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lacking = SheetFormat(
        "pdf", ".pdf", Text("PDF", "PDF"), True, "document", "no:where", ("no_such_module",), "pdf"
    )
    monkeypatch.setitem(FORMATS, "pdf", lacking)
    app = make_app(home, "zh")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "e", "down", "down", *["right"] * (list(FORMATS).index("pdf") - 1))
        assert "PDF（未安装）" in text(app)
        assert "A4" in text(app)
        assert "pip install 'proofdeck[pdf]'" in text(app)
        await press(pilot, "enter")
    assert left_in(here, home) == set()


async def test_a_written_sheet_is_opened_by_the_desktop_or_its_path_is_copied(
    home: Path, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs, told = here / "programs", here / "told"
    programs.mkdir()
    program = programs / ("open" if os.uname().sysname == "Darwin" else "xdg-open")
    program.write_text(f'#!/bin/sh\nprintf %s "$1" > "{told}"\n', encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.delenv("SSH_CONNECTION", raising=False)
    app = make_app(home, "en")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "e", "down", "right")
        assert "Open" not in text(app)
        await press(pilot, "enter", "o")
        path = str(here / "proofdeck-cards.html")
        assert told.read_text(encoding="utf-8") == path
        await press(pilot, "c")
        assert app.clipboard == path


async def test_topics_are_ticked_and_a_paper_is_drawn_for_print(home: Path, here: Path) -> None:
    app = make_app(home, "en")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "e", "right", "end", "space", "enter")
        assert sheets(app).selection == Selection(topics=("attention",))
        assert "proofdeck-attention.html" in text(app)
        await press(pilot, "right", "home", "down", "enter")
        assert "Draw" in text(app).splitlines()[-1]
        await press(pilot, "enter")
        paper = sheets(app).selection.paper
        assert paper is not None
        assert paper.asked == 10
        await press(pilot, "down", "right")
        assert f"form {paper.form}" in text(app)
        await press(pilot, "enter")
        assert f"form {paper.form}" in (here / f"proofdeck-{paper.form}.html").read_text(encoding="utf-8")
        assert app.workspace.results.history() == ()
        # the chooser has gone, and so has the form of the paper
        await press(pilot, "escape")
        assert len(app.screen_stack) == 1


async def test_one_key_leads_here_from_cards_a_card_a_paper_and_a_result(home: Path, here: Path) -> None:
    report = sit(home, ("number",), {"number": "1"})
    app = make_app(home, "en")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "b", "e")
        assert sheets(app).selection == WHOLE_BANK
        await press(pilot, "escape", *"/scores", "escape", "e")
        assert sheets(app).selection == Selection(cards=(CARD,))
        assert f"proofdeck-{CARD}.html" in text(app)
        await press(pilot, "escape", "enter", "e")
        assert sheets(app).selection == Selection(cards=(CARD,))
        await press(pilot, "escape", "escape", "escape", "t", "e")
        assert sheets(app).selection.paper is not None
        await press(pilot, "escape", "p", "enter", "e")
        assert sheets(app).selection.session == report.id
        assert "your answers beside the key" in text(app)
        await press(pilot, "v", "home")
        assert "Self-test, as answered" in text(app)


@pytest.mark.slow
async def test_a_self_test_that_is_not_handed_in_does_not_tell_its_key(home: Path, here: Path) -> None:
    # of choices: where something is typed the first Esc leaves the text
    app = make_app(home, "en", "test", {"kinds": ("choice",), "count": 2})
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert isinstance(app.screen, SittingScreen)
        while len(app.screen_stack) > 1:
            await press(pilot, "escape")
        await press(pilot, "e", "right", "home", "down", "down")
        assert "not handed in yet" in text(app)
        await press(pilot, "enter")
        assert sheets(app).selection.paper is not None
        await press(pilot, "down")
        for _ in range(5):
            assert "questions only" in text(app)
            await press(pilot, "right")
        await press(pilot, "down")
        for _ in range(5):
            assert "‹ Anki ›" not in text(app)
            assert sheets(app).preview is not None
            await press(pilot, "right")


async def test_writing_leaves_the_cursor_where_it_was_and_the_size_is_in_thousands_of_bytes(
    home: Path, here: Path
) -> None:
    app = make_app(home, "en")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "e", "down", "right", "down")
        chosen = app.focused
        await press(pilot, "enter")
        assert app.focused is chosen
        path = here / "proofdeck-cards.html"
        assert f"({round(path.stat().st_size / 1000)} kB)" in " ".join(text(app).split())
        # in the line of the file a letter is text, so another key copies the path
        while not sheets(app).typing:
            await press(pilot, "down")
        assert "^y copies its path" in " ".join(text(app).split())
        await press(pilot, "ctrl+y")
        assert app.clipboard == str(path)
