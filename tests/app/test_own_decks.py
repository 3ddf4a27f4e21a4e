"""One's own deck, edited while it is studied: the place is kept, the texts are new, faults and losses are told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quizbank.bank import load_bank
from quizbank.home import Home
from quizbank.own_cards import FILE_NAME, known_cards, remember
from tests.app.driving import make_app, press, settle, text
from tests.bank.decks import age
from tui.app import ProofdeckApp
from tui.cli import main
from tui.screens.study import StudyScreen

HEAD = "topic: own\ncards:\n"
FIRST = "  - {kind: plain, id: first, question: What comes first?, answer: An old answer.}\n"
SECOND = "  - {kind: plain, id: second, question: What comes second?, answer: Another answer.}\n"


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "own" / "cards.yaml"
    path.parent.mkdir()
    path.write_text(HEAD + FIRST + SECOND, encoding="utf-8")
    return path


def studying(home: Path, own: Path) -> ProofdeckApp:
    return make_app(home, start="study", options={"topics": ("own",)}, decks=(own.parent,))


async def looked(app: ProofdeckApp, pilot: object) -> str:
    """What the screen says, and what was told, after the app looked at the deck."""
    screen = app.screen
    assert isinstance(screen, StudyScreen)
    screen.look_at_decks()
    await settle(pilot)
    return " ".join(" ".join(notice.message.split()) for notice in app._notifications)


async def test_texts_are_new_and_the_place_is_kept(home: Path, own: Path) -> None:
    app = studying(home, own)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "space")
        assert "An old answer." in text(app)
        assert "No demonstration: to be believed." in text(app)
        assert await looked(app, pilot) == ""
        own.write_text(HEAD + FIRST.replace("An old", "A much better") + SECOND, encoding="utf-8")
        assert "up to date" in await looked(app, pilot)
        assert "A much better answer." in text(app)
        await press(pilot, "3")
        assert "What comes second?" in text(app)
        assert app.workspace.log.memory("first").reps == 1


async def test_a_fault_is_told_and_the_card_stays_until_it_is_mended(home: Path, own: Path) -> None:
    app = studying(home, own)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "space")
        own.write_text(HEAD + FIRST.replace("answer:", "anwser:") + SECOND, encoding="utf-8")
        told = await looked(app, pilot)
        assert "cards.yaml:3:" in told
        assert "until the fault is mended: first" in told
        assert "An old answer." in text(app)
        await press(pilot, "3")
        assert "What comes second?" in text(app)
        own.write_text("no: [yaml", encoding="utf-8")
        await looked(app, pilot)
        assert "What comes second?" in text(app)


async def test_a_card_that_vanishes_is_passed_over_and_told(home: Path, own: Path) -> None:
    app = studying(home, own)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        own.write_text(HEAD + SECOND, encoding="utf-8")
        told = await looked(app, pilot)
        assert "no longer in your deck: first" in told
        assert "What comes second?" in text(app)
        own.unlink()
        assert "no card file" in await looked(app, pilot)
        await press(pilot, "space", "3")
        assert app.workspace.log.memory("second").reps == 1


async def test_a_changed_id_is_reported_and_its_history_listed(
    home: Path, own: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    app = studying(home, own)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "space", "3")
    app.workspace.close()
    own.write_text(HEAD + FIRST.replace("id: first", "id: renamed") + SECOND, encoding="utf-8")
    again = make_app(home, decks=(own.parent,))
    async with again.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        notices = [" ".join(notice.message.split()) for notice in again._notifications]
        assert any("The id first is now renamed" in line for line in notices)
    again.workspace.close()
    assert main(["list", "--vanished", "--json", "--deck", str(own)]) == 0
    (gone,) = json.loads(capsys.readouterr().out)
    assert (gone["id"], gone["now"], gone["reviews"]) == ("first", "renamed", 1)
    assert gone["question"]["en"] == "What comes first?"
    assert main(["list", "--vanished", "--deck", str(own), "--lang", "zh"]) == 0
    assert "现编号为 renamed" in capsys.readouterr().out
    # it is told once
    assert remember(again.workspace.home, again.workspace.bank) == ()


def test_a_register_with_lines_that_cannot_be_read_keeps_them_and_goes_on(home: Path, own: Path) -> None:
    where = Home.in_folder(home)
    where.data_folder()
    register = where.data / FILE_NAME
    cut_short = b'{"no": "list"}\n["odd", "What", "\xff", "d"]\n["first", "What com'
    register.write_bytes(cut_short)
    bank = load_bank(where, [own.parent])
    assert remember(where, bank) == ()
    assert register.read_bytes().startswith(cut_short + b"\n")
    assert set(known_cards(where.data)) == {"odd", "first", "second"}
    lines = register.read_bytes().count(b"\n")
    remember(where, bank)
    assert register.read_bytes().count(b"\n") == lines


def test_of_a_card_the_last_wording_is_known(home: Path, own: Path) -> None:
    where = Home.in_folder(home)
    remember(where, load_bank(where, [own.parent]))
    reworded = HEAD + FIRST.replace("comes first", "is first") + SECOND
    own.write_text(reworded, encoding="utf-8")
    assert remember(where, load_bank(where, [own.parent])) == ()
    assert known_cards(where.data)["first"].question.en == "What is first?"
    # by what it asked last it is found again, not by what it asked before
    own.write_text(reworded.replace("id: first", "id: renamed"), encoding="utf-8")
    assert remember(where, load_bank(where, [own.parent])) == (("first", "renamed"),)


def test_the_register_is_read_again_only_where_a_card_says_something_else(
    home: Path, own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = Home.in_folder(home)
    remember(where, load_bank(where, [own.parent]))
    register = where.data / FILE_NAME
    age(register)
    remember(where, load_bank(where, [own.parent]))
    with monkeypatch.context() as patched:
        patched.setattr("quizbank.own_cards._lines", lambda path: pytest.fail("read again"))
        assert remember(where, load_bank(where, [own.parent])) == ()
    own.write_text(HEAD + FIRST.replace("id: first", "id: renamed") + SECOND, encoding="utf-8")
    assert remember(where, load_bank(where, [own.parent])) == (("first", "renamed"),)
    # a register that was taken away is written anew
    age(register)
    remember(where, load_bank(where, [own.parent]))
    register.unlink()
    remember(where, load_bank(where, [own.parent]))
    assert set(known_cards(where.data)) == {"renamed", "second"}
