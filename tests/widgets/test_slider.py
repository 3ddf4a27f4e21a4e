"""A parameter under the hand: keys, typing and mouse; heard when the person changes it and at no other time."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rich.cells import cell_len
from textual.events import Key

from engine.demonstration import Choice, Parameter
from engine.errors import InputError
from engine.text import LANGUAGES, Language, Text, same
from tests.widgets.host import Host
from tui.widgets.slider import Slider, align

WIDTH = Parameter("d_k", "d_k", Text("width of one head", "单个头的维度"), 64, 1, 1024, 1.0, "int", "log")
MEAN = Parameter("mu", r"\mu", Text("mean", "均值"), 0.0, -2.0, 2.0, 0.1, unit=Text("nats", "纳特"))
SCALE = Parameter(
    "scale",
    r"\text{scale}",
    Text("what the score is divided by", "分数除以什么"),
    "sqrt",
    kind="choice",
    choices=(
        Choice("none", Text("nothing", "不除")),
        Choice("sqrt", same("√d_k")),
        Choice("linear", same("d_k")),
    ),
)


async def after(parameter: Parameter, *keys: str) -> tuple[Slider, list[object], str]:
    slider = Slider(parameter)
    app = Host(slider)
    async with app.run_test(size=(80, 8)) as pilot:
        slider.focus()
        await pilot.press(*keys)
        await pilot.pause()
        return slider, app.heard, app.text


async def test_nothing_is_heard_until_the_person_changes_something() -> None:
    slider, heard, text = await after(MEAN)
    assert heard == []
    assert slider.value == 0.0
    assert "μ mean" in text
    assert "0 nats" in text


async def test_arrows_and_letters_step() -> None:
    _, heard, text = await after(MEAN, "right", "l", "l", "left")
    assert heard == [("mu", 0.1), ("mu", 0.2), ("mu", 0.3), ("mu", 0.2)]
    assert "0.2 nats" in text


async def test_ends_and_reset_and_no_word_at_the_end_of_the_way() -> None:
    _, heard, _ = await after(WIDTH, "end", "right", "home", "left", "r", "r")
    assert heard == [("d_k", 1024), ("d_k", 1), ("d_k", 64)]


async def test_shift_steps_far() -> None:
    _, heard, text = await after(MEAN, "L", "H", "shift+left")
    assert heard == [("mu", 0.4), ("mu", 0.0), ("mu", -0.4)]
    # below zero with the sign that plots and prose have
    assert "−0.4 nats" in text


async def test_digits_begin_a_typed_value_and_enter_takes_it() -> None:
    slider, heard, _ = await after(WIDTH, "3", "8", "4", "enter")
    assert heard == [("d_k", 384)]
    assert isinstance(slider.value, int)


async def test_what_is_typed_is_seen_and_escape_leaves_it() -> None:
    slider = Slider(WIDTH)
    app = Host(slider)
    async with app.run_test(size=(80, 8)) as pilot:
        slider.focus()
        await pilot.press("7", "7", "backspace", "2")
        await pilot.pause()
        assert " 72 " in app.text
        assert "Enter: take it" in app.text
        await pilot.press("escape")
        await pilot.pause()
        assert not slider.typing
        assert "64" in app.text
    assert app.heard == []


@pytest.mark.parametrize(
    ("keys", "said"), [("4096", "out of range: 1 to 1024"), ("2.5", "must be a whole number")]
)
async def test_a_refused_value_stays_to_be_mended_and_says_why(keys: str, said: str) -> None:
    slider = Slider(WIDTH)
    app = Host(slider)
    async with app.run_test(size=(80, 8)) as pilot:
        slider.focus()
        await pilot.press(*keys, "enter")
        await pilot.pause()
        assert said in app.text
        assert keys in app.text
        assert app.heard == []
        assert slider.value == 64
        await pilot.press(*["backspace"] * 4, "9", "enter")
        await pilot.pause()
        assert said not in app.text
    assert app.heard == [("d_k", 9)]


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "“log₁₀ δ first distance” must be a whole number from −10 to −1, not −3.3"),
        ("zh", "“log₁₀ δ 起始距离”须为 −10 到 −1 之间的整数，不能是 −3.3"),
    ],
)
async def test_a_refusal_names_the_parameter_as_the_row_does(language: Language, said: str) -> None:
    power = Parameter(
        "offset", r"\log_{10} \delta", Text("first distance", "起始距离"), -6, -10, -1, 1, "int"
    )
    slider = Slider(power)
    slider.language = language
    app = Host(slider)
    async with app.run_test(size=(100, 8)) as pilot:
        slider.focus()
        await pilot.press(*"-3.3", "enter")
        await pilot.pause()
        assert said in app.text
        assert slider.value == -6
    with pytest.raises(InputError, match="offset must be a whole number from -10 to -1, not"):
        power.read("-3.3")


async def test_full_width_digits_of_a_chinese_input_method_count() -> None:
    slider = Slider(MEAN)
    app = Host(slider)
    async with app.run_test() as pilot:
        slider.focus()
        await pilot.pause()
        for character in "－１。５":
            slider.post_message(Key("committed", character))
        await pilot.press("enter")
        await pilot.pause()
    assert app.heard == [("mu", -1.5)]


async def test_letters_typed_into_a_number_do_nothing_and_reach_nobody() -> None:
    class Guarded(Host):
        BINDINGS = [("q", "quit_now", "quit")]  # noqa: RUF012

        def action_quit_now(self) -> None:
            self.heard.append("quit")

    slider = Slider(WIDTH)
    app = Guarded(slider)
    async with app.run_test() as pilot:
        slider.focus()
        await pilot.press("1", "q", "h", "left", "2", "enter", "q")
        await pilot.pause()
    assert app.heard == [("d_k", 12), "quit"]


async def test_a_choice_is_stepped_through_and_picked_by_its_number() -> None:
    slider, heard, text = await after(SCALE, "right", "right", "1")
    assert heard == [("scale", "linear"), ("scale", "none")]
    assert slider.value == "none"
    assert "● nothing  ○ √d_k  ○ d_k" in text


async def test_a_choice_with_little_room_shows_the_chosen_one() -> None:
    app = Host(Slider(SCALE))
    async with app.run_test(size=(34, 4)) as pilot:
        await pilot.pause()
        assert "‹ √d_k ›  2/3" in app.text


async def test_click_and_drag_along_the_track() -> None:
    slider = Slider(WIDTH)
    app = Host(slider)
    async with app.run_test(size=(80, 8)) as pilot:
        await pilot.pause()
        start, cells = slider._track
        left = slider.region.x + slider.gutter.left + start
        await pilot.mouse_down(slider, offset=(left - slider.region.x, 0))
        await pilot.hover(slider, offset=(left - slider.region.x + cells - 1, 0))
        await pilot.mouse_up(slider, offset=(left - slider.region.x + cells - 1, 0))
        await pilot.hover(slider, offset=(left - slider.region.x, 0))
        await pilot.pause()
    assert app.heard == [("d_k", 1), ("d_k", 1024)]


async def test_a_click_on_a_choice_picks_it() -> None:
    slider = Slider(SCALE)
    app = Host(slider)
    async with app.run_test(size=(80, 8)) as pilot:
        await pilot.pause()
        column = app.lines()[0].index("○ d_k")
        await pilot.click(slider, offset=(column, 0))
        await pilot.pause()
    assert app.heard == [("scale", "linear")]


async def test_set_by_the_program_says_nothing_and_keeps_to_the_range() -> None:
    slider = Slider(WIDTH, 128)
    app = Host(slider)
    async with app.run_test() as pilot:
        slider.set_value("256")
        await pilot.pause()
        assert "256" in app.text
        with pytest.raises(InputError):
            slider.set_value(0)
    assert app.heard == []


async def test_one_row_in_both_languages_at_every_width() -> None:
    sliders = [Slider(parameter) for parameter in (WIDTH, MEAN, SCALE)]
    app = Host(*sliders)
    async with app.run_test(size=(120, 6)) as pilot:
        app.screen.set_focus(None)
        for width in (120, 60, 40, 24, 12):
            await app.resized(pilot, width, 6)
            for language in LANGUAGES:
                for slider in sliders:
                    slider.language = language
                await pilot.pause()
                assert [slider.size.height for slider in sliders] == [1, 1, 1]
                assert all(line.strip() for line in app.lines()[:3])


async def test_a_label_that_is_cut_stands_in_full_under_the_slider_in_hand() -> None:
    long = replace(WIDTH, meaning=Text(r"width of one head, up to $\sqrt{H}$ of the whole", "单个头的维度"))
    sliders = [Slider(long), Slider(MEAN)]
    app = Host(*sliders)
    async with app.run_test(size=(40, 6)) as pilot:
        sliders[0].focus()
        await pilot.pause()
        assert "…" in app.lines()[0]
        assert " ".join(" ".join(app.lines()[1:3]).split()) == "dₖ width of one head, up to √H of the whole"
        sliders[1].focus()
        await pilot.pause()
        assert "of the whole" not in app.text


async def test_aligned_tracks_begin_and_end_in_the_same_columns() -> None:
    sliders = [Slider(WIDTH), Slider(MEAN)]
    app = Host(*sliders)
    async with app.run_test(size=(80, 6)) as pilot:
        for language in LANGUAGES:
            for slider in sliders:
                slider.language = language
            align(sliders)
            await pilot.pause()
            first, second = (
                [cell_len(line[: line.index(edge)]) for edge in ("⠶", "⠤ ")] for line in app.lines()[:2]
            )
            assert first == second
