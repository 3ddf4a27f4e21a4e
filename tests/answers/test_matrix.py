"""Typed matrix formulas: shapes by name, products in order, slips named, and laws of matrix algebra."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.answers import interval as iv
from engine.answers.evaluate import Point
from engine.answers.expression import Node
from engine.answers.judge import Case, judge
from engine.answers.matrix import judge_matrix
from engine.answers.matrix_points import MatrixSampler
from engine.answers.matrix_reader import read_matrix
from engine.answers.matrix_value import Bounded, MatrixEvaluation, Residues
from engine.answers.modular import PRIME
from engine.answers.symbols import declare
from engine.errors import InputError
from engine.notation.line import one_line
from engine.notation.terminal import layout

CASES = json.loads(
    (Path(__file__).parent.parent / "data" / "answers_matrix.json").read_text(encoding="utf-8")
)
SQUARE = {"A": "mat:n,n", "B": "mat:n,n", "x": "mat:n,1", "S": "mat:n,n:sym", "I": "mat:n,n:I", "n": "dimval"}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_case(case: dict) -> None:
    verdict = judge(Case("matrix", case["input"], case["reference"], case["symbols"], case["options"]))
    assert verdict.verdict == case["expect"], (case["why"], verdict.reason.en)
    assert case.get("says", "") in verdict.reason.en
    assert verdict.reason.zh
    assert (verdict.counterexample is not None) == (verdict.verdict == "different")
    if verdict.counterexample:
        assert verdict.counterexample.input != verdict.counterexample.reference
    if not verdict.is_refusal:
        assert layout(verdict.reading).width > 0
        assert one_line(verdict.reading)
    json.dumps(verdict.as_json(), allow_nan=False)
    if verdict.verdict == "equal":
        # equality holds both ways
        turned = judge_matrix(case["reference"], case["input"], case["symbols"], case["options"])
        assert turned.verdict == "equal", turned.reason.en


@pytest.mark.parametrize(
    ("typed", "reading"),
    [
        ("2AB", r"2\,A\,B"),
        ("A^TB", r"A^{\top}\,B"),
        ("A⁻¹ᵀ", r"\left(A^{-1}\right)^{\top}"),
        ("A∘B x", r"\left(A \odot B\right)\,x"),
        ("A B∘A", r"\left(A\,B\right) \odot A"),
        ("A+B∘A", r"A + \left(B \odot A\right)"),
        (r"\|x\|_2^2", r"\left\|x\right\|_{2}^{2}"),
        ("tr A", r"\operatorname{tr}\left(A\right)"),
        ("trace(A)", r"\operatorname{tr}\left(A\right)"),
        ("(A/2)'", r"\left(\frac{A}{2}\right)^{\top}"),
    ],
)
def test_how_it_is_read(typed: str, reading: str) -> None:
    assert judge_matrix(typed, typed, SQUARE).reading == reading


def test_shapes_that_do_not_fit_are_named_with_the_factors_they_belong_to() -> None:
    verdict = judge_matrix("A^T B^T", "(A B)^T", {"A": "mat:n,m", "B": "mat:m,p"})
    assert verdict.reason.en == "Aᵀ is m×n and Bᵀ is p×m: these cannot be multiplied"
    assert verdict.reason.zh == "Aᵀ 是 m×n，Bᵀ 是 p×m：两者不能相乘"


def test_another_shape_is_the_counterexample() -> None:
    verdict = judge_matrix("B^T A^T", "A B", {"A": "mat:n,m", "B": "mat:m,p"})
    assert verdict.counterexample is not None
    assert verdict.counterexample.values == {}
    assert (verdict.counterexample.input, verdict.counterexample.reference) == ("p×n", "n×p")


def test_the_counterexample_can_be_computed_again() -> None:
    """The matrices shown give, in NumPy, the two elements that are said to differ."""
    symbols = {"A": "mat:n,m", "B": "mat:m,p", "C": "mat:n,p"}
    verdict = judge_matrix("A B - 2C", "A B + C", symbols)
    assert verdict.counterexample is not None
    values = {name: value for name, value in verdict.counterexample.values.items() if name in symbols}
    a, b, c = (np.array(json.loads(str(values[name]))) for name in "ABC")
    i, j = json.loads(str(verdict.counterexample.values["(row, column)"]).replace("(", "[").replace(")", "]"))
    assert (a @ b - 2 * c)[i - 1, j - 1] == verdict.counterexample.input
    assert (a @ b + c)[i - 1, j - 1] == verdict.counterexample.reference


def test_sizes_differ_by_name_and_no_identity_of_two_by_two_matrices_passes() -> None:
    declared = declare({"A": "mat:n,m", "B": "mat:m,3", "C": "mat:p,d_k"}, has_matrices=True)
    node = Node("*", tuple(Node("matrix", name=name) for name in "ABC"))
    for point in MatrixSampler(declared, (node,)).points():
        sizes = list(point.sizes.values())
        assert len(set(sizes)) == 4
        assert min(sizes) > 3  # 3 is the digit's
    assert judge_matrix("(A B-B A)^2 x", "(A B-B A)^2 x", SQUARE).verdict == "equal"


def test_either_of_two_dimensions_is_the_larger_one_half_of_the_time() -> None:
    declared = declare({"A": "mat:n,m", "B": "mat:m,p"}, has_matrices=True)
    sampler = MatrixSampler(declared, (Node("*", (Node("matrix", name="A"), Node("matrix", name="B"))),))
    for a, b in (("n", "m"), ("m", "p"), ("n", "p")):
        larger = [sampler.sizes(turn)[a] > sampler.sizes(turn)[b] for turn in range(4)]
        assert sum(larger) == 2


@pytest.mark.parametrize(
    ("symbols", "options", "reference"),
    [
        ({"A": "mat:n"}, {}, "A"),
        ({"A": "mat:n,9"}, {}, "A"),
        ({"A": "mat:n,m:sym"}, {}, "A"),
        ({"A": "mat:n,n:diag"}, {}, "A"),
        ({"A": "mat:n,n", "d": "dimval"}, {}, "A"),
        ({"A": "mat:n,n"}, {"rel": 0.1}, "A"),
        ({"A": "mat:n,n"}, {"where": {"A": "simplex"}}, "A"),
        ({"A": "mat:n,n"}, {"where": {"q": "simplex"}}, "A"),
        ({"A": "mat:n,n"}, {}, "A+1"),
        ({letter: f"mat:{letter.lower()},{letter.lower()}" for letter in "ABCDEFG"}, {},
         "tr(A)tr(B)tr(C)tr(D)tr(E)tr(F)tr(G)"),
    ],
)  # fmt: skip
def test_a_fault_of_the_card_is_an_error_and_no_verdict(symbols: dict, options: dict, reference: str) -> None:
    with pytest.raises(InputError):
        judge_matrix(
            "1" if "A" not in symbols else "A" if len(symbols) < 3 else reference, reference, symbols, options
        )


def test_a_matrix_cannot_be_declared_for_a_formula() -> None:
    with pytest.raises(InputError):
        judge(Case("symbolic", "A", "A", {"A": "mat:n,n"}))


def _random(rng: random.Random, size: int) -> tuple[tuple[Fraction, ...], ...]:
    return tuple(tuple(Fraction(rng.randint(-5, 5)) for _ in range(size)) for _ in range(size))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(3, 5))
def test_values_are_those_of_numpy(seed: int, size: int) -> None:
    rng = random.Random(seed)
    a, b = _random(rng, size), _random(rng, size)
    x, y = (np.array(rows, dtype=float) for rows in (a, b))
    declared = declare(SQUARE, has_matrices=True)
    iv.set_digits(30)
    for typed, wanted in (
        ("A B - B^T", x @ y - y.T),
        ("A∘B", x * y),
        ("det(A)", np.linalg.det(x).reshape(1, 1)),
        ("diag(diag(A))", np.diag(np.diag(x))),
        ("A^3", x @ x @ x),
        ("softmax(A/9)", np.exp(x / 9) / np.exp(x / 9).sum(axis=1, keepdims=True)),
        ("‖A‖_F", np.linalg.norm(x).reshape(1, 1)),
        ("tanh(A)", np.tanh(x)),
    ):
        node, _ = read_matrix(typed, declared)
        found = MatrixEvaluation(Bounded(Point({})), {"A": a, "B": b}, {}).value(node)
        middle = [[float(iv.middle(entry)) for entry in row] for row in found]
        assert np.allclose(middle, wanted, rtol=1e-9, atol=1e-9)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 6))
def test_an_inverse_modulo_the_prime_is_one(seed: int, size: int) -> None:
    rng = random.Random(seed)
    rows = tuple(tuple(rng.randrange(PRIME) for _ in range(size)) for _ in range(size))
    evaluation = MatrixEvaluation[int](Residues({}, {}, {}), {"A": rows}, {})
    assert evaluation.product(evaluation.inverse(rows), rows) == evaluation.identity(size)
    assert evaluation.determinant(evaluation.product(rows, rows)) == evaluation.determinant(rows) ** 2 % PRIME


Product = st.lists(st.sampled_from(["A", "B", "A^T", "B^T", "S", "I"]), min_size=1, max_size=5)


@settings(max_examples=40, deadline=None)
@given(Product)
def test_transposing_reverses_a_product(factors: list[str]) -> None:
    turned = [factor.removesuffix("^T") if "^T" in factor else factor + "^T" for factor in reversed(factors)]
    verdict = judge_matrix(" ".join(turned), f"({' '.join(factors)})^T", SQUARE)
    assert verdict.verdict == "equal"


@settings(max_examples=40, deadline=None)
@given(Product, st.integers(0, 4))
def test_brackets_do_not_matter_but_a_lost_factor_does(factors: list[str], cut: int) -> None:
    cut = min(cut, len(factors) - 1)
    bracketed = " ".join([*factors[:cut], "(" + " ".join(factors[cut:]) + ")"])
    assert judge_matrix(bracketed, " ".join(factors), SQUARE).verdict == "equal"
    assert judge_matrix(" ".join([*factors, "B"]), " ".join(factors), SQUARE).verdict == "different"
