"""`plan`: how ready one will be on the day of the interview, and which cards to see on which day until then."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import InputError
from engine.text import Language, Text
from quizbank import labels
from tui import readiness as words
from tui.shell.deck import matching, open_deck
from tui.shell.emit import emit
from tui.shell.progress import PLANNING, shown_progress

if TYPE_CHECKING:
    from quizbank.planning.outlook import Outlook, Readiness

_BAR = 20
_HEAD = Text(
    "{day}: {left} {left:day|days} to go, {minutes} {minutes:minute|minutes} a day",
    "{day}：还有 {left} 天，每天 {minutes} 分钟",
)
_HEAD_TODAY = Text(
    "{day}: today, {minutes} {minutes:minute|minutes}",
    "{day}：就是今天，{minutes} 分钟",
)


def plan(
    interview: str | None,
    minutes: int | None,
    most_a_day: int | None,
    topics: tuple[str, ...],
    as_json: bool,
    decks: tuple[Path, ...],
    lang: Language,
) -> int:
    """Print the outlook up to the interview on this date, else on the one of the settings."""
    from quizbank.home import Home
    from quizbank.learning.opening import open_log
    from quizbank.planning.outlook import outlook
    from quizbank.settings import check_settings, settings_path

    chosen = check_settings(Home.from_environment().config)
    day = chosen.interview_date if interview is None else _date(interview)
    if day is None:
        where = str(settings_path(Home.from_environment().config))
        raise InputError(
            Text(
                f"when is the interview? name it with --date, or as interview_date in {where}",
                f"面试是哪天？请用 --date 指定，或在 {where} 中设置 interview_date",
            )
        )
    deck = open_deck(decks, lang)
    cards = list(matching(deck.bank, topics))
    if not cards:
        raise InputError(Text("there are no cards to plan for", "没有可供安排的卡片"))
    with open_log(deck.home, chosen) as log, shown_progress(PLANNING, lang) as told:
        each = chosen.minutes_a_day if minutes is None else minutes
        found = outlook(log, cards, log.day(), day, each, most_a_day, told=told)
    if as_json:
        emit(found.as_json())
    else:
        print("\n".join(_rows(found, lang)))
    return 0


def _date(given: str) -> date:
    try:
        return date.fromisoformat(given)
    except ValueError:
        raise InputError(
            Text("a date is written 2026-12-31, not {given}", "日期写作 2026-12-31，而不是 {given}").filled(
                given=given[:40]
            )
        ) from None


def _rows(found: Outlook, lang: Language) -> Iterator[str]:
    from rich.cells import cell_len

    left = (found.interview - found.today).days
    yield (
        (_HEAD if left else _HEAD_TODAY)
        .filled(day=found.interview.isoformat(), left=left, minutes=found.minutes)
        .of(lang)
    )
    yield words.LEGEND.of(lang)
    yield words.BAR_LEGEND.of(lang)
    yield ""
    for topic in found.topics:
        yield _topic_row(labels.TOPIC[topic.topic].of(lang), topic)
    yield _topic_row(words.ALL.of(lang), found.overall)
    yield ""
    yield from (text.of(lang) for text in words.rests_on(found))
    yield ""
    if found.days and found.days[0][0] > found.today:
        yield words.BEFORE.filled(day=found.days[0][0].isoformat()).of(lang)
    names = [words.TODAY.of(lang) if day == found.today else day.isoformat() for day, _ in found.days]
    for (day, cards), name, line in zip(found.days, names, words.day_lines(found, lang), strict=True):
        yield f"{_padded(name, max(map(cell_len, names)))}{line}"
        if day == found.today:
            yield from (f"  {card}" for card in cards)


def _padded(name: str, cells: int) -> str:
    from rich.cells import cell_len

    return name + " " * max(1, cells + 2 - cell_len(name))


def _topic_row(name: str, topic: Readiness) -> str:
    return f"{_padded(name, 20)}{words.bar(topic, _BAR)} {words.shares(topic)}  ({words.range_of(topic)})"
