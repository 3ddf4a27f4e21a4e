"""How a self-test went: the score by topic and kind, each answer beside the reference; and those sat before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeAlias

from textual.app import ComposeResult

from engine.text import Text
from quizbank import labels
from tui import messages
from tui.background import in_thread
from tui.commands import Command
from tui.drawing.sparkline import sparkline
from tui.screens.base import Page
from tui.screens.sheets_words import SHEET_KEY
from tui.widgets.menu import Item, Menu

if TYPE_CHECKING:
    from quizbank.drills.graded import Graded
    from quizbank.learning.entry import Entry
    from quizbank.papers.results import Line, Report, Score
    from quizbank.papers.trend import Trend
    from tui.asking import Asked

    _Found: TypeAlias = tuple[Report, dict[str, Trend], dict[int, Asked], dict[int, Graded]]

ADD = Command(
    "add",
    ("a",),
    Text("Add to today", "加入今日"),
    Text("add the cards behind what was missed to today's study", "把答错题目背后的卡片加入今天的学习"),
    2,
)
TAKE_BACK = Command(
    "take_back",
    ("u",),
    Text("Undo", "撤销"),
    Text("take the cards out of today's study again", "把这些卡片再从今天的学习中撤下"),
    2,
)
DERIVATION = Command(
    "card('derivation')",
    ("d",),
    Text("Derivation", "推导"),
    Text("the proof behind this question", "这道题背后的证明"),
    4,
)
LAB = Command(
    "card('lab')",
    ("l",),
    Text("Lab", "实验室"),
    Text("the demonstration behind this question", "这道题背后的演示"),
    3,
)
STUDY = Command(
    "study",
    ("s",),
    Text("Study missed", "学习答错的"),
    Text("go through the cards behind what was missed", "过一遍答错题目背后的卡片"),
    5,
)
COUNT = Command(
    "settle(1)",
    ("y",),
    Text("I was right", "算对"),
    Text("the engine could not decide: count this answer as right", "程序未能判定：把这个答案算作正确"),
    1,
)
COUNT_NOT = Command(
    "settle(0)",
    ("n",),
    Text("I was wrong", "算错"),
    Text("the engine could not decide: count this answer as wrong", "程序未能判定：把这个答案算作错误"),
    1,
)
SHEET = SHEET_KEY._replace(
    help=Text("your answers beside the key, as a sheet", "把你的作答与参考答案导出为答案册"), footer=4
)
TRENDS = Command(
    "trends", ("t",), Text("Trend", "趋势"), Text("how each topic went so far", "各主题历次得分的变化"), 2
)


class ResultsScreen(Page):
    """One self-test. Enter on a question opens its card, or the points of a recall that are still to tick."""

    HEADING = messages.RESULTS
    ABOUT = messages.RESULTS_ABOUT
    OFFERS = (COUNT, COUNT_NOT, ADD, TAKE_BACK, LAB, SHEET, DERIVATION, STUDY)

    def __init__(self, sitting: str) -> None:
        super().__init__()
        self.sitting = sitting
        self.report: Report | None = None
        self.trends: dict[str, Trend] = {}
        self.asked: dict[int, Asked] = {}
        self.unanswered: dict[int, Graded] = {}
        self.brought: tuple[Entry, ...] = ()

    def body(self) -> ComposeResult:
        yield Menu(id="results", compact=False)

    def begin(self) -> None:
        self._look(self._first_read)

    def _look(self, then: Callable[[_Found], None]) -> None:
        workspace = self.proofdeck.workspace

        def read() -> _Found:
            from engine.errors import InputError
            from quizbank.papers.trend import trends

            report = workspace.results.report(self.sitting)
            asked, unanswered = {}, {}
            for number, line in enumerate(report.lines):
                try:
                    asked[number] = workspace.asked(line.question.variant)
                    if line.graded is None and report.status != "open":
                        unanswered[number] = workspace.grader.unanswered(line.question.variant)
                except InputError:
                    # the card was changed since: its answer is still shown, as it was stored
                    continue
            found = trends(workspace.results.history())
            return report, {trend.topic: trend for trend in found}, asked, unanswered

        self.later(read, then)

    def _read(self, found: _Found) -> None:
        self.report, self.trends, self.asked, self.unanswered = found
        self.show()
        self.frame()

    def _first_read(self, found: _Found) -> None:
        self._read(found)
        # the score first, not the first answer
        self.call_after_refresh(self.query_one(Menu).scroll_to_item, "score")

    # What is on screen -------------------------------------------------------------------------

    def show(self) -> None:
        self.query_one(Menu).fill(list(self._items()))

    def _items(self) -> Iterator[Item]:
        report = self.report
        if report is None:
            yield Item("working", self.say(messages.WORKING), role="quiet")
            return
        yield Item("score", self.say(messages.SCORE, score=self._score(report.score)), role="strong")
        yield Item(
            "about",
            self.say(
                messages.RESULT_FACTS, answered=sum(line.graded is not None for line in report.lines),
                n=len(report.lines), time=clock(report.used_ms), form=report.paper.form, seed=report.paper.seed,
            ),
            role="quiet",
        )  # fmt: skip
        if report.paper.weights is not None:
            yield Item("weighted", self.say(messages.WAS_WEIGHTED), role="quiet")
        if report.left_out:
            yield Item("left out", self.say(labels.LEFT_OUT, n=report.left_out), role="text")
        if report.to_tick:
            yield Item("to tick", self.say(messages.STILL_TO_TICK, n=len(report.to_tick)), role="text")
        for heading, scores, names in (
            (messages.BY_TOPIC, report.by_topic, labels.TOPIC),
            (messages.BY_KIND, report.by_kind, labels.KIND),
        ):
            parts = [
                f"- {self._labelled(names[name], self._score(score))}{self._bars(name)}"
                for name, score in scores.items()
            ]
            yield Item(heading.en, self.say(heading), role="heading")
            yield Item(f"{heading.en} scores", "\n".join(parts), role="text")
        yield Item("answers", self.say(messages.ANSWERS), role="heading")
        for number, line in enumerate(report.lines):
            yield self._line(number, line)

    def _bars(self, topic: str) -> str:
        """How the topic went so far, where it was asked more than once."""
        trend = self.trends.get(topic)
        return "" if trend is None or len(trend.sat) < 2 else f"  {sparkline(trend.shares)}"

    def _score(self, score: Score) -> str:
        if score.share is None:
            return "–"
        share = f" ({score.share:.0%})"
        if self.language == "zh":
            share = share.replace(" (", "（").replace(")", "）")
        return f"{score.earned:.3g} / {score.possible}{share}"

    def _line(self, number: int, line: Line) -> Item:
        """The question with its outcome and time; beneath it what was said, what is right, and why."""
        from quizbank.papers.told import right_answer, told

        asked, unanswered = self.asked.get(number), self.unanswered.get(number)
        question = self.say(asked.question) if asked else line.question.variant.key
        said = [
            _item(self._labelled(part.label, self.say(part.text)) if part.label else self.say(part.text))
            for part in (told(line.graded) if line.graded else right_answer(unanswered) if unanswered else ())
        ]
        sign, word = labels.OUTCOME[line.outcome]
        note = f"{sign} {self.say(word)} · {clock(line.spent_ms)}"
        if line.flagged:
            note = f"{self.say(messages.FLAGGED)} · {note}"
        return Item(str(number), question, lead=f"{number + 1}.", note=note, detail="\n".join(said))

    def _labelled(self, label: Text, text: str) -> str:
        return f"{self.say(label)}{'：' if self.language == 'zh' else ': '}{text}"

    # What a person does ------------------------------------------------------------------------

    @property
    def line(self) -> Line | None:
        """The question under the cursor."""
        item = self.query_one(Menu).item
        return self.report.lines[int(item.id)] if self.report is not None and item is not None else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        report = self.report
        match action:
            case "study":
                return report is not None and bool(report.missed)
            case "add":
                return report is not None and bool(report.missed) and not self.brought
            case "take_back":
                return bool(self.brought)
            case "card":
                return self.line is not None
            case "export":
                return report is not None
            case "settle":
                return self.line is not None and self.line.is_undecided
        return True

    def on_menu_moved(self) -> None:
        self.refresh_bindings()
        self.frame()

    def on_menu_chosen(self, event: Menu.Chosen) -> None:
        from tui.screens.ticking import TickingScreen

        line = self.line
        if line is not None and line.outcome == "to-tick":
            assert line.graded is not None
            place = int(event.item.id)
            asked = self.asked.get(place)
            self.app.push_screen(TickingScreen(self.sitting, place, line.graded, asked and asked.question))
        else:
            self.action_card("answer")

    def on_screen_resume(self) -> None:
        if self.report is not None:
            # points may have been ticked meanwhile
            self._look(self._read)
        self.frame()

    def action_card(self, panel: str) -> None:
        from tui.screens.card import CardScreen

        if self.line is None:
            return
        card = self.line.question.variant.card
        if card in self.proofdeck.workspace.bank:
            self.app.push_screen(CardScreen(card, panel))
        else:
            self.proofdeck.notice(self.say(messages.NO_SUCH_CARD, card=card), severity="warning")

    def action_study(self) -> None:
        from tui.screens.study import StudyScreen

        assert self.report is not None
        self.app.push_screen(StudyScreen({"cards": self.report.missed, "cram": True}))

    def action_export(self) -> None:
        from tui.screens.sheet_source import of_report
        from tui.screens.sheets import SheetsScreen

        assert self.report is not None
        self.app.push_screen(SheetsScreen(of_report(self.report)))

    async def action_settle(self, right: int) -> None:
        item = self.query_one(Menu).item
        assert item is not None
        workspace, place = self.proofdeck.workspace, int(item.id)

        def settle() -> None:
            workspace.results.resume(workspace.grader, self.sitting).settle(bool(right), place)

        try:
            await in_thread(settle)
        except Exception as error:
            self.complain(error)
        self._look(self._read)

    def action_add(self) -> None:
        assert self.report is not None
        workspace, missed = self.proofdeck.workspace, self.report.missed

        def add() -> tuple[tuple[Entry, ...], int]:
            there = [card for card in missed if card in workspace.bank]
            return workspace.log.bring_forward(there), len(there)

        def added(found: tuple[tuple[Entry, ...], int]) -> None:
            self.brought, there = found
            if self.brought:
                told = self.say(messages.ADDED_TO_TODAY, n=len(self.brought))
            else:
                told = self.say(messages.DUE_TODAY_ALREADY, n=there)
            self.proofdeck.notice(told)
            self.refresh_bindings()
            self.frame()

        self.later(add, added, group="add")

    def action_take_back(self) -> None:
        workspace, brought = self.proofdeck.workspace, self.brought

        def take_back() -> int:
            for entry in brought:
                workspace.log.undo(entry.id)
            return len(brought)

        def taken_back(n: int) -> None:
            self.brought = ()
            self.proofdeck.notice(self.say(messages.TAKEN_BACK, n=n))
            self.refresh_bindings()
            self.frame()

        self.later(take_back, taken_back, group="add")


def clock(ms: int) -> str:
    """Minutes and seconds."""
    minutes, seconds = divmod(ms // 1000, 60)
    return f"{minutes}:{seconds:02d}"


def _item(text: str) -> str:
    """A text as one item of a list: its further lines are indented, its blank ones closed up."""
    first, *rest = (line for line in text.splitlines() if line.strip())
    if "```" in text:
        # code stands as it is, below its label
        label, _, code = text.partition("```")
        ticks = len(code) - len(code.lstrip("`"))
        fence = "`" * (3 + ticks)
        return f"- {label.strip()}\n{fence}{code[ticks:]}"
    return "\n  ".join((f"- {first}", *rest))


class PastScreen(Page):
    """The self-tests sat so far, the latest first."""

    HEADING = messages.PAST
    ABOUT = messages.PAST_ABOUT
    OFFERS = (TRENDS,)

    def __init__(self) -> None:
        super().__init__()
        self.reports: tuple[Report, ...] | None = None

    def body(self) -> ComposeResult:
        yield Menu(id="past")

    def begin(self) -> None:
        self.later(lambda: self.proofdeck.workspace.results.history(), self._read)

    def _read(self, reports: tuple[Report, ...]) -> None:
        self.reports = reports
        self.show()
        self.frame()

    def show(self) -> None:
        if self.reports is None:
            items = [Item("working", self.say(messages.WORKING), role="quiet")]
        else:
            items = [
                Item(
                    report.id,
                    f"{report.day.isoformat()} · {report.paper.form} · {self.say(messages.DRILLS_COUNT, n=len(report.lines))}",
                    note=self.say(labels.STATUS["open"]) if report.status == "open" else f"{report.score.earned:.3g} / {report.score.possible}",
                )
                for report in self.reports
            ]  # fmt: skip
        self.query_one(Menu).fill(items)

    def on_menu_chosen(self, event: Menu.Chosen) -> None:
        self.app.push_screen(ResultsScreen(event.item.id))

    def action_trends(self) -> None:
        from tui.screens.trends import TrendsScreen

        self.app.push_screen(TrendsScreen())
