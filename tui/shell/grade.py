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

    A case that is at fault itself is answered ``undecided`` with the fault as its reason.

    Raises:
        InputError: stdin is not UTF-8.
    """
    with Judge() as judged:
        number = 0
        try:
            for number, line in enumerate(sys.stdin, 1):
                if line.strip():
                    sys.stdout.write(json.dumps(_answer(line, number, judged), ensure_ascii=False) + "\n")
                    sys.stdout.flush()
        except UnicodeDecodeError as error:
            raise InputError(
                Text("the cases must be UTF-8", "输入须为 UTF-8 编码"), f"stdin:{number + 1}"
            ) from error
    return 0


def _answer(line: str, number: int, judged: Judge) -> dict[str, object]:
    try:
        return judged(case_of(line)).as_json()
    except InputError as error:
        text = error.text
        reason = {"en": f"line {number}: {text.en}", "zh": f"第 {number} 行：{text.zh}"}
        return {"verdict": "undecided", "reason": reason, "reading": "", "counterexample": None, "line": None}
