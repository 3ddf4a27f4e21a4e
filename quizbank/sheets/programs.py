"""What a sheet says of a function to write by hand. Its specification also checks programs, and so imports NumPy."""

from __future__ import annotations

from typing import NamedTuple

from engine import coding
from engine.text import Text
from quizbank.sheets.memo import Memo


class Program(NamedTuple):
    """The task, how the program begins, and the whole of it."""

    task: Text
    start: Text
    solution: str


# a row of strings: task and start in both languages, solution
KNOWN: Memo[list[str]] = Memo("programs", lambda: "1", 1_000)


def program(name: str) -> Program:
    """Of the specification of this name. Raises InputError: there is none."""
    en, zh, start_en, start_zh, solution = KNOWN.get(name, lambda: _told(name))
    return Program(Text(en, zh), Text(start_en, start_zh), solution)


def _told(name: str) -> list[str]:
    specification = coding.load(name)
    return [*specification.task, specification.start("en"), specification.start("zh"), specification.solution]
