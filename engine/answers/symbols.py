"""The names a card declares, their kinds, and the ways a person may spell them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.answers.expression import GREEK_LETTERS
from engine.errors import InputError
from engine.text import Text

SCALARS = ("real", "pos", "prob", "posint", "nat0", "dim", "index")
_MOST_SYMBOLS = 40
_NAME = re.compile(r"[A-Za-z]+(?:_?[A-Za-z0-9]+)*")
_LETTER_OF = {name: letter for letter, name in GREEK_LETTERS.items()}
_VARIANTS = {"μ": ("µ",), "ε": ("ϵ",), "θ": ("ϑ",), "φ": ("ϕ",), "σ": ("ς",)}


_MATRIX = re.compile(
    r"mat:(?P<rows>[A-Za-z]\w*|[1-8]),(?P<columns>[A-Za-z]\w*|[1-8])(?::(?P<special>sym|I))?", re.ASCII
)


@dataclass(frozen=True)
class Matrix:
    """Rows and columns by the names of their dimensions (a digit is itself); ``special`` is "sym", "I" or ""."""

    rows: str
    columns: str
    special: str = ""


@dataclass(frozen=True)
class Declared:
    """The declared names with their kinds, and every spelling with the names it may stand for.

    Only the ``matrix`` mode has ``matrices`` and, with them, their products, transposes and functions.
    """

    kinds: Mapping[str, str]
    spellings: Mapping[str, str]
    ambiguous: Mapping[str, str]
    matrices: Mapping[str, Matrix] = field(default_factory=dict)
    has_matrices: bool = False

    def is_vector(self, name: str) -> bool:
        return self.kinds[name].startswith("vec:")


def declare(symbols: Mapping[str, str], has_matrices: bool = False) -> Declared:
    """The declarations of a card, checked; ``has_matrices`` admits the kinds ``mat:r,c`` and ``dimval``.

    Raises:
        InputError: a name or a kind that cannot be declared.
    """
    matrices = _matrices(symbols) if has_matrices else {}
    sizes = {size for matrix in matrices.values() for size in (matrix.rows, matrix.columns)}
    if len(symbols) > _MOST_SYMBOLS:
        raise InputError(
            Text(f"at most {_MOST_SYMBOLS} names can be declared", f"最多声明 {_MOST_SYMBOLS} 个名称")
        )
    for name, kind in symbols.items():
        if not _NAME.fullmatch(name) or len(name) > 30:
            raise InputError(
                Text("a declared name is letters, digits and _", "名称只能由字母、数字与 _ 组成")
            )
        if name in matrices or (has_matrices and kind == "dimval" and name in sizes):
            continue
        if not isinstance(kind, str) or kind.removeprefix("vec:") not in SCALARS:
            raise InputError(Text("{n} has a kind that is not known here", "{n} 的类型未知").filled(n=name))
    spellings = {spelling: name for name in symbols for spelling in _exact(name)}
    ambiguous: dict[str, str] = {}
    for name in symbols:
        for spelling in _loose(name):
            if spelling in spellings and spellings[spelling] != name:
                continue
            split = any(
                spelling[:cut] in symbols and spelling[cut:] in symbols for cut in range(1, len(spelling))
            )
            if split and spelling not in spellings:
                ambiguous[spelling] = name
            spellings.setdefault(spelling, name)
    return Declared(dict(symbols), spellings, ambiguous, matrices, has_matrices)


def _matrices(symbols: Mapping[str, str]) -> dict[str, Matrix]:
    found: dict[str, Matrix] = {}
    for name, kind in symbols.items():
        match = _MATRIX.fullmatch(kind) if isinstance(kind, str) else None
        if match is None:
            continue
        found[name] = Matrix(match["rows"], match["columns"], match["special"] or "")
        if match["special"] and match["rows"] != match["columns"]:
            raise InputError(
                Text("{n} must be square: it has a kind of square matrices", "{n} 的类型只用于方阵").filled(
                    n=name
                )
            )
    return found


def _words(word: str) -> list[str]:
    """A Latin or Greek word as letter, name and LaTeX command."""
    if word not in _LETTER_OF:
        return [word]
    letter = _LETTER_OF[word]
    return [word, letter, "\\" + word, *_VARIANTS.get(letter, ())]


def _exact(name: str) -> list[str]:
    """Spellings that show the subscript."""
    base, _, subscript = name.partition("_")
    if not subscript:
        return _words(base)
    return [
        f"{head}_{tail}" if not braced else f"{head}_{{{tail}}}"
        for head in _words(base)
        for tail in _words(subscript)
        for braced in (False, True)
    ]


def _loose(name: str) -> list[str]:
    """Spellings that leave the underscore out, or put one before final digits."""
    base, mark, subscript = name.partition("_")
    if mark:
        return [head + tail for head in _words(base) for tail in _words(subscript)]
    match = re.fullmatch(r"([A-Za-z]+)(\d+)", name)
    if not match:
        return []
    return [
        form.format(head, match[2]) for head in _words(match[1]) for form in ("{}_{}", "{}{}", "{}_{{{}}}")
    ]
