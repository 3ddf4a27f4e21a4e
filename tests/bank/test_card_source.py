"""The file and the line at which an editor opens a card."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from engine.errors import InputError
from quizbank.bank import Bank, Deck, user_deck
from quizbank.card_file import read_card_file
from quizbank.card_source import CardSource, source_of, to_open
from quizbank.home import Home
from tui.outside_editor import at_line


def test_an_own_card_is_opened_where_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(
        "topic: own\ncards:\n  - {kind: plain, id: a, question: A?, answer: A.}\n\n"
        "  - {kind: plain, id: b, question: B?, answer: B.}\n",
        encoding="utf-8",
    )
    bank = Bank(read_card_file(path).cards, decks=[user_deck(path)])
    source = source_of(bank.card("b"), bank)
    assert source == CardSource(path, 5, own=True)
    assert to_open(source, Home.in_folder(tmp_path / "home")) == path


def test_a_shipped_card_is_opened_as_a_copy_that_cannot_be_changed(tmp_path: Path) -> None:
    home = Home.in_folder(tmp_path)
    shipped = tmp_path / "cards" / "attention.yaml"
    shipped.parent.mkdir()
    shipped.write_text("topic: attention\n", encoding="utf-8")
    source = CardSource(shipped, 1, own=False)
    copy = to_open(source, home)
    assert copy != shipped
    assert copy.read_bytes() == shipped.read_bytes()
    assert not os.stat(copy).st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH)
    # a new version of the program: the copy follows
    shipped.write_text("topic: attention\ncards: []\n", encoding="utf-8")
    assert to_open(source, home).read_bytes() == shipped.read_bytes()


def test_a_card_of_no_known_file_is_said(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(
        "topic: own\ncards:\n  - {kind: plain, id: a, question: A?, answer: A.}\n", encoding="utf-8"
    )
    (card,) = read_card_file(path).cards
    with pytest.raises(InputError, match="card a is not known"):
        source_of(card, Bank([card], decks=[Deck((tmp_path / "other.yaml",))]))


@pytest.mark.parametrize(
    ("editor", "arguments"),
    [
        ("vi", ["+7", "a.yaml"]),
        ("/usr/bin/nvim", ["+7", "a.yaml"]),
        ("nano", ["+7", "a.yaml"]),
        ("emacsclient", ["+7", "a.yaml"]),
        ("code", ["--goto", "a.yaml:7"]),
        ("Code.exe", ["--goto", "a.yaml:7"]),
        ("hx", ["a.yaml:7"]),
        ("my-own-editor", ["a.yaml"]),
    ],
)
def test_an_editor_is_told_the_line_in_its_own_way(editor: str, arguments: list[str]) -> None:
    assert at_line(editor, Path("a.yaml"), 7) == arguments
