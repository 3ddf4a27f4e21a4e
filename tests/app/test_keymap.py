"""A person's own keys: read with every fault named by its line, shown wherever keys are shown, and obeyed."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.cells import cell_len
from textual.widgets._toast import Toast

from tests.app.driving import make_app, press, rows, settle, text
from tui.cli import main
from tui.commands import KEYMAP, MOVES, Command
from tui.keymap import commands, key_of, read_keymap
from tui.screens.base import Page, scope_of
from tui.screens.lab import LabListScreen
from tui.screens.study import StudyScreen
from tui.widgets.menu import Menu

Capture = pytest.CaptureFixture[str]


def write(folder: Path, text_: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / KEYMAP).write_text(text_, encoding="utf-8")
    return folder


def pages(cls: type[Page] = Page) -> list[type[Page]]:
    return [page for child in cls.__subclasses__() for page in (child, *pages(child))]


def test_every_command_has_a_name_of_its_own_where_it_is() -> None:
    known = commands()
    assert len(known) > 100
    for page in pages():
        offers: list[Command] = [*page.OFFERS, *MOVES]
        names = [command.id(scope_of(page)) for command in offers]
        assert len(names) == len(set(names)), page.__name__
        for command in page.OFFERS:
            assert known[command.id(scope_of(page))].action == command.action


def test_the_list_of_keys_is_a_keymap_that_changes_nothing(
    home: Path, tmp_path: Path, capsys: Capture
) -> None:
    assert main(["keys"]) == 0
    listed = capsys.readouterr().out
    found = read_keymap(write(tmp_path / "config", listed))
    assert found.faults == ()
    assert found.keys == {name: command.keys for name, command in commands().items()}


def test_what_cannot_be_used_is_named_with_its_line_and_left_out(tmp_path: Path) -> None:
    found = read_keymap(
        write(
            tmp_path,
            '[home]\nstudy = "f"\nlaab = "z"\nlab = ["b", "x"]\nsheets = "ctrl+"\nbrowse = 7\n\n'
            '[app]\ntoggle-language = "Q"\nquit = ["X", "s"]\n[nosuch]\nthing = "a"\n',
        )
    )
    assert found.keys == {"home.study": ("f",)}
    told = [fault.line("en").rpartition(f"{KEYMAP}:")[2] for fault in found.faults]
    assert told == [
        "3: nothing is called home.laab; did you mean home.lab?",
        "4: home.lab: b is the key of home.browse there",
        "5: home.sheets: no key is called ctrl+",
        "6: home.browse needs a key, or several in brackets, as strings",
        "9: app.toggle-language works while something is typed, so Q cannot be its key",
        "10: app.quit: s is the key of browse.study-these there",
        "12: nothing is called nosuch.thing",
    ]


@pytest.mark.parametrize(
    "content", [b"[home\n", b"\xff\xfe", b'a = "b"\na = "c"\n', b"x" * 300_000, b"a = " + b"9" * 5000]
)
def test_a_file_that_cannot_be_read_is_one_fault(tmp_path: Path, content: bytes) -> None:
    (tmp_path / KEYMAP).write_bytes(content)
    found = read_keymap(tmp_path)
    assert found.keys == {}
    assert len(found.faults) == 1
    assert KEYMAP in found.faults[0].line("zh")


def test_two_commands_may_swap_their_keys(tmp_path: Path) -> None:
    found = read_keymap(write(tmp_path, 'home.study = "l"\nhome.lab = "s"\n'))
    assert found.faults == ()
    assert found.keys == {"home.study": ("l",), "home.lab": ("s",)}


@pytest.mark.parametrize(
    ("word", "key"),
    [
        ("?", "question_mark"), ("question_mark", "question_mark"), ("ctrl+a", "ctrl+a"), ("F", "F"),
        ("space", "space"), ("f12", "f12"), ("shift+left", "shift+left"), (",", "comma"), ("-", "minus"), ("好", "好"),
        ("ctrl+", None), ("ctrl+ctrl+a", None), ("hyperspace", None), ("f99", None), ("", None), (" ", None),
        ("\x1b", None), ("ab", None),
    ],
)  # fmt: skip
def test_keys_are_named_as_they_are_typed(word: str, key: str | None) -> None:
    assert key_of(word) == key


async def test_own_keys_are_obeyed_and_shown_in_footer_help_and_palette(home: Path) -> None:
    write(
        home,
        '[home]\nstudy = "f"\nlab = "s"\nplan = "学"\n[page]\ndown = "ctrl+n"\n[app]\nhelp = "f12"\nnonsense = "x"\n'
        '[study]\nreveal = "v"\nproof = "P"\ngrade = "z"\nmore = "z"\nless = "z"\n',
    )
    app = make_app(home, "en")
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        told = ""
        for _ in range(50):
            # a notice is put up after what raised it
            await settle(pilot)
            # from the notice itself: on the screen its lines break beside others, where the folder's name lets them
            told = " ".join(" ".join(str(toast.render()) for toast in app.screen.query(Toast)).split())
            if told:
                break
        assert "nothing is called app.nonsense" in told
        # the screen is not hidden under them
        assert "… and 1 more: `proofdeck doctor` lists them" in told
        assert "app.nonsense" in text(app)
        app.clear_notifications()
        await settle(pilot)
        assert "f Study" in rows(app)[-2]
        assert "s Lab" in rows(app)[-2]
        assert "F12 Help" in text(app)
        assert [row.split()[1] for row in rows(app) if "Study: flashcards" in row] == ["f"]
        # a key two cells wide stands in line
        starts = [
            cell_len(row[: row.index(name)])
            for row in rows(app) for name in ("Study: ", "Plan: ", "Lab: ") if name in row
        ]  # fmt: skip
        assert len(starts) == 3
        assert len(set(starts)) == 1
        await press(pilot, "f12")
        leads = {item.text.partition(":")[0]: item.lead for item in app.screen.query_one(Menu).items}
        assert (leads["Study"], leads["Lab"], leads["Down"], leads["Help"]) == ("f", "s", "^n", "F12")
        await press(pilot, "escape", "colon", *"study")
        assert next(row for row in rows(app) if "Study:" in row).split()[-1] == "f"
        await press(pilot, "enter")
        assert isinstance(app.screen, StudyScreen)
        await press(pilot, "escape", "s")
        assert isinstance(app.screen, LabListScreen)
        await press(pilot, "escape", "f")
        assert isinstance(app.screen, StudyScreen)
        # and in what a screen says
        assert "Then press v." in text(app)
        await press(pilot, "v")
        assert "v shows the full answer, P its proof." in text(app)
