"""A typed number or formula, cut into tokens. What has no place in the grammar is refused here, by name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from engine.answers.characters import plain
from engine.answers.exact import LARGEST_LOG10
from engine.answers.verdict import invalid, unsafe

Kind = Literal["number", "word", "sign", "end"]

MOST_TOKENS = 200

_NUMBER = re.compile(
    r"(?P<whole>\d{1,3}(?:,\d{3})+(?!\d)|\d+(?:_\d{3})+(?![_\d])|\d*)(?P<part>\.\d*)?(?:[eE](?P<exponent>[+-]?\d+))?"
)
_WORD = re.compile(r"log_?\{?(?P<base>10|2)(?!\d)\}?|[A-Za-zµμ]+")
_WRAPPED = re.compile(r"\\(?:mathrm|text|operatorname|mathit|textrm)\s*\{([A-Za-zµμ/]*)\}")
_COMMAND = re.compile(r"\\(?:[A-Za-z]+|.)?")
_SIGNS = "+-*/^()[]{}|!%=,"
_SINGLE_LETTERS = {"π": "pi", "√": "sqrt", "∛": "cbrt", "σ": "sigmoid", "万": "万", "亿": "亿"}
_VULGAR = {
    "½": (1, 2), "¼": (1, 4), "¾": (3, 4), "⅓": (1, 3), "⅔": (2, 3), "⅛": (1, 8), "⅜": (3, 8), "⅝": (5, 8), "⅞": (7, 8),
}  # fmt: skip
_DROPPED = {r"\left", r"\right", r"\,", r"\;", r"\:", r"\!", "\\ ", r"\quad", r"\displaystyle"}
_COMMANDS = {
    r"\cdot": ("sign", "*"), r"\times": ("sign", "*"), r"\div": ("sign", "/"), r"\%": ("sign", "%"),
    r"\frac": ("sign", "frac"), r"\dfrac": ("sign", "frac"), r"\tfrac": ("sign", "frac"),
    r"\pi": ("word", "pi"), r"\sigma": ("word", "sigmoid"),
    **{rf"\{name}": ("word", name) for name in ("sqrt", "exp", "ln", "log", "lg", "tanh")},
}  # fmt: skip


@dataclass(frozen=True)
class Token:
    """``text`` is what to show; a number has its value and the figures it was typed with."""

    kind: Kind
    text: str
    value: Fraction | None = None
    figures: int | None = None


def tokens(text: str) -> list[Token]:
    """The tokens of a line, ended by one of kind ``end``.

    Raises:
        RefusalError: invalid or unsafe; the reason says what is not read.
    """
    line = plain(text.strip()).replace("{,}", ",").replace("**", "^").replace("$", " ")
    line = re.sub(r"\\mu\s*s\b", "μs", line)
    line = _WRAPPED.sub(lambda match: f" {match[1]} ", line)
    found: list[Token] = []
    at = 0
    while at < len(line):
        character = line[at]
        if character == " ":
            at += 1
        elif character.isdigit() or (character == "." and line[at + 1 : at + 2].isdigit()):
            token, at = _number(line, at)
            found.append(token)
        elif character in _VULGAR:
            found.append(_fraction(found, character, joined=at > 0 and line[at - 1] != " "))
            at += 1
        elif character in _SINGLE_LETTERS:
            found.append(Token("word", _SINGLE_LETTERS[character]))
            at += 1
        elif match := _WORD.match(line, at):
            found.append(Token("word", "log" + match["base"] if match["base"] else match[0]))
            at = match.end()
        elif character == "\\":
            token_or_none, at = _command(line, at)
            found += [token_or_none] if token_or_none else []
        elif character in _SIGNS:
            found.append(Token("sign", character))
            at += 1
        else:
            raise invalid("“{c}” has no meaning in a number", "数中不能出现“{c}”", c=character)
        if len(found) > MOST_TOKENS:
            raise unsafe("a line has at most {n} numbers and signs", "一行最多 {n} 个数与符号", n=MOST_TOKENS)
    return [*found, Token("end", "")]


def _number(line: str, at: int) -> tuple[Token, int]:
    match = _NUMBER.match(line, at)
    assert match is not None
    whole, part = match["whole"], (match["part"] or "").removeprefix(".")
    end = match.end()
    if (line[end : end + 1] == "," and line[end + 1 : end + 2].isdigit()) or (
        "," in whole and whole[0] == "0"
    ):
        shown = re.match(r"[\d.,]+", line[at:])
        raise invalid(
            "“{n}” may be a decimal comma or thousands: write 3.07 or 3,072",
            "“{n}”里的逗号可能是小数点，也可能是千位分隔：请写成 3.07 或 3,072 的样子",
            n=shown[0] if shown else whole,
        )
    if line[end : end + 1] == ".":
        raise invalid("“{n}” has two decimal points", "“{n}”有两个小数点", n=line[at : end + 1])
    digits = re.sub("[,_]", "", whole)
    exponent = int(match["exponent"] or 0)
    if abs(exponent) > LARGEST_LOG10:
        raise unsafe("the number would have more than {n} digits", "这个数会超过 {n} 位", n=LARGEST_LOG10)
    value = Fraction(int((digits + part) or "0")) * Fraction(10) ** (exponent - len(part))
    significant = (digits + part).lstrip("0")
    return Token("number", match[0], value, len(significant) or len(part) or 1), end


def _fraction(found: list[Token], character: str, joined: bool) -> Token:
    """½, or the mixed number 1½ where a whole number stands right before it."""
    value = Fraction(*_VULGAR[character])
    before = found[-1] if found and joined else None
    if before is None or before.kind != "number" or before.value is None:
        return Token("number", character, value)
    if not before.text.isdigit():
        raise invalid("“{n}” is no mixed number", "“{n}”不是带分数", n=before.text + character)
    found.pop()
    return Token("number", before.text + character, before.value + value)


def _command(line: str, at: int) -> tuple[Token | None, int]:
    match = _COMMAND.match(line, at)
    assert match is not None
    if match[0] in _DROPPED:
        return None, match.end()
    if match[0] not in _COMMANDS:
        raise invalid("“{c}” is not read in a number", "数中不支持“{c}”", c=match[0])
    kind, text = _COMMANDS[match[0]]
    return Token("word" if kind == "word" else "sign", text), match.end()


def vulgar_parts(text: str) -> tuple[str, int, int] | None:
    """Whole part (may be empty), numerator and denominator of ½ or 1½; None for any other number."""
    if text[-1] not in _VULGAR:
        return None
    return text[:-1], *_VULGAR[text[-1]]


def grouped(digits: str) -> str:
    """A decimal number in LaTeX, thousands set apart where it has five digits or more: ``124{,}439{,}808``."""
    whole, point, part = digits.replace(",", "").replace("_", "").partition(".")
    if len(whole) > 4:
        whole = f"{int(whole):,}".replace(",", "{,}")
    return (whole or "0") + point + part
