r"""What a formula must not hold before math-core may read it.

math-core is strict, but four things it reads silently wrong or cannot survive:

- a ``%`` hides the rest of the line, and ``\\`` outside an environment is dropped;
- a few thousand nested braces end the process inside its parser;
- each opening bracket without its partner doubles its time: forty of them never end. It looks for
  a partner within the same group, argument or cell, so brackets are counted the same way here, and
  it is asked what each command is to it;
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

Convert = Callable[[str], str]
"""math-core's reading of a fragment; raises ``LatexError``."""

_TOKEN = re.compile(
    r"\\(?P<environment>begin|end)\s*\{[^{}]*\}"
    r"|\\(?P<sized>left|right|middle|[bB]igg?[lrm]?)(?![A-Za-z])\s*(?P<mark>\\[A-Za-z]+|\\.|.)?"
    r"|(?P<command>\\[A-Za-z]+)"
    r"|(?P<escaped>\\.)"
    r"|(?P<character>\S)",
    re.DOTALL,
)
_PLAIN = frozenset("+-*/=<>,.;:|'!~")
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

Scope = Literal["top", "group", "spliced", "optional", "left", "environment"]
Nature = Literal["open", "close", "plain", "opaque"]
"""What a token is to the search for a bracket's partner; behind an opaque one none is found."""


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
            elif match["command"]:
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
        elif name.endswith("l"):
            self.bracket("open", at)
        elif name.endswith("r"):
            self.bracket("close", at)

    def command(self, token: str, at: int) -> None:
        if token in _DEFINING:
            raise self.refuse(at, "macros cannot be defined here", "这里不能定义宏")
        if token in _LIMITS:
            return
        if _arguments(token, self.convert) > 2:
            raise self.refuse(at, f"{token} is not part of the subset", f"不支持 {token}")
        if _splices(token, self.convert) and not _BRACE.match(self.latex, at + len(token)):
            raise self.refuse(at, f"{token} needs braces", f"{token} 之后需要花括号")
        nature = _nature(token, self.convert)
        if nature in ("open", "close"):
            self.bracket(nature, at)
            return
        if nature == "opaque":
            self.isolate()
        self.expected = max(self.expected - 1, 0) + _arguments(token, self.convert)

    def isolate(self) -> None:
        """No bracket open so far finds its partner from here on."""
        self.lonely += self.frames[-1].opened
        self.frames[-1].opened = []

    def character(self, token: str, at: int, before: str) -> None:
        frame = self.frames[-1]
        if token == "%":
            raise self.refuse(at, "% would hide the rest; write \\%", "% 会隐藏后面的内容；请写作 \\%")
        if token == r"\\" or token == "&":
            self.cell(token, at, before)
        elif token == "{":
            lines = before == r"\substack"
            self.environments += lines
            scope: Scope = (
                "environment" if lines else "spliced" if _splices(before, self.convert) else "group"
            )
            self.push(scope, max(self.expected - 1, 0))
            if scope == "spliced":
                self.frames[-1].opened.append(at)
        elif token == "}":
            self.close_group(at)
        elif token == "[" and before.startswith("\\") and _has_option(before, self.convert):
            self.push("optional", self.expected)
        elif token == "]" and frame.scope == "optional":
            self.pop("optional")
        elif token in "^_":
            self.expected = 1
        else:
            self.other(token, at)

    def close_group(self, at: int) -> None:
        frame = self.frames[-1]
        if self.expected:
            raise self.refuse(at, "expected an argument", "缺少参数")
        if frame.scope == "environment":
            self.environments -= 1
        if frame.scope == "spliced" and frame.opened:
            frame.opened.pop()
        if frame.scope in ("group", "spliced", "environment"):
            self.pop(frame.scope)

    def other(self, token: str, at: int) -> None:
        """A letter, a digit, an operator or a bracket."""
        nature: Nature = "plain" if token.isalnum() or token in _PLAIN else _nature(token, self.convert)
        if nature in ("open", "close"):
            self.bracket(nature, at)
            return
        if nature == "opaque":
            self.isolate()
        self.expected = max(self.expected - 1, 0)

    def cell(self, token: str, at: int, before: str) -> None:
        """``&`` and ``\\\\``: brackets do not match across cells."""
        if token == r"\\" and self.environments <= 0:
            raise self.refuse(
                at,
                "a line break outside an environment; use aligned or gathered",
                "环境之外不能换行；请用 aligned 或 gathered",
            )
        self.isolate()

    def bracket(self, nature: Nature, at: int) -> None:
        if self.expected:
            raise self.refuse(at, "a bracket is no argument; use braces", "括号不能作参数；请用花括号")
        if nature == "open":
            self.frames[-1].opened.append(at)
        elif self.frames[-1].opened:
            self.frames[-1].opened.pop()


_LIMITS = frozenset((r"\limits", r"\nolimits"))
_BRACE = re.compile(r"\s*\{")
_MATCHED = re.compile(r"ApplyFunction;</mo><mrow><mo\b")


@cache
def _nature(token: str, convert: Convert) -> Nature:
    """math-core is asked: a function name before a bracket that finds its partner takes both as one row."""

    def matched(latex: str) -> bool:
        try:
            return bool(_MATCHED.search(convert(latex)))
        except Exception:
            return False

    taken = token + "{a}" * _arguments(token, convert)
    if matched(rf"\log{taken} a)") and not matched(rf"\log{taken} a"):
        return "open"
    if matched(rf"\log(a{taken} "):
        return "close"
    return "plain" if matched(rf"\log(a{taken} a)") else "opaque"


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
def _splices(command: str, convert: Convert) -> bool:
    r"""Does a command put its argument, as text, between delimiters of its own, as ``\pmod`` does?

    Then a command as its argument takes the closing one for its own argument.
    """
    if not command.startswith("\\") or _arguments(command, convert) != 1:
        return False
    try:
        convert(rf"{command}\hat")
    except Exception as fault:
        return not any(known in str(fault) for known in _ORDINARY)
    return True


_ORDINARY = ("Expected argument but reached end of input", "Not valid in text mode", "Could not extract text")


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
