r"""LaTeX read into a tree, once; every output is drawn from it.

The subset
----------
What math-core 0.9 reads and all outputs can draw:

- letters (Latin, Greek, Chinese), numbers (``3{,}072`` for a thousands separator), operators,
  relations, arrows, ``\ldots \cdots``, primes;
- ``^ _ \frac \dfrac \tfrac \binom \sqrt \sqrt[n]``; limits of ``\sum \prod \int \lim \max \min
  \operatorname*{arg\,max}``, ``\limits``, ``\substack``; ``\overset \underset \stackrel``;
- ``\left … \middle … \right``, ``\bigl`` and its kin, ``\lVert \lfloor \langle`` …;
- ``matrix pmatrix bmatrix vmatrix Vmatrix Bmatrix cases rcases aligned gathered array`` with lines;
- ``\hat \tilde \bar \vec \dot \ddot \overline \underline \widehat \overrightarrow \underbrace
  \overbrace \xrightarrow``;
- ``\text \mathrm \mathbf \boldsymbol \bm \mathbb \mathcal \mathfrak \mathsf \mathtt \operatorname``;
- ``\, \; \quad \qquad \!``.

Refused, with the offset where that is known: unknown commands, stray braces and ``&``, a ``%`` (it would hide
the rest of the line), ``\\`` outside an environment (it would be dropped), definitions of macros, numbered
equations, colours, ``\boxed``, ``\cancel``, ``\phantom``, ``\sideset``, links, control and invisible characters, nesting
deeper than 40 braces, and more than 8,000 characters.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from engine.notation.error import NotationError
from engine.notation.nodes import (
    Accent,
    Fenced,
    Fraction,
    Limits,
    Node,
    Root,
    Row,
    Scripts,
    Space,
    Symbol,
    Table,
    Words,
)
from engine.notation.reader import read
from engine.text import Text

if TYPE_CHECKING:
    from math_core import LatexToMathML

__all__ = [
    "Accent", "Fenced", "Fraction", "Limits", "Node", "NotationError", "Root", "Row", "Scripts", "Space", "Symbol",
    "Table", "Words", "parse",
]  # fmt: skip

MAX_LENGTH = 8_000
MAX_BRACES = 40
MAX_ENVIRONMENTS = 12

_MACROS = {"substack": r"\begin{matrix}#1\end{matrix}"}


@lru_cache(maxsize=4096)
def parse(latex: str, display: bool = False) -> Node:
    """The tree of a formula.

    Args:
        latex: the formula without dollars.
        display: whether it stands on its own line, where limits go under and over their operator.

    Raises:
        NotationError: the formula is outside the subset; ``offset`` is the character at fault.
    """
    return read(mathml_element(latex, display), latex)


def mathml_element(latex: str, display: bool) -> ElementTree.Element:
    """The ``<math>`` element that math-core makes of a formula, not yet held against the subset.

    Raises:
        NotationError: the formula cannot be read.
    """
    screen(latex)
    from math_core import LatexError

    try:
        xml = _converter().convert_with_local_state(latex, displaystyle=display)
    except LatexError as fault:
        from engine.notation.told import told

        raise told(str(fault), latex) from None
    # the only named entities that math-core writes beside XML's own; ElementTree knows neither
    xml = xml.replace("&ApplyFunction;", "\u2061").replace("&InvisibleTimes;", "\u2062")
    try:
        element = ElementTree.fromstring(xml)
    except ElementTree.ParseError:
        raise NotationError(Text("this formula cannot be drawn", "无法显示这个公式"), latex, 0) from None
    if not len(element):
        raise NotationError(Text("an empty formula", "公式为空"), latex, 0)
    return element


@cache
def _converter() -> LatexToMathML:
    from math_core import LatexToMathML

    return LatexToMathML(fancy_error=False, macros=_MACROS, max_expansions=100)


_LEXEME = re.compile(
    r"\\(?:begin|end|substack)\s*\{|\\left(?![a-z])|\\right(?![a-z])|\\[A-Za-z]+|\\\\|\\.|[{}%]", re.DOTALL
)
_DEFINING = frozenset(
    f"\\{name}"
    for name in (
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
    )
)


def screen(latex: str) -> None:
    """Refuse what math-core would read silently wrong or cannot survive.

    A few thousand nested braces end the process inside its parser; a ``%`` hides the rest of the
    line; a line break outside an environment is dropped.

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
    open_braces: list[str] = []
    lefts = environments = 0
    for match in _LEXEME.finditer(latex):
        lexeme = match.group()
        if lexeme.endswith("{"):
            open_braces.append(lexeme)
            environments += lexeme.startswith((r"\begin", r"\substack"))
            environments -= lexeme.startswith(r"\end")
        elif lexeme == "}":
            if open_braces and open_braces.pop().startswith(r"\substack"):
                environments -= 1
        elif lexeme == r"\left":
            lefts += 1
        elif lexeme == r"\right":
            lefts -= 1
        elif lexeme == "%":
            raise NotationError(
                Text("% would hide the rest; write \\%", "% 会隐藏后面的内容；请写作 \\%"),
                latex,
                match.start(),
            )
        elif lexeme == r"\\" and environments <= 0:
            raise NotationError(
                Text(
                    "a line break outside an environment; use aligned or gathered",
                    "环境之外不能换行；请用 aligned 或 gathered",
                ),
                latex,
                match.start(),
            )
        elif lexeme in _DEFINING:
            raise NotationError(Text("macros cannot be defined here", "这里不能定义宏"), latex, match.start())
        if len(open_braces) + lefts > MAX_BRACES or environments > MAX_ENVIRONMENTS:
            raise NotationError(Text("the formula is nested too deep", "公式嵌套过深"), latex, match.start())


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
