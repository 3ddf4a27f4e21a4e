"""Whether two texts say the same to a reader, told from their words.

Two options that differ in one word may be a fair minimal pair ("over the rows", "over the columns") or one
answer written twice ("the mean", "its mean"). So it is not the amount of difference that decides but what
differs: numbers, formulas, negations, quantifiers, and a content word in the place of another always set texts
apart; articles, endings, spelling, punctuation, width and case never do; words that are merely added do not
where the rest agrees to :data:`NEAR` in both languages.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from difflib import SequenceMatcher
from functools import lru_cache

from engine.text import Text

NEAR = 0.9
"""Share of the characters in common from which added words count for nothing."""

_TOKEN = re.compile(
    r"(?P<formula>@\{[^}]*\}|\$\$?[^$]+\$\$?|`[^`]+`|[<>=≤≥≠≈±+−×÷*/√∞→←↑↓∝%])"
    r"|(?P<number>\d[\d.,]*)"
    r"|(?P<word>[^\W\d_\u3400-\u9fff]+(?:['’][a-z]+)?)"
    r"|(?P<han>[\u3400-\u9fff])"
)
# words that carry no sense of their own, and words that always do
_EMPTY = frozenset({
    "a", "an", "the", "of", "is", "are", "was", "were", "be", "been", "being", "it", "its", "their", "this", "that", "these",
    "those", "which", "there", "so", "then", "has", "have", "do", "does", "did", "as", "in", "on", "for",
    "的", "了", "是", "地", "得", "着", "就", "会", "也", "则", "便", "其", "该", "此", "这", "那", "之",
})  # fmt: skip
_DECISIVE = frozenset({
    "no", "not", "never", "none", "nor", "neither", "without", "cannot", "only", "all", "every", "each",
    "any", "always", "some", "most", "both", "except", "and", "or", "不", "非", "无", "未", "没", "否", "只", "仅",
    "全", "每", "各", "均", "皆", "都", "任", "除", "反", "逆", "少", "多", "或",
})  # fmt: skip
_SAME = {"与": "和", "及": "和", "exactly": "", "simply": "", "just": ""}
_ENDINGS = re.compile(r"(?<=[a-z]{3})(?:ings?|ed|es|ly|s|e)$")
_LONG, _SPELLED = 6, 0.8


def alike(left: Text, right: Text) -> bool:
    """Whether two texts say the same in either language, or nearly the same in both."""
    likeness = [_compared(a, b) for a, b in zip(left, right, strict=True)]
    return "same" in likeness or likeness == ["near", "near"]


@lru_cache(maxsize=8192)
def content(text: str) -> tuple[str, ...]:
    """What carries the sense of a text, in order: stems, hanzi, numbers, formulas.

    Formulas and numbers keep a mark in front that no word has.
    """
    out = []
    for kind, token in _tokens(unicodedata.normalize("NFKC", text)):
        if kind == "formula":
            out.append("$" + "".join(token.split()))
        elif kind == "number":
            out.append("#" + token.replace(",", "").rstrip("."))
        else:
            word = _SAME.get(token.casefold(), token.casefold())
            if word and word not in _EMPTY:
                out.append(word if word in _DECISIVE else _ENDINGS.sub("", word))
    return tuple(out)


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    for match in _TOKEN.finditer(text):
        yield match.lastgroup or "", match[0]


def _compared(left: str, right: str) -> str:
    """``same``, ``near`` or ``different``."""
    a, b = content(left), content(right)
    if not a or not b:
        return "same" if _folded(left) == _folded(right) else "different"
    added = False
    for tag, i, j, k, n in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        gone, come = a[i:j], b[k:n]
        if any(_decides(token) for token in (*gone, *come)):
            return "different"
        if not gone or not come:
            added = True
        elif len(gone) != len(come) or not all(map(_spelled_alike, gone, come)):
            return "different"
    if not added:
        return "same"
    ratio = SequenceMatcher(None, _folded(left), _folded(right), autojunk=False).ratio()
    return "near" if ratio > NEAR else "different"


def _decides(token: str) -> bool:
    return token[0] in "$#" or token in _DECISIVE or token.endswith(("n't", "n’t"))


def _spelled_alike(left: str, right: str) -> bool:
    """One word in two spellings or forms: a shared beginning, so that no prefix turns its sense."""
    return (
        min(len(left), len(right)) >= _LONG
        and left[:3] == right[:3]
        and SequenceMatcher(None, left, right, autojunk=False).ratio() >= _SPELLED
    )


def _folded(text: str) -> str:
    """Case, width, space and punctuation folded away."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return "".join(character for character in plain if unicodedata.category(character)[0] not in "PZC")
