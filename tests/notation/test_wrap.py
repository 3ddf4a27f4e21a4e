"""Line breaking in Chinese and English."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len

from engine.notation.wide import CLOSING, OPENING
from engine.notation.wrap import fill, tokens, wrap

CHINESE_CLOSING = frozenset(mark for mark in CLOSING if not mark.isascii())
CHINESE_OPENING = frozenset(mark for mark in OPENING if not mark.isascii())

words = st.sampled_from(
    [
        "自",
        "注",
        "意",
        "力",
        "梯度",
        "softmax",
        "self-attention",
        "h[t-1]",
        "[MASK]",
        "d_k",
        "x",
        "16",
        "3.5",
        "GB",
        "ms",
        "12",
        "层",
        "don’t",
        "√dₖ",
        "c̃ₜ",
        "🙂",
    ]
)
marks = st.sampled_from(["，", "。", "；", "：", "）", "”", "、", "？", "", "", "", "……", "%"])
opens = st.sampled_from(["（", "“", "《", "", "", ""])
gaps = st.sampled_from(["", " ", " ", "  ", "\n"])


@st.composite
def sentences(draw: st.DrawFn) -> str:
    """Words of both scripts with punctuation before and behind, never more than two marks in a row."""
    parts = draw(st.lists(st.tuples(opens, words, marks, gaps), max_size=30))
    return "".join("".join(part) for part in parts)


@given(sentences(), st.integers(20, 80))
@example("（self-attention“自，", 20)
def test_no_line_starts_with_closing_punctuation_or_ends_with_opening(text: str, cells: int) -> None:
    source = {line.strip() for line in text.split("\n")}
    for line in wrap(text, cells):
        assert cell_len(line) <= cells
        if line and line.strip() not in source:
            assert line[0] not in CHINESE_CLOSING or text.lstrip()[0] == line[0]
            assert line[-1] not in CHINESE_OPENING or text.rstrip()[-1] == line[-1]


@given(
    st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"]), max_size=120) | sentences(),
    st.integers(2, 60),
)
def test_wrapping_loses_nothing_but_spaces(text: str, cells: int) -> None:
    lines = wrap(text, cells)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(cell_len(line) <= cells for line in lines)
    assert all(not line.startswith(" ") and not line.endswith(" ") for line in lines)


UNPARTED = re.compile("[^\\s\u2e80-\uffef\U0001f300-\U0001faff]+")
"""What neither a space nor a character of a wide script parts."""
ROUND_IT = 6
"""Cells that the marks before and behind it take at most."""


@given(sentences(), st.integers(24, 80))
@example("（self-attention”“softmax，", 24)
def test_latin_words_stay_whole(text: str, cells: int) -> None:
    lines = "\n".join(wrap(text.replace("\n", " "), cells))
    # what is longer than a line must break somewhere
    fitting = [run for run in UNPARTED.findall(text) if cell_len(run) + ROUND_IT <= cells]
    for word in ("softmax", "self-attention", "h[t-1]", "[MASK]", "don’t"):
        assert sum(run.count(word) for run in fitting) <= lines.count(word) <= text.count(word)


def test_numbers_keep_their_units() -> None:
    for cells in range(8, 40):
        lines = wrap(
            "The cache takes 16 GB of memory in 12 layers at 83 % and 1.5 ms, 共 24 层 of it.", cells
        )
        for whole in ("16 GB", "83 %", "1.5 ms,", "24 层"):
            assert sum(whole in line for line in lines) == 1, (cells, lines)


def test_a_long_word_breaks_inside_rather_than_stick_out() -> None:
    assert wrap("a https://example.org/abcdef b", 10) == ["a", "https://ex", "ample.org/", "abcdef b"]


def test_a_mark_stays_with_its_character_even_where_the_word_must_break() -> None:
    assert wrap("（self-attention“自，", 20) == ["（self-attention", "“自，"]
    assert wrap("abcdefgh（自）", 8) == ["abcdefgh", "（自）"]
    # nothing else fits
    assert wrap("（（（（", 4) == ["（（", "（（"]


def test_chinese_needs_no_space_to_break() -> None:
    assert wrap("自注意力让任意两个位置之间只隔一步。", 12) == [
        "自注意力让任",
        "意两个位置之",
        "间只隔一步。",
    ]
    assert wrap("梯度消失，梯度爆炸。", 8) == ["梯度消", "失，梯度", "爆炸。"]


def test_line_feeds_stay_and_an_empty_text_has_no_line() -> None:
    assert wrap("a\n\nb", 10) == ["a", "", "b"]
    assert wrap("", 10) == []


def test_segments_keep_their_kinds_and_hang() -> None:
    row = fill(
        tokens([("令 ", "text"), (("x", "= y", "+ z"), "math"), ("，则", "text")]), 9, (("• ", "text"),), 2
    )
    assert row == [
        (("• 令 ", "text"), ("x", "math")),
        (("  ", "text"), ("= y", "math")),
        (("  ", "text"), ("+ z", "math"), ("，则", "text")),
    ]
