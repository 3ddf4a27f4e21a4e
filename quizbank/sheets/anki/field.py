r"""Prose and nodes as the HTML of an Anki field: formulas between MathJax's marks, everything else text.

A field is read five times: as HTML, for MathJax's ``\(…\)``, for ``[sound:…]``, ``[anki:…]`` and ``[latex]…[/latex]``,
and in a cloze for ``{{c1::…}}``. Text that looks like any of these is broken by an empty comment, which no reader
shows and Anki's editor keeps, or (MathJax reads through comments) by an element that MathJax leaves alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from html import escape

from engine.errors import InputError
from engine.notation.prose import (
    Block,
    Code,
    CodeSpan,
    Display,
    ListItem,
    Math,
    Paragraph,
    Plain,
    Span,
    clean,
)
from engine.notation.tree import mathml_element
from engine.text import Language, Text
from quizbank.sheets.document import spoken
from quizbank.sheets.reading import blocks_of

LANG = {"en": "en", "zh": "zh-Hans"}
_BREAK = "<!-- -->"
_COMMANDS = re.compile(r"\{(?=\{)|\}(?=\})|:(?=:)|\[(?=/?(?:\$|latex)|sound:|anki:)", re.IGNORECASE)
_MARKS = re.compile(r"\\(?=[()\[\]])")
_UNREAD = '<span class="tex2jax_ignore mathjax_ignore">&#92;</span>'
_IN_FORMULA = re.compile(r"\[(?=/?latex|sound:|anki:)", re.IGNORECASE)
_RENAMED = {
    "bm": r"\boldsymbol",
    "argmax": r"\operatorname*{arg\,max}",
    "argmin": r"\operatorname*{arg\,min}",
}
"""What our subset has and MathJax has not."""
_RENAMING = re.compile(rf"\\({'|'.join(_RENAMED)})(?![A-Za-z])")
_IN_CLOZE = re.compile(r"([{}:])(?=\1)")


def escaped(text: str) -> str:
    """Text that Anki shows as it stands, without control or direction-changing characters."""
    shown = escape(clean(text), quote=False)
    return _MARKS.sub(lambda _: _UNREAD, _COMMANDS.sub(lambda found: found[0] + _BREAK, shown))


def attribute(text: str) -> str:
    """Text as the value of an attribute in double quotes."""
    return escape(clean(text)).replace("[", "&#91;").replace("{", "&#123;")


def formula(latex: str, display: bool = False, cloze: bool = False, known: bool = False) -> str:
    """A formula for MathJax; one that cannot be read stands as it was written. ``known``: it is the engine's own.

    In a cloze ``}}`` would end the gap and ``::`` begin its hint; LaTeX reads a space between them as nothing.
    """
    latex = latex.strip()
    if not known and not _readable(latex):
        return f"<code>{escaped(f'${latex}$')}</code>"
    spelt = _RENAMING.sub(lambda found: _RENAMED[found[1]], latex)
    written = _IN_FORMULA.sub("[ ", escape(spelt, quote=False))
    if cloze:
        written = _IN_CLOZE.sub(r"\1 ", written)
    return rf"\[{written}\]" if display else rf"\({written}\)"


@lru_cache(maxsize=8192)
def _readable(latex: str) -> bool:
    try:
        mathml_element(latex, False)
    except InputError:
        return False
    return bool(latex)


def line(text: str, cloze: bool = False) -> str:
    """A text of one paragraph, to stand within another element; the paragraphs of a longer one with spaces between."""
    return " ".join(_body(block, cloze) for block in blocks_of(text))


def prose(text: str) -> str:
    """A whole text as HTML blocks, list items gathered into lists."""
    parts: list[str] = []
    in_list = False
    for block in blocks_of(text):
        item = isinstance(block, ListItem)
        if item != in_list:
            parts.append("<ul>" if item else "</ul>")
            in_list = item
        tag = {ListItem: "li", Paragraph: "p", Display: "div"}.get(type(block), "")
        body = _body(block, cloze=False)
        parts.append(f"<{tag}>{body}</{tag}>" if tag else body)
    if in_list:
        parts.append("</ul>")
    return "".join(parts)


def _body(block: Block, cloze: bool) -> str:
    match block:
        case Paragraph() | ListItem():
            return _inline(block.spans, cloze)
        case Display():
            return formula(block.latex, display=True, cloze=cloze)
        case Code():
            return f"<pre><code>{escaped(block.text)}</code></pre>"


def _inline(spans: Sequence[Span], cloze: bool) -> str:
    parts = []
    for span in spans:
        match span:
            case Plain():
                parts.append(escaped(span.text))
            case Math():
                parts.append(formula(span.latex, cloze=cloze))
            case CodeSpan():
                parts.append(f"<code>{escaped(span.text)}</code>")
    return "".join(parts)


def each(text: Text, languages: Sequence[Language], written: Callable[[str], str] = prose) -> str:
    """The text in each language, marked as being in it; once where it reads the same in all of them."""
    return "".join(
        f'<div lang="{LANG[language]}">{written(words)}</div>' for language, words in spoken(text, languages)
    )


def beside(text: Text, languages: Sequence[Language], written: Callable[[str], str] = escaped) -> str:
    """The same within a line: the languages with a space between them."""
    return " ".join(
        f'<span lang="{LANG[language]}">{written(words)}</span>'
        for language, words in spoken(text, languages)
    )


def plain(text: Text, languages: Sequence[Language]) -> str:
    """A plain text as a note under something."""
    return f'<p class="note">{beside(text, languages)}</p>'


def gap(number: int, text: str) -> str:
    """A text of one paragraph as the gap of a cloze."""
    body = line(text, cloze=True)
    # a brace at its end would join those that close the gap
    ending = _BREAK if body.endswith("}") else ""
    return f"{{{{c{number}::{body}{ending}}}}}"
