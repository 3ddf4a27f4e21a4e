"""What every reader of a foreign file gives: questions with their places, and what was left out and why."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from engine.errors import InputError
from engine.text import Text
from quizbank.card import LEVELS, Level
from quizbank.fault import Fault, shown

LARGEST_TEXT = 20_000_000
"""Bytes of a text file."""
LONGEST_FIELD = 100_000
"""Characters of one field, before it is looked into."""


@dataclass(frozen=True)
class Note:
    """A question and its answer in our prose, where they stood (``file:line``), and what names them for good.

    ``key`` is what the id is made of: the same key gives the same id at every import.
    """

    where: str
    question: str
    answer: str
    tags: tuple[str, ...] = ()
    level: Level = "core"
    key: str = ""


@dataclass
class Reading:
    """The notes of a file in order; ``left`` is what was not taken, ``remarks`` what a taken note lost."""

    notes: list[Note] = field(default_factory=list)
    left: list[Fault] = field(default_factory=list)
    remarks: list[Fault] = field(default_factory=list)


def text_of(path: Path) -> str:
    """A text file's content: UTF-8, or UTF-16 that begins with its mark.

    Raises:
        InputError: not there, no file, too large, another encoding, or binary.
    """
    data = bytes_of(path, LARGEST_TEXT)
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise InputError(
            Text("this is not UTF-8 text; save it as UTF-8", "不是 UTF-8 文本；请另存为 UTF-8"),
            f"{shown(path, 300)}:{line}",
        ) from None
    if "\0" in text:
        raise InputError(Text("this is no text file", "不是文本文件"), shown(path, 300))
    return text.replace("\r\n", "\n").replace("\r", "\n")


def bytes_of(path: Path, most: int) -> bytes:
    """A file's content, up to a size.

    Raises:
        InputError: not there, no ordinary file, unreadable, or larger.
    """
    try:
        if not path.is_file():
            there = path.exists()
            raise InputError(
                Text("is no ordinary file", "不是普通文件")
                if there
                else Text("there is no such file", "文件不存在"),
                shown(path, 300),
            )
        with path.open("rb") as file:
            data = file.read(most + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(
            Text("cannot be read: {why}", "无法读取：{why}").filled(why=reason), shown(path, 300)
        ) from None
    if len(data) > most:
        raise InputError(
            Text(f"is larger than {most // 1_000_000} MB", f"超过 {most // 1_000_000} MB"), shown(path, 300)
        )
    return data


def tags_of(given: str) -> tuple[str, ...]:
    """Tags as people write them: with spaces, commas or semicolons between."""
    words = given.translate(dict.fromkeys(map(ord, ",;，；、"), " ")).split()
    return tuple(dict.fromkeys(word.lstrip("#")[:100] for word in words if word.strip("#")))


def level_of(given: str) -> Level | None:
    """A level by its name; core where none is given, None where it is unknown."""
    word = given.strip().lower()
    if not word:
        return "core"
    return next((level for level in _LEVELS if level == word), None)


_LEVELS: tuple[Level, ...] = ("core", "deep", "expert")
assert _LEVELS == LEVELS
