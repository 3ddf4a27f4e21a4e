"""Texts as Typst string literals: no character of a card is ever read as markup or code."""

from __future__ import annotations

import re

from engine.notation.prose import clean

_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\n", "\t": "\\t"})
_LONG = re.compile(r"[!-~]{30,}")
_PART = re.compile(r".{1,16}", re.DOTALL)


def string(text: str) -> str:
    """A text as a literal, quotes included; what could reorder or command is taken out."""
    return f'"{clean(text).translate(_ESCAPES)}"'


def strings(parts: tuple[str, ...]) -> str:
    """Literals as an array."""
    return f"({''.join(string(part) + ',' for part in parts)})"


def shown(text: str) -> str:
    """A text of one line in markup, as it stands; a word that is too long for any line may be broken."""
    words = " ".join(clean(text).split("\n")).expandtabs(1)
    out, at = "", 0
    for match in _LONG.finditer(words):
        out += _literal(words[at : match.start()])
        out += "#h(0pt)".join(_literal(part) for part in _PART.findall(match.group()))
        at = match.end()
    return out + _literal(words[at:])


def _literal(text: str) -> str:
    # the semicolon ends the expression, so that nothing after it can continue it
    return f"#{string(text)};" if text else ""
