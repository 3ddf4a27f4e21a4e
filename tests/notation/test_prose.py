"""The prose dialect: what is markup, what is not, and what is refused."""

from __future__ import annotations

import pytest

from engine.notation.check import faults, formulas
from engine.notation.error import NotationError
from engine.notation.prose import (
    Code,
    CodeSpan,
    Display,
    ListItem,
    Math,
    Paragraph,
    Plain,
    clean,
    parse_prose,
    parse_spans,
)


def test_paragraphs_lists_formulas_and_code() -> None:
    text = (
        "A width of $d_k$\nover two lines.\n\n"
        "- first `x[0]`\n  goes on\n- second\n\n"
        "$$\na = b\n$$\n"
        "After it.\n"
        "```python\nx = 1\n\n  y = $2\n```\n"
    )
    assert parse_prose(text) == (
        Paragraph((Plain("A width of "), Math("d_k"), Plain(" over two lines."))),
        ListItem((Plain("first "), CodeSpan("x[0]"), Plain(" goes on"))),
        ListItem((Plain("second"),)),
        Display("a = b"),
        Paragraph((Plain("After it."),)),
        Code("python", "x = 1\n\n  y = $2"),
    )


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("$5 and $10", (Plain("$5 and $10"),)),
        ("$ x$ and $x $", (Plain("$ x$ and $x $"),)),
        ("costs $x$5", (Plain("costs $x$5"),)),
        (r"\$x$y$", (Plain("$x"), Math("y"))),
        (r"$a = \$3$.", (Math(r"a = \$3"), Plain("."))),
        ("记为$d_k$，维度", (Plain("记为"), Math("d_k"), Plain("，维度"))),
        ("`$x$` and $y$", (CodeSpan("$x$"), Plain(" and "), Math("y"))),
        ("a lone ` and a lone $", (Plain("a lone ` and a lone $"),)),
        ("[MASK] h[t-1] <sos> 2*3*4 d_k **b**", (Plain("[MASK] h[t-1] <sos> 2*3*4 d_k **b**"),)),
        ("$x$$y$", (Plain("$x$$y$"),)),
    ],
)
def test_the_dollar_rule(text: str, spans: tuple[object, ...]) -> None:
    assert parse_spans(text) == spans


def test_lines_join_with_a_space_in_english_and_without_one_in_chinese() -> None:
    assert parse_prose("one\ntwo") == (Paragraph((Plain("one two"),)),)
    assert parse_prose("自注意力\n机制，\n“长链”\n与 RNN\n不同") == (
        Paragraph((Plain("自注意力机制，“长链”与 RNN 不同"),)),
    )


@pytest.mark.parametrize(
    ("text", "offset"),
    [
        ("ok\n\n$$\na = b\n", 4),
        ("ok\n```python\nx = 1\n", 3),
        ("$$a$$ and more", 5),
        ("$$ $$", 0),
        ("$$a\n\nb$$", 0),
    ],
)
def test_what_is_not_closed_is_refused_at_its_place(text: str, offset: int) -> None:
    with pytest.raises(NotationError) as caught:
        parse_prose(text)
    assert caught.value.offset == offset
    assert [fault.offset for fault in faults(text)] == [offset]


def test_offset_gives_row_and_column() -> None:
    with pytest.raises(NotationError) as caught:
        parse_prose("one\n\n  ```\nx")
    assert (caught.value.row, caught.value.column) == (3, 1)


def test_every_bad_formula_of_a_text_is_reported_where_it_stands() -> None:
    text = "see $x_1$ and $\\foo$,\nthen $x^a^b$\n\n$$\n\\bar\n$$\n"
    found = faults(text)
    assert [text[fault.offset :][:4] for fault in found] == ["\\foo", "^b$\n", "\n$$\n"]
    assert [(fault.row, fault.column) for fault in found] == [(1, 16), (2, 10), (5, 5)]


def test_formulas_are_found_in_order_with_their_places() -> None:
    text = "`$a$` $a$ and $a +\nb$ and $a$"
    assert [(latex, display, text[start]) for latex, display, start in formulas(text)] == [
        ("a", False, "a"),
        ("a + b", False, "a"),
        ("a", False, "a"),
    ]
    assert [start for _, _, start in formulas(text)] == [7, 15, 27]


def test_a_sound_text_has_no_fault() -> None:
    assert faults("方差为 $\\sigma^2$，见 [MASK] 与 `h[t-1]`。\n\n$$\\frac{a}{b}$$\n") == ()


@pytest.mark.parametrize(
    ("dirty", "cleaned"),
    [
        ("a\x1b[31mred\x1b[0m", "ared"),
        ("a\x1b]52;c;SGVsbG8=\x07b", "ab"),
        ("a\x1b]0;title\x1b\\b", "ab"),
        ("a\x1bP+q544e\x1b\\b", "ab"),
        ("a\x9b2Jb", "ab"),
        ("a\x1b[2J\x1bcb", "ab"),
        ("a\u202eb\u2066c\u200fd\u200be\ufefff", "abcdef"),
        ("a\x00b\x08c\x7fd\x85e", "abcde"),
        ("a\r\nb\rc\u2028d", "a\nb\nc\nd"),
        ("h[t-1] “中文”\tx", "h[t-1] “中文”\tx"),
    ],
)
def test_cleaning(dirty: str, cleaned: str) -> None:
    assert clean(dirty) == cleaned
    assert clean(f"汉字\n{dirty}") == f"汉字\n{cleaned}"
