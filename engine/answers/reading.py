"""How a line is read while it is being typed: LaTeX to lay out, or what is wrong with it. Nothing is decided."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from engine.answers.arithmetic import read
from engine.answers.collection import read_collection
from engine.answers.derivation import MOST_LINES, lines_of
from engine.answers.expression import latex
from engine.answers.growth import read_class
from engine.answers.interval import one_at_a_time
from engine.answers.matrix import read_safely as read_matrix_safely
from engine.answers.shown import reading_latex
from engine.answers.symbolic import read_safely
from engine.answers.symbols import declare
from engine.answers.verdict import RefusalError, at_line
from engine.errors import InputError
from engine.text import Text


@dataclass(frozen=True)
class Reading:
    """``ok`` with LaTeX; else ``invalid`` or ``unsafe`` with the fault, and as much LaTeX as was read before it.

    ``at`` is the offset of the fault in a formula as typed; None where it is not known, as within a set.
    """

    latex: str
    fault: Text | None = None
    verdict: Literal["ok", "invalid", "unsafe"] = "ok"
    at: int | None = None


def read_answer(
    typed: str,
    symbols: Mapping[str, str],
    mode: str,
    *,
    words: Collection[str] = (),
    bytes_meant: bool = False,
    line_mode: str = "symbolic",
) -> Reading:
    """How ``typed`` is read in a mode of :data:`engine.answers.judge.MODES`, fast enough for every keystroke.

    ``words`` and ``bytes_meant`` are the units in force for a number
    (:class:`engine.answers.units.UnitTable`). A derivation is read line by line in its ``line_mode``, up to
    the first that cannot be. Never raises for what was typed.

    Raises:
        InputError: the declarations or the mode are at fault.
    """
    if mode == "numeric":
        return replace(_reading(lambda: reading_latex(read(typed, words, bytes_meant))), at=None)
    if mode == "derivation" and line_mode in _READERS:
        return _derivation(typed, symbols, line_mode)
    if mode not in _READERS:
        raise InputError(Text(f"there is no mode {mode[:40]}", f"没有 {mode[:40]} 这种模式"))
    reading = _reading(lambda: _READERS[mode](typed, symbols))
    # members of a set and the inside of O(…) are read apart, with places of their own
    return reading if mode in ("symbolic", "matrix") else replace(reading, at=None)


def _reading(shown: Callable[[], str]) -> Reading:
    try:
        with one_at_a_time:
            return Reading(shown())
    except RefusalError as refusal:
        return Reading("", refusal.reason, "unsafe" if refusal.verdict == "unsafe" else "invalid", refusal.at)


_READERS: dict[str, Callable[[str, Mapping[str, str]], str]] = {
    "symbolic": lambda typed, symbols: latex(read_safely(typed, declare(symbols))),
    "matrix": lambda typed, symbols: latex(read_matrix_safely(typed, declare(symbols, has_matrices=True))[0]),
    "asymptotic": lambda typed, symbols: rf"O\left({latex(read_class(typed, declare(symbols)))}\right)",
    "set": lambda typed, symbols: read_collection(typed, declare(symbols)).latex(),
}


def _derivation(typed: str, symbols: Mapping[str, str], line_mode: str) -> Reading:
    lines = lines_of(typed)
    if len(lines) > MOST_LINES:
        return Reading(
            "",
            Text(f"a derivation has at most {MOST_LINES} lines", f"推导最多 {MOST_LINES} 行"),
            "unsafe",
        )
    shown: list[str] = []
    for line in lines:
        reading = read_answer(line.text, symbols, line_mode)
        if reading.fault is not None:
            return Reading(" = ".join(shown), at_line(line.place, reading.fault), reading.verdict)
        shown.append(reading.latex)
    if not shown:
        return Reading("", Text("nothing was typed", "什么也没有输入"), "invalid")
    return Reading(" = ".join(shown))
