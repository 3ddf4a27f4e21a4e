"""A text in both languages of the product."""

from __future__ import annotations

from collections.abc import Mapping
from string import Formatter
from typing import Any, Literal, NamedTuple

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = ("en", "zh")


class Text(NamedTuple):
    """The same statement for an English and for a Chinese reader; neither translates the other.

    Both may hold ``$…$`` formulas; the formulas and the numbers of the two must be the same.
    """

    en: str
    zh: str

    def of(self, language: Language) -> str:
        return self.zh if language == "zh" else self.en

    def filled(self, **values: object) -> Text:
        """Both languages with ``{name}`` placeholders replaced, as :func:`fill` does."""
        return Text(fill(self.en, values), fill(self.zh, values))


def fill(template: str, values: Mapping[str, object]) -> str:
    """``template`` with its ``{name}`` placeholders replaced.

    A word that goes with a number is written ``{n:card|cards}``: the first for 1, the second for any other.
    """
    # the formatter is ten times slower, and nearly every text does without a choice of words
    return _Filling().vformat(template, (), values) if "|" in template else template.format(**values)


class _Filling(Formatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        one, choice, other = format_spec.partition("|")
        if choice:
            return one if str(value) == "1" else other
        return format(value, format_spec)


def same(text: str) -> Text:
    """A text that reads the same in both languages: a name, a number, a formula."""
    return Text(text, text)
