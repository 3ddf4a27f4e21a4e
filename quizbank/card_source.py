"""The YAML a card was read from: the file and the line of its entry, and whether it is the person's to change."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import NamedTuple

from engine.errors import InputError
from engine.text import Text
from quizbank.bank import Bank
from quizbank.card import Card
from quizbank.home import Home
from quizbank.target import write_whole

FOLDER = "shipped-cards"
"""In the cache: copies of shipped card files, to be read."""


class CardSource(NamedTuple):
    """``line`` is that of the card's entry, from 1; ``own`` is False for a card that comes with the program."""

    path: Path
    line: int
    own: bool


def source_of(card: Card, bank: Bank) -> CardSource:
    """Where the entry of a card stands.

    Raises:
        InputError: no file of the bank is called what the card's place says.
    """
    label, _, place = card.place.rpartition(":")[0].rpartition(":")
    for deck in bank.decks:
        for file in deck.files:
            if deck.label(file) == label and place.isdecimal():
                return CardSource(file, int(place), own=not deck.name)
    raise InputError(
        Text("the file of the card {id} is not known", "找不到卡片 {id} 所在的文件").filled(id=card.id)
    )


def to_open(source: CardSource, home: Home) -> Path:
    """The file to open in an editor: a deck's own, and of a shipped one a copy that can only be read.

    A change to a shipped card would be lost with the next version of the program.

    Raises:
        InputError: the file cannot be read, or its copy not be written.
    """
    if source.own:
        return source.path
    copy = home.cache / FOLDER / source.path.name
    try:
        text = source.path.read_text(encoding="utf-8")
        copy.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            Text("the card's file cannot be opened: {why}", "无法打开卡片所在的文件：{why}").filled(
                why=error.strerror or error
            ),
            str(source.path),
        ) from error
    write_whole(copy, text)
    with contextlib.suppress(OSError):
        os.chmod(copy, 0o444)
    return copy
