"""How the status of a step reads: one sign and one word, the same on every screen and sheet."""

from __future__ import annotations

from engine.proof.step import Decided, Status
from engine.text import Text

SIGN: dict[Status, str] = {
    Status.PROVED: "✓",
    Status.PROVED_BOUNDED: "✓",
    Status.MEASURED: "≈",
    Status.DEFINED: "≔",
    Status.CITED: "¶",
    Status.REFUTED: "✗",
    Status.UNDECIDED: "?",
}

WORD: dict[Status, Text] = {
    Status.PROVED: Text("proved", "已证明"),
    Status.PROVED_BOUNDED: Text("proved for", "已证明，限于"),
    Status.MEASURED: Text("measured", "数值相符"),
    Status.DEFINED: Text("defined", "定义"),
    Status.CITED: Text("cited", "引用"),
    Status.REFUTED: Text("refuted", "已证伪"),
    Status.UNDECIDED: Text("undecided", "未判定"),
}


def badge(step: Decided) -> Text:
    """The step's sign and word: ``✓ proved for n=4``, ``✗ popular error, refuted``.

    A step that did not come out as its author expects says so.
    """
    word = WORD[step.status]
    if step.status is Status.PROVED_BOUNDED:
        word = Text(f"{word.en} {step.bound}", f"{word.zh} {step.bound}")
    elif step.status is Status.REFUTED and step.ok:
        word = Text("popular error, refuted", "流行误解，已证伪")
    if not step.ok:
        expected = WORD[step.expected]
        word = Text(f"{word.en}, but expected: {expected.en}", f"{word.zh}，但预期为：{expected.zh}")
    sign = SIGN[step.status]
    return Text(f"{sign} {word.en}", f"{sign} {word.zh}")
