"""A line rewritten step by step, each character with the place it comes from in the line as typed."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple


class Placed(NamedTuple):
    """``origins`` has one offset a character, and one more for the end."""

    text: str
    origins: tuple[int, ...]

    @classmethod
    def of(cls, text: str, start: int = 0) -> Placed:
        """The line itself; ``start`` is where it begins in what was typed."""
        return cls(text, tuple(range(start, start + len(text) + 1)))

    def sub(
        self, pattern: re.Pattern[str] | str, replacement: Callable[[re.Match[str]], str] | str
    ) -> Placed:
        """As :func:`re.sub`, a plain string taken as it is; what replaces a match comes from where it began."""
        search = re.compile(re.escape(pattern)) if isinstance(pattern, str) else pattern
        parts: list[str] = []
        origins: list[int] = []
        end = 0
        for match in search.finditer(self.text):
            new = replacement if isinstance(replacement, str) else replacement(match)
            parts += [self.text[end : match.start()], new]
            origins += self.origins[end : match.start()]
            origins += [self.origins[match.start()]] * len(new)
            end = match.end()
        return Placed("".join([*parts, self.text[end:]]), (*origins, *self.origins[end:]))

    def then(self, pieces: list[str]) -> Placed:
        """The line with each of its characters replaced by a piece; the last piece is what follows the end."""
        origins = [self.origins[at] for at, piece in enumerate(pieces) for _ in piece]
        return Placed("".join(pieces), (*origins, self.origins[-1]))
