"""Prose and formulas as HTML: everything escaped, formulas as MathML."""

from __future__ import annotations

from html import escape as _escape

from engine.notation.mathml import mathml
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


def escaped(text: str) -> str:
    """Text that HTML shows as it stands, without control or direction-changing characters."""
    return _escape(clean(text), quote=True)


def inline(spans: tuple[Span, ...]) -> str:
    """A run of text, formulas and code."""
    parts = []
    for span in spans:
        match span:
            case Plain():
                parts.append(escaped(span.text))
            case Math():
                parts.append(mathml(span.latex, False))
            case CodeSpan():
                parts.append(f"<code>{escaped(span.text)}</code>")
    return "".join(parts)


def line(text: str) -> str:
    """A one-paragraph text (a question, an option), for use inside a heading or a cell."""
    return " ".join(_body(block) for block in parse_prose(text))


def prose(text: str) -> str:
    """A whole text as HTML blocks, list items gathered into lists."""
    parts: list[str] = []
    in_list = False
    for block in parse_prose(text):
        item = isinstance(block, ListItem)
        if item != in_list:
            parts.append("<ul>" if item else "</ul>")
            in_list = item
        match block:
            case Paragraph():
                parts.append(f"<p>{_body(block)}</p>")
            case ListItem():
                parts.append(f"<li>{_body(block)}</li>")
            case Display():
                parts.append(f'<div class="display">{_body(block)}</div>')
            case Code():
                parts.append(_body(block))
    if in_list:
        parts.append("</ul>")
    return "\n".join(parts)


def _body(block: Paragraph | ListItem | Display | Code) -> str:
    match block:
        case Paragraph() | ListItem():
            return inline(block.spans)
        case Display():
            return mathml(block.latex, True)
        case Code():
            return f"<pre><code>{escaped(block.text)}</code></pre>"
