"""Runs in a process of their own are the runs of the lab, and the lab does without where there is none."""

from __future__ import annotations

import importlib
import os
import pickle
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from textual.pilot import Pilot

from engine.demonstration import Demonstration, Params
from engine.demos import catalogue, load
from tests.app.driving import make_app, settle, text
from tui.background import StoppedError
from tui.drawing.framed import Frame, framed_rows
from tui.run_process import MOST_STARTS, Asked, Parts, RunProcess, _Interruptible, _packed, _Stop, computed
from tui.screens.lab import LabScreen
from tui.screens.lab_view import LabView
from tui.widgets.figure import FigureView
from tui.widgets.slider import Slider

PATIENCE = 60.0
FRAME = Frame(70, 20, "zh", "full", False)


def until(true: Callable[[], object]) -> bool:
    end = time.monotonic() + PATIENCE
    while not true() and time.monotonic() < end:
        time.sleep(0.01)
    return bool(true())


@pytest.fixture
def runs() -> Iterator[RunProcess]:
    process = RunProcess()
    process.begin()
    assert until(lambda: process.ready)
    yield process
    process.close()


def served(runs: RunProcess, demo: Demonstration, asked: Asked, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What the process answers; computing here instead is a failure."""
    with monkeypatch.context() as patch:
        patch.setattr("tui.run_process.computed", None)
        return runs.computed(demo, asked)


def same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other, equal_nan=one.dtype.kind in "fc")
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    return repr(one) == repr(other)


@pytest.mark.parametrize(
    "chosen",
    [
        ("D02", "D19", "D34", "D56"),
        pytest.param(tuple(entry.id for entry in catalogue()), marks=pytest.mark.slow),
    ],
)
def test_the_process_gives_what_the_lab_would_compute_itself(
    chosen: tuple[str, ...], runs: RunProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in chosen:
        demo = load(number)
        pinned = demo.run().figures()[0]
        asked = Asked(demo.read({}), 3, True, 1, pinned, FRAME)
        there, here = served(runs, demo, asked, monkeypatch), computed(demo, asked)
        assert there.run.demo is demo
        assert there.run.params.as_dict() == here.run.params.as_dict(), number
        assert there.run.params.samples == here.run.params.samples == demo.samples.dragging
        assert there.run.seed == 3
        assert same(dict(there.run.predicted), dict(here.run.predicted)), number
        assert same(dict(there.run.results), dict(here.run.results)), number
        assert there.run.checks == here.run.checks, number
        assert there.run.headline == here.run.headline
        assert there.rows == here.rows
        assert here.rows == framed_rows(here.figures[1 % len(here.figures)], pinned, FRAME)
        assert len(there.figures) == len(here.figures)


def test_what_lies_in_the_folder_somebody_works_in_is_no_library(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "pickle.py").write_text("raise SystemExit", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    runs = RunProcess()
    runs.begin()
    assert until(lambda: runs.ready)
    runs.close()


@pytest.mark.skipif(os.name != "posix", reason="only there can a folder be removed that somebody works in")
def test_where_the_folder_somebody_works_in_is_gone_it_starts_all_the_same(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # as an editable install has: Python itself does not start where it cannot say what this is relative to
    monkeypatch.setattr("sys.path", [*sys.path, "relative"])
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    runs = RunProcess()
    runs.begin()
    assert until(lambda: runs.ready or not any(one.name == "run process" for one in threading.enumerate()))
    assert runs.ready
    runs.close()


def test_where_no_picture_is_asked_for_none_is_drawn(
    runs: RunProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    demo = load("D19")
    answer = served(runs, demo, Asked(demo.read({}), 0, False), monkeypatch)
    assert answer.rows is None
    assert answer.run.params.samples == demo.samples.rest


def test_a_process_that_was_killed_is_done_without_and_replaced_but_not_for_ever(
    runs: RunProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    demo = load("D19")
    asked = Asked(demo.read({}), 0, True)
    for start in range(MOST_STARTS):
        if start:
            runs.begin()
            assert until(lambda: runs.ready)
        assert served(runs, demo, asked, monkeypatch).run.ok
        assert runs._process is not None
        runs._process.kill()
        for _ in range(2):
            assert runs.computed(demo, asked).run.checks == computed(demo, asked).run.checks
            assert not runs.ready
    runs.begin()
    assert not any(thread.name == "run process" for thread in threading.enumerate())


def test_one_who_finds_out_late_that_a_process_failed_leaves_the_next_alone(runs: RunProcess) -> None:
    failed = runs._process
    assert failed is not None
    runs._do_without(failed)
    runs.begin()
    assert until(lambda: runs.ready)
    runs._do_without(failed)
    assert runs.ready
    assert runs._process is not None
    assert runs._process.poll() is None


@pytest.mark.skipif(os.name != "posix", reason="no signal stops a process elsewhere")
def test_a_process_that_was_stopped_is_not_waited_for(
    runs: RunProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.run_process.PATIENCE", 0.1)
    demo = load("D19")
    asked = Asked(demo.read({}), 0, True)
    process = runs._process
    assert process is not None
    process.send_signal(signal.SIGSTOP)
    assert runs.computed(demo, asked).run.checks == computed(demo, asked).run.checks
    assert not runs.ready
    assert process.poll() is not None


def test_where_none_can_be_started_runs_are_computed_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "/no/such/program")
    runs = RunProcess()
    runs.begin()
    assert until(lambda: not any(thread.name == "run process" for thread in threading.enumerate()))
    assert not runs.ready
    demo = load("D19")
    assert runs.computed(demo, Asked(demo.read({}), 0, True)).run.ok


def test_a_demonstration_it_does_not_know_is_computed_here(runs: RunProcess) -> None:
    real = load("D19")
    calls: list[Params] = []

    def measure(params: Params, rng: np.random.Generator) -> Any:
        calls.append(params)
        return real.measure(params, rng)

    runs.computed(replace(real, measure=measure), Asked(real.read({}), 0, True))
    runs.computed(replace(real, id="D999", measure=measure), Asked(real.read({}), 0, True))
    assert len(calls) == 2


def test_what_a_demonstration_raises_is_raised_here(
    runs: RunProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    demo = load("D19")
    with pytest.raises(Exception, match="seed"):
        runs.computed(demo, Asked(demo.read({}), -1, True))
    # and it goes on
    assert served(runs, demo, Asked(demo.read({}), 0, True), monkeypatch).run.ok


def test_closing_lets_go_whoever_waits_and_leaves_no_process(runs: RunProcess) -> None:
    demo = load("D09")
    done = threading.Event()

    def ask() -> None:
        for _ in range(50):
            runs.computed(demo, Asked(demo.read({}), 0, True))
        done.set()

    threading.Thread(target=ask, daemon=True).start()
    time.sleep(0.1)
    runs.close()
    assert done.wait(PATIENCE)
    assert runs._process is not None
    assert runs._process.returncode is not None
    runs.begin()
    assert not runs.ready


def test_it_ends_with_the_app_that_is_gone(runs: RunProcess) -> None:
    process = runs._process
    assert process is not None
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(PATIENCE) == 0


@pytest.mark.skipif(os.name != "posix", reason="no signal ends a computation and nothing else")
def test_an_interrupted_run_ends_and_the_next_is_whole(
    runs: RunProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At any moment, amid a run and between two."""
    demo = load("D56")
    asked = Asked(demo.read({}), 0, True, 0, None, FRAME)
    wanted = computed(demo, asked)
    going, ended = threading.Event(), threading.Event()

    def interrupt() -> None:
        pause = 0.0
        while going.is_set():
            time.sleep(pause)
            pause = (pause + 0.0007) % 0.08
            runs.interrupt()
        ended.set()

    going.set()
    threading.Thread(target=interrupt, daemon=True).start()
    whole = stopped = 0
    end = time.monotonic() + PATIENCE
    while (whole < 20 or stopped < 20) and time.monotonic() < end:
        try:
            answer = served(runs, demo, asked, monkeypatch)
        except StoppedError:
            stopped += 1
            continue
        whole += 1
        assert answer.run.checks == wanted.run.checks
        assert answer.rows == wanted.rows
    going.clear()
    assert ended.wait(PATIENCE)
    assert whole >= 20
    assert stopped >= 20
    assert runs.ready


@pytest.mark.skipif(os.name != "posix", reason="no signal ends a computation and nothing else")
def test_an_interrupt_amid_an_answer_takes_nothing_off_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")
    runs = RunProcess()
    runs.begin()
    assert until(lambda: runs.ready)
    process, demo = runs._process, load("D48")
    assert process is not None
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(_packed((demo.id, Asked(demo.read({}), 0, False, 0, None, FRAME))))
    process.stdin.close()
    # it has begun to write what no pipe holds at once
    assert select.select([process.stdout], [], [], PATIENCE)[0]
    process.send_signal(signal.SIGINT)
    said = process.stdout.read()
    runs.close()
    assert len(said) > 1 << 16
    assert isinstance(pickle.loads(said), Parts)


@pytest.mark.skipif(os.name != "posix", reason="no signal ends a computation and nothing else")
def test_an_import_is_not_interrupted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Parts of NumPy that were half loaded once refuse to be loaded again: all later runs would fail."""
    (tmp_path / "half_loaded.py").write_text(
        "import signal\nsignal.raise_signal(signal.SIGINT)\nwhole = True\n", encoding="utf-8"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    before = signal.getsignal(signal.SIGINT)
    try:
        interruptible = _Interruptible()
        with interruptible:
            assert importlib.import_module("half_loaded").whole
        with pytest.raises(_Stop), interruptible:
            signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)


def test_an_answer_that_cannot_be_read_is_done_without(
    runs: RunProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As from a process that a newer version started: the package was replaced beneath an app that is open."""
    demo = load("D19")

    def load_answer(_: object) -> None:
        raise AttributeError("Can't get attribute 'Parts'")

    with monkeypatch.context() as patch:
        patch.setattr("tui.run_process.pickle.load", load_answer)
        assert runs.computed(demo, Asked(demo.read({}), 0, True)).run.ok
    assert not runs.ready


async def test_a_slider_whose_runs_are_long_is_served_by_a_process(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The picture is the one that the engine and the drawing give, and is drawn beside the loop."""
    app = make_app(home)
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(LabScreen("D34"))
        await settle(pilot)
        await app._press_keys(["enter"])
        await settle(pilot)
        view = app.screen.query_one(LabView)
        runs = view.lab_page.proofdeck.workspace.runs
        assert runs._process is None
        monkeypatch.setattr("tui.screens.lab_view.LONG", 0.0)
        slider = view.query(Slider).first()
        await moved(pilot, slider)
        assert until(lambda: runs.ready)
        monkeypatch.setattr("tui.run_process.computed", None)
        monkeypatch.setattr("tui.widgets.figure.framed_rows", None)
        await moved(pilot, slider)
        assert view.shown is not None
        run, figures = view.shown
        assert run.params.as_dict() == view.values()
        assert run.checks == view.demo.run(view.values()).checks
        picture = view.query_one(FigureView)
        assert picture.frame is not None
        for row in framed_rows(figures[0], None, picture.frame):
            assert "".join(part for part, _ in row).rstrip() in text(app)
        process = runs._process
    assert process is not None
    assert process.returncode is not None


async def moved(pilot: Pilot[Any], slider: Slider) -> None:
    view = cast(LabView, next(one for one in slider.ancestors if isinstance(one, LabView)))
    slider.focus()
    await pilot.press("right")
    for _ in range(2000):
        await pilot.pause(0.01)
        if view.shown is not None and view.shown[0].params.as_dict() == view.values():
            break
    await settle(pilot)
