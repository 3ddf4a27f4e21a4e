"""One fault of a card file or of the bank: where it is and what is wrong."""

from __future__ import annotations

from dataclasses import dataclass

from engine.text import Language, Text


@dataclass(frozen=True)
class Fault:
    """``where`` is ``file:line:column``, or as much of it as is known."""

    where: str
    what: Text

    def line(self, language: Language) -> str:
        """The fault as one line, with its place in front."""
        message = " ".join(self.what.of(language).split())
        return f"{self.where}: {message}" if self.where else message


def shown(given: object, limit: int = 40) -> str:
    """Untrusted text as part of a message: controls and invisible characters replaced, cut to ``limit``."""
    try:
        text = str(given)
    except ValueError:  # Python refuses to write an integer of thousands of digits
        text = "…"
    cut = "".join(character if character.isprintable() else "�" for character in text[:limit])
    return cut if len(text) <= limit else f"{cut}…"
