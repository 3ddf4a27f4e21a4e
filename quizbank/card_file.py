"""Reading a card file: frozen cards out, every fault with its place, in one pass."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from engine.text import Text
from quizbank.card import TOPICS, Card
from quizbank.fault import Fault, shown
from quizbank.schema import CardFileModel, CardModel
from quizbank.yaml_nodes import Document, Loc, Node, read_document


@dataclass(frozen=True)
class CardFile:
    """What a card file holds: the cards without a fault, the faults, and the tree that knows places."""

    cards: tuple[Card, ...]
    faults: tuple[Fault, ...]
    document: Document


def read_card_file(path: Path, name: str = "") -> CardFile:
    """Read and check one card file; ``name`` stands for it in messages. Raises nothing.

    A card with a fault is left out; the others are kept.
    """
    document = read_document(path, name)
    faults = list(document.faults)
    if document.root is None:
        if not faults:
            faults.append(Fault(document.name, Text("the file is empty", "文件是空的")))
        return CardFile((), tuple(faults), document)
    root = document.root
    cards: list[Card] = []
    topic = _topic(document, faults)
    entries = root.entries["cards"][1] if "cards" in root.entries else None
    if entries is not None and entries.kind == "list":
        for position, node in enumerate(entries.items):
            loc: Loc = ("cards", position)
            last = entries.items[position + 1].line if position + 1 < len(entries.items) else None
            card = _card(document, loc, node, topic, faults)
            if card is not None and topic and not _touched(document, node.line, last):
                cards.append(card)
    return CardFile(tuple(cards), tuple(dict.fromkeys(faults)), document)


def _topic(document: Document, faults: list[Fault]) -> str:
    """The file's topic, empty where it has none; faults of the file's outer shape are added."""
    assert document.root is not None
    outer: Any = document.root.plain()
    if isinstance(outer, dict) and isinstance(outer.get("cards"), list):
        outer = {**outer, "cards": []}
    try:
        return str(CardFileModel.model_validate(outer).topic)
    except ValidationError as error:
        faults += [_fault(document, (), details) for details in error.errors()]
    topic = outer.get("topic") if isinstance(outer, dict) else None
    return topic if topic in TOPICS else ""


def _card(document: Document, loc: Loc, node: Node, topic: str, faults: list[Fault]) -> Card | None:
    try:
        model = CardModel.model_validate(node.plain())
    except ValidationError as error:
        faults += [_fault(document, loc, details) for details in error.errors()]
        return None
    return model.frozen_card(topic, f"{document.name}:{node.line}")


def _touched(document: Document, first: int, beyond: int | None) -> bool:
    """Whether the YAML itself has a fault in the lines of this entry."""
    return any(first <= line and (beyond is None or line < beyond) for line in document.faulty_lines)


def _fault(document: Document, loc: Loc, details: ErrorDetails) -> Fault:
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
