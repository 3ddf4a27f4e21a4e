"""Units and suffixes of typed numbers. GB is 10⁹ bytes, GiB is 2³⁰."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from engine.answers.verdict import RefusalError, invalid
from engine.text import Text, same

Dimensions = tuple[tuple[str, int], ...]
"""Powers of the base units, sorted by name: bytes a second is (("byte", 1), ("s", -1))."""

NONE: Dimensions = ()


@dataclass(frozen=True)
class Unit:
    """A word that multiplies the number before it."""

    factor: Fraction
    dimensions: Dimensions
    latex: str


def _unit(word: str, factor: Fraction | int, base: str) -> Unit:
    return Unit(Fraction(factor), ((base, 1),) if base else NONE, rf"\mathrm{{{word}}}")


SUFFIXES = {
    "k": _unit("k", 10**3, ""),
    "M": _unit("M", 10**6, ""),
    "B": _unit("B", 10**9, ""),
    "万": Unit(Fraction(10**4), NONE, r"\text{万}"),
    "亿": Unit(Fraction(10**8), NONE, r"\text{亿}"),
}
_BYTES = {
    **{word: _unit(word, 1, "byte") for word in ("byte", "bytes", "B")},
    **{f"{prefix}B": _unit(f"{prefix}B", 1000**n, "byte") for n, prefix in enumerate("kMGT", 1)},
    **{f"{prefix}iB": _unit(f"{prefix}iB", 1024**n, "byte") for n, prefix in enumerate("KMGT", 1)},
}
_MICROSECOND = Unit(Fraction(1, 10**6), (("s", 1),), r"\mathrm{\mu s}")
_SECONDS = {
    "s": _unit("s", 1, "s"),
    "ms": _unit("ms", Fraction(1, 1000), "s"),
    **dict.fromkeys(("us", "µs", "μs"), _MICROSECOND),
}
_PREFIXES = {"k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}

# What people type for a unit that is another one or none: said, not guessed.
_MEANT = {
    **dict.fromkeys(("KB", "Kb", "kb", "K"), ("k, kB (1000) or KiB (1024)", "k、kB（1000）或 KiB（1024）")),
    **dict.fromkeys(("mb", "Mb", "mB"), ("MB (10⁶ bytes) or MiB (2²⁰)", "MB（10⁶ 字节）或 MiB（2²⁰）")),
    **dict.fromkeys(("gb", "Gb", "gB", "G", "g"), ("B (10⁹), GB or GiB", "B（10⁹）、GB 或 GiB")),
    **dict.fromkeys(("tb", "Tb", "tB", "T", "t"), ("1000 B, TB or TiB", "1000 B、TB 或 TiB")),
    **dict.fromkeys(("b", "bn", "billion"), ("B (10⁹ or bytes)", "B（10⁹ 或字节）")),
    **dict.fromkeys(("m", "mn", "million"), ("M (10⁶) or ms", "M（10⁶）或 ms")),
    **dict.fromkeys(("S", "sec", "second", "seconds"), ("s", "s")),
    **dict.fromkeys(("x", "X"), ("* or ×", "* 或 ×")),
}


class UnitTable:
    """The units in force. ``words`` are further units a card declares (tokens, FLOP), with the prefixes k M G T.

    ``bytes_meant`` decides what B is: bytes where the answer is an amount of memory, else 10⁹.
    """

    def __init__(self, words: Iterable[str] = (), bytes_meant: bool = False) -> None:
        self.suffixes = {word: unit for word, unit in SUFFIXES.items() if not (bytes_meant and word == "B")}
        self.units = {word: unit for word, unit in _BYTES.items() if bytes_meant or word != "B"} | _SECONDS
        for word in words:
            stem = word.removesuffix("s") if len(word) > 2 else word
            for form in (stem, stem + "s"):
                self.units.setdefault(form, _unit(form, 1, stem))
                for prefix, factor in _PREFIXES.items():
                    self.units.setdefault(prefix + form, _unit(prefix + form, factor, stem))

    def unknown(self, word: str) -> RefusalError:
        """What to say of a word that is none of them."""
        if word in _MEANT:
            english, chinese = _MEANT[word]
            return invalid(
                "“{word}” is not read as a unit: write {en}", "“{word}”不作单位读：请写 {zh}",
                word=word, en=english, zh=chinese,
            )  # fmt: skip
        # a B is a byte or a billion, never both
        byte, billion = ("B ", "") if "B" in self.units else ("", " B")
        return invalid(
            "“{word}” is not known here; units are {byte}kB MB GB TB KiB MiB GiB TiB s ms µs %, "
            "suffixes k M{billion}",
            "不认识“{word}”；可用单位 {byte}kB MB GB TB KiB MiB GiB TiB s ms µs %，后缀 k M{billion}（及万、亿）",
            word=word,
            byte=byte,
            billion=billion,
        )


def combined(a: Dimensions, b: Dimensions, sign: int = 1) -> Dimensions:
    """Dimensions of a product (``sign`` 1) or a quotient (−1)."""
    powers = dict(a)
    for name, count in b:
        powers[name] = powers.get(name, 0) + sign * count
    return tuple(sorted((name, count) for name, count in powers.items() if count))


def raised(dimensions: Dimensions, exponent: int) -> Dimensions:
    return tuple((name, count * exponent) for name, count in dimensions if exponent)


def described(dimensions: Dimensions) -> Text:
    """What kind of quantity it is: a plain number, bytes, bytes/s."""
    if dimensions == NONE:
        return Text("a plain number", "纯数")
    words = {"byte": "bytes"}
    above = [words.get(name, name) + _exponent(count) for name, count in dimensions if count > 0]
    below = [name + _exponent(-count) for name, count in dimensions if count < 0]
    return same("·".join(above or ["1"]) + "".join(f"/{name}" for name in below))


def _exponent(count: int) -> str:
    return "" if count == 1 else f"^{count}"
