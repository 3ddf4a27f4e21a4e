"""What is said of an answer, and that it is said as it was typed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.answers.matrix import judge_matrix
from engine.answers.verdict import Counterexample, Verdict, at_line
from engine.notation.prose import Code, CodeSpan, Paragraph, clean, parse_prose
from engine.text import Text, same
from quizbank.drills.graded import Graded, GradedLine
from quizbank.drills.variant import draw_variant
from quizbank.papers.told import Told, as_typed, counterexample, told, verbatim
from tests.papers.bank import CARDS, grader

CARD = CARDS[0]
CHOICE, NUMBER, RECALL = CARD.drills


def said(graded: Graded, language: str = "en") -> list[tuple[str, str]]:
    return [(part.label.of(language) if part.label else "", part.text.of(language)) for part in told(graded)]


def test_a_wrong_choice_stands_beside_the_right_one_with_both_reasons() -> None:
    graded = grader().grade(draw_variant(CARD, CHOICE, 1), "a")
    assert said(graded) == [
        ("Your answer", "option a"),
        ("", "because a"),
        ("Reference", "option b"),
        ("", "because b"),
    ]


def test_a_number_stands_beside_the_reference_with_its_slip() -> None:
    variant = draw_variant(CARD, NUMBER, 1)
    d_k = variant.variables["d_k"]
    parts = said(grader().grade(variant, str(d_k)), "zh")
    assert parts[:3] == [("你的答案", f"{d_k}"), ("参考答案", f"`{d_k * 3}`"), ("错因", "漏了因子 3")]


@pytest.mark.parametrize(
    ("reference", "shown"),
    [
        ("0.6324555320336759", "0.632456"),
        ("1.5e-07 GB", "1.5e-07 GB"),
        ("805306368 bytes", "805,306,368 bytes"),
        ("65536", "65536"),
    ],
)
def test_a_reference_has_no_more_figures_than_one_reads(reference: str, shown: str) -> None:
    graded = Graded("number", "wrong", 0.0, same("3"), same(reference))
    assert said(graded)[1] == ("Reference", f"`{shown}`")


def test_what_broke_a_program_stands_before_the_listings() -> None:
    graded = Graded("code", "wrong", 0.0, same("a\nb"), same("c\nd"), (same("case 1: no shape"),))
    assert [label or text for label, text in said(graded)] == ["case 1: no shape", "Your answer", "Reference"]


def test_of_a_recall_each_point_is_told_with_its_tick() -> None:
    from quizbank.drills.grading import tick

    graded = tick(grader().grade(draw_variant(CARD, RECALL, 1), "  "), ["saturation"])
    parts = said(graded)
    assert parts[0] == ("Your answer", "(said aloud)")
    assert [text[0] for _, text in parts[1:]] == ["✗", "✓", "✗"]


def test_the_lines_of_a_derivation_are_told_with_their_verdicts_and_hints() -> None:
    graded = Graded(
        "derivation", "wrong", 0.0, same("= a\n= b\n= c"), same("= d"), (same("line 2: no"),),
        verdict=Verdict("different", same("line 2: no"), counterexample=Counterexample({"x": 3, "y": 0.12345678}, 5, None), line=3),
        lines=(GradedLine("a", True, "equal", ""), GradedLine("b", False, "different", ""), GradedLine("c", False, "unchecked", "")),
    )  # fmt: skip
    assert said(graded) == [
        ("Your answer", "1. ✓ `= a` (hint)"),
        ("", "2. ✗ `= b`"),
        ("", "3. – `= c`"),
        ("Reference", "`= d`"),
        ("", "line 2: no"),
        ("Counterexample", "at x = 3, y = 0.123457, this line is 5, the one before undefined"),
    ]
    assert said(graded, "zh")[-1][1] == "取 x = 3，y = 0.123457 时，这一行为 5，上一行为无定义"


def test_a_line_with_a_back_tick_is_code_of_its_own() -> None:
    line = GradedLine("a`b", True, "invalid", "")
    graded = Graded("derivation", "not-understood", None, same("= a`b"), same("= d"), lines=(line,))
    assert said(graded)[0] == ("Your answer", "1. ? (hint)\n```\n= a`b\n```")
    assert isinstance(parse_prose(said(graded)[0][1])[1], Code)


@pytest.mark.parametrize(
    ("found", "english"),
    [
        (Counterexample({}, "[1, 2]", "[2, 1]"), "yours is [1, 2], the reference [2, 1]"),
        (
            Counterexample({f"x_{n}": n for n in range(20)}, 1.0, 2),
            "at x_0 = 0, x_1 = 1, x_2 = 2, x_3 = 3, x_4 = 4, x_5 = 5, x_6 = 6, x_7 = 7, …, yours is 1, the reference 2",
        ),
    ],
)
def test_a_counterexample_in_words(found: Counterexample, english: str) -> None:
    told_case = counterexample(Verdict("different", same("not the same"), counterexample=found))
    assert told_case is not None
    assert told_case.en == english


def test_shapes_and_lines_are_told_once_and_with_one_colon() -> None:
    verdict = judge_matrix("A B", "(A B)^T", {"A": "mat:n,m", "B": "mat:m,p"})
    assert verdict.counterexample is not None
    assert verdict.reason.zh == "形状是 n×p，而应为 p×n：写成了答案的转置"
    assert counterexample(verdict) is None
    constant = judge_matrix("A B", "2 A B", {"A": "mat:n,m", "B": "mat:m,p"}).reason
    of_a_line = at_line(1, constant)
    assert (of_a_line.en.count(":"), of_a_line.zh.count("：")) == (1, 1)
    assert of_a_line.zh == f"第 1 行，{constant.zh}"


@given(st.text(st.characters(codec="utf-8"), max_size=80))
def test_verbatim_is_one_piece_of_code_with_the_text_as_it_was(text: str) -> None:
    blocks = parse_prose(verbatim(text))
    if not clean(text).strip():
        return
    (block,) = blocks
    if isinstance(block, Paragraph):
        (span,) = block.spans
        assert isinstance(span, CodeSpan)
        assert span.text == clean(text).strip()
    else:
        assert isinstance(block, Code)
        assert block.text.splitlines() == clean(text).splitlines()


@given(st.text(st.sampled_from("ab 1$`\\=^*_{}-\n方差。("), max_size=30))
def test_what_was_typed_is_never_taken_for_a_formula_or_a_fault(text: str) -> None:
    for block in parse_prose(as_typed(text)):
        assert isinstance(block, Code) or all(type(span).__name__ != "Math" for span in block.spans)


def test_a_verdict_that_quotes_what_was_typed_is_plain() -> None:
    graded = Graded(
        "number", "not-understood", None, same("$x$"), same("3"), (Text("“$x$” is none", "“$x$”不是数"),)
    )
    assert Told(Text(r"“\$x\$” is none", r"“\$x\$”不是数")) in list(told(graded))
