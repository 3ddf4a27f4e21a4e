"""Widths of characters in terminal cells, and the classes that line breaking needs."""

from __future__ import annotations

from rich.cells import cell_len

CLOSING = frozenset("，。、；：？！）】》〉」』〕〗〙〛”’…·～％‰℃!,.:;?)]}%»›")
"""Characters that no line may start with."""

OPENING = frozenset("（【《〈「『〔〖〘〚“‘([{«‹$￥#")
"""Characters that no line may end with."""

WIDE = (
    "\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f"
    "\uff01-\uff60\uffe0-\uffe6\U0001f300-\U0001faff\U00020000-\U0003fffd"
)
"""The wide scripts as the inside of a regular expression's character class."""

_EITHER = frozenset("“”‘’…—·")


def width(text: str) -> int:
    """Terminal cells that a text takes: hanzi two, combining marks none."""
    return len(text) if text.isascii() else int(cell_len(text))


def joins_tight(left: str, right: str) -> bool:
    """Do two characters at a line break of the source join without a space, as in Chinese?

    Quotes, dashes and dots that both scripts share go with their neighbour.
    """
    wide_left, wide_right = cell_len(left) == 2, cell_len(right) == 2
    return (wide_left and (wide_right or right in _EITHER)) or (wide_right and left in _EITHER)


def pad(text: str, cells: int) -> str:
    """The text filled with spaces on the right up to a width in cells."""
    return text + " " * (cells - width(text))
