"""Keys that come together, as over a slow line, do what they do one after the other."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input

from tests.app.driving import make_app, press, settle
from tui.screens.browse import BrowseScreen
from tui.screens.lab import LabScreen
from tui.screens.workbench import WorkbenchScreen
from tui.widgets.slider import Slider


async def at_once(pilot: Pilot[int], *keys: str) -> None:
    for key in keys:
        pilot.app.post_message(events.Key(key, key if len(key) == 1 else None))
    await settle(pilot)


@pytest.mark.parametrize("kind", [BrowseScreen, WorkbenchScreen])
async def test_what_is_typed_right_behind_the_key_of_the_field_stands_in_it(home: Path, kind: type) -> None:
    app = make_app(home)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        screen = kind()
        app.push_screen(screen)
        await settle(pilot)
        await at_once(pilot, "slash", *"norm qjk")
        assert app.screen is screen
        assert screen.query_one("#words", Input).value == "norm qjk"


async def test_each_of_several_keys_goes_to_the_next_slider(home: Path) -> None:
    app = make_app(home)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        app.push_screen(LabScreen("D19"))
        await settle(pilot)
        await press(pilot, "enter")
        sliders = list(app.screen.query(Slider))
        place = sliders.index(app.focused)
        await at_once(pilot, "down", "j", "down", "up")
        assert app.focused is sliders[place + 2]
