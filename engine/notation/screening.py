r"""What a formula must not hold before math-core may read it.

math-core is strict, but four things it reads silently wrong or cannot survive:

- a ``%`` hides the rest of the line, and ``\\`` outside an environment is dropped;
- a few thousand nested braces end the process inside its parser;
- each opening bracket without its partner doubles its time: forty of them never end. It looks for
  a partner within the same group, argument or cell, so brackets are counted the same way here;
- characters without a width of their own would tear a terminal's rows.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import cache
from typing import Literal

from engine.notation.error import NotationError
from engine.text import Text

MAX_LENGTH = 8_000
MAX_NESTING = 40
MAX_ENVIRONMENTS = 12
MAX_UNMATCHED = 6

Convert = Callable[[str], object]
"""math-core's reading of a fragment; raises ``LatexError``."""

_TOKEN = re.compile(
    r"\\(?P<environment>begin|end)\s*\{[^{}]*\}"
    r"|\\(?P<sized>left|right|middle|[bB]igg?[lrm]?)(?![A-Za-z])\s*(?P<mark>\\[A-Za-z]+|\\.|.)?"
    r"|(?P<command>\\[A-Za-z]+)"
    r"|(?P<escaped>\\.)"
    r"|(?P<character>\S)",
    re.DOTALL,
)
_OPENING = frozenset(
    ["(", "[", r"\{"]
    + [
        rf"\{name}"
        for name in [
            "lparen",
            "lbrack",
            "lbrace",
            "langle",
            "lfloor",
            "lceil",
            "lvert",
            "lVert",
            "lgroup",
            "lmoustache",
        ]
    ]
    + [
        rf"\{name}"
        for name in [
            "llbracket",
            "lBrack",
            "lBrace",
            "lAngle",
            "llparenthesis",
            "ulcorner",
            "llcorner",
            "lrangle",
            "lang",
        ]
    ]
)
_CLOSING = frozenset(
    [")", "]", r"\}"]
    + [
        rf"\{name}"
        for name in [
            "rparen",
            "rbrack",
            "rbrace",
            "rangle",
            "rfloor",
            "rceil",
            "rvert",
            "rVert",
            "rgroup",
            "rmoustache",
        ]
    ]
    + [
        rf"\{name}"
        for name in [
            "rrbracket",
            "rBrack",
            "rBrace",
            "rAngle",
            "rrparenthesis",
            "urcorner",
            "lrcorner",
            "rang",
        ]
    ]
)
_DEFINING = frozenset(
    rf"\{name}"
    for name in [
        "newcommand",
        "renewcommand",
        "providecommand",
        "def",
        "gdef",
        "edef",
        "xdef",
        "let",
        "global",
        "futurelet",
    ]
)

Scope = Literal["top", "group", "optional", "left", "environment"]


class _Frame:
    """A stretch of the formula in which a bracket finds its partner."""

    __slots__ = ("arguments", "opened", "scope")

    def __init__(self, scope: Scope, arguments: int) -> None:
        self.scope = scope
        self.arguments = arguments
        """How many arguments of an enclosing command still follow it."""
        self.opened: list[int] = []


def screen(latex: str, convert: Convert) -> None:
    """Refuse a formula that math-core must not be given.

    Raises:
        NotationError: with the offset of the fault.
    """
    if len(latex) > MAX_LENGTH:
        raise NotationError(
            Text(f"a formula of more than {MAX_LENGTH} characters", f"公式超过 {MAX_LENGTH} 个字符"),
            latex,
            MAX_LENGTH,
        )
    if not (latex.isascii() and latex.isprintable()):
        for offset, character in enumerate(latex):
            if character not in "\n\t" and not _drawable(character):
                raise _invisible(latex, offset)
    _Screen(latex, convert).run()


class _Screen:
    def __init__(self, latex: str, convert: Convert) -> None:
        self.latex = latex
        self.convert = convert
        self.frames = [_Frame("top", 0)]
        self.environments = 0
        self.expected = 0
        """Arguments that the last command still waits for."""
        self.lonely: list[int] = []

    def run(self) -> None:
        before = ""
        for match in _TOKEN.finditer(self.latex):
            token, at = match.group(), match.start()
            if match["environment"]:
                self.environment(match["environment"] == "begin")
            elif match["sized"]:
                self.sized(match["sized"], match["mark"] or "", at)
            elif match["command"] and token not in _OPENING and token not in _CLOSING:
                self.command(token, at)
            else:
                self.character(token, at, before)
            before = token
            if len(self.frames) > MAX_NESTING + 1 or self.environments > MAX_ENVIRONMENTS:
                raise self.refuse(at, "the formula is nested too deep", "公式嵌套过深")
            if len(self.lonely) > MAX_UNMATCHED:
                raise self.unmatched()
        while self.frames:
            self.pop(self.frames[-1].scope)
        if len(self.lonely) > MAX_UNMATCHED:
            raise self.unmatched()

    def refuse(self, at: int, en: str, zh: str) -> NotationError:
        return NotationError(Text(en, zh), self.latex, at)

    def unmatched(self) -> NotationError:
        return self.refuse(self.lonely[0], "brackets without their partners", "括号没有配对")

    def push(self, scope: Scope, arguments: int) -> None:
        self.frames.append(_Frame(scope, arguments))
        self.expected = 0

    def pop(self, scope: Scope) -> None:
        """Close the innermost frame if it is of this kind; what is not closed is math-core's to report."""
        if self.frames and self.frames[-1].scope == scope:
            frame = self.frames.pop()
            self.lonely += frame.opened
            self.expected = frame.arguments

    def environment(self, begins: bool) -> None:
        if begins:
            self.environments += 1
            self.push("environment", max(self.expected - 1, 0))
        else:
            self.environments -= 1
            self.pop("environment")

    def sized(self, name: str, mark: str, at: int) -> None:
        if name == "left":
            self.push("left", max(self.expected - 1, 0))
        elif name == "right":
            self.pop("left")
        elif name != "middle":
            self.bracket(mark, at)

    def command(self, token: str, at: int) -> None:
        if token in _DEFINING:
            raise self.refuse(at, "macros cannot be defined here", "这里不能定义宏")
        self.expected = max(self.expected - 1, 0) + _arguments(token, self.convert)

    def character(self, token: str, at: int, before: str) -> None:
        frame = self.frames[-1]
        if token == "%":
            raise self.refuse(at, "% would hide the rest; write \\%", "% 会隐藏后面的内容；请写作 \\%")
        if token == r"\\" or token == "&":
            self.cell(token, at, before)
        elif token == "{":
            lines = before == r"\substack"
            self.environments += lines
            self.push("environment" if lines else "group", max(self.expected - 1, 0))
        elif token == "}":
            if frame.scope == "environment":
                self.environments -= 1
            self.pop("environment" if frame.scope == "environment" else "group")
        elif token == "[" and before.startswith("\\") and _has_option(before, self.convert):
            self.push("optional", self.expected)
        elif token == "]" and frame.scope == "optional":
            self.pop("optional")
        elif token in "^_":
            self.expected = 1
        else:
            self.bracket(token, at)

    def cell(self, token: str, at: int, before: str) -> None:
        """``&`` and ``\\\\``: brackets do not match across cells."""
        if token == r"\\" and self.environments <= 0:
            raise self.refuse(
                at,
                "a line break outside an environment; use aligned or gathered",
                "环境之外不能换行；请用 aligned 或 gathered",
            )
        frame = self.frames[-1]
        self.lonely += frame.opened
        frame.opened = []

    def bracket(self, token: str, at: int) -> None:
        opening = token in _OPENING or (len(token) == 1 and unicodedata.category(token) == "Ps")
        closing = token in _CLOSING or (len(token) == 1 and unicodedata.category(token) == "Pe")
        if (opening or closing) and self.expected:
            raise self.refuse(at, "a bracket is no argument; use braces", "括号不能作参数；请用花括号")
        self.expected = max(self.expected - 1, 0)
        if opening:
            self.frames[-1].opened.append(at)
        elif closing and self.frames[-1].opened:
            self.frames[-1].opened.pop()


@cache
def _arguments(command: str, convert: Convert) -> int:
    """How many arguments math-core wants after a command: it is asked."""
    text = command
    for count in range(4):
        try:
            convert(text)
        except Exception as fault:
            if "Expected argument" not in str(fault):
                return count
        else:
            return count
        text += "{a}"
    return 4


@cache
def _has_option(command: str, convert: Convert) -> bool:
    """Does a bracket after a command open an optional argument?"""
    try:
        convert(f"{command}[")
    except Exception as fault:
        return 'closing token "]"' in str(fault)
    return False


@cache
def _drawable(character: str) -> bool:
    """Has this character a fixed place of one or two cells, or is it a combining mark?"""
    if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"):
        return False
    code = ord(character)
    return not (0xFE00 <= code <= 0xFE0F or 0x1F000 <= code <= 0x1FBFF or 0x1100 <= code <= 0x11FF)


def _invisible(latex: str, offset: int) -> NotationError:
    code = f"U+{ord(latex[offset]):04X}"
    return NotationError(
        Text(f"the character {code} has no place in a formula", f"公式中不能有字符 {code}"), latex, offset
    )
