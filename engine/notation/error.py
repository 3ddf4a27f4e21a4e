"""The one error of the notation pipeline."""

from __future__ import annotations

from engine.errors import InputError
from engine.text import Text


class NotationError(InputError):
    """A formula or a text that cannot be read or drawn.

    ``source`` is the text as given and ``offset`` the character in it at which reading failed;
    ``line`` and ``column`` (both from 1) are computed from them, so that a loader can add them to
    the place of the text in its file.
    """

    def __init__(self, text: Text, source: str, offset: int, where: str = "") -> None:
        self.source = source
        self.offset = max(0, min(offset, len(source)))
        super().__init__(text, where)

    @property
    def row(self) -> int:
        return self.source.count("\n", 0, self.offset) + 1

    @property
    def column(self) -> int:
        return self.offset - (self.source.rfind("\n", 0, self.offset) + 1) + 1
