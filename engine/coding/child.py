"""The process in which a typed program runs: limits first, then program by program, case by case.

It is started in an empty folder with nothing on its standard input, and writes one JSON line a case
as soon as the case is done, so that the parent knows how far it came when it has to be ended.
"""

from __future__ import annotations

import copy
import inspect
import io
import json
import linecache
import sys
import types
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from engine.coding import limits
from engine.coding.wire import WireError, decode, encode

ANSWER = "answer.py"
"""The name of the person's file in messages and warnings."""

JOB, RESULTS, PRINTED = "job.json", "results.jsonl", "printed.txt"

PRINTED_CHARACTERS = 4_000
_MESSAGE_CHARACTERS = 400


def main(folder: Path) -> None:
    """Read the job in ``folder``, run its programs, write their results there."""
    job = json.loads((folder / JOB).read_text(encoding="utf-8"))
    cases = [{name: _argument(value) for name, value in case.items()} for case in job["cases"]]
    with (
        (folder / RESULTS).open("w", encoding="ascii") as results,
        (folder / PRINTED).open("w", encoding="utf-8", errors="replace") as printed,
    ):
        limits.apply(job["memory"], job["cpu"])
        shown = _Printed(printed)
        sys.stdout = sys.stderr = shown

        def write(record: Mapping[str, Any]) -> None:
            results.write(json.dumps(record) + "\n")
            results.flush()

        for number, source in enumerate(job["programs"]):
            shown.expect(source)
            _run(number, source, job, cases, write)


def _run(
    number: int,
    source: str,
    job: Mapping[str, Any],
    cases: list[dict[str, Any]],
    write: Callable[[Mapping[str, Any]], None],
) -> None:
    """One program: its module body, then its function on every case."""
    module = types.ModuleType("answer")
    module.__dict__["np"] = np
    # where a dataclass looks for its own names
    sys.modules[module.__name__] = module
    try:
        code = compile(source, ANSWER, "exec", dont_inherit=True)
    except SyntaxError as error:
        message = f"{error.msg}"
        write({"program": number, "kind": "syntax", "line": error.lineno, "message": _short(message)})
        return
    except BaseException as error:
        write({"program": number, "kind": "load", **_raised(error)})
        return
    try:
        # one that reads more code and cannot is a program that raises
        exec(code, module.__dict__)
    except BaseException as error:
        write({"program": number, "kind": "load", **_raised(error)})
        return
    function = getattr(module, job["function"], None)
    if not callable(function):
        write({"program": number, "kind": "missing"})
        return
    for index, case in enumerate(cases):
        record = _answer(function, case, job["outputs"])
        write({"program": number, "case": index, **record})


def _answer(function: Callable[..., Any], case: Mapping[str, Any], outputs: int) -> dict[str, Any]:
    given = copy.deepcopy(dict(case))
    try:
        returned = _called(function, given)
    except BaseException as error:
        return {"kind": "raised", **_raised(error)}
    changed = [name for name in case if not _same(case[name], given[name])]
    try:
        return {**_value(returned, outputs), "changed": changed}
    except BaseException as error:
        return {"kind": "raised", **_raised(error)}


def _called(function: Callable[..., Any], given: Mapping[str, Any]) -> Any:
    """By name where the parameters kept theirs, else by place: a parameter may be renamed or moved."""
    try:
        inspect.signature(function).bind(**given)
    except (TypeError, ValueError):
        return function(*given.values())
    return function(**given)


def _value(returned: Any, outputs: int) -> dict[str, Any]:
    if returned is None:
        return {"kind": "nothing"}
    if outputs == 1:
        parts = [returned]
    elif isinstance(returned, (tuple, list)) and len(returned) == outputs:
        parts = list(returned)
    else:
        count = len(returned) if isinstance(returned, (tuple, list)) else 1
        return {"kind": "count", "type": _short(type(returned).__name__), "count": count}
    arrays, given = [], []
    for place, part in enumerate(parts):
        try:
            array = np.asarray(part)
            arrays.append(encode(array))
        except WireError:
            size = "large" if array.dtype.kind in "fiub" else "type"
            name = str(array.dtype) if isinstance(part, np.ndarray) else type(part).__name__
            return {"kind": size, "output": place, "type": _short(name), "shape": list(array.shape)}
        except ValueError:
            # rows of unequal length
            return {"kind": "type", "output": place, "type": _short(type(part).__name__), "shape": []}
        given.append(array.dtype.name)
    return {"kind": "value", "arrays": arrays, "dtypes": given}


def _argument(value: Any) -> Any:
    return decode(value) if isinstance(value, dict) else value


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray):
        return isinstance(other, np.ndarray) and one.shape == other.shape and one.tobytes() == other.tobytes()
    return bool(one == other)


def _raised(error: BaseException) -> dict[str, Any]:
    """Type, message and the last line of the person's own program on the way."""
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == ANSWER:
            line = trace.tb_lineno
        trace = trace.tb_next
    try:
        message = str(error)
    except Exception:
        message = ""
    return {
        "type": _short(type(error).__name__),
        "message": _short(message),
        "line": line,
        "memory": isinstance(error, MemoryError),
    }


def _short(text: str) -> str:
    return text[:_MESSAGE_CHARACTERS]


class _Printed(io.TextIOBase):
    """What the program prints, up to a limit; the rest is dropped."""

    def __init__(self, file: TextIO) -> None:
        self.file = file
        self.left = PRINTED_CHARACTERS

    def expect(self, source: str) -> None:
        """Warnings quote the line they come from."""
        linecache.cache[ANSWER] = (len(source), None, source.splitlines(keepends=True), ANSWER)

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        kept = text[: self.left]
        self.left -= len(kept)
        if kept:
            self.file.write(kept)
            self.file.flush()
        return len(text)
