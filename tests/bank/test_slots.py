"""Numbers of a text come from the engine, formatted, kept, and told apart from nonsense."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.demos import load
from engine.notation.error import NotationError
from engine.notation.prose import Code, Display, Math, parse_prose
from quizbank.arithmetic import ExpressionError
from quizbank.card import NumberDrill, Value
from quizbank.slot_grammar import fill, number_text, regions
from quizbank.slots import Quantities, filled
from tests.bank.decks import sample_card


@pytest.fixture
def quantities(tmp_path: Path) -> Quantities:
    return Quantities(tmp_path / "quantities")


def test_a_slot_shows_what_a_run_at_seed_0_measures(quantities: Quantities) -> None:
    run = load("D19").run({"d_k": 256, "scale": "none"}, seed=0)
    expected = format(float(run.results["score_variance"]), ".3g")
    assert quantities.fill("≈ @{D19.score_variance(d_k=256, scale=none)|.3g}!") == f"≈ {expected}!"
    assert quantities.fill("@{ D19.predicted.score_variance( scale=none , d_k=256 ) | .0f }") == "256"
    assert quantities.fill("@{D19.score_variance(d_k=256)/D19.score_variance(d_k=256)|.1%}") == "100.0%"
    assert quantities.fill("no slot, $5 and @ {x}") == "no slot, $5 and @ {x}"


@pytest.mark.parametrize(
    ("value", "spec", "text", "latex"),
    [
        (1234567.0, ".3g", "1.23×10⁶", r"1.23 \times 10^{6}"),
        (1.5e-7, ".2e", "1.50×10⁻⁷", r"1.50 \times 10^{-7}"),
        (16384, ",d", "16,384", "16{,}384"),
        (16384.0, ",.0f", "16,384", "16{,}384"),
        (0.3678, ".1%", "36.8%", r"36.8\%"),
        (2.0, "d", "2", "2"),
        (3, "", "3", "3"),
        (1 / 3, "", "0.3333", "0.3333"),
        (2.5, "+.1f", "+2.5", "+2.5"),
        (float("inf"), ".3g", "∞", r"\infty"),
        (float("-inf"), "", "−∞", r"-\infty"),
        (-0.25, ".3g", "−0.25", "-0.25"),
        (-2.5e-7, ".2g", "−2.5×10⁻⁷", r"-2.5 \times 10^{-7}"),
        ("sqrt", "", "sqrt", r"\text{sqrt}"),
    ],
)
def test_formats(value: Value, spec: str, text: str, latex: str) -> None:
    assert number_text(value, spec) == text
    assert number_text(value, spec, latex=True) == latex


@pytest.mark.parametrize(("value", "spec"), [(float("nan"), ".3g"), (0.5, "d"), ("sqrt", ".3g")])
def test_values_that_a_format_cannot_show(value: Value, spec: str) -> None:
    with pytest.raises(ExpressionError):
        number_text(value, spec)


def test_inside_a_formula_a_number_is_latex_and_in_code_and_text_it_is_not() -> None:
    text = "@{a|.1%} $@{a|.1%}$ `@{a|.1%}` $$@{a|.1%}$$ \\$@{a|.1%} $5 @{a|.1%}"
    assert fill(text, lambda slot: 0.5) == r"50.0% $50.0\%$ `50.0%` $$50.0%$$ \$50.0% $5 50.0%"
    assert fill("$$\n@{a|.1%}\n$$", lambda slot: 0.5) == "$$\n50.0\\%\n$$"


def test_the_minus_of_a_number_is_the_sign_in_prose_and_a_hyphen_in_what_is_copied_or_set_as_a_formula() -> (
    None
):
    text = "@{a}, `x = @{a}`, $@{a}$\n\n```python\ny = @{a}\n```\n\n- @{a}"
    assert fill(text, lambda slot: -0.5) == "−0.5, `x = -0.5`, $-0.5$\n\n```python\ny = -0.5\n```\n\n- −0.5"


@pytest.mark.parametrize(
    ("text", "offset", "says"),
    [
        ("ab @{D19.score_variance", 3, "not closed"),
        ("ab @{}", 5, "too early"),
        ("ab @{D19.score_variance|}", 24, "no format"),
        ("ab @{D19.score_variance|.3x}", 24, "no format"),
        ("ab @{D19.score_variance|.99f}", 24, "no format"),
        ("ab @{D19.score_variance|{}}", 24, "no format"),
        ("ab @{D19.score_variance|.2d}", 24, "no format"),
        ("ab @{D98.x}", 5, "no demonstration is called D98"),
        ("ab @{1 + D19.nothing}", 9, "has no measured number nothing; it has .*score_variance"),
        ("ab @{D19.predicted.pairs}", 5, "has no predicted number pairs; it has .*score_variance"),
        ("ab @{D19.scores}", 5, "has no measured number scores"),
        ("ab @{D19.score_variance(dk=1)}", 5, "has no parameter dk"),
        ("ab @{D19.score_variance(d_k=0)}", 5, "out of range"),
        ("ab @{D19.score_variance(scale=cube)}", 5, "must be one of none"),
        ("ab @{d_k}", 5, "unknown name d_k"),
    ],
)
def test_a_slot_that_names_nothing_says_so_at_its_place(
    quantities: Quantities, text: str, offset: int, says: str
) -> None:
    with pytest.raises(ExpressionError, match=says) as raised:
        quantities.fill(text)
    assert raised.value.offset == offset


def test_values_are_kept_and_read_without_numpy(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from quizbank.slots import Quantities;"
        f"print(Quantities(Path({str(tmp_path)!r})).fill('@{{D19.score_variance(d_k=32)|.4f}}'), 'numpy' in sys.modules)"
    )
    first, second = (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout.split()
        for _ in range(2)
    )
    assert first[0] == second[0]
    assert (first[1], second[1]) == ("True", "False")


def test_a_change_of_the_engine_makes_kept_values_unreachable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    computed = Quantities(tmp_path).fill("@{D19.score_variance|.3f}")
    (file,) = tmp_path.glob("D19-*.json")
    file.write_text(file.read_text().replace('"score_variance": ', '"score_variance": 7'))
    assert Quantities(tmp_path).fill("@{D19.score_variance|.3f}") == f"7{computed}"
    monkeypatch.setattr("quizbank.slots._code", lambda: "another-engine")
    assert Quantities(tmp_path).fill("@{D19.score_variance|.3f}") == computed


@pytest.mark.parametrize(
    "damage", ["", "[]", "{", '{"measured": 1}', '{"measured": {"score_variance": "1"}}', "\x00"]
)
def test_damaged_kept_values_are_computed_again(tmp_path: Path, damage: str) -> None:
    expected = Quantities(None).fill("@{D19.score_variance}")
    Quantities(tmp_path).fill("@{D19.score_variance}")
    (file,) = tmp_path.glob("D19-*.json")
    file.write_text(damage)
    assert Quantities(tmp_path).fill("@{D19.score_variance}") == expected


def test_without_a_folder_to_write_values_are_still_computed(tmp_path: Path) -> None:
    taken = tmp_path / "file"
    taken.write_text("x")
    assert Quantities(taken).fill("@{D19.predicted.score_variance|.0f}") == "1"


def test_two_processes_add_to_the_same_file(tmp_path: Path) -> None:
    one, other = Quantities(tmp_path), Quantities(tmp_path)
    one.fill("@{D19.score_variance(d_k=8)}")
    other.fill("@{D19.score_variance(d_k=16)}")
    one.fill("@{D19.score_variance(d_k=32)}")
    text = next(tmp_path.glob("D19-*.json")).read_text()
    assert all(key in text for key in (',d_k=8"', ',d_k=16"', ',d_k=32"'))


def test_a_number_drill_at_a_variant(quantities: Quantities) -> None:
    drill = sample_card().drills[1]
    assert isinstance(drill, NumberDrill)
    assert [quantities.answer(drill, variant) for variant in drill.variants()] == [64, 128, 256]
    assert quantities.fill(drill.question.en, {"d_k": 128}).endswith("at $d_k = 128$?")
    assert drill.accepts(64.6, 64)
    assert not drill.accepts(64.7, 64)
    assert not drill.accepts(float("nan"), 64)


def test_filling_a_card_reaches_every_text(quantities: Quantities) -> None:
    card = sample_card()
    done = filled(card, lambda text: quantities.fill(text, {"d_k": 64}))
    assert "@{" not in repr(done).replace(repr(done.drills[1].kind), "")
    assert done.id == card.id
    assert done.key_points == card.key_points


pieces = st.lists(
    st.sampled_from(
        ["$", "$$", "\\$", "`", "\n", "\n\n", " ", "a", "5", "中", "@{x|%}", "\n- ", "\n```\n", "\\a"]
    ),
    max_size=12,
)


@given(pieces)
def test_a_number_is_latex_exactly_where_the_filled_text_has_a_formula(parts: list[str]) -> None:
    done = fill("".join(parts), lambda slot: 0.5)
    try:
        blocks = parse_prose(done)
    except NotationError:
        assume(False)
    formulas, elsewhere = "", ""
    for block in blocks:
        match block:
            case Display():
                formulas += f" {block.latex} "
            case Code():
                elsewhere += f" {block.text} "
            case _:
                for span in block.spans:
                    if isinstance(span, Math):
                        formulas += f" {span.latex} "
                    else:
                        elsewhere += f" {span.text} "
    assert "\\%" not in elsewhere
    assert formulas.count("%") == formulas.count("\\%")


def test_a_dollar_before_a_slot_is_a_dollar() -> None:
    assert fill("$a$@{x} and $@{x} for $a$", lambda slot: 5) == "$a$5 and $5 for $a$"


def test_regions_cover_a_text_in_order() -> None:
    text = "a $b$ `$c` $$\nd\n$$ \\$e\n```\n$f$\n```\n- g $h\n- i$ $5"
    found = [(region.kind, text[region.start : region.end].strip()) for region in regions(text)]
    assert [item for item in found if item[1]] == [
        ("plain", "a"), ("math", "$b$"), ("code", "`$c`"), ("plain", "$$\nd\n$$"), ("plain", "e"),
        ("code", "```\n$f$\n```"), ("plain", "- g $h\n- i$ $5"),
    ]  # fmt: skip


def test_a_prediction_runs_no_experiment(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("an experiment was run")

    demo = replace(load("D19"), measure=refuse)
    monkeypatch.setattr("quizbank.slots.load", lambda _: demo)
    assert Quantities(None).fill("@{D19.predicted.score_variance(d_k=64, scale=none)|d}") == "64"
    with pytest.raises(AssertionError, match="experiment"):
        Quantities(None).fill("@{D19.score_variance(d_k=64)}")
