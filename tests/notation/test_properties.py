"""Laws of the layouts: equal widths, nothing cut, nothing lost, and hostile text that only fails cleanly."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from engine.notation.check import faults, formula_fault
from engine.notation.error import NotationError
from engine.notation.line import chunks, one_line
from engine.notation.mathml import mathml
from engine.notation.page import page, plain
from engine.notation.prose import clean
from engine.notation.terminal import layout
from engine.notation.typst import typst
from tests.notation.formulas import FORMULAS


def assert_rectangular(latex: str, width: int | None = None) -> None:
    box = layout(latex, width)
    assert {cell_len(row) for row in box.rows} == {box.width}
    assert 0 <= box.baseline < len(box.rows)
    if width is not None:
        assert box.width <= width


@pytest.mark.parametrize("name", FORMULAS)
def test_every_formula_fits_every_width(name: str) -> None:
    latex = FORMULAS[name]
    assert formula_fault(latex, True) is None
    assert_rectangular(latex)
    for width in (100, 72, 60, 50, 40, 33, 27, 20, 14, 9, 6):
        assert_rectangular(latex, width)


def visible(text: str) -> list[str]:
    return sorted(character for character in text if character.isalnum())


@pytest.mark.parametrize("name", FORMULAS)
@pytest.mark.parametrize("width", [40, 24, 12])
def test_breaking_a_formula_loses_no_letter(name: str, width: int) -> None:
    """Against the unbroken box, or against the one-line form that a box too wide falls back to."""
    latex = FORMULAS[name]
    broken = visible("".join(layout(latex, width).rows))
    assert broken in (visible("".join(layout(latex).rows)), visible(one_line(latex)))


@pytest.mark.parametrize("name", FORMULAS)
def test_chunks_make_up_the_line(name: str) -> None:
    assert " ".join(chunks(FORMULAS[name])) == one_line(FORMULAS[name])
    assert "\n" not in one_line(FORMULAS[name])


@st.composite
def scalars(draw: st.DrawFn, depth: int = 3) -> Any:
    """SymPy expressions of the kinds that derivations hold, built without evaluation."""
    import sympy as sp

    if depth == 0 or draw(st.integers(0, 3)) == 0:
        name = st.sampled_from(["x", "y", "d_k", "mu_q", "sigma", "h_t", "q_{1}", "theta", "gamma_max"]).map(
            sp.Symbol
        )
        number = st.sampled_from([sp.Integer(2), sp.Integer(-7), sp.Rational(1, 3), sp.pi, sp.oo])
        return draw(name | number)
    i, n, x = sp.Symbol("i", integer=True), sp.Symbol("n", integer=True), sp.Symbol("x")
    f = sp.Function("f")
    one: list[Callable[[Any], Any]] = [
        lambda a: sp.Mul(-1, a, evaluate=False),
        lambda a: sp.Pow(a, -1, evaluate=False),
        lambda a: sp.Pow(a, 2, evaluate=False),
        lambda a: sp.sqrt(a, evaluate=False),
        lambda a: sp.exp(a, evaluate=False),
        lambda a: sp.tanh(a, evaluate=False),
        lambda a: sp.log(a, evaluate=False),
        lambda a: sp.Abs(a, evaluate=False),
        lambda a: sp.floor(a, evaluate=False),
        lambda a: sp.Max(a, 0, evaluate=False),
        lambda a: sp.Function("softmax")(a),
        lambda a: sp.Sum(a, (i, 1, n)),
        lambda a: sp.Product(a, (i, 1, n)),
        lambda a: sp.Integral(a, (x, 0, 1)),
        lambda a: sp.Limit(a, x, 0),
        lambda a: sp.Derivative(f(x), x) * a,
        lambda a: sp.Subs(sp.Derivative(f(x), x), x, a),
    ]
    two: list[Callable[[Any, Any], Any]] = [
        lambda a, b: sp.Add(a, b, evaluate=False),
        lambda a, b: sp.Mul(a, b, evaluate=False),
        lambda a, b: sp.Pow(a, b, evaluate=False),
        lambda a, b: sp.Mul(a, sp.Pow(b, -1, evaluate=False), evaluate=False),
    ]
    if draw(st.booleans()):
        return draw(st.sampled_from(one))(draw(scalars(depth - 1)))
    return draw(st.sampled_from(two))(draw(scalars(depth - 1)), draw(scalars(depth - 1)))


@pytest.mark.slow
@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(scalars(), scalars(2), st.integers(8, 90))
def test_whatever_sympy_prints_is_drawn(left: Any, right: Any, width: int) -> None:
    import sympy as sp

    matrix = sp.ImmutableDenseMatrix([[left, right], [1, left]])
    cases = sp.Piecewise((left, sp.Symbol("x") > 0), (right, True), evaluate=False)
    shapes = (left, cases, sp.Eq(left, right, evaluate=False), sp.Gt(right, left, evaluate=False), matrix)
    try:
        all_printed = [sp.latex(shape, mat_delim="[") for shape in shapes]
    except ValueError:
        # SymPy looks for the sign of a factor, and cannot round an infinite one
        reject()
    for printed in all_printed:
        for latex in (printed, rf"{printed} \not\equiv {printed}"):
            assert formula_fault(latex, True) is None, latex
            assert_rectangular(latex)
            assert_rectangular(latex, width)
            ElementTree.fromstring(mathml(latex, True))


FRAGMENTS = [
    "{", "}", "[", "]", "(", ")", "|", "$", "$$", "`", "```", "\n", "\n\n", " ", "&", r"\\", "%", "#", "^", "_", "'", "-", "=", "x",
    "1", "中", "，", "”", "é", "\u0301", "\u202e", "\u200b", "\u200d", "\x1b[2J", "\x1b]52;c;QQ==\x07", "\x00", "\x9b31m", "\ud800",
    "\ufe0f", "🙂", "ᄀ", "\t", "\xa0", "<b>", "&amp;", "&ApplyFunction;", "]]>", "<!DOCTYPE", "\\", r"\frac", r"\sqrt", r"\left(", r"\right)",
    r"\left", r"\right.", r"\begin{matrix}", r"\end{matrix}", r"\begin{cases}", r"\end{cases}", r"\begin{aligned}", r"\end{aligned}",
    r"\text{", r"\operatorname{", r"\operatorname*{", r"\sum", r"\int", r"\lim", r"\limits", r"\hat", r"\overline", r"\underbrace", r"\substack{",
    r"\mathbb", r"\mathbf", r"\not", r"\middle|", r"\binom", r"\color{red}", r"\def\a{\a}", r"\newcommand{\b}{\b\b}", r"\tag{1}", r"\phantom",
    r"\boxed", r"\quad", r"\hspace{9999em}", r"\genfrac", r"\sideset", r"\xrightarrow", r"\tfrac12", "x_{<t}", "a'", r"\mathop{",
    r"\stackrel", r"\unknown", r"\begin{array}{c|c}", r"\end{array}", r"\hline", r"\cancel", r"\rlap", r"\mathllap", r"\kern1em", r"\verb", "@{D19}",
]  # fmt: skip

hostile = st.lists(st.sampled_from(FRAGMENTS), max_size=24).map("".join) | st.text(max_size=60)


def assert_harmless(text: str) -> None:
    for character in text:
        assert unicodedata.category(character) not in ("Cc", "Cf", "Cs"), (text, character)


def attempted(output: Callable[[], Sequence[str]], length: int) -> Sequence[str]:
    """What comes out, or the message of the only error that may."""
    try:
        return output()
    except NotationError as error:
        told = error
    assert 0 <= told.offset <= length
    assert told.text.en
    assert told.text.zh
    return told.line("en"), told.line("zh")


@settings(deadline=None, max_examples=300)
@given(hostile, st.integers(1, 60))
def test_hostile_formula_is_drawn_or_refused(latex: str, width: int) -> None:
    for output in (
        lambda: layout(latex).rows,
        lambda: layout(latex, width).rows,
        lambda: (one_line(latex),),
        lambda: (mathml(latex, True).replace("\u2061", "").replace("\u2062", "").replace("\u2063", ""),),
        lambda: (typst(latex, True),),
    ):
        for row in attempted(output, len(latex)):
            assert_harmless(row)


@settings(deadline=None, max_examples=300)
@given(hostile, st.integers(4, 60))
def test_hostile_prose_is_laid_out_or_refused(text: str, width: int) -> None:
    found = faults(text)
    try:
        rows = page(text, width)
    except NotationError:
        assert found
        return
    assert not found
    for row in rows:
        line = "".join(part for part, _ in row)
        assert_harmless(line)
        assert cell_len(line) <= width
    assert len(plain(text, width)) == len(rows)


@given(st.text(max_size=80))
def test_cleaning_is_complete_and_settled(text: str) -> None:
    cleaned = clean(text)
    assert clean(cleaned) == cleaned
    for character in cleaned:
        assert character in "\n\t" or unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Zl", "Zp")


def test_cleaning_knows_every_control_and_format_character() -> None:
    every = "".join(map(chr, range(0x110000)))
    assert {unicodedata.category(character) for character in clean(every)} & {"Cc", "Cf", "Cs"} <= {"Cc"}
    assert {character for character in clean(every) if unicodedata.category(character) == "Cc"} <= {
        "\n",
        "\t",
    }
