"""Declared names as prose a person reads."""

from __future__ import annotations

from collections.abc import Mapping

from engine.text import Language
from tui import answer_messages as words


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
    from engine.answers.expression import name_latex

    if kind.startswith("vec:"):
        entries = words.KINDS.get(kind.removeprefix("vec:"))
        return words.VECTOR.of(language).format(kind=entries.of(language) if entries else kind)
    if kind.startswith("mat:"):
        shape, _, special = kind.removeprefix("mat:").partition(":")
        rows, _, columns = shape.partition(",")
        text = {"sym": words.SYMMETRIC, "I": words.IDENTITY}.get(special, words.MATRIX)
        size = r" \times ".join(name_latex(name) for name in (rows, columns))
        return text.of(language).format(shape=f"${size}$")
    return words.KINDS[kind].of(language) if kind in words.KINDS else kind
