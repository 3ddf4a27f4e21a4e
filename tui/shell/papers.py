"""`paper` and `results`: papers drawn without sitting them, and the self-tests sat so far."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import InputError
from engine.text import Language, Text
from quizbank import labels
from tui.shell.deck import Deck, open_deck
from tui.shell.emit import emit

if TYPE_CHECKING:
    from quizbank.home import Home
    from quizbank.learning.log import ReviewLog
    from quizbank.papers.results import Line, Report, Results, Score
    from quizbank.papers.told import Told
    from quizbank.papers.trend import Trend

_DRAWN = Text(
    "{path}: {n} {n:question|questions}, paper {form}, seed {seed}",
    "{path}：{n} 题，试卷 {form}，种子 {seed}",
)
_STDOUT = Text("stdout", "标准输出")
_NONE_YET = Text("no self-test has been sat yet (proofdeck test)", "还没有做过自测（proofdeck test）")
_SAT = Text("{n} {n:self-test|self-tests}", "共 {n} 份自测")
_QUESTIONS = Text("{n} {n:question|questions}", "{n} 题")
_FACTS = Text(
    "{day} · paper {form} · seed {seed} · {answered} of {n} answered · {time} used · {status}",
    "{day} · 试卷 {form} · 种子 {seed} · 作答 {answered} / {n} · 用时 {time} · {status}",
)
_WEIGHTED = Text("weighted to weak topics", "按薄弱主题加权组卷")
_TOPICS, _KINDS = Text("Topics", "主题"), Text("Kinds", "题型")
_TREND = Text("Topics, self-test by self-test", "各主题历次得分")
_AGAIN = Text("Worth seeing again", "值得再看")
_SHORT_ID = 13
"""Characters of an id that name a self-test: its moment to the millisecond."""


def paper(
    topics: tuple[str, ...],
    kinds: tuple[str, ...],
    levels: tuple[str, ...],
    count: int | None,
    minutes: int | None,
    seed: int | None,
    weak: bool,
    force: bool,
    output: Path,
    decks: tuple[Path, ...],
    lang: Language,
) -> int:
    """Draw a paper and write it as JSON; `-` is stdout."""
    from quizbank.papers.draw import USUAL_COUNT, draw
    from quizbank.target import check_target, write_whole

    to_stdout = str(output) == "-"
    if not to_stdout:
        check_target(output, force)
    deck = open_deck(decks, lang)
    drawn = draw(
        deck.bank.cards,
        topics=topics,
        kinds=kinds,
        levels=levels,
        count=USUAL_COUNT if count is None else count,
        minutes=minutes,
        seed=seed,
        weights=_weights(deck) if weak else None,
    )
    if to_stdout:
        sys.stdout.write(drawn.text())
    else:
        write_whole(output, drawn.text())
    where = _STDOUT.of(lang) if to_stdout else output
    told = _DRAWN.filled(path=where, n=len(drawn.questions), form=drawn.form, seed=drawn.seed).of(lang)
    print(told, file=sys.stderr)
    if drawn.shortfall is not None:
        print(drawn.shortfall.of(lang), file=sys.stderr)
    return 0


def _weights(deck: Deck) -> dict[str, float]:
    """What the person did so far says how weak each topic is."""
    from quizbank.papers.weakness import weights_of

    with ExitStack() as stack:
        results, log = _results(deck.home, stack), _log(deck.home, stack)
        return weights_of(deck.bank.cards, results, log)


def _results(home: Home, stack: ExitStack) -> Results | None:
    """The results, where there are any: to look for them makes no file."""
    from quizbank.papers.results import Results
    from quizbank.papers.store import FILE_NAME

    return stack.enter_context(Results(home.data)) if (home.data / FILE_NAME).exists() else None


def _log(home: Home, stack: ExitStack) -> ReviewLog | None:
    from quizbank.learning.log import FILE_NAME
    from quizbank.learning.opening import open_log

    return stack.enter_context(open_log(home)) if (home.data / FILE_NAME).exists() else None


def results(sitting: str | None, as_json: bool, decks: tuple[Path, ...], lang: Language) -> int:
    """The self-tests so far with the trend of each topic, or one of them in full."""
    from quizbank.home import Home
    from quizbank.papers.trend import trends

    home = Home.from_environment()
    with ExitStack() as stack:
        found = _results(home, stack)
        for notice in found.notices if found else ():
            print(notice.of(lang), file=sys.stderr)
        if sitting is not None:
            return _one(find(found, sitting), as_json, decks, lang)
        history = found.history() if found else ()
    topics = trends(history)
    if as_json:
        emit(
            {
                "results": [report.summary_json() for report in history],
                "topics": {trend.topic: trend.as_json() for trend in topics},
            }
        )
        return 0
    for row in (*_listed(history, lang), *_trend_rows(topics, lang)):
        print(row)
    told = _SAT.filled(n=len(history)).of(lang) if history else _NONE_YET.of(lang)
    print(told, file=sys.stderr)
    return 0


def sat(home: Home, sitting: str) -> Report:
    """One self-test of this person. Raises InputError as :func:`find`."""
    with ExitStack() as stack:
        return find(_results(home, stack), sitting)


def find(results: Results | None, sitting: str) -> Report:
    """One self-test by its id or the beginning of it.

    Raises:
        InputError: there is none, or more than one begins so.
    """
    from quizbank.fault import shown
    from quizbank.papers.results import NO_SUCH_SITTING

    if results is None:
        raise InputError(NO_SUCH_SITTING.filled(id=shown(sitting)))
    return results.report(sitting)


def _one(report: Report, as_json: bool, decks: tuple[Path, ...], lang: Language) -> int:
    if as_json:
        emit(report.as_json())
        return 0
    from tui.shell.cards import width

    deck = open_deck(decks, lang)
    for row in report_rows(report, deck, lang, width()):
        print(row)
    return 0


# Rows of text


def _clock(ms: int) -> str:
    minutes, seconds = divmod(ms // 1000, 60)
    return f"{minutes}:{seconds:02d}"


def _points(score: Score) -> str:
    return f"{score.earned:.3g} / {score.possible}"


def _share(score: Score) -> str:
    return "" if score.share is None else f"{score.share:.0%}"


def _table(rows: Sequence[Sequence[str]], right: frozenset[int] = frozenset()) -> Iterator[str]:
    """Rows in columns; those of ``right`` end together."""
    from engine.notation.wide import width as cells_of

    widths = [max(map(cells_of, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = []
        for place, (cell, cells_wide) in enumerate(zip(row, widths, strict=True)):
            space = " " * (cells_wide - cells_of(cell))
            cells.append(space + cell if place in right else cell + space)
        yield "  ".join(cells).rstrip()


def _listed(history: Sequence[Report], language: Language) -> Iterator[str]:
    yield from _table(
        [
            (
                report.id[:_SHORT_ID],
                report.day.isoformat(),
                report.paper.form,
                labels.STATUS[report.status].of(language),
                _QUESTIONS.filled(n=len(report.lines)).of(language),
                _clock(report.used_ms),
                # what is not answered yet is neither right nor wrong
                "" if report.status == "open" else _points(report.score),
                "" if report.status == "open" else _share(report.score),
            )
            for report in history
        ],
        right=frozenset({4, 5, 6, 7}),
    )


def _trend_rows(topics: Sequence[Trend], language: Language) -> Iterator[str]:
    from tui.drawing.sparkline import sparkline

    if not topics:
        return
    yield ""
    yield _TREND.of(language)
    yield from _table(
        [
            (
                f"  {labels.TOPIC[trend.topic].of(language)}",
                sparkline(trend.shares),
                f"{trend.shares[-1]:.0%}",
                _points(trend.score),
            )
            for trend in topics
        ],
        right=frozenset({1, 2, 3}),
    )


def report_rows(report: Report, deck: Deck, language: Language, width: int) -> Iterator[str]:
    """A self-test in full: the score, by topic and by kind, then every question with its answer."""
    yield report.id
    facts = _FACTS.filled(
        day=report.day.isoformat(),
        form=report.paper.form,
        seed=report.paper.seed,
        answered=sum(line.graded is not None for line in report.lines),
        n=len(report.lines),
        time=_clock(report.used_ms),
        status=labels.STATUS[report.status].of(language),
    ).of(language)
    yield from _prose(facts, width, 0)
    if report.paper.weights is not None:
        yield _WEIGHTED.of(language)
    yield f"{labels.SCORE.of(language)}{_colon(language)}{_points(report.score)}  {_share(report.score)}".rstrip()
    if report.left_out:
        yield from _prose(labels.LEFT_OUT.filled(n=report.left_out).of(language), width, 0)
    for heading, scores, names in (
        (_TOPICS, report.by_topic, labels.TOPIC),
        (_KINDS, report.by_kind, labels.KIND),
    ):
        yield ""
        yield heading.of(language)
        rows = [
            (f"  {names[name].of(language)}", _points(score), _share(score)) for name, score in scores.items()
        ]
        yield from _table(rows, right=frozenset({1, 2}))
    for number, line in enumerate(report.lines, 1):
        yield ""
        yield from _line_rows(number, line, deck, language, width, report.status != "open")
    if missed := [card for card in report.missed if card in deck.bank]:
        yield ""
        yield _AGAIN.of(language)
        for card in missed:
            yield f"  proofdeck show {card}"


def _line_rows(
    number: int, line: Line, deck: Deck, language: Language, width: int, is_over: bool
) -> Iterator[str]:
    from quizbank.papers.told import told
    from quizbank.plain import demo_line

    variant = line.question.variant
    facts = (labels.KIND[variant.kind], labels.TOPIC[line.question.topic], labels.LEVEL[line.question.level])
    sign, word = labels.OUTCOME[line.outcome]
    about = [fact.of(language) for fact in facts]
    yield f"{number}. {sign} {' · '.join((word.of(language), *about, _clock(line.spent_ms)))}"
    yield from _prose(_question(line, deck, language), width, 3)
    for part in told(line.graded) if line.graded else _right_answer(line, deck) if is_over else ():
        label = f"{part.label.of(language)}{_colon(language)}" if part.label else ""
        text = part.text.of(language)
        if text.startswith("```"):
            yield f"   {label}".rstrip()
            yield from _prose(text, width, 5)
        else:
            yield from _prose(label + text, width, 3)
    if variant.card in deck.bank:
        for demo in deck.bank.card(variant.card).demos:
            yield from _prose(demo_line(demo), width, 3)


def _right_answer(line: Line, deck: Deck) -> Iterator[Told]:
    """What would have been right; nothing where the drill is gone or changed."""
    from quizbank.drills.grading import Grader
    from quizbank.papers.told import right_answer

    cards = deck.bank.by_id
    try:
        grader = Grader(cards, deck.quantities.value, deck.quantities.fill)
        yield from right_answer(grader.unanswered(line.question.variant))
    except InputError:
        return


def _question(line: Line, deck: Deck, language: Language) -> str:
    """The question as it was put; of one that is gone or changed, its name."""
    from quizbank.drills.variant import as_put, find_drill

    variant = line.question.variant
    try:
        question = as_put(*find_drill(deck.bank.by_id, variant))
        return deck.quantities.fill(question.of(language), variant.variables)
    except InputError:
        return variant.key


def _prose(text: str, width: int, indent: int) -> list[str]:
    from quizbank.plain import prose_rows

    return prose_rows(text, width, indent)


def _colon(language: Language) -> str:
    return "：" if language == "zh" else ": "
