"""`grade`: typed answers judged, a JSON line each in and out."""

from __future__ import annotations

import json
import sys

from engine.answers.judge import case_of
from engine.answers.worker import Judge
from engine.errors import InputError
from engine.text import Language, Text


def grade(lang: Language) -> int:
    """Judge the cases on stdin, in order, until it ends; blank lines are passed over.

    A case that is at fault itself is answered ``undecided`` with the fault as its reason, so that every line has its
    answer; the call ends as one whose input was wrong.

    Raises:
        InputError: stdin is not UTF-8, or, after all answers, the first case that is at fault.
    """
    faults: list[tuple[int, Text]] = []
    with Judge() as judged:
        number = 0
        try:
            for number, line in enumerate(sys.stdin, 1):
                if not line.strip():
                    continue
                try:
                    answer = judged(case_of(line)).as_json()
                except InputError as error:
                    faults.append((number, error.text))
                    answer = _at_fault(error.text, number)
                sys.stdout.write(json.dumps(answer, ensure_ascii=False) + "\n")
                sys.stdout.flush()
        except UnicodeDecodeError as error:
            raise InputError(
                Text("the cases must be UTF-8", "输入须为 UTF-8 编码"), f"stdin:{number + 1}"
            ) from error
    if faults:
        (first, text), more = faults[0], len(faults) - 1
        if more:
            text = Text(f"{text.en} (and {more} more)", f"{text.zh}（另有 {more} 处）")
        raise InputError(text, f"stdin:{first}")
    return 0


def _at_fault(text: Text, number: int) -> dict[str, object]:
    reason = {"en": f"line {number}: {text.en}", "zh": f"第 {number} 行：{text.zh}"}
    return {"verdict": "undecided", "reason": reason, "reading": "", "counterexample": None, "line": None}
