"""What the plan for the interview says, in words and bars: one text for the shell and for the app. No Textual."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.text import Language, Text

if TYPE_CHECKING:
    from quizbank.planning.outlook import Outlook, Readiness

LEGEND = Text(
    "expected recall: now → on the day without study → as planned (80% range)",
    "预期记住的比例：现在 → 当天（不再学习）→ 按计划（80% 区间）",
)
BAR_LEGEND = Text(
    "bar: full up to the low end of the range, shaded up to its high end",
    "条形：实心到区间下端，浅色到区间上端",
)
ALL = Text("All cards", "全部卡片")
HOUR = Text(
    "one more hour, spread over the days, adds {points} points",
    "再加一小时，分摊到各天，可多 {points} 个百分点",
)
PACE = Text(
    "you forget {pace} times as fast as the model's usual learner ({low} to {high}, from {n} {n:review|reviews})",
    "你的遗忘速度是模型中一般学习者的 {pace} 倍（{low} 至 {high}，依据 {n} 次复习）",
)
NO_PACE = Text(
    "too few reviews yet to say how fast you forget; the range is wide for that reason",
    "复习记录还太少，看不出你的遗忘速度；区间因此较宽",
)
UNMET = Text(
    "a card you have not met yet counts with your chance of knowing one at first sight",
    "还没学过的卡片，按你初次见到卡片就能答出的概率计入",
)
BEFORE = Text(
    "until {day}: study as usual; the days after it are planned one by one",
    "{day} 之前照常学习；之后逐日安排",
)
DAY = (Text("{n} {n:card|cards}", "{n} 张"), Text("{new} new", "新卡 {new} 张"))
COMMA = Text(", ", "，")
TODAY = Text("Today", "今天")
NOTHING = Text("nothing needs to be seen", "没有需要看的")


def bar(topic: Readiness, cells: int) -> str:
    """Full up to the low end of the range as planned, shaded up to its high end."""
    full, shaded = round(cells * topic.low), round(cells * topic.high)
    return "█" * full + "▒" * (shaded - full) + "·" * (cells - shaded)


def shares(topic: Readiness) -> str:
    """Now, without study and as planned, in per cent."""
    return f"{topic.now:4.0%} → {topic.without:4.0%} → {topic.planned:4.0%}"


def range_of(topic: Readiness) -> str:
    return f"{topic.low:.0%}–{topic.high:.0%}"


def hour_line(found: Outlook) -> Text:
    return HOUR.filled(points=f"{100 * found.one_more_hour:.1f}")


def pace_line(found: Outlook) -> Text:
    who = found.person
    if not who.reviews:
        return NO_PACE
    return PACE.filled(
        pace=f"{who.pace:.2g}", low=f"{who.slowest:.2g}", high=f"{who.fastest:.2g}", n=who.reviews
    )


def rests_on(found: Outlook) -> tuple[Text, ...]:
    """What one more hour would add, and what the figures are taken from."""
    unmet = (UNMET,) if any(found.new_on(cards) for _, cards in found.days) else ()
    return (hour_line(found), pace_line(found), *unmet)


def day_line(found: Outlook, cards: tuple[str, ...], language: Language) -> str:
    """How many cards a day of the plan has, and how many of them are new."""
    return COMMA.of(language).join(_of_day(found, cards, language))


def day_lines(found: Outlook, language: Language) -> list[str]:
    """As :func:`day_line`, for each day, with the numbers under one another."""
    from tui.drawing.rows import in_columns

    return in_columns([_of_day(found, cards, language) for _, cards in found.days], COMMA.of(language))


def _of_day(found: Outlook, cards: tuple[str, ...], language: Language) -> tuple[str, ...]:
    if not cards:
        return (NOTHING.of(language),)
    new = len(found.new_on(cards))
    return tuple(part.filled(n=len(cards), new=new).of(language) for part in DAY)
