"""A run as JSON: the shape that other programs rely on, the same bytes for the same run."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from engine.demos import load
from engine.proof.derivation import decide_all
from engine.proof.step import Decided, Status
from engine.report import MOST_NUMBERS, plain, run_json
from engine.text import same


@pytest.fixture(scope="module")
def steps() -> tuple[Decided, ...]:
    return tuple(decide_all(load("D19").derive))


def test_the_shape_of_a_run(steps: tuple[Decided, ...]) -> None:
    told = run_json(load("D19").run({"d_k": 256}, seed=3), steps)
    assert list(told) == [
        "id", "name", "parameters", "seed", "headline", "steps", "results", "checks", "ok",
    ]  # fmt: skip
    assert (told["id"], told["name"], told["seed"]) == ("D19", "dot-product-variance", 3)
    assert told["parameters"]["d_k"] == 256
    assert told["parameters"]["scale"] == "sqrt"
    assert set(told["headline"]) == {"name", "value", "unit"}
    assert all(
        list(step) == ["statement", "rule", "status", "expected", "method", "bound", "ms"]
        for step in told["steps"]
    )
    assert all(set(step["rule"]) == {"en", "zh"} for step in told["steps"])
    assert {step["status"] for step in told["steps"]} >= {"defined", "proved", "refuted"}
    assert all(
        list(check) == ["name", "predicted", "measured", "tolerance", "ok"] for check in told["checks"]
    )
    assert told["ok"] is True
    (check,) = [check for check in told["checks"] if check["name"] == "score-variance"]
    assert abs(check["measured"] - check["predicted"]) <= check["tolerance"]


def test_the_same_run_gives_the_same_bytes_and_only_times_differ(steps: tuple[Decided, ...]) -> None:
    def text(seed: int) -> str:
        return json.dumps(run_json(load("D19").run({"d_k": 16}, seed=seed), steps), allow_nan=False)

    assert text(5) == text(5) != text(6)
    again = [replace(step, ms=0.0) for step in decide_all(load("D19").derive)]
    assert again == [replace(step, ms=0.0) for step in steps]


def test_ok_needs_every_step_and_every_check(steps: tuple[Decided, ...]) -> None:
    run = load("D19").run()
    assert run_json(run, steps)["ok"] is True
    undecided = replace(steps[-1], status=Status.UNDECIDED)
    assert run_json(run, [*steps[:-1], undecided])["ok"] is False
    broken = replace(run, checks=(replace(run.checks[0], measured=math.nan), *run.checks[1:]))
    told = run_json(broken, steps)
    assert told["ok"] is False
    assert told["checks"][0]["measured"] == "NaN"
    json.dumps(told, allow_nan=False)


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (math.nan, "NaN"), (math.inf, "Infinity"), (-math.inf, "-Infinity"), (np.float64("nan"), "NaN"),
        (np.float32(0.5), 0.5), (np.int64(3), 3), (np.bool_(True), True), (True, True), (None, None), ("x", "x"),
        (np.array(2.5), 2.5), (np.array([1, 2]), [1, 2]), (np.array([[1.0, np.inf]]), [[1.0, "Infinity"]]),
        ([np.float64(1), (2, math.nan)], [1.0, [2, "NaN"]]), ({"a": np.array([True])}, {"a": [True]}),
        (np.zeros(0), []), (same("x"), ["x", "x"]),
    ],
)  # fmt: skip
def test_results_become_plain_json(value: object, told: object) -> None:
    found = plain(value)
    assert found == told
    assert json.loads(json.dumps(found, allow_nan=False)) == told


def test_a_big_array_is_told_by_its_shape_and_range() -> None:
    limit = np.arange(MOST_NUMBERS, dtype=float)
    assert plain(limit) == limit.tolist()
    big = np.arange(MOST_NUMBERS * 2, dtype=float).reshape(2, -1)
    assert plain(big) == {"shape": [2, MOST_NUMBERS], "mean": 4095.5, "min": 0.0, "max": 8191.0}
    big[0, 0] = math.nan
    assert plain(big) == {"shape": [2, MOST_NUMBERS], "mean": "NaN", "min": "NaN", "max": "NaN"}
    json.dumps(plain(big > 1), allow_nan=False)
