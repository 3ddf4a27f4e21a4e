"""How wide a formula is at most, without a font: whether it certainly fits its line, so that nobody need measure it.

Widths are in em, rounded up from New Computer Modern Math.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

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
from engine.notation.tree import parse

_LETTERS: Mapping[str, float] = {
    **dict.fromkeys("abcdefghijklnopqrstuvxyz", 0.65),
    **dict.fromkeys("ABCDEFGHIJKLNOPQRSTUVXYZ", 0.92),
    **dict.fromkeys("αβγδεϵζηθικλμνξπρστυφϕχψω", 0.75),
    "m": 0.95,
    "w": 0.8,
    "M": 1.15,
    "W": 1.15,
    "′": 0.35,
}
_ANY = 1.15
"""A character that is not told apart: capitals of other alphabets, hanzi, what is double-struck."""
_NUMERAL = 0.55
_SIGN = {"binary": 1.3, "relation": 1.9, "big": 1.7, "open": 0.9, "close": 0.9, "fence": 0.9, "punct": 0.5}
"""With the space on both sides; an arrow is the widest relation."""
_NAME_SPACE = 0.4
_SCRIPT = 0.8
"""A script against its base: 0.7, and the little that stands between them."""
_FENCE = 1.0
_GAP = 1.0


@lru_cache(maxsize=4096)
def breadth(latex: str, display: bool = False) -> float:
    """What a formula is at most wide, in em.

    Raises:
        NotationError: the formula is outside the subset.
    """
    return _of(parse(latex, display))


def _of(node: Node) -> float:
    match node:
        case Symbol():
            return _symbol(node)
        case Words():
            return sum(_character(each) for each in node.text)
        case Space():
            return max(0.0, node.em)
        case Row():
            return sum(map(_of, flat(node)))
        case Fraction():
            return max(_of(node.top), _of(node.bottom)) + 0.3
        case Root():
            return _of(node.body) + 1.0 + (_of(node.index) if node.index is not None else 0.0)
        case Scripts():
            scripts = (each for each in (node.sub, node.sup) if each is not None)
            return _of(node.base) + max((_SCRIPT * _of(each) for each in scripts), default=0.0) + 0.1
        case Limits():
            limits = (each for each in (node.under, node.over) if each is not None)
            return max(_of(node.base), *(_of(each) for each in limits)) + 0.4
        case Accent():
            return _of(node.body) + 0.3
        case Fenced():
            return _of(node.body) + 2 * _FENCE
        case Table():
            columns = zip(*node.rows, strict=True)
            return sum(max(map(_of, column)) + _GAP for column in columns) + 2 * _FENCE


def _symbol(symbol: Symbol) -> float:
    match symbol.kind:
        case "letter" | "number":
            return sum(_character(each) for each in symbol.text)
        case "name":
            return sum(_character(each) for each in symbol.text) + _NAME_SPACE
        case kind:
            return max(_SIGN[kind], len(symbol.text) * _SIGN[kind])


def _character(character: str) -> float:
    if character.isascii() and not character.isalpha():
        return _NUMERAL if character.isdigit() or character in " .,:;'()-" else 1.0
    return _LETTERS.get(character, _ANY)
