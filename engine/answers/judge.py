"""One case in, one verdict out: what the shell call reads and what the worker runs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from engine.answers.collection import judge_collection
from engine.answers.derivation import JudgeOne, judge_derivation
from engine.answers.growth import judge_growth
from engine.answers.interval import one_at_a_time
from engine.answers.matrix import judge_matrix
from engine.answers.number import judge_number
from engine.answers.symbolic import judge_formula
from engine.answers.verdict import Verdict
from engine.errors import InputError
from engine.text import Text

MODES = ("symbolic", "numeric", "matrix", "asymptotic", "set", "derivation")
_LONGEST_LINE = 100_000
MOST_SLIPS = 12


@dataclass(frozen=True)
class Slip:
    """A wrong answer that is expected, and what to say of it. ``value`` is written as an answer would be."""

    value: str
    name: Text


@dataclass(frozen=True)
class Case:
    """A typed answer with what it is judged against; a wrong one that equals a slip is told so."""

    mode: str
    input: str
    reference: str
    symbols: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, object] = field(default_factory=dict)
    slips: tuple[Slip, ...] = ()


def case_of(line: str) -> Case:
    """A case from a line of JSON; fields beside those of :class:`Case` are ignored.

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
        if name == "mode" and document["mode"] not in MODES:
            # before the other fields are looked at: a typing error here is the likelier fault
            given, known = json.dumps(document["mode"][:40], ensure_ascii=False), " ".join(MODES)
            raise InputError(
                Text(
                    f"mode must be one of: {known}; not {given}",
                    f"mode 应为以下之一：{known}；而不是 {given}",
                )
            )
    for name in ("symbols", "options"):
        if not isinstance(document.get(name, {}), dict):
            raise InputError(Text(f"{name} must be an object", f"{name} 应为对象"))
    return Case(
        document["mode"],
        document["input"],
        document["reference"],
        document.get("symbols", {}),
        document.get("options", {}),
        _slips(document.get("slips", [])),
    )


def _slips(given: object) -> tuple[Slip, ...]:
    fault = InputError(
        Text(
            f"slips must be a list of at most {MOST_SLIPS} objects with value and name {{en, zh}}",
            f"slips 应为列表，最多 {MOST_SLIPS} 项，每项含 value 与 name {{en, zh}}",
        )
    )
    if not isinstance(given, list) or len(given) > MOST_SLIPS:
        raise fault
    found: list[Slip] = []
    for one in given:
        value, name = (one.get("value"), one.get("name")) if isinstance(one, dict) else (None, None)
        if not isinstance(value, str) or not isinstance(name, dict):
            raise fault
        english, chinese = name.get("en"), name.get("zh")
        if not isinstance(english, str) or not isinstance(chinese, str):
            raise fault
        found.append(Slip(value, Text(english, chinese)))
    return tuple(found)


def judge(case: Case) -> Verdict:
    """Judge a case by its mode. One at a time in a process: the precision of the numbers is shared.

    Raises:
        InputError: the case is at fault, not the answer.
    """
    with one_at_a_time:
        verdict = _judged(case)
        return _slipped(case, verdict) if verdict.verdict == "different" and case.slips else verdict


def _slipped(case: Case, verdict: Verdict) -> Verdict:
    """The verdict with the name of the first slip that the answer, or the bad line of a derivation, equals."""
    asked = case
    if case.mode == "derivation":
        options = dict(case.options)
        mode = str(options.pop("line_mode", "symbolic"))
        lines = case.input.split("\n")
        typed = lines[(verdict.line or len(lines)) - 1].strip().lstrip("=＝ ")
        asked = Case(mode, typed, "", case.symbols, options)
    for place, slip in enumerate(case.slips):
        try:
            found = _judged(replace(asked, reference=slip.value)).verdict
        except InputError as error:
            reason = Text(
                f"slip {place + 1} cannot be used: {error.text.en}",
                f"第 {place + 1} 个常见错误无法使用：{error.text.zh}",
            )
            raise InputError(reason) from error
        if found == "equal":
            return replace(verdict, reason=slip.name, slip=place)
    return verdict


def _judged(case: Case) -> Verdict:
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
