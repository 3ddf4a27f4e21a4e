"""`fit`: the scheduler's weights fitted to one's own log, before and after on reviews the fit has not seen."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from engine.errors import InputError
from engine.text import Language, Text
from tui.shell.emit import emit

if TYPE_CHECKING:
    from quizbank.fitting.fit import Fit

SETTING = "fsrs_weights"
_BOTH = Text("give one of --apply and --reset", "--apply 与 --reset 只能用其一")
_WAIT = (
    Text("fitting to {n} reviews; this takes about a minute", "正在用 {n} 次复习拟合，大约需要一分钟"),
    Text(
        "fitting to {n} reviews; this takes about {minutes} minutes",
        "正在用 {n} 次复习拟合，大约需要 {minutes} 分钟",
    ),
)
_SAMPLE = Text("(as many whole cards as hold so many reviews)", "（取了总次数不超过上限的若干整张卡片）")
_RESET = Text(
    "the usual weights are in force again; the schedule was derived anew",
    "已恢复默认参数，排期已重新推算",
)
_APPLIED = Text(
    "the new weights are in force; the schedule was derived anew (back: proofdeck fit --reset)",
    "新参数已生效，排期已重新推算（恢复默认：proofdeck fit --reset）",
)
_NOT_APPLIED = Text(
    "not applied: on the held-out reviews the new weights are no better than those in force",
    "未应用：在留出的复习上，新参数并不优于现用参数",
)
_HINT = Text("to use them: proofdeck fit --apply", "若要采用：proofdeck fit --apply")


def fit(apply: bool, reset: bool, as_json: bool, lang: Language) -> int:
    """Fit and compare; exit status 1 where weights were to be applied that are no better."""
    from quizbank.home import Home
    from quizbank.learning.opening import open_log
    from quizbank.settings import check_settings, write_setting

    if apply and reset:
        raise InputError(_BOTH, "fit")
    home = Home.from_environment()
    preferences = check_settings(home.config)
    if reset:
        write_setting(home.config_folder(), SETTING, [])
        # opening derives the schedule anew
        open_log(home).close()
        print(_RESET.of(lang), file=sys.stderr)
        return 0
    from quizbank.fitting.fit import fit as fitted
    from quizbank.fitting.fit import fittable
    from quizbank.fitting.optimizer import SECONDS_A_REVIEW, check_installed

    check_installed()
    with open_log(home, preferences) as log:
        for notice in log.notices:
            print(notice.of(lang), file=sys.stderr)
        histories = fittable(log)
        minutes = max(1, round(histories.reviews * SECONDS_A_REVIEW / 60))
        said = _WAIT[minutes > 1].filled(n=histories.reviews, minutes=minutes).of(lang)
        print(f"{said}{_SAMPLE.of(lang)}" if histories.is_sample else said, file=sys.stderr)
        found = fitted(log, histories)
    applied = apply and found.is_better
    if applied:
        write_setting(home.config_folder(), SETTING, list(found.after.weights))
        open_log(home).close()
    if as_json:
        emit({**found.as_json(), "applied": applied})
    else:
        print("\n".join(_rows(found, lang)))
    if apply:
        print((_APPLIED if applied else _NOT_APPLIED).of(lang), file=sys.stderr)
        return 0 if applied else 1
    if found.is_better and not as_json:
        print(_HINT.of(lang), file=sys.stderr)
    return 0


def _rows(found: Fit, lang: Language) -> Iterator[str]:
    from quizbank.fitting.told import table, told

    yield from table(found, lang)
    for sentence in told(found):
        yield sentence.of(lang)
