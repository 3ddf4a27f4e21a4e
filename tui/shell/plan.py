"""`plan`: how ready one will be on the day of the interview, and which cards to see on which day until then."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import InputError
from engine.text import Language, Text
from quizbank import labels
from tui.shell.deck import matching, open_deck
from tui.shell.emit import emit

if TYPE_CHECKING:
    from quizbank.planning.outlook import Outlook, Readiness

_BAR = 20
_HEAD = Text(
    "{day}: {left} days to go, {minutes} minutes a day", "{day}：还有 {left} 天，每天 {minutes} 分钟"
)
_LEGEND = Text(
    "expected recall: now → on the day without study → as planned (80 % range)",
    "预期记住的比例：现在 → 当天（不再学习）→ 按计划（80 % 区间）",
)
_ALL = Text("All cards", "全部卡片")
_HOUR = Text(
    "one more hour, spread over the days, adds {points} points",
    "再加一小时，分摊到各天，可多 {points} 个百分点",
)
_PACE = Text(
    "you forget {pace} times as fast as the model's usual learner ({low} to {high}, from {n} reviews)",
    "你的遗忘速度是模型中一般学习者的 {pace} 倍（{low} 至 {high}，依据 {n} 次复习）",
)
_NO_PACE = Text(
    "too few reviews yet to say how fast you forget; the range is wide for that reason",
    "复习记录还太少，看不出你的遗忘速度；区间因此较宽",
)
_BEFORE = Text(
    "until {day}: study as usual (proofdeck study); the days after it are planned one by one",
    "{day} 之前照常学习（proofdeck study）；之后逐日安排",
)
_DAY = (Text("{day}  {n} card, {new} new", "{day}  {n} 张，新卡 {new} 张"),
        Text("{day}  {n} cards, {new} new", "{day}  {n} 张，新卡 {new} 张"))  # fmt: skip
_TODAY = Text("Today", "今天")
_NOTHING = Text("nothing needs to be seen", "没有需要看的")


def plan(
    interview: str | None,
    minutes: int | None,
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
    with open_log(deck.home, chosen) as log:
        found = outlook(log, cards, log.day(), day, chosen.minutes_a_day if minutes is None else minutes)
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
    left = (found.interview - found.today).days
    yield _HEAD.filled(day=found.interview.isoformat(), left=left, minutes=found.minutes).of(lang)
    yield _LEGEND.of(lang)
    yield ""
    for topic in found.topics:
        yield _topic_row(labels.TOPIC[topic.topic].of(lang), topic)
    yield _topic_row(_ALL.of(lang), found.overall)
    yield ""
    yield _HOUR.filled(points=f"{100 * found.one_more_hour:.1f}").of(lang)
    who = found.person
    if who.reviews:
        pace = _PACE.filled(
            pace=f"{who.pace:.2g}", low=f"{who.slowest:.2g}", high=f"{who.fastest:.2g}", n=who.reviews
        )
        yield pace.of(lang)
    else:
        yield _NO_PACE.of(lang)
    yield ""
    if found.days and found.days[0][0] > found.today:
        yield _BEFORE.filled(day=found.days[0][0].isoformat()).of(lang)
    for day, cards in found.days:
        name = _TODAY.of(lang) if day == found.today else day.isoformat()
        if not cards:
            yield f"{name}  {_NOTHING.of(lang)}"
            continue
        told = _DAY[len(cards) != 1].filled(day=name, n=len(cards), new=len(found.new_on(cards)))
        yield told.of(lang)
        if day == found.today:
            yield from (f"  {card}" for card in cards)


def _topic_row(name: str, topic: Readiness) -> str:
    from rich.cells import cell_len

    filled = round(_BAR * topic.planned)
    bar = "█" * filled + "·" * (_BAR - filled)
    gap = " " * max(1, 22 - cell_len(name))
    return (
        f"{name}{gap}{bar} {topic.now:4.0%} → {topic.without:4.0%} → {topic.planned:4.0%}"
        f"  ({topic.low:.0%}–{topic.high:.0%})"
    )
