"""The lab: the guess before the outcome, sliders by key, faults that stay where they are."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from textual.pilot import Pilot

import engine.sweep
from engine.demonstration import Run
from engine.demos import catalogue, load
from engine.text import Language
from tests.app.driving import SIZES, make_app, press, rows, settle, text
from tui.app import ProofdeckApp
from tui.screens.base import Page
from tui.screens.card import CardScreen
from tui.screens.home import HomeScreen
from tui.screens.lab import LabScreen
from tui.screens.lab_guess import read_guess
from tui.screens.lab_view import LabView
from tui.widgets.slider import Slider

DECK = Path(__file__).parents[1] / "data" / "derivations.yaml"


async def until(pilot: Pilot[int], wanted: str) -> None:
    """Wait for something to stand on the screen: a run in its thread takes what it takes."""
    for _ in range(500):
        await pilot.pause()
        if wanted in text(pilot.app):
            return
        await asyncio.sleep(0.01)
    raise AssertionError(f"{wanted!r} never came up:\n{text(pilot.app)}")


async def open_lab(app: ProofdeckApp, pilot: Pilot[int], demo: str = "D19") -> LabView:
    await settle(pilot)
    app.push_screen(LabScreen(demo))
    await settle(pilot)
    return app.screen.query_one(LabView)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "size"), [pytest.param("en", SIZES[0], marks=pytest.mark.slow), ("zh", SIZES[1])]
)
async def test_the_outcome_is_hidden_until_a_guess_is_made(
    home: Path, language: Language, size: tuple[int, int]
) -> None:
    app = make_app(home, language)
    async with app.run_test(size=size) as pilot:
        view = await open_lab(app, pilot)
        measured = view.shown[0].headline
        headline = app.screen.say(view.demo.headline.meaning)
        assert {"en": "Your guess", "zh": "你的猜测"}[language] in text(app)
        assert {"en": "measured", "zh": "实测"}[language] not in text(app)
        await press(pilot, *"1.2.3", "enter")
        assert {"en": "not a number", "zh": "不是一个数"}[language] in text(app)
        # what was typed is there to be mended
        await press(pilot, *["backspace"] * 5, *"8", "enter")
        shown = " ".join(text(app).split())
        assert headline in shown
        factor = max(8 / measured, measured / 8)
        assert f"{factor:.4g}" in shown
        await press(pilot, "right")
        assert f"{factor:.4g}" not in " ".join(text(app).split())


async def test_a_demonstration_is_found_by_words_of_either_language(home: Path) -> None:
    app = make_app(home, "en", decks=(DECK,))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "l", "slash", *"Variance 方差")
        found = [item.id for item in app.screen.query_one("Menu").items]
        assert "D19" in found
        assert len(found) < len(catalogue())
        assert f"{len(found)} of {len(catalogue())}" in rows(app)[0]
        await press(pilot, *"zzz")
        assert "No demonstration" in text(app)
        await press(pilot, *["backspace"] * 3, "enter")
        assert isinstance(app.screen, LabScreen)
        await press(pilot, "escape", "escape", "x", "escape")
        assert isinstance(app.screen, HomeScreen)
        # the lists of derivations and of cards to be asked about are searched alike
        for key, kind in (("w", "task:"), ("i", "card:")):
            await press(pilot, key)
            menu = app.screen.query_one("Menu")
            item = next(item for item in menu.items if item.id.startswith(kind))
            await press(pilot, "slash", *item.text.split()[0])
            assert item.id in [found.id for found in menu.items]
            await press(pilot, *"zzz")
            assert not any(found.id.startswith(kind) for found in menu.items)
            await press(pilot, "escape", "escape")


async def test_letters_are_keys_where_a_number_is_guessed(home: Path) -> None:
    app = make_app(home, "en")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "b", "enter", "l", *"2e-3")
        field = app.screen.query_one("#lab-guess Input")
        assert field.value == "2e-3"
        assert "e Sheet" in text(app)
        # the keys of the tabs above lead there
        await press(pilot, "d")
        assert "≔ defined" in text(app)
        await press(pilot, "l")
        assert field.value == "2e-3"


async def test_nothing_on_the_screen_gives_the_outcome_away_before_the_guess(home: Path) -> None:
    app = make_app(home, "en")
    async with app.run_test(size=(120, 40)) as pilot:
        view = await open_lab(app, pilot)
        kills, shows = view.demo.kills.en, view.demo.shows.en
        asked = " ".join(text(app).split())
        assert kills[:25] in asked
        assert "dividing by" not in asked
        await press(pilot, "enter")
        assert "dividing by" in shows
        assert "dividing by" in " ".join(text(app).split())


async def test_a_slider_moves_by_keys_and_the_numbers_follow(home: Path) -> None:
    app = make_app(home, "en")
    async with app.run_test(size=(80, 24)) as pilot:
        view = await open_lab(app, pilot)
        await press(pilot, "enter")
        # predicted against measured needs no scrolling
        assert "✓ holds" in text(app)
        before = view.values()
        await press(pilot, "right", "right", "down", "left")
        after = view.values()
        changed = [name for name in before if before[name] != after[name]]
        assert changed == [parameter.name for parameter in load("D19").parameters[:2]]
        assert all(f"--set {name}={after[name]}" in view.call() for name in changed)
        await press(pilot, "z")
        assert "▸" not in text(app)
        await press(pilot, "z", "n")
        assert "--seed 1" in view.call()
        await press(pilot, "x")
        assert view.call() == "proofdeck demo D19"


async def test_a_sweep_draws_the_headline_over_the_slider_and_ends_with_the_others(home: Path) -> None:
    app = make_app(home, "en")
    async with app.run_test(size=(80, 24)) as pilot:
        view = await open_lab(app, pilot)
        await press(pilot, "enter", "w")
        await until(pilot, "w goes back to the figure")
        assert view.sweep is not None
        assert len(view.sweep.runs) == view.sweep.places
        assert "variance of the scores, by width of one head" in text(app)
        assert view.call() == "proofdeck demo D19 --sweep d_k"
        assert "b Pin" not in text(app)
        # the run at the slider's own value is the one that stood there before
        (here,) = (run for run in view.sweep.runs if run.params.d_k == view.values()["d_k"])
        assert here.headline == view.shown[0].headline
        # moving along the swept slider keeps the sweep; moving another ends it
        await press(pilot, "right")
        assert view.sweep is not None
        await press(pilot, "down", "right")
        assert view.sweep is None
        await until(pilot, "Distribution of the scores")
        assert "by width of one head" not in text(app)
        await until(pilot, "b Pin")


def held_up_after_three(monkeypatch: pytest.MonkeyPatch) -> Event:
    """Sweeps wait after three runs until the event is set."""
    runs_of, go_on = engine.sweep.sweep, Event()

    def held_up(*given: Any, **options: Any) -> Iterator[Run]:
        runs = runs_of(*given, **options)
        yield from islice(runs, 3)
        assert go_on.wait(60)
        yield from runs

    monkeypatch.setattr(engine.sweep, "sweep", held_up)
    return go_on


@pytest.mark.parametrize(
    ("kind", "given"), [(LabScreen, ("D19",)), (CardScreen, ("sample-attention-scale", "lab"))]
)
async def test_going_back_stops_a_running_sweep_first_and_leaves_only_then(
    home: Path, monkeypatch: pytest.MonkeyPatch, kind: type[Page], given: tuple[str, ...]
) -> None:
    go_on = held_up_after_three(monkeypatch)
    app = make_app(home, "zh")
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settle(pilot)
        screen = kind(*given)
        app.push_screen(screen)
        await settle(pilot)
        await press(pilot, "enter")
        await pilot.press("w")
        await until(pilot, "已运行 3 / ")
        await pilot.press("escape")
        await until(pilot, "的扫描已停止，运行了 3 / ")
        assert app.screen is screen
        assert screen.query_one(LabView).sweep is None
        assert "已运行" not in text(app)
        go_on.set()
        await press(pilot, "escape")
        assert isinstance(app.screen, HomeScreen)


async def test_going_back_from_a_finished_sweep_shows_the_figure(home: Path) -> None:
    app = make_app(home, "en")
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        view = await open_lab(app, pilot)
        screen = app.screen
        await press(pilot, "enter", "w")
        await until(pilot, "w goes back to the figure")
        await pilot.press("escape")
        await until(pilot, "Distribution of the scores")
        assert app.screen is screen
        assert view.sweep is None
        assert "is stopped" not in text(app)
        await press(pilot, "escape")
        assert app.screen is not screen


async def test_a_sweep_that_is_out_of_sight_holds_nobody_up(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = held_up_after_three(monkeypatch)
    app = make_app(home, "zh")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        screen = CardScreen("sample-attention-scale", "lab")
        app.push_screen(screen)
        await settle(pilot)
        await press(pilot, "enter")
        await pilot.press("w")
        await until(pilot, "已运行 3 / ")
        screen.action_panel("sources")
        await pilot.press("escape")
        go_on.set()
        await settle(pilot)
        assert isinstance(app.screen, HomeScreen)


async def test_a_choice_is_swept_as_bars_named_in_chinese(home: Path) -> None:
    app = make_app(home, "zh")
    async with app.run_test(size=(80, 24)) as pilot:
        view = await open_lab(app, pilot)
        await press(pilot, "enter")
        view.query("Slider").last().focus()
        await press(pilot, "w")
        await until(pilot, "共运行 3 次")
        assert "分数的方差：随“分数除以什么”变化" in text(app)
        assert view.call() == "proofdeck demo D19 --sweep scale"
        drawn = [row.strip() for row in rows(app)]
        assert [row.split()[0] for row in drawn if row.startswith(("不除 ", "√dₖ ", "dₖ  "))] == [
            "不除",
            "√dₖ",
            "dₖ",
        ]
        assert "实测，当前" in text(app)


async def test_what_was_pinned_stays_behind_what_comes_next(home: Path) -> None:
    app = make_app(home, "zh")
    async with app.run_test(size=(120, 40)) as pilot:
        view = await open_lab(app, pilot, "D01")
        await press(pilot, "enter", "b", "right")
        assert "已固定：" in text(app)
        assert "已固定：proofdeck demo D01\n" in text(app)
        assert view.call() == "proofdeck demo D01 --set n=17"
        await press(pilot, "b")
        assert "已固定" not in text(app)


async def test_the_call_and_the_values_can_be_copied(home: Path) -> None:
    app = make_app(home, "en")
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        view = await open_lab(app, pilot)
        await press(pilot, "enter", "right", "y")
        assert app.clipboard == view.call()
        assert "--set" in view.call()
        await press(pilot, "Y")
        copied = json.loads(app.clipboard)
        assert copied["parameters"] == view.values()
        assert copied["headline"]["value"] == view.shown[0].headline


async def test_a_large_screen_has_the_derivation_beneath_the_figure(home: Path) -> None:
    app = make_app(home, "en")
    async with app.run_test(size=(120, 40)) as pilot:
        view = await open_lab(app, pilot)
        derivation = view.query_one("DerivationView")
        assert not derivation.display
        await press(pilot, "enter", "space", "space")
        await until(pilot, "✓ proved")
        assert derivation.revealed == 2
        # the slider still has the keys
        before = view.values()
        await press(pilot, "right")
        assert view.values() != before


async def test_what_is_shown_is_what_the_engine_gives(home: Path) -> None:
    app = make_app(home, "en")
    async with app.run_test(size=(120, 40)) as pilot:
        view = await open_lab(app, pilot)
        await press(pilot, "enter")
        run = load("D19").run(view.values(), 0)
        shown = text(app)
        for check in run.checks:
            assert f"{check.measured:.4g}".replace("-", "−") in shown
            assert f"{check.predicted:.4g}".replace("-", "−") in shown
        assert "✓ holds" in shown


async def test_a_fault_in_a_demonstration_is_a_message_and_the_app_lives_on(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    demo = load("D19")

    def broken(*_: object) -> None:
        raise FloatingPointError("no [/b] such thing")

    monkeypatch.setitem(demo.__dict__, "measure", broken)
    app = make_app(home, "en")
    async with app.run_test(size=(80, 24)) as pilot:
        await open_lab(app, pilot)
        await until(pilot, "FloatingPointError: no [/b] such thing")
        await press(pilot, "escape")
        assert rows(app)[0].startswith(" Proofdeck")
        await press(pilot, "b")
        assert "Why are attention scores" in text(app)


async def test_a_derivation_shows_its_first_step_then_one_a_key(home: Path) -> None:
    app = make_app(home, "en")
    async with app.run_test(size=(80, 24)) as pilot:
        await open_lab(app, pilot)
        await press(pilot, "enter", "d")
        view = app.screen.query_one("DerivationView")
        assert view.revealed == 1
        assert "≔ defined" in text(app)
        await press(pilot, "space")
        assert view.revealed == 2
        assert "✓ proved" in text(app)


async def test_a_fault_in_a_derivation_is_a_notice_and_the_app_lives_on(
    home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    demo = load("D19")

    def broken() -> None:
        raise ArithmeticError("no proof")

    monkeypatch.setitem(demo.__dict__, "derive", broken)
    monkeypatch.setenv("PROOFDECK_TEST_CACHE", str(tmp_path))
    app = make_app(home, "en")
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await open_lab(app, pilot)
        await press(pilot, "enter", "d")
        await until(pilot, "ArithmeticError: no proof")
        await press(pilot, "escape", "escape")
        assert rows(app)[0].startswith(" Proofdeck")


@pytest.mark.parametrize(
    ("typed", "guess"),
    [("8", 8.0), ("1e3", 1000.0), ("3,072", 3072.0), ("１２．５", 12.5), ("−2", -2.0), ("", None), ("abc", None),
     ("nan", None), ("1e999", None), ("9" * 50, None)],
)  # fmt: skip
def test_a_guess_is_read_as_a_person_types_it(typed: str, guess: float | None) -> None:
    assert read_guess(typed) == guess


@pytest.mark.parametrize("key", ["z", "escape"])
async def test_the_zoom_gives_the_focus_back_to_its_slider_and_esc_leads_out_of_it_first(
    home: Path, key: str
) -> None:
    app = make_app(home, "zh")
    async with app.run_test(size=(80, 24)) as pilot:
        view = await open_lab(app, pilot)
        screen = app.screen
        await press(pilot, "enter", "down", "down")
        slider = app.focused
        assert slider is list(view.query(Slider))[2]
        await press(pilot, "z")
        assert view.zoomed
        await press(pilot, key)
        assert app.screen is screen
        assert not view.zoomed
        assert app.focused is slider
        # a sweep begun over the figure alone is of that slider too
        await press(pilot, "z", "w")
        assert view.sweep is not None
        assert view.sweep.name == slider.parameter.name
        await press(pilot, "escape")
        assert (view.zoomed, view.sweep is not None) == (False, True)
        await press(pilot, "escape", "escape")
        assert app.screen is not screen
