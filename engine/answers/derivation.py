"""The ``derivation`` mode: a chain of lines, each judged against the line before it, the last against the goal.

Judging only the last line would let two errors cancel.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeAlias

from engine.answers.symbolic import judge_formula
from engine.answers.verdict import Verdict, at_line
from engine.errors import InputError
from engine.text import Text

MOST_LINES = 40
TOO_MANY_LINES = Text(f"a derivation has at most {MOST_LINES} lines", f"推导最多 {MOST_LINES} 行")
_MARK = re.compile(r"\s*&?\s*(?P<hint>[?？]\s*)?(?P<equals>[=＝]{1,2})&?|\s*")
_LINE_END = re.compile(r"\s*(?:\\\\)?\s*$")
_OPENING, _CLOSING = "([{（［｛", ")]}）］｝"
_NO_EQUALS_BEFORE = "<>!:<＜＞！："

JudgeOne: TypeAlias = Callable[
    [str, str, Mapping[str, str], Mapping[str, object] | None],
    Verdict,
]
"""Judges a formula against another: typed, reference, symbols, options. Raises InputError where the reference or
the declarations are at fault."""


@dataclass(frozen=True)
class Line:
    """One line of a derivation. ``place`` counts from 1 as typed; ``text`` is without its equals sign.

    ``hint`` marks a line that was shown, not found (``?=``); ``follows`` is False without an equals sign.
    """

    place: int
    text: str
    follows: bool = True
    hint: bool = False

    @property
    def typed(self) -> str:
        """The line with its mark, in plain characters."""
        return f"{'?=' if self.hint else '='} {self.text}" if self.follows else self.text


def lines_of(typed: str) -> tuple[Line, ...]:
    r"""The lines of a derivation, blank ones left out; ``= a = b`` is two lines at one place.

    A line begins with ``=``, ``＝``, ``==`` or LaTeX's ``&=``, and may end in ``\\``. An equals sign within
    brackets is part of the formula (``ind(i = j)``, ``\sum_{i=1}^{n}``).
    """
    found: list[Line] = []
    for place, line in enumerate(typed.split("\n"), 1):
        if not line.strip():
            continue
        mark = _MARK.match(line)
        assert mark is not None
        rest = _LINE_END.sub("", line[mark.end() :])
        follows = bool(mark["equals"])
        links = _links(rest) if follows else [rest]
        found += [Line(place, text.strip(), follows, bool(mark["hint"])) for text in links]
    return tuple(found)


def _links(chain: str) -> list[str]:
    """The parts between the equals signs that stand outside all brackets."""
    parts, depth = [""], 0
    for at, character in enumerate(chain):
        depth += (character in _OPENING) - (character in _CLOSING)
        if character in "=＝" and depth <= 0 and not (at and chain[at - 1] in _NO_EQUALS_BEFORE):
            parts.append("")
        else:
            parts[-1] += character
    return parts


def judge_line(
    line: str,
    before: str,
    symbols: Mapping[str, str],
    options: Mapping[str, object] | None = None,
    judge_one: JudgeOne = judge_formula,
) -> Verdict:
    """Judge one line, with or without its equals sign, against the line before.

    A chain ``= a = b`` is judged link by link; the verdict is that of the first link that is not equal, else
    that of the last.

    Raises:
        InputError: the line before cannot be read, or the declarations or the options are at fault.
    """
    links = [link.text for link in lines_of(line)] or [""]
    verdict = judge_one(links[0], before, symbols, options)
    for earlier, link in pairwise(links):
        if verdict.verdict != "equal":
            break
        verdict = judge_one(link, earlier, symbols, options)
    return verdict


def judge_derivation(
    typed: str,
    reference: str,
    symbols: Mapping[str, str],
    options: Mapping[str, object] | None = None,
    judge_one: JudgeOne = judge_formula,
) -> Verdict:
    """Judge a derivation line by line; ``line`` of the verdict is the first that does not follow, from 1.

    The first line is the start; each later one begins with an equals sign. Blank lines count but are
    passed over. Where every line follows and the last is not equal to the goal, the last is the bad one.
    ``judge_one`` judges a line in the mode of the lines.

    Raises:
        InputError: the reference, the declarations or the options are at fault, not the answer.
    """
    lines = lines_of(typed)
    if len(lines) < 2:
        _check_goal(reference, symbols, options, judge_one)
        return Verdict(
            "invalid",
            Text(
                "a derivation has a start and at least one line that begins with =",
                "推导应有起始式，以及至少一行以 = 开头的式子",
            ),
        )
    if len(lines) > MOST_LINES:
        return Verdict("unsafe", TOO_MANY_LINES)
    start, *steps = lines
    read = _check_goal(reference, symbols, options, judge_one, start.text)
    if read.is_refusal:
        return replace(read, reason=at_line(start.place, read.reason), reading="", line=start.place)
    reading, before = read.reading, start.text
    for line in steps:
        if not line.follows:
            return Verdict(
                "invalid",
                Text(f"line {line.place} does not begin with =", f"第 {line.place} 行没有以 = 开头"),
                reading,
                line=line.place,
            )
        step = judge_one(line.text, before, symbols, options)
        if step.reading:
            reading += f" = {step.reading}"
        if step.verdict != "equal":
            return replace(step, reason=at_line(line.place, step.reason), reading=reading, line=line.place)
        before = line.text
    end = judge_one(before, reference, symbols, options)
    if end.verdict != "equal":
        reason = Text(
            f"every line follows, but the last is not the goal ({end.reason.en})",
            f"每一行都成立，但最后一行不是目标式（{end.reason.zh}）",
        )
        return replace(end, reason=reason, reading=reading, line=lines[-1].place)
    return Verdict("equal", Text("right: every line follows", "正确：每一行都成立"), reading)


def _check_goal(
    goal: str,
    symbols: Mapping[str, str],
    options: Mapping[str, object] | None,
    judge_one: JudgeOne,
    start: str = "",
) -> Verdict:
    """How the start is judged against the goal, which shows how it is read. Raises InputError for the goal."""
    try:
        return judge_one(start, goal, symbols, options)
    except InputError as error:
        raise InputError(
            Text(f"the goal cannot be used: {error.text.en}", f"目标式无法使用：{error.text.zh}")
        ) from error
