"""Prose and formulas as Markdown, in two flavours.

``github`` writes formulas between ``$`…`$`` and in ```` ```math ```` fences, which GitHub keeps
whole; ``plain`` writes ``$…$`` and ``$$`` for Obsidian, Typora and pandoc.
"""

from __future__ import annotations

import re

from engine.notation.prose import (
    Code,
    CodeSpan,
    Display,
    ListItem,
    Math,
    Paragraph,
    Plain,
    Span,
    clean,
    parse_prose,
)
from quizbank.sheets.formats import Flavour

# characters that Markdown or the HTML inside it would take for markup
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$&!])")
# a line that begins like a list item, a quotation, a setext underline or an ordered item
_LINE_START = re.compile(r"^(\s*)(?:([-+=>])|(\d+)([.)]))")


def escaped(text: str) -> str:
    """Text that Markdown shows as it stands."""
    escaped_text = _SPECIAL.sub(r"\\\1", " ".join(clean(text).split("\n")))
    return _LINE_START.sub(lambda m: f"{m[1]}\\{m[2]}" if m[2] else f"{m[1]}{m[3]}\\{m[4]}", escaped_text)


def math(latex: str, flavour: Flavour) -> str:
    """An inline formula."""
    return f"$`{latex}`$" if flavour == "github" else f"${latex.strip()}$"


def display(latex: str, flavour: Flavour) -> str:
    """A formula on lines of its own."""
    return f"```math\n{latex}\n```" if flavour == "github" else f"$$\n{latex}\n$$"


def inline(spans: tuple[Span, ...], flavour: Flavour, bar: str = "|") -> str:
    """A run of text, formulas and code. ``bar``: what stands for | in formulas, which would end the cell of a table."""
    parts = []
    for span in spans:
        match span:
            case Plain():
                parts.append(escaped(span.text))
            case Math():
                latex = span.latex if bar == "|" else span.latex.replace(r"\|", r"\Vert ").replace("|", bar)
                parts.append(math(latex, flavour))
            case CodeSpan():
                parts.append(_code_span(span.text))
    return "".join(parts)


def line(text: str, flavour: Flavour, bar: str = "|") -> str:
    """A one-paragraph text (a question, an option) as one line; ``bar`` as in :func:`inline`."""
    blocks = parse_prose(text)
    return " ".join(
        inline(block.spans, flavour, bar)
        if isinstance(block, Paragraph | ListItem)
        else _block(block, flavour)
        for block in blocks
    )


def prose(text: str, flavour: Flavour) -> str:
    """A whole text as Markdown blocks, list items kept together."""
    parts: list[str] = []
    after_item = False
    for block in parse_prose(text):
        written = _block(block, flavour)
        if isinstance(block, ListItem) and after_item:
            parts[-1] += "\n" + written
        else:
            parts.append(written)
        after_item = isinstance(block, ListItem)
    return "\n\n".join(parts)


def _block(block: Paragraph | ListItem | Display | Code, flavour: Flavour) -> str:
    match block:
        case Paragraph():
            return inline(block.spans, flavour)
        case ListItem():
            return "- " + inline(block.spans, flavour)
        case Display():
            return display(block.latex, flavour)
        case Code():
            fence = "`" * max(3, _longest_ticks(block.text) + 1)
            return f"{fence}{block.language}\n{block.text}\n{fence}"


def _code_span(text: str) -> str:
    ticks = "`" * (_longest_ticks(text) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def _longest_ticks(text: str) -> int:
    return max((len(run) for run in re.findall(r"`+", text)), default=0)
