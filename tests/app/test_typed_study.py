"""In study a card's question can be answered first; its verdict proposes the grade, and the person decides."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

import quizbank.bank
from engine.coding import load
from engine.text import Language
from quizbank.card_file import read_card_file
from quizbank.home import Home
from quizbank.learning.log import ReviewLog
from tests.app.driving import SAMPLE, SIZES, make_app, settle, text, type_keys
from tui.judging import SharedJudge
from tui.screens.drill import DrillScreen, can_be_asked, first_asked
from tui.screens.study import StudyScreen
from tui.widgets.code_editor import CodeEditor

pytestmark = pytest.mark.slow

TYPED = Path(__file__).parent.parent / "data" / "typed_cards.yaml"


@asynccontextmanager
async def study(
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    deck: Path = TYPED,
    language: Language = "en",
    size: tuple[int, int] = SIZES[0],
) -> AsyncIterator[Pilot[int]]:
    bibliography = quizbank.bank.SHIPPED / quizbank.bank.BIBLIOGRAPHY
    monkeypatch.setattr(
        quizbank.bank, "shipped_deck", lambda: quizbank.bank.Deck((deck,), "typed", bibliography)
    )
    app = make_app(home, language, "study")
    app.workspace.judge = SharedJudge(deadline=60)
    try:
        async with app.run_test(size=size, notifications=True) as pilot:
            await settle(pilot)
            assert isinstance(app.screen, StudyScreen)
            yield pilot
    finally:
        app.workspace.close()


async def ask(pilot: Pilot[int], kind: str) -> DrillScreen:
    """Open the card's question of this kind."""
    await type_keys(pilot, "a")
    screen = pilot.app.screen
    assert isinstance(screen, DrillScreen)
    for _ in range(6):
        if screen.asked is not None and screen.asked.kind == kind:
            return screen
        await type_keys(pilot, "f7")
    raise AssertionError(f"no question of the kind {kind}")


@pytest.mark.parametrize(
    ("typed", "proposed", "language", "size"),
    [("d_k sigma^4", 3, "en", SIZES[0]), ("d_k*sigma^2", 1, "zh", SIZES[1])],
)
async def test_the_verdict_proposes_the_grade_and_the_person_decides(
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    typed: str,
    proposed: int,
    language: Language,
    size: tuple[int, int],
) -> None:
    async with study(home, monkeypatch, language=language, size=size) as pilot:
        await ask(pilot, "expression")
        await type_keys(pilot, *typed, "enter")
        shown = "".join(text(pilot.app).split())
        assert ("✓" if proposed == 3 else "✗") in shown
        if proposed == 1:
            assert {"en": "thevarianceofasingleentry", "zh": "用了单个分量的方差"}[language] in shown
            await type_keys(pilot, "end")
            assert {"en": "Counterexample", "zh": "反例"}[language] in text(pilot.app)
        await type_keys(pilot, "enter")
        assert isinstance(pilot.app.screen, StudyScreen)
        assert {"en": "Good is proposed", "zh": "建议评为“重来”"}[language] in text(pilot.app)
        await type_keys(pilot, "space")
        bar = [row for row in text(pilot.app).splitlines() if "▸" in row]
        assert any({3: "▸ Good", 1: "▸ 重来"}[proposed] in row for row in bar)
        # the person decides otherwise
        await type_keys(pilot, "2")
    with ReviewLog(Home.in_folder(home).data_folder()) as log:
        assert [int(entry.rating) for entry in log.entries()] == [2]


async def test_a_choice_tells_why_the_option_is_wrong_and_why_the_right_one_is_right(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with study(home, monkeypatch, SAMPLE) as pilot:
        screen = await ask(pilot, "choice")
        assert screen.asked is not None
        place = next(n for n, (option, _) in enumerate(screen.asked.options) if option == "mean")
        # the footer says that letters answer, at once; they are capitals on the screen
        assert "a–c Choose" in text(pilot.app)
        await type_keys(pilot, "f2")
        assert "a–c 直接选" in text(pilot.app)
        await type_keys(pilot, "f2", "ABC"[place])
        shown = " ".join(text(pilot.app).split())
        assert "The mean is 0 under the assumptions" in shown
        assert "Right, if the entries are independent" in shown
        await type_keys(pilot, "enter")
        assert "Again is proposed" in text(pilot.app)


async def test_not_understood_is_no_verdict(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with study(home, monkeypatch) as pilot:
        await ask(pilot, "number")
        await type_keys(pilot, *"4 apples", "enter")
        assert "not counted against you" in " ".join(text(pilot.app).split())
        await type_keys(pilot, "escape")
        assert "proposed" not in text(pilot.app)


@pytest.mark.slow
async def test_what_was_half_written_is_there_again(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with study(home, monkeypatch) as pilot:
        await ask(pilot, "number")
        await type_keys(pilot, *"4 Mi", "f7", "escape")
        screen = await ask(pilot, "number")
        assert screen.panel.answer == "4 Mi"


@pytest.mark.slow
async def test_the_first_verdict_proposes(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with study(home, monkeypatch) as pilot:
        await ask(pilot, "number")
        await type_keys(pilot, *"4 MB", "enter")
        assert "✗" in text(pilot.app)
        screen = pilot.app.screen
        while not (isinstance(screen, DrillScreen) and screen.asked and screen.asked.kind == "expression"):
            await type_keys(pilot, "f7")
        await type_keys(pilot, *"d_k sigma^4", "enter", "enter")
        # and it is said that it is the first
        said = " ".join(text(pilot.app).split())
        assert "Your first answer: wrong. It proposes Again; later answers do not count." in said
        await type_keys(pilot, "f2")
        assert "第一次作答：错误。据此建议评为“重来”，之后的作答不计" in "".join(text(pilot.app).split())


@pytest.mark.slow
async def test_a_derivation_is_judged_as_it_is_written(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with study(home, monkeypatch) as pilot:
        await ask(pilot, "derivation")
        await type_keys(pilot, *"d*(2m^2 s^2 + s^4)", "enter")
        assert "✓ follows" in text(pilot.app)
        await type_keys(pilot, *"d s^2(2m^2+s^2)", "enter", "enter")
        assert "✓ right" in text(pilot.app)


async def test_a_program_runs_on_every_case_and_its_slip_is_named(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with study(home, monkeypatch, size=(100, 40)) as pilot:
        screen = await ask(pilot, "code")
        editor = screen.query_one(CodeEditor)
        editor.area.load_text(load("attention").slips[0].source)
        await type_keys(pilot, "f9")
        while editor.running:
            await settle(pilot)
        shown = " ".join(text(pilot.app).split())
        assert "This is what comes out" in shown
        assert "largest difference" in shown


async def test_a_program_that_python_cannot_read_is_no_verdict_and_is_there_to_be_mended(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with study(home, monkeypatch, size=(100, 40)) as pilot:
        screen = await ask(pilot, "code")
        broken = load("attention").solution + "\nprint('never closed)"
        screen.query_one(CodeEditor).area.load_text(broken)
        await type_keys(pilot, "f9")
        while screen.query_one(CodeEditor).running:
            await settle(pilot)
        assert "? Not run: it is not understood yet" in text(pilot.app)
        await type_keys(pilot, "ctrl+o")
        said = " ".join(text(pilot.app).split())
        assert "not counted against you: line" in said
        assert "Python cannot read this: unterminated string literal" in said
        assert "then ^o" in said
        assert screen.graded is None
        await type_keys(pilot, "f2")
        assert "没有看懂，不扣分：第" in "".join(text(pilot.app).split())
        screen.leave()
        await settle(pilot)
        assert isinstance(pilot.app.screen, StudyScreen)
        assert pilot.app.screen.verdict is None
        again = await ask(pilot, "code")
        assert again.panel.answer == broken


def test_a_program_is_asked_first_only_where_nothing_shorter_is() -> None:
    written = [
        card for card in read_card_file(TYPED).cards if any(drill.kind == "code" for drill in card.drills)
    ]
    assert written
    for card in written:
        drills = can_be_asked(card)
        first = {drills[first_asked(card, day)].kind for day in range(60)}
        assert first == ({drill.kind for drill in drills} - {"code"} or {"code"})


async def test_after_the_reveal_no_question_is_asked(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with study(home, monkeypatch) as pilot:
        assert "press a to answer" in text(pilot.app)
        await type_keys(pilot, "space", "a")
        assert isinstance(pilot.app.screen, StudyScreen)


async def test_one_undo_takes_back_the_grade_of_an_answered_question_and_its_proposal(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with study(home, monkeypatch) as pilot:
        screen = pilot.app.screen
        card = screen.session.current
        await ask(pilot, "expression")
        await type_keys(pilot, *"d_k sigma^4", "enter", "enter")
        assert screen.proposed == 3
        await type_keys(pilot, "space", "4")
        assert screen.session.finished
        await type_keys(pilot, "u")
        assert (screen.session.current, screen.proposed, screen.revealed) == (card, None, 0)
        assert "is proposed" not in text(pilot.app)
        assert not screen.session.can_undo
        await type_keys(pilot, "space")
        assert not [row for row in text(pilot.app).splitlines() if "▸" in row]
    with ReviewLog(Home.in_folder(home).data_folder()) as log:
        assert [entry.kind for entry in log.entries()] == ["grade", "undo"]
        assert log.memories() == {}
