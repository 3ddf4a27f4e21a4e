"""What a validator reports, as a fault with its place and in both languages."""

from __future__ import annotations

from typing import Any

from pydantic_core import ErrorDetails

from engine.text import Text
from quizbank.fault import Fault, shown
from quizbank.yaml_nodes import Document, Loc


def validation_fault(document: Document, loc: Loc, details: ErrorDetails) -> Fault:
    """The fault that a validator's error about the value at ``loc`` of a document stands for."""
    inner = details["loc"]
    context = details.get("ctx", {})
    where = document.place((*loc, *inner), context.get("offset"))
    if details["type"] == "extra_forbidden" or inner[-1:] == ("[key]",):
        key = document.find((*loc, *inner))[1]
        where = f"{document.name}:{key.line}:{key.column}" if key is not None else where
    return Fault(where, _message(details, context))


def _message(details: ErrorDetails, context: dict[str, Any]) -> Text:
    """The validator's error in both languages, with the value that was given."""
    steps = [step for step in details["loc"] if isinstance(step, str) and step != "[key]"]
    field = shown(steps[-1]) if steps else ""
    given = details["input"]
    found = shown(given) if isinstance(given, str | int | float) else ""
    kind = details["type"]
    match kind:
        case "expression":
            return Text(context["en"], context["zh"])
        case "missing":
            return Text("{f} is missing", "缺少 {f}").filled(f=field)
        case "extra_forbidden":
            return Text("the key {f} is not known here", "此处没有 {f} 这个键").filled(f=field)
        case "union_tag_invalid" if context["discriminator"] != "'kind'":
            return Text("this must be a number or a text", "此处应为数或文本")
        case "literal_error" | "union_tag_invalid":
            allowed = context.get("expected") or context["expected_tags"]
            allowed = allowed.replace("'", "").replace(" or ", ", ")
            value = found or shown(context.get("tag", field))
            return Text("{v} is not one of {a}", "{v} 不在可选值之内：{a}").filled(v=value, a=allowed)
        case "union_tag_not_found":
            return Text("kind is missing", "缺少 kind")
        case "string_pattern_mismatch":
            return Text("{v} does not have the form {p}", "{v} 不符合格式 {p}").filled(
                v=found, p=context["pattern"].strip("^$")
            )
        case "blank":
            return Text("the text is empty", "文本为空")
        case "string_too_long":
            return Text("longer than {n} characters", "超过 {n} 个字符").filled(n=context["max_length"])
        case "too_short":
            return Text("at least {n} are needed", "至少需要 {n} 个").filled(n=context["min_length"])
        case "too_long":
            return Text("at most {n} are allowed", "最多 {n} 个").filled(n=context["max_length"])
        case "greater_than_equal":
            return Text("{v} is negative", "{v} 为负").filled(v=found)
        case "finite_number":
            return Text("{v} is not a finite number", "{v} 不是有限的数").filled(v=found)
        case _ if kind in _WANTED:
            wanted = _WANTED[kind]
            return Text(f"this must be {wanted.en}", f"此处应为{wanted.zh}")
        case _:
            return Text("not valid: {m}", "不合要求：{m}").filled(m=shown(details["msg"], 120))


_WANTED = {
    "string_type": Text("a text (in quotes if it looks like a number)", "文本（若形似数字请加引号）"),
    "int_type": Text("a whole number", "整数"),
    "float_type": Text("a number", "数"),
    "bool_type": Text("true or false", " true 或 false"),
    "list_type": Text("a list", "列表"),
    "dict_type": Text("a mapping", "映射"),
    "model_type": Text("a mapping with the keys of the format", "含规定键的映射"),
    "model_attributes_type": Text("a mapping with the keys of the format", "含规定键的映射"),
}
