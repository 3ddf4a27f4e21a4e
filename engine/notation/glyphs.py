"""Unicode forms of scripts, accents and alphabets, for the terminal."""

from __future__ import annotations

import unicodedata

SUPERSCRIPTS = {
    **dict(zip("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹", strict=True)),
    **dict(zip("abcdefghijklmnoprstuvwxyz", "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ", strict=True)),
    **dict(zip("ABDEGHIJKLMNOPRTUVW", "ᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂ", strict=True)),
    "+": "⁺", "−": "⁻", "=": "⁼", "(": "⁽", ")": "⁾", "⊤": "ᵀ", "β": "ᵝ", "γ": "ᵞ", "δ": "ᵟ", "θ": "ᶿ", "φ": "ᵠ", "χ": "ᵡ",
    "′": "′", "″": "″", "‴": "‴", "∗": "*", "⋆": "*", "*": "*", "∘": "°", "†": "†",
}  # fmt: skip
SUBSCRIPTS = {
    **dict(zip("0123456789", "₀₁₂₃₄₅₆₇₈₉", strict=True)),
    **dict(zip("aehijklmnoprstuvx", "ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", strict=True)),
    "+": "₊", "−": "₋", "=": "₌", "(": "₍", ")": "₎", "β": "ᵦ", "γ": "ᵧ", "ρ": "ᵨ", "φ": "ᵩ", "χ": "ᵪ",
}  # fmt: skip

COMBINING = {
    "hat": "\u0302", "tilde": "\u0303", "bar": "\u0304", "vec": "\u20d7", "dot": "\u0307", "ddot": "\u0308", "check": "\u030c",
    "breve": "\u0306", "ring": "\u030a", "acute": "\u0301", "grave": "\u0300", "line": "\u0305", "arrow": "\u20d7",
    "leftarrow": "\u20d6",
}  # fmt: skip

ABOVE = {
    "hat": "^", "tilde": "~", "bar": "¯", "vec": "→", "dot": "˙", "ddot": "¨", "check": "ˇ", "breve": "˘", "ring": "˚",
    "acute": "´", "grave": "`",
}  # fmt: skip
"""An accent on a row of its own, over a body of more than one letter."""


def superscript(text: str) -> str | None:
    """The text in raised characters, None where one of them does not exist."""
    return _mapped(text, SUPERSCRIPTS)


def subscript(text: str) -> str | None:
    """The text in lowered characters, None where one of them does not exist."""
    return _mapped(text, SUBSCRIPTS)


def _mapped(text: str, table: dict[str, str]) -> str | None:
    out = [table.get(character) for character in text]
    return None if None in out or not out else "".join(filter(None, out))


def accented(letter: str, mark: str) -> str:
    """One letter with a combining mark, composed where Unicode has it so."""
    return unicodedata.normalize("NFC", letter + COMBINING[mark])


def plain_letters(text: str) -> str:
    """Italic, sans-serif and monospaced mathematical letters as plain ones.

    Bold, double-struck, script and Fraktur stay: they tell things apart (𝐱 and x, ℝ and R).
    """
    if text.isascii() or not any("\U0001d400" <= character <= "\U0001d7ff" for character in text):
        return text
    return "".join(_plain(character) for character in text)


def _plain(character: str) -> str:
    if not "\U0001d400" <= character <= "\U0001d7ff":
        return character
    name = unicodedata.name(character)
    if any(style in name for style in ("BOLD", "DOUBLE-STRUCK", "SCRIPT", "FRAKTUR")):
        return _upright_bold(character) if "BOLD" in name else character
    return unicodedata.normalize("NFKC", character)


def _upright_bold(character: str) -> str:
    """Bold italic as bold: terminals' fonts rarely hold both, and the slant says nothing."""
    name = unicodedata.name(character)
    plain = name.replace("BOLD ITALIC", "BOLD").replace("SANS-SERIF BOLD", "BOLD")
    try:
        return unicodedata.lookup(plain)
    except KeyError:
        return character
