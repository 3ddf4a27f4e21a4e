"""Declared names, counterexamples and readings as prose a person reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from engine.text import Language, Text
from tui import answer_messages as words

if TYPE_CHECKING:
    from engine.answers.verdict import Counterexample, Shown

_MOST_VALUES = 8
"""Values named in a counterexample; more would not be read."""


def symbols_prose(symbols: Mapping[str, str], where: Mapping[str, str], language: Language) -> str:
    """The declared names, each with what its kind means, and the constraints on them."""
    from engine.answers.expression import GREEK_LETTERS, name_latex

    if not symbols:
        return words.NO_SYMBOLS.of(language)
    parts = []
    greek = frozenset(GREEK_LETTERS.values())
    for name, kind in symbols.items():
        shown = f"${name_latex(name)}$"
        if not greek.isdisjoint(name.split("_")):
            # not every keyboard has the letter that is shown
            shown = words.TYPED_AS.of(language).format(name=shown, typed=f"`{name}`")
        parts.append(words.SYMBOL.of(language).format(name=shown, kind=_kind(kind, language)))
    for name, constraint in where.items():
        text = words.CONSTRAINTS.get(constraint, words.CONSTRAINT)
        parts.append(text.of(language).format(name=f"${name_latex(name)}$", constraint=constraint))
    separator = "；" if language == "zh" else "; "
    return words.SYMBOLS.of(language).format(names=separator.join(parts))


def _kind(kind: str, language: Language) -> str:
    if kind.startswith("vec:"):
        entries = words.KINDS.get(kind.removeprefix("vec:"))
        return words.VECTOR.of(language).format(kind=entries.of(language) if entries else kind)
    if kind.startswith("mat:"):
        shape, _, special = kind.removeprefix("mat:").partition(":")
        rows, _, columns = shape.partition(",")
        text = {"sym": words.SYMMETRIC, "I": words.IDENTITY}.get(special, words.MATRIX)
        return text.of(language).format(rows=rows, columns=columns)
    return words.KINDS[kind].of(language) if kind in words.KINDS else kind


def counterexample_prose(found: Counterexample, language: Language, of_a_line: bool = False) -> str:
    """Where the two sides part: the values taken, and what each side is there.

    ``of_a_line``: the sides are a line of a derivation and the line before it.
    """

    def value(shown: Shown) -> str:
        return words.NO_VALUE.of(language) if shown is None else shown_value(shown)

    sides = {"mine": value(found.input), "right": value(found.reference)}
    if not found.values:
        text = words.SIDES_LINE if of_a_line else words.SIDES
        return text.of(language).format(**sides)
    values = [f"{name} = {shown_value(shown)}" for name, shown in list(found.values.items())[:_MOST_VALUES]]
    if len(found.values) > _MOST_VALUES:
        values.append("…")
    text = words.AT_LINE if of_a_line else words.AT
    return text.of(language).format(values=("，" if language == "zh" else ", ").join(values), **sides)


def shown_value(value: Shown) -> str:
    """A value of a counterexample as one reads it: no more than six figures of a float."""
    if isinstance(value, bool) or not isinstance(value, float):
        return str(value)
    return f"{value:.6g}"


def colon(label: Text, language: Language) -> str:
    """A label before what it labels."""
    return f"{label.of(language)}{'：' if language == 'zh' else ': '}"
