"""The characters people type, brought to plain ones by an explicit table; look-alikes are refused by name.

A table, not Unicode normalisation: NFKC would turn ``½`` into ``1⁄2`` after a digit (so 1½ became 11⁄2)
and ``²`` into ``2``.
"""

from __future__ import annotations

import unicodedata

from engine.answers.placed import Placed
from engine.answers.verdict import invalid, unsafe

LONGEST = 400
"""Characters a line may have."""

_PLAIN = {
    "×": "*", "·": "*", "⋅": "*", "∙": "*", "∗": "*", "÷": "/", "∕": "/", "⁄": "/",
    "−": "-", "–": "-", "﹣": "-", "。": ".", "、": ",",
    "【": "[", "】": "]", "〔": "(", "〕": ")",
    "’": "'", "′": "'",
    "\u3000": " ", "\u00a0": " ", "\u2009": " ", "\u202f": " ", "\t": " ",
}  # fmt: skip
_SUPERSCRIPTS = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺⁽⁾", "0123456789-+()", strict=True))
_SUBSCRIPTS = dict(zip("₀₁₂₃₄₅₆₇₈₉ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", "0123456789aehijklmnoprstuvx", strict=True))

GREEK = frozenset("αβγδεζηθικλμνξοπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩϵϑϕ")
_LETTERS_READ = GREEK | {"µ", "ℓ"}
_SIGNS_READ = frozenset("√∛½¼¾⅓⅔⅛⅜⅝⅞∞∘⊙∈∑∏≤≥≠±≈ᵀ⊤‖万亿")


def plain(text: str) -> str:
    """The text in plain characters: full-width forms, operators, superscripts (``^(…)``), subscripts (``_…``).

    Raises:
        RefusalError: longer than a line may be, or a character that is not read; its name is in the reason.
    """
    return placed_plain(Placed.of(text)).text


def placed_plain(line: Placed) -> Placed:
    """As :func:`plain`, each character with its place."""
    if len(line.text) > LONGEST:
        raise unsafe("a line has at most {n} characters", "一行最多 {n} 个字符", n=LONGEST)
    pieces: list[str] = []
    run = ""
    for at, character in enumerate(line.text):
        here = "super" if character in _SUPERSCRIPTS else "sub" if character in _SUBSCRIPTS else ""
        opening = ("^(" if here == "super" else "_") if here and here != run else ""
        closing = ")" if run == "super" and here != "super" else ""
        run = here
        pieces.append(closing + opening + _plain(character, line.origins[at]))
    return line.then([*pieces, ")" if run == "super" else ""])


def _plain(character: str, at: int) -> str:
    if "\uff01" <= character <= "\uff5e":
        return chr(ord(character) - 0xFEE0)
    for table in (_PLAIN, _SUPERSCRIPTS, _SUBSCRIPTS):
        if character in table:
            return table[character]
    if " " <= character <= "~" or character in _LETTERS_READ or character in _SIGNS_READ:
        return character
    name = unicodedata.name(character, f"U+{ord(character):04X}").lower()
    if character.isalpha() and (twin := _TWINS.get(character.lower())):
        raise invalid(
            "this letter only looks like {twin}: it is {name}",
            "这个字母只是看上去像 {twin}：它是 {name}",
            at,
            twin=twin,
            name=name,
        )
    if name.startswith("cjk "):
        # Unicode names a hanzi by its number alone
        raise invalid("the character “{it}” is not read here", "这里不能使用字符“{it}”", at, it=character)
    raise invalid("the character {name} is not read here", "这里不能使用字符 {name}", at, name=name)


# Cyrillic and Armenian letters drawn as Latin ones; others are named without a twin.
_TWINS = {
    "а": "a", "в": "b", "с": "c", "ԁ": "d", "е": "e", "һ": "h", "і": "i", "ј": "j", "к": "k", "м": "m",
    "о": "o", "р": "p", "ԛ": "q", "ѕ": "s", "т": "t", "у": "y", "х": "x", "ԝ": "w", "ո": "n", "օ": "o", "ս": "u",
}  # fmt: skip
