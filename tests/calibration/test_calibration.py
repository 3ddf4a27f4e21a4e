"""How far off guesses are: the error, what it adds up to, what is kept, what papers add."""

from __future__ import annotations

import math
import sqlite3
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.figure import Plot, Points
from quizbank.bank import load_bank
from quizbank.calibration.guess import Guess, paper_guesses
from quizbank.calibration.picture import pictures
from quizbank.calibration.store import FILE_NAME, Predictions
from quizbank.calibration.summary import calibration
from quizbank.card import Card
from quizbank.drills.grading import Grader
from quizbank.home import Home
from quizbank.papers.draw import draw
from quizbank.papers.results import Results
from quizbank.slots import Quantities

DAY = 86_400_000
START = 1_767_268_800_000
"""1 January 2026, noon UTC."""
SAMPLE = Path(__file__).parent.parent / "data" / "sample_cards.yaml"

positive = st.floats(1e-12, 1e12)


def factor(guess: float, value: float = 1.0, place: int = 0, **rest: object) -> Guess:
    fields = {
        "source": "lab",
        "at_ms": START + place * DAY,
        "demo": f"D{place + 1:02d}",
        "name": "x",
        "scale": "log",
    }
    return Guess(guess=guess, value=value, **{**fields, **rest})  # type: ignore[arg-type]


def share(guess: float, value: float, low: float = 0.0, high: float = 1.0, place: int = 0) -> Guess:
    return factor(guess, value, place, scale="linear", low=low, high=high)


@given(positive, positive, st.floats(1e-6, 1e6))
def test_a_factor_is_the_same_in_any_unit_and_turns_its_sign_with_the_sides(
    guess: float, value: float, unit: float
) -> None:
    error = factor(guess, value).error
    assert error is not None
    assert factor(guess * unit, value * unit).error == pytest.approx(error, abs=1e-9)
    assert factor(value, guess).error == pytest.approx(-error, abs=1e-12)
    assert 10**error * value == pytest.approx(guess, rel=1e-9)


@given(
    st.floats(-100, 100), st.floats(-100, 100), st.floats(-50, 50), st.floats(1e-3, 100), st.floats(1e-3, 1e3)
)
def test_a_share_of_the_range_is_the_same_on_a_range_moved_and_stretched(
    guess: float, value: float, low: float, width: float, stretch: float
) -> None:
    error = share(guess, value, low, low + width).error
    assert error is not None
    moved = share(*(3 + stretch * number for number in (guess, value, low, low + width))).error
    assert moved == pytest.approx(error, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize(("guess", "value"), [(0, 1), (-1, 1), (1, 0), (1, -1), (math.nan, 1), (1, math.inf)])
def test_where_no_factor_exists_there_is_no_error_and_it_is_counted_apart(guess: float, value: float) -> None:
    assert factor(guess, value).error is None
    found = calibration([factor(guess, value), factor(2.0, place=1)])
    assert (found.no_factor, len(found.guesses)) == (1, 1)


@given(st.lists(positive, min_size=1, max_size=30))
def test_what_a_spread_says_agrees_with_its_guesses(ratios: list[float]) -> None:
    # at the very edge the rounding of the logarithm would decide
    assume(all(abs(ratio - edge) > 1e-9 for ratio in ratios for edge in (1.1, 1 / 1.1, 2, 0.5)))
    (group,) = calibration(factor(ratio, place=n) for n, ratio in enumerate(ratios)).overall
    spread = group.spread
    assert spread.count == len(ratios)
    assert spread.near == sum(1 / 1.1 < ratio < 1.1 for ratio in ratios)
    assert spread.within_two == sum(0.5 < ratio < 2 for ratio in ratios)
    assert (spread.too_high, spread.too_low) == (sum(r > 1 for r in ratios), sum(r < 1 for r in ratios))
    geometric = math.prod(max(r, 1 / r) ** (1 / len(ratios)) for r in ratios)
    assert 10**spread.typical == pytest.approx(geometric, rel=1e-6)
    assert list(spread.quantiles) == sorted(spread.quantiles)
    assert spread.quantiles[2] == pytest.approx(spread.bias, abs=1e-12)
    assert (
        min(spread.errors) - 1e-12
        <= spread.quantiles[0]
        <= spread.quantiles[-1]
        <= max(spread.errors) + 1e-12
    )


def test_exactly_a_tenth_and_exactly_twice_are_within() -> None:
    (group,) = calibration(
        [factor(1.1), factor(2.0, place=1), factor(0.5, place=2), factor(2.001, place=3)]
    ).overall
    assert (group.spread.near, group.spread.within_two) == (1, 3)
    (group,) = calibration([share(0.6, 0.5), share(0.61, 0.5, place=1)]).overall
    assert (group.spread.near, group.spread.within_two) == (1, None)


def test_only_the_first_guess_of_a_thing_counts_as_the_outcome_was_shown_after_it() -> None:
    here = {"parameters": {"d_k": 64}, "seed": 0}
    guesses = [
        factor(8, **here),
        factor(1, **here, at_ms=START + 1),
        factor(1, parameters={"d_k": 128}, at_ms=START + 2),
    ]
    found = calibration(guesses)
    assert found.again == 1
    assert [guess.guess for guess in found.guesses] == [8, 1]
    # in whatever order they are read
    assert calibration(reversed(guesses)) == found


def test_the_trend_compares_the_earlier_with_the_later_half() -> None:
    guesses = [factor(10.0 if n < 3 else 2.0, place=n) for n in range(6)]
    (group,) = calibration(guesses).overall
    assert group.spread.halves == pytest.approx((1.0, math.log10(2)))
    (group,) = calibration(guesses[:5]).overall
    assert group.spread.halves is None


def test_groups_keep_the_sources_and_the_measures_apart() -> None:
    guesses = [
        factor(2.0),
        factor(4.0, place=40),
        share(0.9, 0.5, place=1),
        factor(3.0, place=2, source="paper"),
    ]
    found = calibration(guesses)
    assert [(g.source, g.spread.measure, g.spread.count) for g in found.overall] == [
        ("lab", "factor", 2),
        ("lab", "range", 1),
        ("paper", "factor", 1),
    ]
    assert [(g.name, g.source) for g in found.by_month if g.spread.measure == "factor"] == [
        ("2026-01", "lab"),
        ("2026-02", "lab"),
        ("2026-01", "paper"),
    ]
    document = found.as_json()
    assert document["guesses"] == 4
    assert [group["name"] for group in document["lab"]["demos"]] == ["D01", "D02", "D41"]
    assert document["paper"]["overall"][0]["within_factor_2"] == 0


# Kept ------------------------------------------------------------------------------------------------


def test_what_is_kept_is_what_was_guessed(tmp_path: Path) -> None:
    made = factor(8.0, 1.02, parameters={"d_k": 256, "scale": "none"}, low=0.001, high=1e4, seed=3)
    with Predictions(tmp_path) as predictions:
        predictions.add(made)
    with Predictions(tmp_path) as predictions:
        assert predictions.all() == (made,)


def test_guesses_can_be_neither_changed_nor_deleted(tmp_path: Path) -> None:
    with Predictions(tmp_path) as predictions:
        predictions.add(factor(8.0))
    connection = sqlite3.connect(tmp_path / FILE_NAME)
    for statement in ("UPDATE guess SET guess = value", "DELETE FROM guess"):
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            connection.execute(statement)
    connection.close()


def test_a_file_that_is_no_database_is_set_aside(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"not a database at all")
    with Predictions(tmp_path) as predictions:
        assert predictions.notices
        predictions.add(factor(8.0))
        assert len(predictions.all()) == 1
    assert next(tmp_path.glob("predictions.damaged-*.db")).read_bytes() == b"not a database at all"


# Papers ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sample(computed: Home) -> dict[str, Card]:
    bank = load_bank(computed, (SAMPLE,), lenient=True)
    return {card.id: card for card in bank.cards if card.id.startswith("sample-")}


def sat(folder: Path, cards: dict[str, Card], answer: str, hand_in: bool = True) -> Results:
    results = Results(folder)
    grader = Grader(cards, Quantities().value)
    sitting = results.begin(draw(tuple(cards.values()), kinds=("number",), count=1, seed=1), grader)
    sitting.answer(answer)
    if hand_in:
        sitting.hand_in()
    return results


@pytest.mark.slow
@pytest.mark.parametrize(("answer", "given"), [("64 * 2", 128.0), ("1e3", 1000.0), ("1/8", 0.125)])
def test_a_number_of_a_paper_is_a_guess_of_what_the_engine_computed(
    tmp_path: Path, sample: dict[str, Card], answer: str, given: float
) -> None:
    results = sat(tmp_path, sample, answer)
    (guess,) = paper_guesses(results.history(), sample)
    (report,) = results.history()
    assert guess.guess == given
    assert guess.value == report.lines[0].question.variant.variables["d_k"]
    assert (guess.source, guess.demo, guess.measure) == ("paper", "D19", "factor")
    assert guess.name == "sample-attention-scale/unscaled-variance"


def test_a_paper_that_is_still_open_gives_nothing_away(tmp_path: Path, sample: dict[str, Card]) -> None:
    results = sat(tmp_path, sample, "12", hand_in=False)
    assert paper_guesses(results.history(), sample) == ()


def test_what_was_not_understood_or_is_gone_is_left_out(tmp_path: Path, sample: dict[str, Card]) -> None:
    results = sat(tmp_path, sample, "no number")
    assert paper_guesses(results.history(), sample) == ()
    results = sat(tmp_path, sample, "12")
    assert len(paper_guesses(results.history(), sample)) == 1
    assert paper_guesses(results.history(), {}) == ()


# Seen ------------------------------------------------------------------------------------------------


def test_the_picture_has_every_guess_where_it_belongs() -> None:
    guesses = [factor(10.0, 100.0), factor(3.0, 1.0, place=1), share(3.0, 2.0, low=1.0, high=5.0, place=2)]
    factors, ranges = pictures(calibration(guesses))
    assert isinstance(factors, Plot)
    assert isinstance(ranges, Plot)
    (points,) = (mark for mark in factors.marks if isinstance(mark, Points))
    assert list(zip(points.x, points.y, strict=True)) == [(100.0, 10.0), (1.0, 3.0)]
    (points,) = (mark for mark in ranges.marks if isinstance(mark, Points))
    assert (points.x[0], points.y[0]) == (0.25, 0.5)
    assert pictures(calibration([])) == ()


def test_months_are_shown_from_the_second_on() -> None:
    one = [factor(10.0, place=n) for n in range(3)]
    assert len(pictures(calibration(one))) == 1
    two = pictures(calibration([*one, factor(2.0, place=40)]))
    assert [bar.value for bar in two[1].bars] == pytest.approx([10.0, 2.0])  # type: ignore[union-attr]
