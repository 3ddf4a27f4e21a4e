"""`demo`: one demonstration, or the list of them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from engine.demos import catalogue, load
from engine.errors import InputError
from engine.text import Language, Text
from tui.shell.cards import width
from tui.shell.emit import emit

if TYPE_CHECKING:
    from engine.demonstration import Demonstration, Value
    from engine.figure import Figure

PLOT_ROWS = 18
SWEPT = Text("{name} = {at}: {value}", "{name} = {at}：{value}")
PREDICTED = Text(" (predicted {value})", "（预测 {value}）")
FAILS = Text("✗ a check fails", "✗ 有检验不成立")


def demo(
    demo_id: str | None,
    listing: bool,
    settings: tuple[str, ...],
    swept: str | None,
    plain: bool,
    seed: int | None,
    as_json: bool,
    lang: Language,
) -> int:
    """Prove and measure one demonstration, or measure it along one parameter; exit status 1 when a step or a check
    does not hold."""
    if listing:
        return _list(as_json, lang)
    if demo_id is None:
        raise InputError(
            Text("name a demonstration, or --list to see them", "请指定一个演示，或用 --list 列出全部"),
            "demo",
        )
    chosen = load(demo_id)
    given = dict(_setting(setting) for setting in settings)
    if swept is not None:
        return _sweep(chosen, swept, given, seed or 0, plain, as_json, lang)
    run = chosen.run(given, seed or 0)

    from engine.proof.derivation import ProofCache, decided
    from quizbank.home import Home

    steps = decided(chosen.id, chosen.derive, ProofCache(Home.from_environment().cache / "proofs"))
    holds = run.ok and all(step.ok for step in steps)
    if as_json:
        from engine.report import run_json

        emit(run_json(run, steps))
        return 0 if holds else 1
    from quizbank.plain import demo_text

    plot = [row for figure in run.figures() for row in ("", *_figure(figure, plain, lang))]
    sys.stdout.write(demo_text(run, steps, lang, width(), plot))
    return 0 if holds else 1


def _figure(figure: Figure, plain: bool, language: Language, is_named: bool = False) -> list[str]:
    """The figure, unless nothing is to be drawn, and what to see in it. ``is_named``: its title was printed."""
    from quizbank.home import Home
    from quizbank.plain import prose_rows
    from quizbank.settings import check_settings
    from tui.drawing import figure_rows, plain_text

    cells = width()
    if plain or check_settings(Home.from_environment().config).plain:
        # a sentence about a figure that is not there needs its title
        colon = "：" if language == "zh" else ": "
        title = "" if is_named else figure.title.of(language) + colon
        return prose_rows(title + figure.see.of(language), cells)
    drawn = plain_text(figure_rows(figure, min(cells, 80), PLOT_ROWS, language, "none")).splitlines()
    return [*drawn, *prose_rows(figure.see.of(language), cells)]


def _sweep(
    chosen: Demonstration,
    name: str,
    given: dict[str, str],
    seed: int,
    plain: bool,
    as_json: bool,
    language: Language,
) -> int:
    from engine.report import plain as jsonable
    from engine.sweep import sweep, sweep_json, swept_figure
    from quizbank.slot_grammar import rounded

    def at(value: Value) -> str:
        return value if isinstance(value, str) else rounded(value, 6)

    runs = list(sweep(chosen, name, given, seed))
    figure = swept_figure(chosen, name, runs, chosen.read(given)[name])
    data = sweep_json(chosen, name, runs)
    if as_json:
        emit(jsonable({"id": chosen.id, "seed": seed, **data}))
    else:
        print(f"{chosen.id} · {figure.title.of(language)}")
        print(
            *(
                SWEPT.of(language).format(name=name, at=at(one["value"]), value=rounded(one["measured"], 6))
                + (
                    ""
                    if one["predicted"] is None
                    else PREDICTED.of(language).format(value=rounded(one["predicted"], 6))
                )
                + ("" if one["ok"] else f" {FAILS.of(language)}")
                for one in data["runs"]
            ),
            "",
            *_figure(figure, plain, language, is_named=True),
            sep="\n",
        )
    return 0 if all(run.ok for run in runs) else 1


def _setting(setting: str) -> tuple[str, str]:
    name, equals, value = setting.partition("=")
    if not (equals and name.strip() and value.strip()):
        raise InputError(Text("write it as name=value", "写法是 名称=值"), "--set")
    return name.strip(), value.strip()


def _list(as_json: bool, language: Language) -> int:
    demos = [load(entry.id) for entry in catalogue()]
    if as_json:
        emit(
            [
                {
                    "id": demo.id,
                    "name": demo.name,
                    "title": demo.title._asdict(),
                    "shows": demo.shows._asdict(),
                    "kills": demo.kills._asdict(),
                    "parameters": [parameter.name for parameter in demo.parameters],
                }
                for demo in demos
            ]
        )
        return 0
    for demo in demos:
        print(f"{demo.id}  {demo.name}: {demo.title.of(language)}")
    return 0
