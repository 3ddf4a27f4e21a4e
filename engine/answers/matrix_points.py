"""Matrices at which two matrix formulas are compared: small whole entries first, then generic ones.

Sizes differ wherever the names of the dimensions do and are at least 3: identities of 2 × 2 matrices, such as
Hall's, must not pass for general ones. Every order of two of them is tried both ways: n < m and n > m.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from engine.answers.evaluate import Point
from engine.answers.expression import Node, free_names
from engine.answers.matrix_value import Rows
from engine.answers.modular import PRIME
from engine.answers.points import Sampler
from engine.answers.shapes import vector_length
from engine.answers.symbols import Declared
from engine.errors import InputError
from engine.text import Text

MOST_SIZES = 6
_SMALLEST = 3
_NICE_POINTS = 2
_GENERIC_POINTS = 3
T = TypeVar("T")


@dataclass(frozen=True)
class MatrixPoint:
    """Values for the scalars, the vectors and the matrices; ``generic`` unless picked for being round."""

    point: Point
    matrices: Mapping[str, Rows[Fraction]]
    sizes: Mapping[str, int]
    generic: bool


@dataclass(frozen=True)
class ResiduePoint:
    """The same modulo 2^61 − 1; ``whole`` are the sizes and indices."""

    names: Mapping[str, int]
    whole: Mapping[str, int]
    vectors: Mapping[str, tuple[int, ...]]
    matrices: Mapping[str, Rows[int]]


class _Scalars(Sampler):
    """Points for the names that are no matrices; vectors are as long as they are told to be."""

    vector_length = _SMALLEST

    def length(self, whole: Mapping[str, int]) -> int:
        return self.vector_length


class MatrixSampler:
    """Points for the names that the formulas use.

    Raises:
        InputError: too many dimensions, or a constraint (``where``) that is not known here.
    """

    def __init__(
        self, declared: Declared, formulas: tuple[Node, ...], where: Mapping[str, object] | None = None
    ) -> None:
        used = frozenset[str]().union(*map(free_names, formulas))
        self.matrices = {name: matrix for name, matrix in declared.matrices.items() if name in used}
        self.kinds = {
            name: kind
            for name, kind in declared.kinds.items()
            if name in used and name not in declared.matrices and kind != "dimval"
        }
        self.scalars = _Scalars(self.kinds, formulas, _checked(where or {}, self.kinds, declared))
        self.length = vector_length(declared)
        sizes = [size for matrix in self.matrices.values() for size in (matrix.rows, matrix.columns)]
        sizes += [name for name, kind in self.kinds.items() if kind == "dim"]
        sizes += [name for name in used if declared.kinds.get(name) == "dimval"]
        sizes += [self.length] if any(kind.startswith("vec:") for kind in self.kinds.values()) else []
        self.names = list(dict.fromkeys(size for size in sizes if not size.isdigit()))
        self.digits = {int(size) for size in sizes if size.isdigit()}
        self.values = [name for name in used if declared.kinds.get(name) == "dimval"]
        if len(self.names) > MOST_SIZES:
            raise InputError(
                Text(f"at most {MOST_SIZES} dimensions can be tried", f"最多可试 {MOST_SIZES} 种维度")
            )

    @property
    def is_constant(self) -> bool:
        return not self.matrices and not self.kinds and not self.values

    def sizes(self, turn: int) -> dict[str, int]:
        """Sizes for the names of dimensions: every second turn exchanges larger and smaller ones."""
        count = max(len(self.names), 2)
        free = [size for size in range(_SMALLEST, _SMALLEST + count + 8) if size not in self.digits][:count]
        mirrored = free[::-1] if turn % 2 else free
        start = turn // 2
        return {name: mirrored[(start + place) % count] for place, name in enumerate(self.names)}

    def points(self, seed: int = 0) -> Iterator[MatrixPoint]:
        rng = random.Random(seed)
        for turn in range(_NICE_POINTS + _GENERIC_POINTS):
            nice = turn < _NICE_POINTS
            sizes = self.sizes(turn)
            whole = self.whole(rng, sizes)
            inner = self.scalars.point(rng, whole, nice)
            scalars = dict(inner.scalars) | {name: Fraction(sizes[name]) for name in self.values}

            def entry(nice: bool = nice) -> Fraction:
                if nice:
                    return Fraction(rng.choice((-2, -1, 1, 2)))
                return Fraction(rng.choice((-1, 1)) * rng.randint(1, 40), 16)

            yield MatrixPoint(
                Point(scalars, inner.vectors),
                self.filled(sizes, entry, Fraction(0), Fraction(1)),
                sizes,
                not nice,
            )

    def whole(self, rng: random.Random, sizes: Mapping[str, int]) -> dict[str, int]:
        """Sizes that are names of the formula, and an index into the vectors for each index."""
        self.scalars.vector_length = longest = sizes.get(self.length, _SMALLEST)
        found = {name: sizes[name] for name in self.scalars.sizes}
        return found | {name: rng.randint(1, longest) for name in self.scalars.indices}

    def residues(self, rng: random.Random, turn: int) -> ResiduePoint:
        sizes = self.sizes(turn)
        whole = self.whole(rng, sizes)
        names, vectors = self.scalars.residues(rng, whole)
        whole |= {name: sizes[name] for name in self.values}
        return ResiduePoint(names, whole, vectors, self.filled(sizes, lambda: rng.randrange(1, PRIME), 0, 1))

    def filled(self, sizes: Mapping[str, int], entry: Callable[[], T], zero: T, one: T) -> dict[str, Rows[T]]:
        found: dict[str, Rows[T]] = {}
        for name, matrix in self.matrices.items():
            rows, columns = (
                int(size) if size.isdigit() else sizes[size] for size in (matrix.rows, matrix.columns)
            )
            entries = [[entry() for _ in range(columns)] for _ in range(rows)]
            for i in range(rows) if matrix.special else ():
                for j in range(columns):
                    if matrix.special == "I":
                        entries[i][j] = one if i == j else zero
                    elif j < i:
                        entries[i][j] = entries[j][i]
            found[name] = tuple(map(tuple, entries))
        return found


def _checked(where: Mapping[str, object], kinds: Mapping[str, str], declared: Declared) -> dict[str, object]:
    """The constraints on names that are used."""
    for name in where:
        if not declared.kinds.get(name, "").startswith("vec:"):
            raise InputError(Text("the only constraint is simplex, on a vector", "约束只支持向量的 simplex"))
    return {name: constraint for name, constraint in where.items() if name in kinds}
