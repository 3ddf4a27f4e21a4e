"""The statistics as views, one to look at at a time: a figure, and sentences with the numbers in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

import numpy as np

from engine.figure import Axis, Bar, Bars, Figure, HeatMap, Line, Plot, Points, Rule
from engine.text import Text, same
from quizbank import labels
from quizbank.calibration.picture import pictures as calibration_pictures
from quizbank.statistics import words as w
from quizbank.statistics.share import Share, total
from quizbank.statistics.summary import CAME, STATES, Quartiles, Statistics, Took

SHOWN_DAYS = 30
SHOWN_WEEKS = 26


@dataclass(frozen=True)
class View:
    """``figure`` is None where there is too little to draw: then the sentences say so, and what to do about it.

    ``topics`` are those that the sentences are about, one each; empty where they are about something else.
    """

    key: str
    name: Text
    figure: Figure | None
    said: tuple[Text, ...]
    topics: tuple[str, ...] = ()


_Seen = tuple[Figure | None, tuple[Text, ...]] | tuple[Figure | None, tuple[Text, ...], tuple[str, ...]]


def views(found: Statistics) -> tuple[View, ...]:
    """Every view, in the order in which one looks at them."""
    makers: dict[str, Callable[[Statistics], _Seen]] = {
        "overview": _overview,
        "reviews": _reviews,
        "calendar": _calendar,
        "forecast": _forecast,
        "retention": _retention,
        "prediction": _prediction,
        "topics": _topics,
        "time": _time,
        "self_tests": _self_tests,
        "guesses": _guesses,
    }
    return tuple(View(key, w.NAMES[key], *make(found)) for key, make in makers.items())


def _overview(found: Statistics) -> _Seen:
    bars = tuple(Bar(w.STATES[state], float(found.states[state])) for state in STATES)
    figure = Bars(w.STATES_TITLE, w.STATES_SEE, Axis(w.CARDS), bars) if found.cards else None
    states = w.STATES_TOLD.filled(**found.states)
    if not found.reviews_ever:
        return figure, (states, w.NOTHING)
    hours = found.seconds / 3600
    spent = w.HOURS.filled(n=f"{hours:.1f}") if hours >= 1 else w.MINUTES.filled(n=f"{hours * 60:.0f}")
    total = w.TOTAL.filled(n=found.reviews, cards=found.cards_seen, since=found.since.isoformat())
    said = [
        w.STREAK.filled(n=found.streak, longest=found.longest_streak),
        Text(f"{total.en}, {spent.en}", f"{total.zh}，{spent.zh}"),
        states,
    ]
    if found.reviews_ever > found.reviews:
        said.append(w.EVER.filled(n=found.reviews_ever))
    return figure, tuple(said)


def _reviews(found: Statistics) -> _Seen:
    if not found.reviews:
        return None, (w.NOTHING,)
    first = max(found.since, found.today - timedelta(days=SHOWN_DAYS - 1))
    came = found.by_came(first)
    before_today = np.array([(day - found.today).days for day in came], float)
    figure = Plot(
        w.REVIEWS_TITLE,
        w.REVIEWS_SEE,
        Axis(w.DAYS_AGO),
        Axis(w.REVIEWS, low=0.0),
        (
            Line(
                w.ALL, before_today, np.array([sum(day.values()) for day in came.values()], float), "measured"
            ),
            Line(w.NEW, before_today, np.array([day["new"] for day in came.values()], float), "other"),
        ),
    )
    again, hard, good, easy = found.ratings.values()
    sums = {name: sum(day.reviews for day in found.days if day.came == name) for name in CAME}
    return figure, (
        w.RATINGS.filled(n=found.reviews, again=again, hard=hard, good=good, easy=easy),
        w.BY_CAME.filled(**sums),
    )


def _calendar(found: Statistics) -> _Seen:
    studied = [day for day, count in found.calendar.items() if count]
    if not studied:
        return None, (w.NOTHING,)
    values = np.full((7, -(-len(found.calendar) // 7)), np.nan)
    for place, count in enumerate(found.calendar.values()):
        values[place % 7, place // 7] = count
    # a month stands over the first week that begins in it
    mondays = [day for day in found.calendar if day.weekday() == 0]
    columns = tuple(w.MONTHS[day.month] if day.day <= 7 else same("") for day in mondays)
    figure = HeatMap(w.CALENDAR_TITLE, w.CALENDAR_SEE, values, w.WEEKDAYS, columns, low=0.0)
    busiest = max(studied, key=lambda day: found.calendar[day])
    return figure, (
        w.STUDIED.filled(
            n=len(studied), of=len(found.calendar), most=found.calendar[busiest], day=busiest.isoformat()
        ),
        w.STREAK.filled(n=found.streak, longest=found.longest_streak),
    )


def _forecast(found: Statistics) -> _Seen:
    counts = np.array(list(found.forecast.values()), float)
    if not counts.any():
        return None, (w.NOTHING_DUE,)
    ahead = np.arange(len(counts), dtype=float)
    figure = Plot(
        w.FORECAST_TITLE,
        w.FORECAST_SEE,
        Axis(w.DAYS_AHEAD),
        Axis(w.CARDS, low=0.0),
        (Line(w.DUE, ahead, counts, "predicted"),),
    )
    sums = {"today": int(counts[0]), "week": int(counts[:7].sum()), "month": int(counts.sum())}
    return figure, (w.DUE_SUMS.filled(**sums),)


def _retention(found: Statistics) -> _Seen:
    weeks = list(found.weeks.items())[-SHOWN_WEEKS:]
    if not weeks:
        return None, (w.NO_LATER,)
    this_monday = found.today - timedelta(days=found.today.weekday())
    before_this = [(monday - this_monday).days / 7 for monday, _ in weeks]
    marks = (
        _with_interval(w.RECALLED_LATER, before_this, [share for _, share in weeks]),
        Rule(w.TARGET, found.target),
    )
    figure = Plot(w.RETENTION_TITLE, w.RETENTION_SEE, Axis(w.WEEKS_AGO), Axis(w.RECALLED, high=1.0), marks)
    return figure, (told(found.retention), _against(found.retention, found.target))


def _with_interval(name: Text, at: Sequence[float], shares: Sequence[Share]) -> Line:
    """A share at each place, with its interval as a band; each has trials."""
    values = np.array([share.value for share in shares], float)
    low, high = np.array([share.interval for share in shares], float).T
    return Line(name, np.array(at, float), values, "measured", (low, high))


def told(share: Share) -> Text:
    """A share with its trials and interval; with few trials, that it says little."""
    if share.value is None or share.interval is None:
        return w.NOT_YET
    low, high = (f"{end:.0%}" for end in share.interval)
    template = w.SHARE_FEW if share.is_few else w.SHARE
    return template.filled(
        hits=f"{share.hits:.4g}", n=share.trials, share=f"{share.value:.0%}", low=low, high=high
    )


def _against(share: Share, target: float) -> Text:
    low, high = share.interval or (0.0, 1.0)
    said = w.BELOW if high < target else w.ABOVE if low > target else w.ON_TARGET
    return said.filled(target=f"{target:.0%}")


def _prediction(found: Statistics) -> _Seen:
    if found.predicted is None:
        return None, (w.NO_LATER,)
    predicted = [one.predicted for one in found.bins]
    ends = np.array([min(0.5, *predicted), 1.0])
    measured = _with_interval(w.RECALLED_LATER, predicted, [one.recalled for one in found.bins])
    figure = Plot(
        w.PREDICTION_TITLE,
        w.PREDICTION_SEE,
        Axis(w.PREDICTED_RECALL, low=float(ends[0]), high=1.0),
        Axis(w.RECALLED, high=1.0),
        (Line(w.EXACT, ends, ends, "predicted"), measured, Points(w.GROUPS, measured.x, measured.y)),
    )
    overall = total(one.recalled for one in found.bins)
    return figure, (
        w.PREDICTED_MEAN.filled(mean=f"{found.predicted:.1%}"),
        told(overall),
        _trust(overall, found.predicted),
    )


def _trust(share: Share, predicted: float) -> Text:
    low, high = share.interval or (0.0, 1.0)
    if low <= predicted <= high:
        return w.AS_PREDICTED
    return w.TOO_HOPEFUL if predicted > high else w.TOO_CAUTIOUS


def _topics(found: Statistics) -> _Seen:
    few = [one for one in found.topics if one.later.trials and one.later.is_few]
    known = found.weakest
    if not known and not few:
        return None, (w.NO_LATER,)
    bars = tuple(Bar(labels.TOPIC[one.topic], one.later.centre, error=one.later.half_width) for one in known)
    figure = Bars(w.TOPICS_TITLE, w.TOPICS_SEE, Axis(w.RECALLED, low=0.0, high=1.0), bars) if known else None
    shown = (*known, *few)
    said = (_line(labels.TOPIC[one.topic], told(one.later), w.LAPSES.filled(n=one.lapses)) for one in shown)
    return figure, tuple(said), tuple(one.topic for one in shown)


def _line(name: Text, *parts: Text) -> Text:
    """A name and what is said of it."""
    en, zh = "; ".join(part.en for part in parts), "；".join(part.zh for part in parts)
    return Text(f"{name.en}: {en}", f"{name.zh}：{zh}")


def _time(found: Statistics) -> _Seen:
    if not found.time.thinking.count and not found.time.grading.count:
        return None, (w.NO_TIMES,)
    bars = tuple(
        Bar(labels.TOPIC[topic], round(took.thinking.median, 1))
        for topic, took in found.time_by_topic.items()
        if took.thinking.median is not None
    )
    figure = Bars(w.TIME_TITLE, w.TIME_SEE, Axis(w.SECONDS), bars) if bars else None
    return figure, tuple(_times(found))


def _times(found: Statistics) -> Iterator[Text]:
    """All cards, then each level and topic that was measured often enough to say anything."""

    def line(name: Text, took: Took) -> Text:
        if _is_few(took):
            return _line(name, w.FEW_TIMES.filled(n=took.thinking.count))
        return _line(name, _quartiles(w.THINKING, took.thinking), _quartiles(w.GRADING, took.grading))

    yield line(w.ALL_CARDS, found.time)
    parts = (
        *((labels.LEVEL[level], took) for level, took in found.time_by_level.items()),
        *((labels.TOPIC[topic], took) for topic, took in found.time_by_topic.items()),
    )
    yield from (line(name, took) for name, took in parts if not _is_few(took))


def _is_few(took: Took) -> bool:
    """Were both measured too few times to say anything?"""
    return took.thinking.median is None and took.grading.median is None


def _quartiles(what: Text, times: Quartiles) -> Text:
    if times.first is None or times.median is None or times.third is None:
        few = w.FEW_TIMES.filled(n=times.count)
        return Text(f"{what.en} {few.en}", f"{what.zh}{few.zh}")
    took = w.TOOK.filled(median=f"{times.median:.1f}", first=f"{times.first:.1f}", third=f"{times.third:.1f}")
    return Text(f"{what.en} {took.en}", f"{what.zh} {took.zh}")


def _self_tests(found: Statistics) -> _Seen:
    if not found.trends:
        return None, (w.NO_SELF_TESTS,)
    shares = [(trend.topic, Share(trend.score.earned, trend.score.possible)) for trend in found.trends]
    shares.sort(key=lambda one: (one[1].is_few, one[1].centre))
    bars = tuple(
        Bar(labels.TOPIC[topic], share.centre, error=share.half_width)
        for topic, share in shares
        if not share.is_few
    )
    axis = Axis(w.POINTS, low=0.0, high=1.0)
    figure = Bars(w.SELF_TESTS_TITLE, w.SELF_TESTS_SEE, axis, bars) if bars else None
    said = tuple(_line(labels.TOPIC[topic], told(share)) for topic, share in shares)
    return figure, said, tuple(topic for topic, _ in shares)


def _guesses(found: Statistics) -> _Seen:
    figures = calibration_pictures(found.calibration) if found.calibration is not None else ()
    if found.calibration is None or not figures:
        return None, (w.NO_GUESSES,)
    return figures[0], (w.GUESSES.filled(n=len(found.calibration.guesses)),)
