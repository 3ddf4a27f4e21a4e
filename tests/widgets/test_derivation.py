"""One key, one step; what was truly done stands beside each, in words and a sign."""

from __future__ import annotations

import pytest

from engine.demos import load
from engine.proof.derivation import decide_all
from engine.proof.step import Decided, Status
from engine.text import LANGUAGES, Text
from tests.widgets.host import Host
from tui.badges import tone
from tui.drawing.rows import row_cells
from tui.widgets.derivation import DerivationView, step_rows

PROVED, REFUTED = Status.PROVED, Status.REFUTED


def step(
    name: str, status: Status = PROVED, expected: Status | None = None, statement: str = "", **more: str
) -> Decided:
    fields = {"bound": "", "source": "", "counterexample": "", **more}
    rule = Text(f"rule of {name}: the [MASK] token, h[t-1]", f"{name} 的依据：词元 [MASK]，h[t-1]")
    return Decided(
        name, statement or f"{name} = {name}", rule, status, expected or status, "expand", ms=12.3, **fields
    )  # type: ignore[arg-type]


STEPS = (
    step("a", Status.DEFINED, statement=r"s = q \cdot k"),
    step("b", Status.PROVED_BOUNDED, bound="n=4"),
    step(
        "c", REFUTED, statement=r"\operatorname{Var}(x) = 1", counterexample=r"\rho = \frac{1}{2}:\ 2 \neq 1"
    ),
    step("d", Status.CITED, source="Vaswani et al. 2017, section 3.2.1"),
)


async def test_each_key_shows_one_more_step() -> None:
    view = DerivationView()
    app = Host(view)
    async with app.run_test(size=(80, 40)) as pilot:
        view.show(STEPS)
        view.focus()
        await pilot.pause()
        assert "rule of" not in app.text
        assert "Space: step 1 of 4" in app.text
        await pilot.press("space")
        await pilot.pause()
        assert "rule of a" in app.text
        assert "rule of b" not in app.text
        await pilot.press("space", "n", "space", "space", "space")
        await pilot.pause()
        assert "rule of d" in app.text
        assert "All 4 steps came out" in app.text
        await pilot.press("backspace")
        await pilot.pause()
        assert "rule of d" not in app.text


async def test_badges_in_words_and_signs_and_nothing_is_eaten_as_markup() -> None:
    view = DerivationView()
    app = Host(view)
    async with app.run_test(size=(90, 60)) as pilot:
        view.show(STEPS, revealed=4)
        await pilot.pause()
        for badge in ("≔ defined", "✓ proved for n=4", "✗ popular error, refuted", "¶ cited"):
            assert badge in app.text
        assert app.text.count("[MASK] token, h[t-1]") == 4
        assert "Counterexample:" in app.text
        assert "Source: Vaswani et al. 2017, section 3.2.1" in app.text
        assert "multiplied out · 12 ms" in app.text
        view.language = "zh"
        await pilot.pause()
        for words in (
            "✓ 已证明，限于 n=4",
            "✗ 流行误解，已证伪",
            "反例：",
            "展开后相等 · 12 毫秒",
            "来源：Vaswani",
        ):
            assert words in app.text
        assert "rule of" not in app.text


async def test_a_surprise_is_counted_and_never_hidden() -> None:
    view = DerivationView()
    app = Host(view)
    async with app.run_test(size=(80, 30)) as pilot:
        view.show((step("a"), step("b", Status.UNDECIDED, PROVED)), revealed=2)
        await pilot.pause()
        assert "? undecided, but expected: proved" in app.text
        assert "1 of 2 steps did not come out as claimed" in app.text


async def test_a_step_that_is_not_decided_yet_is_asked_for_once_and_shown_when_it_comes() -> None:
    view = DerivationView()
    app = Host(view)
    async with app.run_test(size=(80, 30)) as pilot:
        view.focus()
        await pilot.press("space", "space")
        await pilot.pause()
        assert app.heard == [0]
        assert "deciding the next step" in app.text
        view.add(step("a"))
        view.add(step("b"))
        await pilot.pause()
        assert "rule of a" in app.text
        assert "rule of b" not in app.text
        view.finish()
        await pilot.press("space")
        await pilot.pause()
        assert "rule of b" in app.text
        assert "All 2 steps" in app.text


async def test_all_steps_asked_for_early_are_shown_as_they_come() -> None:
    view = DerivationView()
    app = Host(view)
    async with app.run_test(size=(80, 30)) as pilot:
        view.focus()
        view.add(step("a"))
        await pilot.press("A")
        for name in ("b", "c"):
            await pilot.pause()
            assert "deciding the next step" in app.text
            view.add(step(name))
        view.finish()
        await pilot.pause()
        assert "rule of c" in app.text
        assert "All 3 steps" in app.text
        # kept ones that arrive after the key are shown as well
        view.clear()
        await pilot.press("A")
        view.show((step("d"), step("e")), revealed=1)
        await pilot.pause()
        assert "rule of e" in app.text


@pytest.mark.slow
async def test_the_newest_step_is_scrolled_into_view_and_the_page_can_be_moved() -> None:
    view = DerivationView()
    app = Host(view)
    async with app.run_test(size=(60, 9)) as pilot:
        view.show([step(f"s{number}") for number in range(12)])
        view.focus()
        for number in range(12):
            await pilot.press("space")
            await pilot.pause()
            assert f"rule of s{number}:" in app.text
        view.edge(-1)
        await pilot.pause()
        assert "rule of s0:" in app.text
        assert view.scroll_hint()[1] > 0
        view.edge(1)
        await pilot.pause()
        assert view.scroll_hint()[1] == 0


async def test_a_step_taller_than_the_view_is_shown_from_its_beginning() -> None:
    view = DerivationView()
    app = Host(view)
    async with app.run_test(size=(30, 6)) as pilot:
        long = step("long", statement=" + ".join(f"x_{{{k}}}" for k in range(40)) + " = 0")
        view.show([step("a"), long])
        view.focus()
        await pilot.press("space", "space")
        await pilot.pause()
        assert app.lines()[0].strip().startswith("2")


def test_no_row_of_a_real_derivation_is_wider_than_the_view() -> None:
    for number, decided in enumerate(decide_all(load("D19").derive), 1):
        for width in (24, 40, 60, 80, 120):
            for language in LANGUAGES:
                rows = step_rows(decided, number, width, language)
                assert max(row_cells(row) for row in rows) <= width


def test_a_refuted_error_does_not_look_like_a_result() -> None:
    assert tone(step("a")) == "good"
    assert tone(step("a", REFUTED)) == "false"
    assert tone(step("a", REFUTED, PROVED)) == "bad"
    assert tone(step("a", Status.UNDECIDED, PROVED)) == "bad"
    assert tone(step("a", Status.CITED)) == "plain"
