"""How the status of a step reads: one sign and one word, the same on every screen and sheet."""

from __future__ import annotations

import re

from engine.proof.step import Decided, Status
from engine.text import Text, same

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


METHOD: dict[str, Text] = {
    "structural": Text("both sides are one expression", "两边化为同一表达式"),
    "expand": Text("multiplied out", "展开后相等"),
    "expand_trig": Text("angle sums expanded", "按和角公式展开后相等"),
    "pythagoras": Text("by sin² + cos² = 1", "利用 sin² + cos² = 1"),
    "rational": Text("over one denominator", "通分后相等"),
    "logarithms": Text("logarithms combined", "合并对数后相等"),
    "radicals": Text("roots by their relations", "按根式关系化简后相等"),
    "piecewise": Text("branch by branch", "逐分支判定"),
    "matrix algebra": Text("matrix algebra", "矩阵代数"),
    "sign": Text("sign from the assumptions", "由假设判定符号"),
    "sign after factoring": Text("sign after factoring", "因式分解后判定符号"),
    "sign after factoring exponentials": Text(
        "sign after factoring, each exponential a symbol", "把指数视为符号，因式分解后判定符号"
    ),
    "witness": Text("a point where they differ", "取到两边不等的一点"),
    "counterexample": Text("a counterexample", "反例"),
    "shape": Text("the shapes differ", "形状不同"),
    "none": Text("no method decided it", "没有方法能判定"),
    "inexact numbers": Text("holds inexact numbers", "含有不精确的数"),
    "undefined": Text("a side is undefined", "有一边无定义"),
    "closed form disagrees with plain addition": Text(
        "closed form disagrees with plain addition", "闭式与逐项相加不一致"
    ),
}

_WITNESS = re.compile(r"sign of a witness \((.+)\)")
_CASES = re.compile(r"(\d+) cases")
_POINTS = re.compile(r"(\d+) points, (\d+) digits")


def method(step: Decided) -> Text:
    """How the step was decided, in words; empty for a definition or a source's word."""
    if found := _WITNESS.fullmatch(step.method):
        inner = METHOD.get(found[1], same(found[1]))
        return Text(f"sign of an equal form, {inner.en}", f"由等价形式判定符号，{inner.zh}")
    if found := _CASES.fullmatch(step.method):
        return Text(f"{found[1]} cases, each exactly", f"逐一精确判定 {found[1]} 种情形")
    if found := _POINTS.fullmatch(step.method):
        return Text(f"{found[1]} points, {found[2]} digits", f"{found[1]} 个取样点，{found[2]} 位精度")
    return METHOD.get(step.method, same(step.method))
