"""The words for what came of a typed program. All are plain text; what is quoted from the program is cleaned."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from engine.coding.compare import Difference
from engine.coding.process import MEMORY_BYTES, Execution
from engine.coding.wire import MAX_BYTES
from engine.notation.prose import clean
from engine.text import Text

Record = Mapping[str, Any]
Shapes = Mapping[str, "tuple[int, ...] | str"]

LOADING = ("syntax", "load", "missing")
"""Kinds of record after which no case was run."""

EMPTY = Text("nothing was written", "还没有写任何代码")
LONG = Text("refused: the program has more than {limit} characters", "未运行：代码超过 {limit} 个字符")
CHARACTERS = Text(
    "refused: the program holds a NUL or half a character; save it as UTF-8",
    "未运行：代码中有 NUL 或不完整的字符；请存为 UTF-8",
)
PASSED = Text("all {total} cases agree with the loops", "{total} 个用例通过，与循环实现一致")
TIMEOUT = Text("not done within {seconds} s", "{seconds} 秒内没有算完")

_SOLUTION = Text("its own solution is not accepted: {message}", "自带的解答未通过：{message}")
SLIPS_UNKNOWN = Text("the listed slips did not come to an end", "列出的错误写法没有运行完")
SLIP_ACCEPTED = Text("the slip {slip} is accepted", "错误写法 {slip} 竟然通过")
SLIP_UNNAMED = Text("the slip {slip} is named {named}", "错误写法 {slip} 被认作 {named}")

_SYNTAX = Text("line {line}: Python cannot read this: {message}", "第 {line} 行：Python 无法解析：{message}")
_MISSING = Text("there is no function called {name}", "没有名为 {name} 的函数")
_RAISED = Text("line {line}: {type}: {message}", "第 {line} 行：{type}：{message}")
_RAISED_OUTSIDE = Text("the call failed: {type}: {message}", "调用失败：{type}：{message}")
_MEMORY = Text(
    "line {line}: it asks for more memory than the {limit} MiB allowed",
    "第 {line} 行：内存需求超过 {limit} MiB 的上限",
)
_NOTHING = Text("the function returns None; a return is missing", "函数返回 None：缺少 return")
_COUNT = Text(
    "it returns {got}; asked for is a tuple of {count}: {names}",
    "返回的是 {got}；要求返回 {count} 元组：{names}",
)
_TYPE = Text(
    "{output}it returns {got}; asked for is an array of numbers", "{output}返回的是 {got}；要求返回数值数组"
)
_LARGE = Text(
    "{output}it returns an array of shape {shape}: more than {limit} MiB",
    "{output}返回的数组形状为 {shape}，超过 {limit} MiB",
)
_UNREADABLE = Text("what it returned could not be read back", "返回值无法读回")
_SHAPE = Text("{output}its shape is {got} and should be {expected}", "{output}形状是 {got}，应为 {expected}")
_DTYPE = Text(
    "{output}its dtype is {got} and should be {expected}", "{output}dtype 是 {got}，应为 {expected}"
)
_VALUES = Text(
    "{output}largest difference {largest} at {where}: {got} where {expected} is right",
    "{output}最大偏差 {largest}，位于 {where}：得到 {got}，应为 {expected}",
)
_NOT_FINITE = Text(
    "{output}not finite at {where}: {got} where {expected} is right",
    "{output}{where} 处不是有限值：得到 {got}，应为 {expected}",
)
_PLACE = Text(
    "{output}at {where}: {got} where {expected} is right", "{output}{where} 处得到 {got}，应为 {expected}"
)
_VALUE = Text("{output}{got} where {expected} is right", "{output}得到 {got}，应为 {expected}")
_OUTPUT = Text("{name}: ", "{name}：")
_SLIP = Text("This is what comes out {slip}.", "结果与一种常见错误完全一致：{slip}。")
_DIED = Text("the process was ended by signal {signal}", "进程被信号 {signal} 终止")
_LEFT = Text("the program ended the process itself", "程序自行结束了进程")
_CHANGED = Text(
    "it changes its argument {names} in place; whoever calls it is surprised",
    "它就地修改了参数 {names}，调用者会措手不及",
)
_FLOAT32 = Text(
    "it returns {dtype} where the arguments are float64: half of the digits are gone",
    "参数是 float64，返回的却是 {dtype}：有效数字丢了一半",
)

_CASE = Text(
    "Case {number} of {total}, {note} ({shapes}):",
    "第 {number} 个用例（共 {total} 个），{note}（{shapes}）：",
)


def where(index: int, total: int, note: Text, shapes: Shapes) -> Text:
    """The head of a message: which case, what it tries, the shapes of its arguments."""
    listed = [f"{name} {shape}" for name, shape in shapes.items()]
    number = index + 1
    return Text(
        _CASE.en.format(number=number, total=total, note=note.en, shapes=", ".join(listed)),
        _CASE.zh.format(number=number, total=total, note=note.zh, shapes="，".join(listed)),
    )


def joined(parts: Sequence[Text]) -> Text:
    """Sentences in a row: with a space in English, without one in Chinese."""
    return Text(" ".join(part.en for part in parts), "".join(part.zh for part in parts))


def with_slip(message: Text, slip: Text) -> Text:
    """A message and the sentence that names a slip."""
    return Text(
        f"{message.en}. {_SLIP.en.format(slip=slip.en)}", f"{message.zh}。{_SLIP.zh.format(slip=slip.zh)}"
    )


def solution(message: Text) -> Text:
    """Its own solution fails, and why."""
    return Text(_SOLUTION.en.format(message=message.en), _SOLUTION.zh.format(message=message.zh))


def loading(record: Record, function: str) -> Text:
    """Why no case was run."""
    if record.get("kind") == "syntax":
        return _SYNTAX.filled(line=line_of(record) or 1, message=_quoted(record, "message"))
    if record.get("kind") == "missing":
        return _MISSING.filled(name=function)
    return _raised(record)


def calling(record: Record, outputs: Sequence[str]) -> Text:
    """Why a call gave nothing to compare."""
    kind = record.get("kind")
    place = record.get("output")
    name = outputs[place] if len(outputs) > 1 and isinstance(place, int) and place < len(outputs) else ""
    got = _quoted(record, "type")
    if kind == "raised":
        return _raised(record)
    if kind == "nothing":
        return _NOTHING
    if kind == "count":
        count = record.get("count")
        shown = f"{got} × {count}" if got in ("tuple", "list") else got
        return _COUNT.filled(got=shown, count=len(outputs), names=", ".join(outputs))
    if kind == "type":
        return _of(_TYPE, name, got=got)
    if kind == "large":
        shape = record.get("shape")
        return _of(_LARGE, name, shape=shape, limit=MAX_BYTES // 2**20)
    return _UNREADABLE


def difference(wrong: Difference, output: str) -> Text:
    """Where a result parts from the right one."""
    if wrong.problem == "shape":
        return _of(_SHAPE, output, got=wrong.got, expected=wrong.expected)
    if wrong.problem == "dtype":
        return _of(_DTYPE, output, got=wrong.got, expected=wrong.expected)
    if not wrong.where:
        return _of(_VALUE, output, got=wrong.got, expected=wrong.expected)
    place = "[" + ", ".join(map(str, wrong.where)) + "]"
    if wrong.largest is None:
        return _of(_PLACE, output, where=place, got=wrong.got, expected=wrong.expected)
    template = _VALUES if math.isfinite(wrong.largest) else _NOT_FINITE
    largest = f"{wrong.largest:.3g}"
    return _of(template, output, largest=largest, where=place, got=wrong.got, expected=wrong.expected)


def died(execution: Execution) -> Text:
    """Why the process ended before the cases did."""
    return _DIED.filled(signal=-execution.status) if execution.status < 0 else _LEFT


def notes(records: Iterable[Record]) -> tuple[Text, ...]:
    """What is not wrong but worth saying."""
    changed: dict[str, None] = {}
    narrow: dict[str, None] = {}
    for record in records:
        names, dtypes = record.get("changed"), record.get("dtypes")
        changed |= dict.fromkeys(str(name) for name in names) if isinstance(names, list) else {}
        found = [str(dtype) for dtype in dtypes] if isinstance(dtypes, list) else []
        narrow |= dict.fromkeys(dtype for dtype in found if dtype in ("float16", "float32"))
    said = [_CHANGED.filled(names=clean(", ".join(changed)))] if changed else []
    return (*said, *(_FLOAT32.filled(dtype=dtype) for dtype in narrow))


def verdict_of(record: Record) -> Literal["error", "memory", "failed", "refused"]:
    """What a record without a comparable value comes to."""
    if record.get("kind") == "syntax":
        # nothing of it ran, so nothing is known of what it does
        return "refused"
    if record.get("kind") in ("load", "missing", "raised"):
        return "memory" if record.get("memory") is True else "error"
    return "failed"


def line_of(record: Record) -> int | None:
    """The line of the person's program that a record names."""
    line = record.get("line")
    return line if type(line) is int else None


def _raised(record: Record) -> Text:
    line, name, message = line_of(record), _quoted(record, "type"), _quoted(record, "message")
    if record.get("memory") is True:
        return _MEMORY.filled(line=line or "?", limit=MEMORY_BYTES // 2**20)
    if line is None:
        return _RAISED_OUTSIDE.filled(type=name, message=message)
    return _RAISED.filled(line=line, type=name, message=message)


def _of(template: Text, output: str, **values: object) -> Text:
    """A sentence about one of several outputs, which it names first."""
    head = _OUTPUT.filled(name=output) if output else Text("", "")
    return Text(template.en.format(output=head.en, **values), template.zh.format(output=head.zh, **values))


def _quoted(record: Record, field: str) -> str:
    return " ".join(clean(str(record.get(field, ""))).split())
