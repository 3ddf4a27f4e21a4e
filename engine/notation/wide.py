"""Widths of characters in terminal cells, and the classes that line breaking needs."""

from __future__ import annotations

from rich.cells import cell_len

CLOSING = frozenset("，。、；：？！）】》〉」』〕〗〙〛”’…·～％‰℃!,.:;?)]}%»›")
"""Characters that no line may start with."""

OPENING = frozenset("（【《〈「『〔〖〘〚“‘([{«‹$￥#")
"""Characters that no line may end with."""

_WIDE = (
    (0x1100, 0x115F), (0x2E80, 0x303E), (0x3041, 0xA4CF), (0xA960, 0xA97F), (0xAC00, 0xD7A3), (0xF900, 0xFAFF),
    (0xFE30, 0xFE6F), (0xFF01, 0xFF60), (0xFFE0, 0xFFE6), (0x1F300, 0x1FAFF), (0x20000, 0x3FFFD),
)  # fmt: skip
# compared, not compiled: character classes of this size take longer to compile than the app has for its first paint


def is_wide(character: str) -> bool:
    """Does the character belong to the wide scripts, between whose characters a line may break?"""
    code = ord(character)
    return code >= 0x1100 and any(low <= code <= high for low, high in _WIDE)


_EITHER = frozenset("“”‘’…—·")
_SPACED = frozenset("，。、；：？！（）【】《》〉〈「」『』〔〕〖〗")


def width(text: str) -> int:
    """Terminal cells that a text takes: hanzi two, combining marks none."""
    return len(text) if text.isascii() else int(cell_len(text))


def joins_tight(left: str, right: str) -> bool:
    """Do two characters at a line break of the source join without a space, as in Chinese?

    Quotes, dashes and dots that both scripts share go with their neighbour; full-width punctuation brings its own space.
    """
    if left in _SPACED or right in _SPACED:
        return True
    wide_left, wide_right = cell_len(left) == 2, cell_len(right) == 2
    return (wide_left and (wide_right or right in _EITHER)) or (wide_right and left in _EITHER)


def pad(text: str, cells: int) -> str:
    """The text filled with spaces on the right up to a width in cells."""
    return text + " " * (cells - width(text))
