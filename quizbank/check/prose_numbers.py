"""The numbers written in digits in a text, in either language.

A number is a run of digits with an optional decimal part, grouped by commas or not. Digits that belong
to a name (``GPT-2``, ``A100``, ``x2``) or to a section (``3.2.1``) are none. ``3 million`` and ``300 万`` are one
number each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

_NUMBER = re.compile(r"\d+(?:\.\d+){2,}|(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?")
_SCALE = re.compile(r"\s?(?:(thousand|million|billion|trillion)\b|(万亿|百万|千|万|亿))")
_SCALES = {
    "thousand": 3, "million": 6, "billion": 9, "trillion": 12,
    "千": 3, "万": 4, "百万": 6, "亿": 8, "万亿": 12,
}  # fmt: skip
_NAME_BEFORE = re.compile(r"[A-Za-z_]-?$|[A-Za-z]\d*[-.]$")


@dataclass(frozen=True)
class WrittenNumber:
    """``text`` as it stands at ``start``; ``value`` with its word of scale; ``percent`` where a % follows."""

    start: int
    text: str
    value: Decimal
    percent: bool

    @property
    def figures(self) -> int:
        """Significant figures: zeros at the end count only behind a decimal point."""
        digits = self.text.replace(",", "").lower().partition("e")[0]
        if "." not in digits:
            digits = digits.rstrip("0")
        return len(digits.replace(".", "").lstrip("0"))

    @property
    def half_unit(self) -> Decimal:
        """Half a unit in the last figure written."""
        digits, _, exponent = self.text.lower().partition("e")
        places = len(digits.partition(".")[2])
        return Decimal(5).scaleb(int(exponent or 0) - places - 1)


def written_numbers(text: str, start: int = 0, end: int | None = None) -> Iterator[WrittenNumber]:
    """The numbers of ``text[start:end]``."""
    end = len(text) if end is None else end
    for match in _NUMBER.finditer(text, start, end):
        digits = match[0]
        if digits.count(".") > 1 or _NAME_BEFORE.search(text[max(start, match.start() - 12) : match.start()]):
            continue
        scale = _SCALE.match(text, match.end(), end)
        power = _SCALES[scale[1] or scale[2]] if scale else 0
        value = Decimal(digits.replace(",", "")).scaleb(power)
        percent = bool(re.match(r"\s?\\?[%％]", text[match.end() : end]))
        yield WrittenNumber(match.start(), digits, value, percent)
