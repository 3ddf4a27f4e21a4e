"""What is drawn on: a language, what colours there are, and which characters are safe."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engine.text import Language, Text

Colours = Literal["full", "16", "none"]

# Ambiguous-width characters (East Asian Width A) and a narrow stand-in for each.
_SAFE = str.maketrans(
    {
        "●": "o",
        "■": "#",
        "▲": "^",
        "◆": "+",
        "○": "u",
        "◇": "v",
        "□": "n",
        "△": "A",
        "▽": "V",
        "×": "x",
        "█": "#",
        "▓": "%",
        "▒": "=",
        "├": "[",
        "─": "-",
        "┤": "]",
        "…": "~",
        "±": "~",
    }
)


@dataclass(frozen=True)
class Medium:
    """The terminal and the reader, as far as a drawing depends on them."""

    language: Language
    colours: Colours = "full"
    ambiguous_wide: bool = False

    def say(self, text: Text) -> str:
        return text.of(self.language)

    def glyph(self, character: str) -> str:
        """The character, or a narrow one where the terminal would draw it two cells wide."""
        return character.translate(_SAFE) if self.ambiguous_wide else character

    def pick(self, full: str, ansi: str, none: str = "") -> str:
        """The style for the colours there are."""
        return {"full": full, "16": ansi, "none": none}[self.colours]

    def number(self, value: float) -> str:
        """A value on its own, to three or four significant digits."""
        from engine.ticks import number
        from tui.drawing.scale import narrowed

        return narrowed(number(value)) if self.ambiguous_wide else number(value)

    @property
    def shades(self) -> str:
        """From nothing to full, for a matrix without colours."""
        return " .:oO" if self.ambiguous_wide else " ░▒▓█"

    @property
    def shades_below_zero(self) -> str:
        """As :attr:`shades`, for the other sign."""
        return " -=%@"

    @property
    def title(self) -> str:
        return "bold"

    @property
    def frame(self) -> str:
        """Axes and baselines: quieter than any mark."""
        return self.pick("#777777", "bright_black")
