"""How texts of a sheet are put together, in both languages at once."""

from __future__ import annotations

from engine.text import Text

_DOT = Text(" · ", " · ")
_COMMA = Text(", ", "，")


def capital(text: Text) -> Text:
    """As it begins a line by itself."""
    return Text(text.en[:1].upper() + text.en[1:], text.zh)


def stop_after(text: str, stop: str) -> str:
    """The full stop after a title; where the title ends with a mark of its own, the space that mark asks for."""
    if text.endswith(("?", "!", ".")):
        return " "
    return "" if text.endswith(("？", "！", "。")) else stop


def labelled(label: Text, text: Text) -> Text:
    """``label: text``."""
    return Text(f"{label.en}: {text.en}", f"{label.zh}：{text.zh}")


def bracketed(text: Text, more: Text) -> Text:
    """``text (more)``; the text alone where there is no more to say."""
    return Text(f"{text.en} ({more.en})", f"{text.zh}（{more.zh}）") if more.en else text


def joined(*parts: Text, by: Text = _DOT) -> Text:
    """The parts in a row."""
    return Text(by.en.join(part.en for part in parts), by.zh.join(part.zh for part in parts))


def listed(*parts: Text) -> Text:
    """The parts with commas between them."""
    return joined(*parts, by=_COMMA)
