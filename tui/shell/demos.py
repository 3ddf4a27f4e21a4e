"""`demo`: one demonstration, or the list of them."""

from __future__ import annotations

import sys

from engine.demos import catalogue, load
from engine.errors import InputError
from engine.text import Language, Text
from tui.shell.cards import width
from tui.shell.emit import emit

PLOT_ROWS = 18


def demo(
    demo_id: str | None,
    listing: bool,
    settings: tuple[str, ...],
    plain: bool,
    seed: int | None,
    as_json: bool,
    lang: Language,
) -> int:
    """Prove and measure one demonstration; exit status 1 when a step or a check does not hold."""
    if listing:
        return _list(as_json, lang)
    if demo_id is None:
        raise InputError(
            Text("name a demonstration, or --list to see them", "请指定一个演示，或用 --list 列出全部"),
            "proofdeck demo",
        )
    chosen = load(demo_id)
    given = dict(_setting(setting) for setting in settings)
    run = chosen.run(given, seed or 0)

    from engine.proof.derivation import ProofCache, decided
    from quizbank.home import Home

    steps = decided(chosen.id, chosen.derive, ProofCache(Home.from_environment().cache / "proofs"))
    holds = run.ok and all(step.ok for step in steps)
    if as_json:
        from engine.report import run_json

        emit(run_json(run, steps))
        return 0 if holds else 1
    from quizbank.plain import demo_text, prose_rows
    from quizbank.settings import check_settings
    from tui.drawing import figure_rows, plain_text

    cells = width()
    plot: list[str] = []
    drawn = not (plain or check_settings(Home.from_environment().config).plain)
    for figure in run.figures():
        plot.append("")
        if drawn:
            plot += plain_text(figure_rows(figure, min(cells, 80), PLOT_ROWS, lang, "none")).splitlines()
        plot += prose_rows(figure.see.of(lang), cells)
    sys.stdout.write(demo_text(run, steps, lang, cells, plot))
    return 0 if holds else 1


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
