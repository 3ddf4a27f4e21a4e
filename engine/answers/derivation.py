"""The ``derivation`` mode: a chain of lines, each judged against the line before it, the last against the goal.

Judging only the last line would let two errors cancel.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from engine.answers.expression import latex
from engine.answers.symbolic import judge_formula, read_safely
from engine.answers.symbols import declare
from engine.answers.verdict import RefusalError, Verdict
from engine.errors import InputError
from engine.text import Text

MOST_LINES = 40
_EQUALS = ("=", "＝")


def judge_derivation(
    typed: str, reference: str, symbols: Mapping[str, str], options: Mapping[str, object] | None = None
) -> Verdict:
    """Judge a derivation line by line; ``line`` of the verdict is the first that does not follow, from 1.

    The first line is the start; each later one begins with an equals sign. Blank lines count but are
    passed over. Where every line follows and the last is not the goal, the last is the bad one.

    Raises:
        InputError: the reference, the declarations or the options are at fault, not the answer.
    """
    declared = declare(symbols)
    try:
        read_safely(reference, declared)
    except RefusalError as refusal:
        raise InputError(
            Text(f"the goal cannot be read: {refusal.reason.en}", f"目标式无法读取：{refusal.reason.zh}")
        ) from refusal
    lines = [(place, line.strip()) for place, line in enumerate(typed.split("\n"), 1) if line.strip()]
    if len(lines) < 2:
        return Verdict(
            "invalid",
            Text(
                "a derivation has a start and at least one line that begins with =",
                "推导应有起始式，以及至少一行以 = 开头的式子",
            ),
        )
    if len(lines) > MOST_LINES:
        return Verdict(
            "unsafe", Text(f"a derivation has at most {MOST_LINES} lines", f"推导最多 {MOST_LINES} 行")
        )
    start, before = lines[0]
    try:
        reading = latex(read_safely(before, declared))
    except RefusalError as refusal:
        return Verdict(refusal.verdict, _at(start, refusal.reason), line=start)
    for place, line in lines[1:]:
        if not line.startswith(_EQUALS):
            return Verdict(
                "invalid",
                Text(f"line {place} does not begin with =", f"第 {place} 行没有以 = 开头"),
                reading,
                line=place,
            )
        step = judge_formula(line, before, symbols, options)
        if step.reading:
            reading += f" = {step.reading}"
        if step.verdict != "equal":
            return replace(step, reason=_at(place, step.reason), reading=reading, line=place)
        before = line
    end = judge_formula(before, reference, symbols, options)
    if end.verdict != "equal":
        reason = Text(
            f"every line follows, but the last is not the goal: {end.reason.en}",
            f"每一行都成立，但最后一行不是目标式：{end.reason.zh}",
        )
        return replace(end, reason=reason, reading=reading, line=lines[-1][0])
    return Verdict("equal", Text("right: every line follows", "正确：每一行都成立"), reading)


def _at(place: int, reason: Text) -> Text:
    return Text(f"line {place}: {reason.en}", f"第 {place} 行：{reason.zh}")
