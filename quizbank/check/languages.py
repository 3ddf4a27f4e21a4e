"""The two languages of a text say the same in formulas, slots and numbers, and each is its own language."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from engine.text import Text
from quizbank.card import Card
from quizbank.check.prose_numbers import written_numbers
from quizbank.check.view import View, texts
from quizbank.fault import Fault
from quizbank.slot_grammar import find_slots, regions
from quizbank.yaml_nodes import Loc

_HANZI = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_WORDS = re.compile(r"[A-Za-z]{2,}")
_TEXT_COMMAND = re.compile(r"\\(text|mathrm|textrm)\{([^{}]*)\}")
_STATES = re.compile(
    r"[=<>+*/-]|\\(?:cdot|times|frac|sum|prod|int|le|ge|leq|geq|ne|neq|approx|to|sim|propto|mid|in|equiv)(?![A-Za-z])"
)
"""A formula with one of these states something; one without only names a thing."""

_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_MONTH = re.compile(rf"\b({'|'.join(_MONTHS)})\b(?<!May)|\b(May)(?= \d{{4}})")

_HALF_WIDTH = re.compile(r"(?<=[\u4e00-\u9fff])[,;:?!](?!\S*[/\\])|(?<=[\u4e00-\u9fff])[()]")
_TIGHT = re.compile(r"[\u4e00-\u9fff](?=[A-Za-z0-9])|[A-Za-z0-9](?=[\u4e00-\u9fff])")


def language_faults(view: View, card: Card) -> Iterator[Fault]:
    for loc, text in texts(card):
        if text.en != text.zh:
            yield from _agreement(view, card, loc, text)
        yield from _own_language(view, card, loc, text)
        yield from _chinese_typography(view, card, loc, text.zh)


def _agreement(view: View, card: Card, loc: Loc, text: Text) -> Iterator[Fault]:
    compared = (
        ("formulas", "公式", _formulas(text.en), _formulas(text.zh)),
        ("value slots", "值槽", _slots(text.en), _slots(text.zh)),
        ("numbers", "数字", _numbers(text.en), _numbers(text.zh)),
    )
    for en, zh, left, right in compared:
        if left != right:
            only_en, only_zh = _shown(left - right), _shown(right - left)
            yield view.fault(
                card,
                (*loc, "zh"),
                f"the {en} of the two languages differ: only in English {only_en}; only in Chinese {only_zh}",
                f"两种语言的{zh}不一致：仅英文有 {only_en}；仅中文有 {only_zh}",
            )


def _shown(items: Counter[str]) -> str:
    return ", ".join(sorted(items.elements())) or "—"


def _formulas(text: str) -> Counter[str]:
    """Formulas that state something, each as often as it stands; names of things once each.

    Words inside a formula are the business of its language and are left out.
    """
    found: Counter[str] = Counter()
    for region in regions(text):
        if region.kind in ("math", "display"):
            latex = _TEXT_COMMAND.sub(_wordless, text[region.start : region.end].strip().strip("$"))
            latex = "".join(latex.split())
            if _STATES.search(latex):
                found[latex] += 1
            else:
                found[latex] = 1
    return found


def _wordless(match: re.Match[str]) -> str:
    words = _HANZI.search(match[2]) or " " in match[2].strip() or match[1] == "text"
    return rf"\{match[1]}{{}}" if words else match[0]


def _slots(text: str) -> Counter[str]:
    return Counter("".join(slot.source.split()) for slot in find_slots(text))


def _numbers(text: str) -> Counter[str]:
    """Numbers in digits outside of formulas, code and slots, by value; a month named is its number (9 月)."""
    blanked = _MONTH.sub(
        lambda match: f"{_MONTHS.index(match[1] or match[2]) + 1} month", without_slots(text)
    )
    return Counter(
        f"{number.value.normalize():f}" + ("%" if number.percent else "")
        for region in regions(blanked)
        if region.kind == "plain"
        for number in written_numbers(blanked, region.start, region.end)
    )


def without_slots(text: str) -> str:
    """The text with its slots blanked out, every other character at its place."""
    for slot in find_slots(text):
        text = text[: slot.start] + "□" * (slot.end - slot.start) + text[slot.end :]
    return text


def _plain(text: str) -> str:
    blanked = without_slots(text)
    return "".join(
        blanked[region.start : region.end] for region in regions(blanked) if region.kind == "plain"
    )


def _own_language(view: View, card: Card, loc: Loc, text: Text) -> Iterator[Fault]:
    english, chinese = _plain(text.en), _plain(text.zh)
    if found := _HANZI.search(english):
        yield view.fault(
            card,
            (*loc, "en"),
            f"Chinese ({found[0]}) in the English text",
            f"英文文本中有汉字（{found[0]}）",
            text.en.find(found[0]),
        )
    # names alone, such as "LayerNorm" or "BERT + GPT", read the same in both
    if not _HANZI.search(chinese) and len(_WORDS.findall(chinese)) > 3 and loc[0] != "sources":
        yield view.fault(card, (*loc, "zh"), "the Chinese text holds no Chinese", "中文文本中没有汉字")


def _chinese_typography(view: View, card: Card, loc: Loc, text: str) -> Iterator[Fault]:
    for offset, what in chinese_slips(text):
        yield view.fault(card, (*loc, "zh"), what.en, what.zh, offset)


def chinese_slips(text: str) -> Iterator[tuple[int, Text]]:
    """Slips of Chinese typography, at most one of a kind in a stretch of text: offset and what is wrong."""
    blanked = without_slots(text)
    for region in regions(blanked):
        if region.kind != "plain":
            continue
        if match := _HALF_WIDTH.search(blanked, region.start, region.end):
            yield (
                match.start(),
                Text(f"half-width {match[0]} in Chinese text", f"中文里出现半角标点 {match[0]}"),
            )
        if match := _TIGHT.search(blanked, region.start, region.end):
            around = blanked[match.start() : match.end() + 1]
            yield (
                match.start(),
                Text(f"no space between hanzi and Latin: {around}", f"汉字与西文之间缺少空格：{around}"),
            )
