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
deeper than 40 braces, more than 6 brackets without their partners (a few are needed for ``]0, 1]``), a bracket as an
argument (``\hat(``), and more than 8,000 characters.
"""

from __future__ import annotations

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
    flat,
)
from engine.notation.reader import read
from engine.notation.screening import screen
from engine.text import Text

if TYPE_CHECKING:
    from math_core import LatexToMathML

__all__ = [
    "Accent", "Fenced", "Fraction", "Limits", "Node", "NotationError", "Root", "Row", "Scripts", "Space", "Symbol",
    "Table", "Words", "parse",
]  # fmt: skip

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
    tree = read(mathml_element(latex, display), latex)
    if all(isinstance(item, Space) for item in flat(tree)):
        raise NotationError(Text("an empty formula", "公式为空"), latex, 0)
    return tree


def mathml_element(latex: str, display: bool) -> ElementTree.Element:
    """The ``<math>`` element that math-core makes of a formula, not yet held against the subset.

    Raises:
        NotationError: the formula cannot be read.
    """
    screen(latex, _inline)
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
    return element


@cache
def _converter() -> LatexToMathML:
    from math_core import LatexToMathML

    return LatexToMathML(fancy_error=False, macros=_MACROS, max_expansions=100)


def _inline(latex: str) -> str:
    xml: str = _converter().convert_with_local_state(latex, displaystyle=False)
    return xml
