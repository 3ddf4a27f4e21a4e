"""One case in, one verdict out: what the shell call reads and what the worker runs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.answers.collection import judge_collection
from engine.answers.derivation import JudgeOne, judge_derivation
from engine.answers.growth import judge_growth
from engine.answers.matrix import judge_matrix
from engine.answers.number import judge_number
from engine.answers.symbolic import judge_formula
from engine.answers.verdict import Verdict
from engine.errors import InputError
from engine.text import Text

MODES = ("symbolic", "numeric", "matrix", "asymptotic", "set", "derivation")
_LONGEST_LINE = 100_000


@dataclass(frozen=True)
class Case:
    """A typed answer with what it is judged against."""

    mode: str
    input: str
    reference: str
    symbols: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, object] = field(default_factory=dict)


def case_of(line: str) -> Case:
    """A case from a line of JSON; fields beside the five are ignored.

    Raises:
        InputError: no JSON object, or a field that is missing or of the wrong kind.
    """
    if len(line) > _LONGEST_LINE:
        raise InputError(Text("the line is too long", "这一行太长"))
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        raise InputError(Text("not JSON", "不是 JSON")) from None
    if not isinstance(document, dict):
        raise InputError(Text("a case is a JSON object", "每一行应是一个 JSON 对象"))
    for name in ("mode", "input", "reference"):
        if not isinstance(document.get(name), str):
            raise InputError(Text(f"{name} must be a string", f"{name} 应为字符串"))
    for name in ("symbols", "options"):
        if not isinstance(document.get(name, {}), dict):
            raise InputError(Text(f"{name} must be an object", f"{name} 应为对象"))
    if document["mode"] not in MODES:
        raise InputError(
            Text(f"mode must be one of: {' '.join(MODES)}", f"mode 应为以下之一：{' '.join(MODES)}")
        )
    return Case(
        document["mode"],
        document["input"],
        document["reference"],
        document.get("symbols", {}),
        document.get("options", {}),
    )


def judge(case: Case) -> Verdict:
    """Judge a case by its mode.

    Raises:
        InputError: the case is at fault, not the answer.
    """
    if case.mode == "numeric":
        return judge_number(case.input, case.reference, case.options)
    if case.mode == "symbolic":
        return judge_formula(case.input, case.reference, case.symbols, case.options)
    if case.mode == "set":
        return judge_collection(case.input, case.reference, case.symbols, case.options)
    if case.mode == "asymptotic":
        return judge_growth(case.input, case.reference, case.symbols, case.options)
    if case.mode == "matrix":
        return judge_matrix(case.input, case.reference, case.symbols, case.options)
    options = dict(case.options)
    line_mode = str(options.pop("line_mode", "symbolic"))
    if line_mode not in _LINES:
        modes = " ".join(_LINES)
        raise InputError(Text(f"line_mode must be one of: {modes}", f"line_mode 应为以下之一：{modes}"))
    return judge_derivation(case.input, case.reference, case.symbols, options, _LINES[line_mode])


_LINES: dict[str, JudgeOne] = {
    "symbolic": judge_formula,
    "matrix": judge_matrix,
    "numeric": lambda typed, reference, symbols, options: judge_number(typed, reference, options),
}
