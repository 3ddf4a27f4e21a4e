"""The contract of a specification: what is to be written by hand, on which cases it is tried, and
what is right.

A specification is one file in ``engine/coding/specs`` that ends in ``SPECIFICATION = Specification(…)``.
A card names it; no card carries a program.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.notation.wide import width
from engine.text import Language, Text

Array: TypeAlias = NDArray[Any]
Value: TypeAlias = "Array | float | int | bool | None"
Arguments: TypeAlias = Mapping[str, Value]

RTOL, ATOL = 1e-9, 1e-10
"""Where nothing else is said. All is float64: two right programs that add some hundred terms of size 1
in different orders part by about 1e-13; the slips part by more than 1e-6."""


class Case(NamedTuple):
    """The arguments of one call, by name, and what is tried with them."""

    arguments: Arguments
    note: Text


@dataclass(frozen=True)
class Slip:
    """A wrong program as people write it; in English ``name`` completes "this is what comes out …"."""

    id: str
    name: Text
    source: str


@dataclass(frozen=True)
class Specification:
    """One function to write by hand.

    ``task`` is prose that settles every convention: shapes, polarity, order of the gates, what is drawn
    and how. ``signature`` is the ``def`` line, ``docstring`` its lines of shapes. ``outputs`` names what
    the function returns, in order. ``reference`` computes the same with loops over single numbers, apart
    from the layers of :mod:`engine.nn`. ``solution`` is how one would write it in NumPy.
    """

    name: str
    title: Text
    task: Text
    signature: str
    docstring: Text
    outputs: tuple[str, ...]
    cases: Callable[[int], Iterator[Case]]
    reference: Callable[..., Any]
    solution: str
    slips: tuple[Slip, ...]
    rtol: float = RTOL
    atol: float = ATOL

    @property
    def function(self) -> str:
        """The name that is called."""
        return self.signature.removeprefix("def ").partition("(")[0]

    def start(self, language: Language) -> str:
        """What the person begins with: the import, the signature and the shapes."""
        lines = [
            f"    {line}".rstrip()
            for whole in self.docstring.of(language).strip().split("\n")
            for line in _narrow(whole)
        ]
        body = "\n".join(lines).lstrip()
        return f'import numpy as np\n\n\n{self.signature}\n    """{body}\n    """\n'

    def expected(self, case: Case) -> tuple[Array, ...]:
        """What is right, one array an output: float64, int64 or bool."""
        returned = self.reference(**case.arguments)
        parts = returned if len(self.outputs) > 1 else (returned,)
        return tuple(np.asarray(part) for part in parts)


_CELLS = 64
"""Of a line of a docstring: with its indent, quotes and number it stands in an editor in 80 columns."""


def _narrow(line: str) -> Iterator[str]:
    """A line of a docstring, broken after the semicolons where it is too long to be seen whole."""
    begun = ""
    for part in re.split(r"(?<=；)|(?<=; )", line):
        if begun and width(begun + part.rstrip()) > _CELLS:
            yield begun.rstrip()
            begun = ""
        begun += part
    yield begun


def edited(solution: str, *edits: tuple[str, str]) -> str:
    """A right program with something wrong in it: each edit replaces a text that stands there once.

    Raises:
        ValueError: a text stands there not at all, or more than once.
    """
    for old, new in edits:
        if solution.count(old) != 1:
            raise ValueError(f"{old!r} stands there {solution.count(old)} times")
        solution = solution.replace(old, new)
    return solution
