"""Errors a person can act on."""

from __future__ import annotations

from engine.text import Language, Text


class InputError(Exception):
    """What was given cannot be used: what, where and what to do, in both languages.

    The shell prints it as one line and exits with 2; the app shows it as a notice.
    """

    def __init__(self, text: Text, where: str = "") -> None:
        self.text = text
        self.where = where
        super().__init__(f"{where}: {text.en}" if where else text.en)

    def line(self, language: Language) -> str:
        """The message as one line, with its place in front."""
        message = " ".join(self.text.of(language).split())
        return f"{self.where}: {message}" if self.where else message
