"""Reading LaTeX: what the subset refuses, and where; MathML and Typst of what it holds."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from engine.errors import InputError
from engine.notation.error import NotationError
from engine.notation.line import one_line
from engine.notation.mathml import mathml
from engine.notation.nodes import Fenced, Fraction, Limits, Row, Scripts, Symbol, Table, Words
from engine.notation.terminal import layout
from engine.notation.tree import parse
from engine.notation.typst import typst
from tests.notation.formulas import FORMULAS


@pytest.mark.parametrize(
    ("latex", "offset"),
    [
        (r"a + \foo", 4),
        (r"中文 \foo", 3),
        ("{a", 2),
        ("x^a^b", 3),
        ("a & b", 2),
        (r"a \\ b", 2),
        ("80% of x", 2),
        (r"\def\x{1}\x", 0),
        (r"x \newcommand{\y}{1}", 2),
        (r"\begin{matrix}a", 15),
        (r"\begin{align}a&=b\end{align}", 0),
        (r"\text{a $x$}", 8),
        ("a\u202eb", 1),
        ("a\u200bb", 1),
        ("a\x1b[2J", 1),
        ("a\x07", 1),
        ("a\ud800", 1),
        ("a🙂", 1),
        ("", 0),
        ("  ", 0),
        (r"\kern1em", 0),
        ("{}", 0),
        (r"\boxed{x}", 0),
        (r"\color{red} x", 0),
        (r"\phantom{x}", 0),
        (r"\sideset{_a}{^b}\sum", 0),
        ("{" * 41 + "x" + "}" * 41, 40),
        ("x" * 8001, 8000),
        ("(" * 7, 0),
        (r"a + \log(" * 30, 8),
        (r"(\hat)", 5),
        (r"1\bigl(" * 20 + r"1\big|)\color{red}" * 20, 1),
        (r"(\displaystyle)" * 30, 0),
        (r"\mathopen{(}" * 30, 10),
        (r"\pmod\hat a" * 30, 0),
        (r"\pmod{\hat}" * 30, 10),
        (r"\pmod{\displaystyle}" * 30, 5),
        (r"(\frac1)", 7),
        (r"\sqrt[(]{x)}" * 40, 6),
    ],
)
def test_refused_with_its_place(latex: str, offset: int) -> None:
    with pytest.raises(NotationError) as caught:
        parse(latex, True)
    assert isinstance(caught.value, InputError)
    assert caught.value.offset == offset
    assert caught.value.text.en
    assert caught.value.text.zh


@pytest.mark.parametrize(
    "latex",
    ["{" * 9000 + "x" + "}" * 9000, r"\sqrt" * 1500 + "x", r"\hat" * 1500 + "x", r"\frac1" * 1200 + "1", r"\left(" * 900 + r"\right)" * 900],
    ids=["braces", "roots", "hats", "fractions", "delimiters"],
)  # fmt: skip
def test_deep_nesting_is_refused_and_does_not_end_the_process(latex: str) -> None:
    with pytest.raises(NotationError):
        parse(latex)


def test_a_half_open_interval_and_deep_brackets_are_no_fault() -> None:
    assert one_line(r"x \in [0, 1) \cup (2, 3]") == "x ∈ [0, 1) ∪ (2, 3]"
    assert one_line("(" * 30 + "x" + ")" * 30) == "(" * 30 + "x" + ")" * 30
    assert one_line(" + ".join([r"\sum_i (\textstyle x_i)"] * 5)).count("∑ᵢ (xᵢ)") == 5
    assert one_line(r"\sqrt[3]{x} \left[0, 1\right) \{a, b\}") == "³√x[0, 1){a, b}"


def test_the_tree_of_a_small_formula() -> None:
    i, q = Symbol("i", "letter"), Symbol("q", "letter")
    assert parse(r"\sum_i q_i", True) == Row((Limits(Symbol("∑", "big"), i), Scripts(q, i)))
    assert parse(r"\int_i q_i") == Row((Scripts(Symbol("∫", "big"), i), Scripts(q, i)))
    assert parse(r"\left(\frac{i}{q}\right]") == Fenced("(", Fraction(i, q), "]")
    assert parse(r"\text{预测 [MASK]}") == Words("预测 [MASK]")


def test_bars_open_and_close_by_turns_unless_one_stands_alone() -> None:
    kinds = [item.kind for item in parse("|a|").items]  # type: ignore[union-attr]
    assert kinds == ["open", "letter", "close"]
    assert one_line("p(x|y) - |a - b|") == "p(x|y) − |a − b|"
    assert one_line("-|-x|") == "−|−x|"


def test_a_sign_behind_a_number_stands_tight_to_it_and_apart_from_what_follows() -> None:
    assert one_line(r"12\% = 0.12") == "12% = 0.12"
    assert one_line(r"5! - 3! = 114") == "5! − 3! = 114"
    assert one_line(r"f'(x) = \frac{n!}{k!(n-k)!}") == "f′(x) = (n!)/(k!(n − k)!)"


def test_cases_know_their_alignment() -> None:
    tree = parse(r"\begin{cases}1 & a\\ 0 & b\end{cases}")
    assert isinstance(tree, Fenced)
    assert isinstance(tree.body, Table)
    assert (tree.open, tree.close, tree.body.align) == ("{", "", ("l", "l"))


@pytest.mark.parametrize("display", [False, True])
@pytest.mark.parametrize("name", FORMULAS)
def test_mathml_is_well_formed_and_says_the_same(name: str, display: bool) -> None:
    text = mathml(FORMULAS[name], display)
    element = ElementTree.fromstring(text)
    assert element.tag == "{http://www.w3.org/1998/Math/MathML}math"
    assert (element.get("display") == "block") is display
    assert "&ApplyFunction;" not in text


def test_mathml_escapes_what_stands_in_text() -> None:
    text = mathml(r"\text{<script>alert(1)</script> \&amp;} < 3")
    assert "<script" not in text
    assert "".join(ElementTree.fromstring(text).itertext()) == "<script>alert(1)</script>\xa0&amp;<3"


def test_an_overline_lies_over_its_body() -> None:
    assert "\u203e" in mathml(r"\overline{AB}")
    assert layout(r"\overline{AB}").rows == ("__", "AB")


def test_typst_quotes_what_could_be_a_command() -> None:
    assert typst(r'\text{\#eval("x")}') == '$"#eval(”x”)"$'
    assert typst(r"\operatorname{sys}(x, \#)") == r'$op("sys") \( x \, \# \)$'
    assert typst(r"\frac{a,b}{c;d}") == r"$frac(a \, b, c \; d)$"


@pytest.mark.parametrize(
    ("latex", "line"),
    [
        (r"\frac{a+b}{c}", "(a + b)/c"),
        (r"\frac{a}{b+c}", "a/(b + c)"),
        (r"\frac{a}{bc}", "a/(bc)"),
        (r"\frac{ab}{c}", "ab/c"),
        (r"\frac{a}{b}c", "(a/b) c"),
        (r"a\frac{b}{c}", "a (b/c)"),
        (r"\log\frac{a}{b}", "log (a/b)"),
        (r"\frac{\frac{a}{b}}{c}", "(a/b)/c"),
        (r"a/\frac{b}{c}", "a/(b/c)"),
        (r"-\frac{a}{b}", "−a/b"),
        (r"\sum_i \frac{a_i}{b}", "∑ᵢ aᵢ/b"),
        (r"\frac{\partial L}{\partial w}", "∂L/∂w"),
        (r"\frac{1}{f(x)}", "1/f(x)"),
        (r"\frac{1}{(x)(y)}", "1/((x)(y))"),
        (r"\frac{1}{\sqrt{x}y}", "1/(√x y)"),
        (r"\frac{1}{q(a+b)}", "1/(q(a + b))"),
        (r"\frac{1}{\log(a+b)}", "1/log(a + b)"),
        (r"\sqrt{x+1}", "√(x + 1)"),
        (r"\sqrt{\frac{a}{b}}", "√(a/b)"),
        (r"e^{-\frac{x}{2}}", "e^(−x/2)"),
        (r"x^{n+m}", "xⁿ⁺ᵐ"),
        (r"(a^b)^c", "(aᵇ)ᶜ"),
        (r"x_{ij}^{2}", "xᵢⱼ²"),
        (r"W_q x", "W_q x"),
        (r"\sigma^2 d", "σ²d"),
        (r"2\sqrt{2}\pi", "2√2 π"),
        (r"a - (-b)", "a − (−b)"),
        (r"\operatorname{softmax}\!\left(\frac{QK^\top}{\sqrt{d_k}}\right)V", "softmax(QKᵀ/√dₖ)V"),
        (r"\begin{bmatrix}1&0\\0&1\end{bmatrix}", "[1, 0; 0, 1]"),
    ],
)
def test_the_one_line_form_is_unambiguous(latex: str, line: str) -> None:
    assert one_line(latex) == line
