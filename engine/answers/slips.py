"""The slip behind a wrong formula, where it is one of the usual ones."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction

from engine.answers import interval as iv
from engine.answers.compare import Compared, Comparison, Tally, shown
from engine.answers.evaluate import Point
from engine.answers.expression import Node, number, renamed
from engine.answers.interval import BlurredError, UndefinedError, Value
from engine.answers.points import Sample, Sampler
from engine.text import Text

_ENOUGH = 5
_TRIED = 8
_MOST_STEPS = 40_000


def slip(answer: Node, reference: Node, tally: Tally, sampler: Sampler) -> Text | None:
    """A constant factor, a sign, a constant added, swapped names, off by one, or right for some values only."""
    iv.set_digits(60)
    generic = tally.of("agree", "differ", generic=True)
    samples = [Sample(one.point, True) for one in tally.compared if one.generic][:_TRIED]
    found = _constant(generic) if len(generic) >= _ENOUGH and not sampler.is_constant else None
    found = found or _one_sided(generic, sampler)
    if found or sampler.is_constant:
        return found
    spent = 0
    for words, candidate, points in _candidates(answer, sampler, samples):
        comparison = Comparison(candidate, reference)
        outcomes = []
        is_zero = True
        for sample in points:
            compared = comparison.at(sample)
            is_zero = is_zero and compared.reference == Fraction(0)
            outcomes.append(compared.outcome)
            if outcomes[-1] not in ("agree", "both undefined"):
                break
        spent += comparison.steps
        # where both sides vanish, agreeing says nothing
        if (
            not is_zero
            and outcomes.count("agree") >= _ENOUGH
            and set(outcomes) <= {"agree", "both undefined"}
        ):
            return words
        if spent > _MOST_STEPS:
            break
    return None


def _constant(compared: list[Compared]) -> Text | None:
    """Whether the two sides keep one ratio or one distance at all points."""
    ratio = _same(compared, lambda answer, reference: iv.divide(answer, reference))
    if ratio is not None:
        factor = number_words(ratio)
        if factor == "-1":
            return Text("the sign is wrong", "符号反了")
        return Text(
            f"off by a constant factor: {factor} times the answer", f"差一个常数因子：是答案的 {factor} 倍"
        )
    distance = _same(compared, lambda answer, reference: iv.add(answer, iv.negate(reference)))
    if distance is not None:
        return Text(
            f"off by a constant: {number_words(distance)} too much",
            f"差一个常数：多了 {number_words(distance)}",
        )
    return None


def _one_sided(compared: list[Compared], sampler: Sampler) -> Text | None:
    """Whether the sign of one name decides between right and wrong."""
    for name in (name for name, kind in sampler.symbols.items() if kind == "real"):
        sides = {
            outcome: {one.point.scalars[name] > 0 for one in compared if one.outcome == outcome}
            for outcome in ("agree", "differ")
        }
        if sides["agree"] == {True} and sides["differ"] == {False}:
            return Text(f"right for positive {name} only", f"只在 {name} 为正时成立")
        if sides["agree"] == {False} and sides["differ"] == {True}:
            return Text(f"right for negative {name} only", f"只在 {name} 为负时成立")
    return None


def _same(compared: list[Compared], joined: Callable[[Value, Value], Value]) -> Value | None:
    first: Value | None = None
    for one in compared:
        if one.input is None or one.reference is None:
            return None
        try:
            value = joined(one.input, one.reference)
        except (UndefinedError, BlurredError):
            return None
        if first is None:
            first = value
            continue
        if isinstance(first, Fraction) and isinstance(value, Fraction):
            if first != value:
                return None
            continue
        gap = iv.interval(iv.add(first, iv.negate(value)))
        if iv.nearest(gap) > 0 or iv.width(gap) > iv.scaled(iv.size(first), -12):
            return None
    return None if first == Fraction(0) else first


def number_words(value: Value) -> str:
    """A ratio or a distance as a person sees it."""
    if isinstance(value, Fraction) and value.denominator < 10**6:
        return str(value)
    simple = Fraction(str(shown(value, 15))).limit_denominator(100)
    if iv.contains(value, simple):
        return str(simple)
    return f"≈ {shown(value, 6)}"


def _candidates(
    answer: Node, sampler: Sampler, samples: list[Sample]
) -> Iterator[tuple[Text, Node, list[Sample]]]:
    """What the answer would be without the slip, or the points where a wrong answer happens to be right."""
    kinds: Mapping[str, str] = sampler.symbols
    for a, b in itertools.combinations(kinds, 2):
        if kinds[a] == kinds[b]:
            yield (
                Text(f"{a} and {b} are swapped", f"{a} 与 {b} 写反了"),
                renamed(answer, {a: b, b: a}),
                samples,
            )
    for name, kind in kinds.items():
        if kind in ("posint", "nat0", "dim"):
            for step in (1, -1):
                shifted = Node("+", (Node("symbol", name=name), number(step)))
                there = "less" if step == 1 else "more"
                words = Text(
                    f"off by one in {name}: one {there} than it should be",
                    f"{name} 差一：{'少' if step == 1 else '多'}了 1",
                )
                yield words, _replaced(answer, name, shifted), samples
    for a, b in itertools.combinations(sampler.indices, 2):
        equal = [_pinned(sample, b, sample.point.scalars[a]) for sample in samples]
        yield (
            Text(f"right where {a} = {b}, but not in general", f"{a} = {b} 时成立，但一般不成立"),
            answer,
            equal,
        )
    for name, kind in kinds.items():
        if kind in ("real", "pos", "posint", "nat0"):
            for value in (1, 2, 0) if kind in ("real", "nat0") else (1, 2):
                pinned = [_pinned(sample, name, Fraction(value)) for sample in samples]
                words = Text(
                    f"right for {name} = {value}, but not in general",
                    f"{name} = {value} 时成立，但一般不成立",
                )
                yield words, answer, pinned


def _pinned(sample: Sample, name: str, value: Fraction) -> Sample:
    return replace(sample, point=Point({**sample.point.scalars, name: value}, sample.point.vectors))


def _replaced(node: Node, name: str, by: Node) -> Node:
    """The tree with a free symbol replaced."""
    if node.op == "symbol" and node.name == name:
        return by
    if node.op in ("sum", "prod") and node.name == name:
        return replace(node, args=(node.args[0], *(_replaced(arg, name, by) for arg in node.args[1:])))
    return replace(node, args=tuple(_replaced(arg, name, by) for arg in node.args))
