"""Figures, prose and formulas as widgets: laid out again on every change of size, language or theme."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from rich.cells import cell_len
from textual.geometry import Offset
from textual.selection import Selection

from engine.demos import load
from engine.figure import HeatMap, Line, Plot
from engine.text import LANGUAGES
from tests.drawing.samples import SAMPLES
from tests.widgets.host import Host
from tui.widgets.checks import ChecksView
from tui.widgets.figure import FigureView
from tui.widgets.formula import formula_rows
from tui.widgets.prose import ProseView

CLOSING = "，。；：！？、）”"


@pytest.mark.slow
@pytest.mark.parametrize("size", [(120, 40), (60, 20), (20, 6), (5, 2)])
async def test_every_figure_at_every_size_in_both_languages(size: tuple[int, int]) -> None:
    view = FigureView()
    app = Host(view)
    async with app.run_test(size=size) as pilot:
        for figure in SAMPLES.values():
            view.figure = figure
            for language in LANGUAGES:
                view.language = language
                await pilot.pause()
                assert all(cell_len(line) <= size[0] for line in app.lines())
                if size[1] >= 20:
                    assert figure.see.of(language) in app.text
                    assert figure.title.of(language) in app.text


async def test_a_new_figure_replaces_the_old_one_and_resizing_draws_it_again() -> None:
    view = FigureView()
    app = Host(view)
    async with app.run_test(size=(80, 24)) as pilot:
        view.figure = SAMPLES["decay"]
        await pilot.pause()
        assert "Gradient norm" in app.text
        view.figure = SAMPLES["traffic"]
        await pilot.pause()
        assert "Gradient norm" not in app.text
        wide = max(cell_len(line) for line in app.lines())
        await app.resized(pilot, 50, 12)
        assert max(cell_len(line) for line in app.lines()) <= 50 < wide


async def test_without_colour_no_colour_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    view = FigureView()
    app = Host(view)
    async with app.run_test(size=(60, 20)) as pilot:
        view.figure = SAMPLES["encoding"]
        await pilot.pause()
        assert "▒" in app.text
        assert "▀" not in app.text


async def test_a_faulty_figure_says_so_and_the_app_goes_on() -> None:
    view = FigureView()
    app = Host(view)
    good = SAMPLES["normal_curve"]
    assert isinstance(good, Plot)
    broken = replace(good, marks=(Line(good.title, np.arange(3.0), np.arange(5.0)),))
    async with app.run_test(size=(60, 20)) as pilot:
        view.figure, view.language = broken, "zh"
        await pilot.pause()
        assert "无法绘制这幅图：ValueError" in app.text
        view.figure = good
        await pilot.pause()
        assert "分数的分布" in app.text


async def test_labels_of_a_heat_map_stand_over_their_columns() -> None:
    view = FigureView()
    app = Host(view)
    figure = SAMPLES["attention"]
    assert isinstance(figure, HeatMap)
    async with app.run_test(size=(80, 24)) as pilot:
        view.figure, view.language = figure, "zh"
        await pilot.pause()
        head = next(line for line in app.lines() if line.count("[MASK]") == 1)
        last = next(line for line in app.lines() if line.strip().startswith("地毯"))
        # the number under [MASK] begins within the label
        mask = cell_len(head[: head.index("[MASK]")])
        number = cell_len(last[: last.index("[0.30]")])
        assert abs(mask - number) <= 1


PROSE = (
    "LayerNorm 沿特征维计算均值与方差，因此与批大小无关；BatchNorm 则依赖整个批次。公式 $h[t-1]$ 与词元 [MASK]、[/INST] 原样显示。\n\n"
    "- 第一点：$\\sigma^2$ 用有偏估计\n- second point: `x[0]`\n\n$$\\frac{x-\\mu}{\\sigma}$$\n"
)


@pytest.mark.parametrize("width", [24, 80])
async def test_prose_keeps_every_token_and_chinese_rules(width: int) -> None:
    view = ProseView(PROSE)
    app = Host(view)
    async with app.run_test(size=(width, 40)) as pilot:
        await pilot.pause()
        joined = "".join(app.text.split())
        for token in ("[MASK]", "[/INST]", "x[0]"):
            assert token in joined
        assert not [line for line in app.lines() if line.strip() and line.strip()[0] in CLOSING]
        tall = view.size.height
        await app.resized(pilot, width // 2, 60)
        assert view.size.height > tall
        view.text = "short"
        await pilot.pause()
        assert view.size.height == 1


async def test_what_stands_beneath_a_text_follows_its_height() -> None:
    above, below = ProseView("a short line"), ProseView("beneath")
    app = Host(above, below)
    async with app.run_test(size=(30, 12)) as pilot:
        for text, row in (
            ("another one", 1),
            ("a line that needs two rows of thirty cells", 2),
            ("short", 1),
        ):
            above.text = text
            await pilot.pause()
            assert app.lines()[row] == "beneath"
        above.display = False
        await pilot.pause()
        above.text = "a line that needs two rows of thirty cells"
        above.display = True
        await pilot.pause()
        assert app.lines()[2] == "beneath"


async def test_selected_prose_can_be_copied() -> None:
    view = ProseView("first line\n\nsecond line")
    app = Host(view)
    async with app.run_test(size=(40, 10)) as pilot:
        await pilot.pause()
        assert view.get_selection(Selection(Offset(6, 0), Offset(6, 2))) == ("line\n\nsecond", "\n")
        app.screen.selections = {view: Selection(Offset(0, 0), Offset(5, 0))}
        await pilot.pause()
        assert app.screen.get_selected_text() == "first"
        assert app.lines()[0] == "first line"


async def test_text_that_is_no_prose_is_shown_as_it_stands() -> None:
    app = Host(ProseView("an open $\\frac{$ formula"))
    async with app.run_test(size=(60, 5)) as pilot:
        await pilot.pause()
        assert "\\frac{" in app.text


def test_a_formula_stands_in_two_dimensions_and_an_unknown_one_as_its_source() -> None:
    assert len(formula_rows(r"\frac{a}{b}", 40)) == 3
    assert formula_rows(r"\notacommand{x}", 40) == (r"\notacommand{x}",)


@pytest.mark.parametrize("width", [100, 60, 40, 24])
async def test_no_two_numbers_of_a_check_touch_at_any_width(width: int) -> None:
    run = load("D52").run({})
    view = ChecksView()
    app = Host(view)
    async with app.run_test(size=(width, 200)) as pilot:
        for language in LANGUAGES:
            view.language = language
            view.checks = run.checks
            await pilot.pause()
            words = app.text.split()
            # each stands by itself, whole
            assert "4,456,448" in words
            assert {"en": "tolerance", "zh": "容差"}[language] in words
            assert all(cell_len(line) <= width for line in app.lines())
            if width == 40:
                # without room for columns, as many numbers in a row as fit
                assert any("✓" in line and any(map(str.isdigit, line)) for line in app.lines())
