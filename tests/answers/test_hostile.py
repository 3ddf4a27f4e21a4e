"""Whatever is typed gets a verdict: nothing runs, nothing raises, nothing takes long."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.answers.judge import Case, judge
from engine.answers.reading import read_answer
from engine.answers.worker import Judge
from engine.notation.line import one_line
from engine.notation.terminal import layout

HOSTILE: list[str] = json.loads(
    (Path(__file__).parent.parent / "data" / "hostile_answers.json").read_text(encoding="utf-8")
)
OUTCOMES = {"equal", "different", "invalid", "unsafe", "undecided"}
SCALARS = {"x": "real", "y": "pos", "n": "posint", "k": "posint", "p": "vec:prob", "i": "index"}
MATRICES = {"A": "mat:n,n", "B": "mat:n,m", "x": "mat:n,1", "a": "real"}
ASKED = {
    "symbolic": Case("symbolic", "", "x+1", SCALARS),
    "numeric": Case("numeric", "", "3072", {}),
    "matrix": Case("matrix", "", "A*B", MATRICES),
    "asymptotic": Case("asymptotic", "", "n*log(n)", {"n": "posint", "x": "pos", "k": "posint"}),
    "set": Case("set", "", "{1, x}", SCALARS),
    "derivation": Case("derivation", "", "x", SCALARS),
    "matrix lines": Case("derivation", "", "A*B", MATRICES, {"line_mode": "matrix"}),
    "numeric lines": Case("derivation", "", "3072", {}, {"line_mode": "numeric"}),
}


def _typed(kind: str, text: str) -> Case:
    asked = ASKED[kind]
    typed = f"{asked.reference}\n= {text}" if asked.mode == "derivation" else text
    return Case(asked.mode, typed, asked.reference, asked.symbols, asked.options)


def test_there_are_enough_of_them() -> None:
    assert len(HOSTILE) > 400


@pytest.mark.slow
@pytest.mark.parametrize("kind", ASKED)
def test_hostile_text_gets_a_verdict_and_does_nothing(kind: str, tmp_path: Path, monkeypatch) -> None:
    """Each string through the worker: no file, no change of the environment, and the worker goes on."""
    monkeypatch.chdir(tmp_path)
    before = dict(os.environ)
    with Judge(deadline=20) as judged:
        judged(_typed(kind, "1"))
        process = judged.process
        for text in HOSTILE:
            verdict = judged(_typed(kind, text))
            assert verdict.verdict in OUTCOMES, text
            assert verdict.reason.en
            assert verdict.reason.zh
            assert (verdict.counterexample is not None) == (verdict.verdict == "different"), text
            json.dumps(verdict.as_json(), allow_nan=False)
        assert judged.process is process
    assert dict(os.environ) == before
    assert list(tmp_path.iterdir()) == []
    assert not Path("/tmp/proofdeck_pwned").exists()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["derivation", "matrix lines", "numeric lines"])
def test_hostile_text_whole_as_a_derivation(kind: str) -> None:
    asked = ASKED[kind]
    for text in HOSTILE:
        verdict = judge(Case(asked.mode, text, asked.reference, asked.symbols, asked.options))
        assert verdict.verdict in OUTCOMES, text


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["symbolic", "numeric", "matrix", "asymptotic", "set", "derivation"])
def test_what_is_shown_while_typing_can_always_be_laid_out(kind: str) -> None:
    for text in HOSTILE:
        reading = read_answer(text, ASKED[kind].symbols, ASKED[kind].mode)
        assert (reading.fault is None) == (reading.verdict == "ok"), text
        if reading.latex:
            assert layout(reading.latex).width > 0
            assert one_line(reading.latex)


PIECES = [
    *"xynkpiABa0123456789", *"+-*/^()[]{}|!%,_=<>.;:'\"#@&~?\\$ \n", "^2", "^T", "ᵀ", "²", "⁻¹", "√", "½", "π", "σ", "λ",
    "∘", "‖", "≤", "∞", "é", "а", "，", "（", "）", "×", "\u0000", "\u202e", "999", "1e9", "e-3", "10^9", "9^9^9", "GB", "ms",
    "k", "M", "sum(", "sum(k,k,1,n)", "prod(", "exp(", "ln(", "sqrt(", "max(", "binomial(", "delta(", "factorial(",
    "gamma(", "tan(", "tanh ", "softmax(", "inv(", "det(", "tr(", "diag(", "norm(", "sigmoid(", "floor(", "ind(",
    r"\frac{", r"\sqrt{", r"\sum_{k=1}^{n}", r"\left(", r"\right)", r"\cdot ", r"\sigma", r"\text{", "}{", "p_i", "p[i]",
    "O(", "Θ(", "\n= ", "__class__", "lambda ", "import ", "x.y", "1/0", "0^0", "(x-x)", "A^-1", "A^T", "B^T A",
]  # fmt: skip
SOUP = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=40).map("".join),
    st.text(max_size=60),
    st.text(st.characters(codec="utf-8", categories=["L", "N", "S", "P", "Z", "C"]), max_size=30),
    st.builds(lambda opening, depth, inside: opening * depth + inside, st.sampled_from(PIECES),
              st.integers(0, 200), st.sampled_from(PIECES)),
    st.recursive(
        st.sampled_from(["x", "y", "n", "3", "0", "1/2", "A", "A^T", "p_i", "1e30", "pi"]),
        lambda inner: st.one_of(
            st.builds("({}{}{})".format, inner, st.sampled_from(["+", "-", "*", "/", "^", " ", "∘", ","]), inner),
            st.builds("{}({})".format, st.sampled_from(["exp", "ln", "sqrt", "tan", "gamma", "floor", "abs", "inv",
                      "softmax", "tr", "relu", "acos", "factorial", "erf", "log2"]), inner),
            st.builds("{}^{}".format, inner, inner),
        ),
        max_leaves=12,
    ),
)  # fmt: skip


def _survives(kind: str, text: str) -> None:
    whole = Case(ASKED[kind].mode, text, ASKED[kind].reference, ASKED[kind].symbols, ASKED[kind].options)
    for case in {_typed(kind, text).input: _typed(kind, text), text: whole}.values():
        verdict = judge(case)
        assert verdict.verdict in OUTCOMES
        assert (verdict.counterexample is not None) == (verdict.verdict == "different")
        json.dumps(verdict.as_json(), allow_nan=False)
        if verdict.reading:
            assert layout(verdict.reading).width > 0


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(sorted(ASKED)), SOUP)
def test_soup_gets_a_verdict(kind: str, text: str) -> None:
    _survives(kind, text)


@pytest.mark.soak
@settings(max_examples=8000, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(sorted(ASKED)), SOUP)
def test_thousands_of_soups_get_a_verdict(kind: str, text: str) -> None:
    _survives(kind, text)
