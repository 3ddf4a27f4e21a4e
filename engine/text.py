"""A text in both languages of the product."""

from __future__ import annotations

from typing import Literal, NamedTuple

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
        """Both languages with ``{name}`` placeholders replaced."""
        return Text(self.en.format(**values), self.zh.format(**values))


def same(text: str) -> Text:
    """A text that reads the same in both languages: a name, a number, a formula."""
    return Text(text, text)
