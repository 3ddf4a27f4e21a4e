"""Where two formulas are compared: points that respect the declared kinds.

First some of small round values, which make readable counterexamples, then generic ones, log-uniform over
the reals. Sizes are 2, 3 and 4; every combination of indices is tried.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from engine.answers.evaluate import Point
from engine.answers.expression import Node, free_names, nodes
from engine.answers.modular import PRIME
from engine.errors import InputError
from engine.text import Text

_FEWEST = 20
_MOST_COMBINATIONS = 48
_NICE_POINTS = 10
_SIZES = (2, 3, 4)
_LENGTH = 3
"""Entries of a vector where no size is declared."""
_NICE = {
    "real": (-2, -1, Fraction(-1, 2), Fraction(1, 2), 1, 2, 3),
    "pos": (Fraction(1, 2), 1, 2, 3),
    "prob": (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)),
    "posint": (1, 2, 3),
    "nat0": (0, 1, 2),
}
CONTINUOUS = ("real", "pos", "prob")
_MOST_SCALES = 4
_POINTS_A_SCALE = 6
_EVERYDAY = 8
"""Constants up to this one, and down to its inverse, need no points of their own."""
_COSTLY = ("sum", "prod", "^", "factorial", "binomial", "gamma", "entry", "delta")


@dataclass(frozen=True)
class Sample:
    """A point; ``generic`` unless its values were picked for being round."""

    point: Point
    generic: bool


class Sampler:
    """Points for the names that the formulas use.

    Raises:
        InputError: a constraint (``where``) that is not known here.
    """

    def __init__(
        self,
        symbols: Mapping[str, str],
        formulas: tuple[Node, ...],
        where: Mapping[str, object] | None = None,
    ) -> None:
        used = frozenset[str]().union(*map(free_names, formulas))
        self.symbols = {name: kind for name, kind in symbols.items() if name in used}
        self.sizes = [name for name, kind in self.symbols.items() if kind == "dim"]
        self.indices = [name for name, kind in self.symbols.items() if kind == "index"]
        self.vectors = [name for name, kind in self.symbols.items() if kind.startswith("vec:")]
        self.counting = _names_under((*_COSTLY, "ind"), formulas)
        self.costly = _names_under(_COSTLY, formulas)
        self.scales = _scales(formulas)
        self.simplex: set[str] = set()
        for name, constraint in (where or {}).items():
            if constraint != "simplex" or not symbols.get(name, "").startswith("vec:"):
                raise InputError(
                    Text("the only constraint is simplex, on a vector", "约束只支持向量的 simplex")
                )
            self.simplex.add(name)

    @property
    def is_constant(self) -> bool:
        return not self.symbols

    @property
    def is_continuous(self) -> bool:
        return any(kind.removeprefix("vec:") in CONTINUOUS for kind in self.symbols.values())

    def combinations(self) -> list[dict[str, int]]:
        """Every assignment of sizes and indices, or a random choice among many."""
        found: list[dict[str, int]] = []
        for sizes in itertools.product(_SIZES, repeat=len(self.sizes)):
            length = max(sizes, default=_LENGTH)
            for indices in itertools.product(range(1, length + 1), repeat=len(self.indices)):
                found.append(dict(zip((*self.sizes, *self.indices), (*sizes, *indices), strict=True)))
                if len(found) > 5000:
                    break
        if len(found) > _MOST_COMBINATIONS:
            found = random.Random(1).sample(found, _MOST_COMBINATIONS)
        return found

    def length(self, whole: Mapping[str, int]) -> int:
        return max((whole[name] for name in self.sizes), default=_LENGTH)

    def samples(self, seed: int = 0) -> Iterator[Sample]:
        if self.is_constant:
            yield Sample(Point({}), True)
            return
        rng = random.Random(seed)
        combinations = self.combinations()
        rng.shuffle(combinations)
        for round_, count in (
            (True, max(_NICE_POINTS, len(combinations))),
            (False, max(_FEWEST, 2 * len(combinations))),
        ):
            for place in range(count):
                whole = combinations[place % len(combinations)]
                wide = not round_ and rng.random() < 0.15
                yield Sample(self.point(rng, whole, round_, wide), not round_)
        for scale in self.scales:
            for place in range(_POINTS_A_SCALE):
                yield Sample(self.scaled(rng, combinations[place % len(combinations)], scale), True)

    def scaled(self, rng: random.Random, whole: Mapping[str, int], scale: Fraction) -> Point:
        """A generic point with the scalars about a constant of the formulas, on either side of it."""
        point = self.point(rng, whole, False)
        scalars, vectors = dict(point.scalars), dict(point.vectors)
        for name, kind in self.symbols.items():
            if name in vectors and name not in self.simplex:
                vectors[name] = tuple(_near(rng, scale, kind[4:], entry) for entry in vectors[name])
            elif name in scalars and name not in whole and name not in self.costly:
                scalars[name] = _near(rng, scale, kind, scalars[name])
        return Point(scalars, vectors)

    def point(self, rng: random.Random, whole: Mapping[str, int], nice: bool, wide: bool = False) -> Point:
        scalars = {name: Fraction(value) for name, value in whole.items()}
        vectors: dict[str, tuple[Fraction, ...]] = {}
        for name, kind in self.symbols.items():
            if kind.startswith("vec:"):
                length = self.length(whole)
                if name in self.simplex and nice:
                    vectors[name] = _shares(rng, length)
                    continue
                entries = [self.scalar(rng, name, kind[4:], nice, wide) for _ in range(length)]
                total = sum(map(abs, entries))
                vectors[name] = tuple(abs(e) / total if name in self.simplex else e for e in entries)
            elif name not in scalars:
                scalars[name] = self.scalar(rng, name, kind, nice, wide)
        return Point(scalars, vectors)

    def scalar(self, rng: random.Random, name: str, kind: str, nice: bool, wide: bool) -> Fraction:
        if kind in ("dim", "index"):
            return Fraction(rng.choice(_SIZES))
        if nice:
            return Fraction(rng.choice(_NICE[kind]))
        if kind == "prob":
            return Fraction(rng.randint(1, 9999), 10000)
        if kind in ("posint", "nat0"):
            low = 1 if kind == "posint" else 0
            if name in self.counting or rng.random() < 0.6:
                return Fraction(rng.randint(low, 12))
            return Fraction(int(10 ** rng.uniform(0, 4 if wide else 2.5)))
        reach = 6.0 if wide else 1.3
        exponent = rng.uniform(-reach, reach)
        place = int(exponent // 1) - 3
        # never a whole number or a simple fraction: those are single points
        size = int(10 ** (exponent - place)) * Fraction(10) ** place
        size += Fraction(rng.randint(1, 996), 997) * Fraction(10) ** min(place, 0)
        return size if kind == "pos" or rng.random() < 0.5 else -size

    def residues(
        self, rng: random.Random, whole: Mapping[str, int]
    ) -> tuple[dict[str, int], dict[str, tuple[int, ...]]]:
        """Random residues for every name that is not a size or an index."""
        names: dict[str, int] = {}
        vectors: dict[str, tuple[int, ...]] = {}
        for name, kind in self.symbols.items():
            if kind.startswith("vec:"):
                entries = [rng.randrange(1, PRIME) for _ in range(self.length(whole))]
                if name in self.simplex:
                    entries[-1] = (1 - sum(entries[:-1])) % PRIME
                vectors[name] = tuple(entries)
            elif name not in whole:
                names[name] = rng.randrange(1, PRIME)
        return names, vectors


def _shares(rng: random.Random, count: int) -> tuple[Fraction, ...]:
    """Positive tenths that sum to 1: as decimals they are exact, so that a person can add them up."""
    parts = max(10, count)
    cuts = sorted(rng.sample(range(1, parts), count - 1))
    return tuple(Fraction(high - low, parts) for low, high in itertools.pairwise((0, *cuts, parts)))


def _near(rng: random.Random, scale: Fraction, kind: str, other: Fraction) -> Fraction:
    """A value of the kind within a factor of three of the scale; the other one where the kind has none there."""
    near = scale * Fraction(rng.randint(301, 2999), 1000)
    if kind in ("posint", "nat0"):
        # floor and ceiling part at the constant itself
        return Fraction(max(1, round(scale) - rng.randint(0, 1) if rng.random() < 0.5 else round(near)))
    if kind == "prob" and near >= 1:
        return other
    return -near if kind == "real" and rng.random() < 0.25 else near


def _names_under(operations: tuple[str, ...], formulas: tuple[Node, ...]) -> frozenset[str]:
    """Names in exponents, limits of sums and factorials, where a large value costs too much, and the like."""
    found: set[str] = set()
    for formula in formulas:
        for node in nodes(formula):
            if node.op in operations:
                for arg in node.args[1:] if node.op in ("sum", "prod", "^") else node.args:
                    found |= free_names(arg)
    return frozenset(found)


def _scales(formulas: tuple[Node, ...]) -> tuple[Fraction, ...]:
    """Large and small constants of the formulas and their inverses: where a threshold or a bend may lie."""
    found: set[Fraction] = set()
    for formula in formulas:
        for node in nodes(formula):
            value = _constant(node)
            if value and not Fraction(1, _EVERYDAY) <= abs(value) <= _EVERYDAY:
                found |= {abs(value), 1 / abs(value)}
    return tuple(sorted(found, key=lambda scale: (abs(scale - 1), scale))[:_MOST_SCALES])


def _constant(node: Node) -> Fraction | None:
    """The value of a number or of a short power of two numbers."""
    if node.op == "number":
        return node.value
    if node.op != "^" or any(arg.op != "number" for arg in node.args):
        return None
    base, exponent = (arg.value or Fraction(0) for arg in node.args)
    return (
        base**exponent.numerator if base > 1 and exponent.denominator == 1 and abs(exponent) <= 20 else None
    )
