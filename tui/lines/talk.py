"""Saying and asking, a line at a time."""

from __future__ import annotations

import sys

from engine.notation.error import NotationError
from engine.notation.page import linear
from engine.notation.prose import clean
from engine.text import Language, Text

MOST_LINES = 200
"""Lines of one answer."""


class Talk:
    """Speaks to stdout and listens to stdin, in one language. Nothing is drawn, moved or coloured."""

    def __init__(self, language: Language) -> None:
        self.language = language

    def words(self, text: Text, **values: object) -> str:
        """A text of the interface; a value may be a text itself."""
        filled = {
            name: value.of(self.language) if isinstance(value, Text) else value
            for name, value in values.items()
        }
        return (text.filled(**filled) if filled else text).of(self.language)

    def say(self, text: Text, **values: object) -> None:
        self.tell(self.words(text, **values))

    def tell(self, text: str, lead: str = "") -> None:
        """Prose, each block on a line of its own; text that cannot be read as prose stands as it is."""
        try:
            lines = linear(text)
        except NotationError:
            lines = clean(text).split("\n")
        for number, line in enumerate(lines):
            print(f"{lead}{line}" if number == 0 else line)

    def labelled(self, label: Text, text: Text) -> None:
        colon = "：" if self.language == "zh" else ": "
        self.tell(text.of(self.language), f"{label.of(self.language)}{colon}")

    def ask(self, text: Text, **values: object) -> str | None:
        """What is typed after this; None at the end of the input."""
        self.say(text, **values)
        return self.listen()

    def listen(self) -> str | None:
        sys.stdout.write("> ")
        sys.stdout.flush()
        line = sys.stdin.readline()
        if not line:
            print()
            return None
        return clean(line.rstrip("\n")).strip()

    def several(self, text: Text) -> str | None:
        """Lines up to a single full stop; a first line of at most one letter is an answer by itself.

        None at the end of the input, empty where Enter came at once.
        """
        first = self.ask(text)
        if first is None or len(first) <= 1:
            return first
        lines = [first]
        while len(lines) < MOST_LINES:
            sys.stdout.write("> ")
            sys.stdout.flush()
            line = sys.stdin.readline()
            if not line or line.strip() in (".", "。"):
                break
            # a program's indentation is kept
            lines.append(clean(line.rstrip("\n")).rstrip())
        return "\n".join(lines)
