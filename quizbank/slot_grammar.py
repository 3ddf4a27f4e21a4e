"""Value slots: numbers of a text that the engine computes when the text is shown.

    @{D19.score_variance(d_k=256, scale=none)|.3g}   a measured result of D19 at seed 0
    @{D19.predicted.score_variance(d_k=256)|,.0f}    what the proved formula gives
    @{D52.bytes_standard() / D52.bytes_flash()|.1f}  arithmetic over quantities
    @{d_k}                                           a variable of a number drill's variant

What stands before ``|`` is an expression of :mod:`quizbank.arithmetic`; what follows it is a format: an
optional ``+``, an optional ``,``, an optional ``.digits`` and one of ``d e f g %``. Slots may stand inside
formulas, where the number is written as LaTeX (``1.2 \\times 10^{6}``, ``16{,}384``), and inside code, where its
minus is the one of a keyboard; in prose it is the sign that formulas and plots have.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from engine.notation.error import NotationError
from engine.notation.prose import Code, CodeSpan, Display, ListItem, Math, Paragraph, parse_prose
from engine.text import Text
from quizbank.arithmetic import Expression, ExpressionError, parse
from quizbank.card import Value
from quizbank.fault import shown

_FORMAT = re.compile(r"(?P<sign>\+?)(?P<comma>,?)(?:\.(?P<digits>\d{1,2}))?(?P<type>[defg%]?)")
_MOST_DIGITS = 15

# a text says in both languages what is computed, and many texts quote the same numbers
read_expression = lru_cache(maxsize=1024)(parse)
"""As :func:`quizbank.arithmetic.parse`, once for each expression."""


@dataclass(frozen=True)
class Slot:
    """A slot of a text: what stands at ``text[start:end]``."""

    start: int
    end: int
    source: str
    expression: Expression
    format: str


def find_slots(text: str) -> tuple[Slot, ...]:
    """Every slot of a text, in order.

    Raises:
        ExpressionError: a slot that is not closed or not understood; ``offset`` counts from the text's start.
    """
    slots = []
    at = text.find("@{")
    while at >= 0:
        end = text.find("}", at)
        if end < 0:
            raise ExpressionError(Text("the slot @{…} is not closed", "值槽 @{…} 没有闭合"), at)
        body, bar, spec = text[at + 2 : end].partition("|")
        try:
            expression = read_expression(body)
        except ExpressionError as error:
            raise ExpressionError(error.text, at + 2 + error.offset) from None
        spec = spec.strip()
        found = _FORMAT.fullmatch(spec)
        digits = found["digits"] if found else None
        if (
            not found
            or (bar and not spec)
            or int(digits or 0) > _MOST_DIGITS
            or (digits and found["type"] == "d")
        ):
            raise ExpressionError(
                Text(
                    "{f} is no format; write an optional + , .digits (at most 15) and one of d e f g %",
                    "{f} 不是可用的格式；可写 +、,、.位数（至多 15），再加 d e f g % 之一",
                ).filled(f=shown(spec)),
                at + 3 + len(body),
            )
        slots.append(Slot(at, end + 1, text[at : end + 1], expression, spec))
        at = text.find("@{", end)
    return tuple(slots)


_REGION = re.compile(
    r"(?P<code>^ {0,3}```.*?(?:^[ \t]*```[ \t]*$|\Z)|`(?:(?!\n(?:[ \t]*\n|- ))[^`])+`)"
    r"|(?P<escaped>\\\$)"
    r"|(?P<display>^[ \t]*\$\$.*?\$\$)"
    r"|(?P<math>(?<!\$)\$(?![\s$])(?:(?!\n(?:[ \t]*\n|- ))(?:\\.|[^$\\]))*?(?<!\s)\$(?![0-9$]))",
    re.DOTALL | re.MULTILINE,
)
"""Code, escaped dollars and formulas, as :mod:`engine.notation.prose` reads them, on the unfilled text."""


@dataclass(frozen=True)
class Region:
    """A stretch ``text[start:end]`` of a prose text; a formula's has its dollars."""

    kind: Literal["plain", "math", "display", "code"]
    start: int
    end: int


def regions(text: str) -> Iterator[Region]:
    """A prose text from start to end in stretches of one kind; an escaped dollar is in none."""
    at = 0
    for match in _REGION.finditer(text):
        if match.start() > at:
            yield Region("plain", at, match.start())
        at = match.end()
        match match.lastgroup:
            case "math" | "display" | "code" as kind:
                yield Region(kind, match.start(), at)
    if at < len(text):
        yield Region("plain", at, len(text))


def fill(text: str, value_of: Callable[[Slot], Value]) -> str:
    """The text with every slot replaced by its value as formatted.

    Raises:
        ExpressionError: as :func:`find_slots`, or a value that cannot be shown; InputError as ``value_of``.
    """
    slots = find_slots(text)
    if not slots:
        return text
    out, at = [], 0
    for slot, kind in zip(slots, _kinds(text, slots), strict=True):
        number = number_text(value_of(slot), slot.format, kind == "math", slot.start)
        out += [text[at : slot.start], number.replace("−", "-") if kind == "code" else number]
        at = slot.end
    return "".join(out) + text[at:]


def _kinds(text: str, slots: tuple[Slot, ...]) -> list[Literal["plain", "math", "code"]]:
    """In what each slot will stand once it holds a number."""
    if "$" not in text and "`" not in text:
        return ["plain"] * len(slots)
    # a digit, as the number will begin with one, and a private character to find it by
    marks = [f"0{chr(0xF0000 + number)}" for number in range(len(slots))]
    marked = text
    for slot, mark in zip(reversed(slots), reversed(marks), strict=True):
        marked = marked[: slot.start] + mark + marked[slot.end :]
    formulas = code = ""
    try:
        for block in parse_prose(marked):
            match block:
                case Display():
                    formulas += block.latex
                case Code():
                    code += block.text
                case Paragraph() | ListItem():
                    formulas += "".join(span.latex for span in block.spans if isinstance(span, Math))
                    code += "".join(span.text for span in block.spans if isinstance(span, CodeSpan))
    except NotationError:
        return ["plain"] * len(slots)
    return ["math" if mark[1] in formulas else "code" if mark[1] in code else "plain" for mark in marks]


def number_text(value: Value, spec: str = "", latex: bool = False, offset: int = 0) -> str:
    """A value in a format of this module, as plain text, with the sign that formulas have for minus, or as LaTeX.

    Raises:
        ExpressionError: a value that is not a number, or is not whole where the format is ``d``.
    """
    if isinstance(value, str):
        if spec:
            raise ExpressionError(Text("a word has no format", "文字不能带数字格式"), offset)
        return rf"\text{{{value}}}" if latex else value
    if math.isnan(value):
        raise ExpressionError(Text("the value is not a number", "该值不是数"), offset)
    if math.isinf(value):
        infinity = r"-\infty" if latex else "−∞"
        return infinity if value < 0 else infinity[1:]
    if spec.endswith("d"):
        if value != int(value):
            raise ExpressionError(Text("the value is not whole", "该值不是整数"), offset)
        value = int(value)
    if not spec:
        spec = "d" if isinstance(value, int) else ".4g"
    digits = format(value, spec)
    return _as_latex(digits) if latex else _as_text(digits)


def rounded(value: float | int, digits: int) -> str:
    """A number as a table shows it: a whole one in full up to twelve digits, others to so many significant digits."""
    if math.isnan(value):
        return "NaN"
    whole = math.isfinite(value) and value == int(value) and 1e4 <= abs(value) < 1e12
    return number_text(value, ",.0f" if whole else f".{digits}g")


_SUPERSCRIPT = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def _split(digits: str) -> tuple[str, str]:
    """Mantissa and exponent (empty where there is none)."""
    mantissa, _, exponent = digits.partition("e")
    return mantissa, str(int(exponent)) if exponent else ""


def _as_text(digits: str) -> str:
    mantissa, exponent = _split(digits)
    mantissa = mantissa.replace("-", "−")
    return f"{mantissa}×10{exponent.translate(_SUPERSCRIPT)}" if exponent else mantissa


def _as_latex(digits: str) -> str:
    mantissa, exponent = _split(digits.replace("%", r"\%").replace(",", "{,}"))
    return rf"{mantissa} \times 10^{{{exponent}}}" if exponent else mantissa
