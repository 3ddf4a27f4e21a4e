"""Marking the card in sight: put off, bookmarked, written on, reported, opened in an editor; and a leech noticed."""

from __future__ import annotations

import contextlib
import subprocess
from pathlib import Path

import pytest

from engine.text import Language
from quizbank.home import Home
from quizbank.learning.log import ReviewLog
from quizbank.learning.marks import Marks, marks_of
from quizbank.learning.memory import Rating
from tests.app.driving import make_app, press, rows, settle, text, type_keys
from tui.app import ProofdeckApp
from tui.screens.browse import BrowseScreen
from tui.screens.card import CardScreen
from tui.screens.leech import LeechScreen
from tui.screens.marking_words import MARKING
from tui.screens.study import StudyScreen
from tui.screens.writing import NoteScreen, ReportScreen

HEAD = "topic: own\ncards:\n"
FIRST = "  - {kind: plain, id: first, question: What comes first?, answer: An old answer.}\n"
SECOND = "  - {kind: plain, id: second, question: What comes second?, answer: Another answer.}\n"
DAY = 86_400_000
NOON = 1_767_600_000_000  # 2026-01-05 08:00 UTC


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "own" / "cards.yaml"
    path.parent.mkdir()
    path.write_text(HEAD + FIRST + SECOND, encoding="utf-8")
    return path


def studying(home: Path, own: Path, language: Language = "en") -> ProofdeckApp:
    return make_app(home, language, "study", {"topics": ("own",)}, decks=(own.parent,))


def told(app: ProofdeckApp) -> str:
    return " ".join(" ".join(notice.message.split()) for notice in app._notifications)


def kinds(home: Path) -> list[str]:
    with ReviewLog(Home.in_folder(home).data_folder()) as log:
        assert log.verify().ok
        return [entry.kind for entry in log.entries()]


async def test_to_put_a_card_off_brings_the_next_and_u_takes_it_back_on_the_last_screen_too(
    home: Path, own: Path
) -> None:
    app = studying(home, own)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "B")
        assert "What comes second?" in text(app)
        assert "not asked again today: What comes first?" in told(app)
        await press(pilot, "S")
        assert "1 until tomorrow, 1 suspended" in text(app)
        await press(pilot, "u")
        assert "What comes second?" in text(app)
        await press(pilot, "u")
        assert "What comes first?" in text(app)
        assert app.workspace.log.put_off() == set()
    assert kinds(home) == ["bury", "suspend", "undo", "undo"]


@pytest.mark.slow
async def test_a_card_put_off_on_its_own_screen_is_asked_no_more_in_the_session_below(
    home: Path, own: Path
) -> None:
    app = studying(home, own)
    async with app.run_test(size=(60, 20)) as pilot:
        await settle(pilot)
        await press(pilot, "space", "o", "S")
        assert "suspended" in text(app)
        await press(pilot, "escape")
        assert "What comes second?" in text(app)
        await press(pilot, "u")
        assert "What comes first?" in text(app)
        assert app.workspace.log.put_off() == set()
    assert kinds(home) == ["suspend", "undo"]


@pytest.mark.parametrize(
    ("language", "bookmarked", "yours"),
    [("en", "bookmarked", "Your note"), pytest.param("zh", "已加书签", "我的笔记", marks=pytest.mark.slow)],
)
async def test_a_bookmark_stands_in_the_title_and_a_note_under_the_answer(
    home: Path, own: Path, language: Language, bookmarked: str, yours: str
) -> None:
    app = studying(home, own, language)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "M")
        assert bookmarked in rows(app)[0]
        assert text(app).count(bookmarked) == 1
        await press(pilot, "N")
        assert isinstance(app.screen, NoteScreen)
        await type_keys(pilot, *"it is B, not N", "escape")
        await press(pilot, "space")
        shown = text(app)
        assert shown.index("An old answer.") < shown.index(yours) < shown.index("it is B, not N")
        # the card's own screen shows the same
        await press(pilot, "o")
        assert isinstance(app.screen, CardScreen)
        assert bookmarked in rows(app)[0]
        assert "it is B, not N" in text(app)
        await press(pilot, "N", "space", "!", "enter")
        assert "it is B, not N !" in text(app)
        await press(pilot, "M", "escape")
        assert bookmarked not in rows(app)[0]
        assert "it is B, not N !" in text(app)
        assert marks_of(app.workspace.log, "first") == Marks(note="it is B, not N !")
    assert kinds(home) == ["bookmark", "note", "note", "unbookmark"]


@pytest.mark.slow
async def test_what_is_wrong_is_kept_for_the_author_and_a_slip_of_the_key_drops_nothing(
    home: Path, own: Path
) -> None:
    app = studying(home, own)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "W")
        screen = app.screen
        assert isinstance(screen, ReportScreen)
        # nothing said is no report
        await press(pilot, "enter")
        assert app.screen is screen
        await type_keys(pilot, *"too old", "escape")
        assert app.screen is screen
        await press(pilot, "enter")
        assert isinstance(app.screen, StudyScreen)
        assert "My own · core · reported" in text(app)
        (report,) = marks_of(app.workspace.log, "first").reports
        assert report.text == "too old"
        await press(pilot, "W", "x", "escape", "escape")
        assert isinstance(app.screen, StudyScreen)
    assert kinds(home) == ["report"]


async def test_marks_filter_the_list_and_are_set_in_it(home: Path, own: Path) -> None:
    app = make_app(home, "en", decks=(own.parent,))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        screen = BrowseScreen("own")
        app.push_screen(screen)
        await settle(pilot)
        await press(pilot, "down", "S")
        marked = next(place for place, row in enumerate(rows(app)) if "What comes second?" in row)
        assert "suspended" in rows(app)[marked + 1]
        await press(pilot, "m")
        # "any", and the one mark that any card bears
        await press(pilot, "end")
        await press(pilot, "enter")
        assert screen.mark_wanted == "suspended"
        assert [card.id for card in screen.cards] == ["second"]
        # resumed, it is none of them any more
        await press(pilot, "S")
        assert not list(screen.cards)
        await press(pilot, "x")
        assert len(screen.cards) == len(screen.all)
    assert kinds(home) == ["suspend", "resume"]


def leech(home: Path, card: str) -> None:
    """A card forgotten five times and due again."""
    with ReviewLog(Home.in_folder(home).data_folder()) as log:
        for number in range(5):
            log.grade(card, Rating.EASY, NOON - (400 - number * 60) * DAY)
            log.grade(card, Rating.AGAIN, NOON - (370 - number * 60) * DAY)
        log.grade(card, Rating.EASY, NOON - 90 * DAY)


@pytest.mark.parametrize("language", ["en", pytest.param("zh", marks=pytest.mark.slow)])
async def test_a_leech_is_offered_its_demonstration_or_to_be_suspended(
    home: Path, own: Path, language: Language
) -> None:
    leech(home, "sample-attention-scale")
    app = make_app(
        home, language, "study", {"cards": ("sample-attention-scale", "first")}, decks=(own.parent,)
    )
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        study = app.screen
        asked = study.session.current
        await press(pilot, "space", "1")
        assert isinstance(app.screen, LeechScreen)
        assert "6" in text(app)
        await press(pilot, "enter")
        assert isinstance(app.screen, CardScreen)
        assert app.screen.open_panel == "lab"
        await press(pilot, "escape")
        assert app.screen is study
        # the next one was asked meanwhile
        assert study.session.current == "first"
        await press(pilot, "u", "space", "1", "end", "up", "enter")
        assert app.screen is study
        assert app.workspace.log.put_off() == {asked}
        assert study.session.current == "first"
        await press(pilot, "u")
        assert app.workspace.log.put_off() == set()
        await press(pilot, "u")
        assert study.session.current == asked
        # recalled: nothing is said
        await press(pilot, "space", "3")
        assert app.screen is study


async def test_the_own_card_is_opened_at_its_line_and_what_was_saved_is_on_the_screen(
    home: Path, own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[list[str]] = []

    def edit(call: list[str], check: bool) -> subprocess.CompletedProcess[str]:
        calls.append(call)
        if Path(call[-1]) == own:
            own.write_text(HEAD + FIRST.replace("An old", "A better") + SECOND, encoding="utf-8")
        return subprocess.CompletedProcess(call, 0)

    monkeypatch.setenv("VISUAL", "nano -w")
    monkeypatch.setattr("tui.outside_editor.subprocess.run", edit)
    monkeypatch.setattr(ProofdeckApp, "suspend", lambda app: contextlib.nullcontext())
    app = studying(home, own)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "space", "o", "E")
        assert calls == [["nano", "-w", "+3", str(own)]]
        assert "up to date" in told(app)
        assert "A better answer." in text(app)
        await press(pilot, "escape")
        # the same place, below
        assert "A better answer." in text(app)
        await press(pilot, "3")
        assert "What comes second?" in text(app)
        app.push_screen(CardScreen("sample-attention-scale"))
        await settle(pilot)
        await press(pilot, "E")
        assert Path(calls[-1][-1]).parent == app.workspace.home.cache / "shipped-cards"
        assert "comes with the program" in told(app)
        monkeypatch.delenv("VISUAL")
        monkeypatch.delenv("EDITOR", raising=False)
        await press(pilot, "E")
        assert "no editor is named" in told(app)
        assert len(calls) == 2


def test_the_keys_mean_the_same_wherever_a_card_is() -> None:
    for screen in (StudyScreen, CardScreen, BrowseScreen):
        assert set(MARKING) <= set(screen.OFFERS)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("key", ["N", "W"])
async def test_the_help_beside_a_text_says_in_short_what_esc_does(
    home: Path, own: Path, language: Language, key: str
) -> None:
    app = studying(home, own, language)
    async with app.run_test(size=(80, 40)) as pilot:
        await settle(pilot)
        await press(pilot, key, "f1")
        shown = text(app)
        assert "<key:" not in shown
        (esc,) = [number for number, row in enumerate(rows(app)) if row.strip(" ▸").startswith("Esc")]
        # one or two rows, not the whole text of the screen
        assert any(row.strip().startswith("Enter") for row in rows(app)[esc + 1 : esc + 3])
