"""How a self-test went: the score by topic and kind, each answer beside the reference; and those sat before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from textual.app import ComposeResult

from engine.text import Text
from quizbank import labels
from tui import messages
from tui.commands import Command
from tui.screens.base import Page
from tui.widgets.menu import Item, Menu

if TYPE_CHECKING:
    from quizbank.papers.results import Line, Report, Score
    from tui.workspace import Asked

STUDY = Command(
    "study",
    ("s",),
    Text("Study missed", "学习答错的"),
    Text("go through the cards behind what was missed", "过一遍答错题目背后的卡片"),
    2,
)


class ResultsScreen(Page):
    """One self-test. Enter on a question opens its card."""

    HEADING = messages.RESULTS
    ABOUT = messages.RESULTS_ABOUT
    OFFERS = (STUDY,)

    def __init__(self, sitting: str) -> None:
        super().__init__()
        self.sitting = sitting
        self.report: Report | None = None
        self.asked: dict[int, Asked] = {}

    def body(self) -> ComposeResult:
        yield Menu(id="results", compact=False)

    def begin(self) -> None:
        workspace = self.proofdeck.workspace

        def read() -> tuple[Report, dict[int, Asked]]:
            from engine.errors import InputError

            report = workspace.results.report(self.sitting)
            asked = {}
            for number, line in enumerate(report.lines):
                try:
                    asked[number] = workspace.asked(line.question.variant)
                except InputError:
                    # the card was changed since: its answer is still shown, as it was stored
                    continue
            return report, asked

        self.later(read, self._read)

    def _read(self, found: tuple[Report, dict[int, Asked]]) -> None:
        self.report, self.asked = found
        self.show()
        self.frame()
        # the score first, not the first answer
        self.call_after_refresh(self.query_one(Menu).scroll_to_item, "score")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return self.report is not None and bool(self.report.missed) if action == "study" else True

    def show(self) -> None:
        self.query_one(Menu).fill(list(self._items()))

    def _items(self) -> Iterator[Item]:
        report = self.report
        if report is None:
            yield Item("working", self.say(messages.WORKING), role="quiet")
            return
        minutes, seconds = divmod(report.used_ms // 1000, 60)
        yield Item("score", self.say(messages.SCORE, score=self._score(report.score)), role="strong")
        yield Item(
            "about",
            self.say(
                messages.RESULT_FACTS, answered=sum(line.graded is not None for line in report.lines),
                n=len(report.lines), time=f"{minutes}:{seconds:02d}", form=report.paper.form, seed=report.paper.seed,
            ),
            role="quiet",
        )  # fmt: skip
        for heading, scores, names in (
            (messages.BY_TOPIC, report.by_topic, labels.TOPIC),
            (messages.BY_KIND, report.by_kind, labels.KIND),
        ):
            parts = [f"- {self.say(names[name])}: {self._score(score)}" if self.language == "en"
                     else f"- {self.say(names[name])}：{self._score(score)}" for name, score in scores.items()]  # fmt: skip
            yield Item(heading.en, self.say(heading), role="heading")
            yield Item(f"{heading.en} scores", "\n".join(parts), role="text")
        yield Item("answers", self.say(messages.ANSWERS), role="heading")
        for number, line in enumerate(report.lines):
            yield self._line(number, line)

    def _score(self, score: Score) -> str:
        share = "" if score.share is None else f" ({score.share:.0%})"
        if self.language == "zh":
            share = share.replace(" (", "（").replace(")", "）")
        return f"{score.earned:g} / {score.possible}{share}"

    def _line(self, number: int, line: Line) -> Item:
        """The question with its outcome; beneath it what was said, what is right, and why."""
        asked = self.asked.get(number)
        question = self.say(asked.question) if asked else line.question.variant.key
        graded = line.graded
        outcome = graded.outcome if graded else "unanswered"
        told: list[str] = []
        if graded is not None:
            given = self.say(graded.given) or self.say(messages.SAID_ALOUD)
            told.append(self._labelled(messages.YOUR_ANSWER, given))
            if graded.kind != "recall":
                told.append(self._labelled(messages.REFERENCE, self.say(graded.reference)))
            if graded.slip is not None:
                told.append(self._labelled(messages.SLIP, self.say(graded.slip)))
            told += [self.say(text) for text in graded.feedback if self.say(text)]
            told += [f"{'✓' if point.ticked else '✗'} {self.say(point.text)}" for point in graded.ticks]
        sign, word = messages.OUTCOMES[outcome]
        return Item(
            str(number), question, lead=f"{number + 1}.", note=f"{sign} {self.say(word)}",
            detail="\n".join(f"- {_item(text)}" for text in told),
        )  # fmt: skip

    def _labelled(self, label: Text, text: str) -> str:
        return f"{self.say(label)}{'：' if self.language == 'zh' else ': '}{text}"

    def on_menu_chosen(self, event: Menu.Chosen) -> None:
        from tui.screens.card import CardScreen

        assert self.report is not None
        card = self.report.lines[int(event.item.id)].question.variant.card
        if card in self.proofdeck.workspace.bank:
            self.app.push_screen(CardScreen(card))
        else:
            self.proofdeck.notice(self.say(messages.NO_SUCH_CARD, card=card), severity="warning")

    def action_study(self) -> None:
        from tui.screens.study import StudyScreen

        assert self.report is not None
        self.app.push_screen(StudyScreen({"cards": self.report.missed, "cram": True}))


def _item(text: str) -> str:
    """A text as one item of a list: its further lines are indented, its blank ones closed up."""
    return "\n  ".join(line for line in text.splitlines() if line.strip())


class PastScreen(Page):
    """The self-tests sat so far, the latest first."""

    HEADING = messages.PAST
    ABOUT = messages.PAST_ABOUT

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
                    f"{report.day.isoformat()} · {report.paper.form} · {self.count(len(report.lines), messages.DRILLS_COUNT)}",
                    note=self.say(messages.STILL_OPEN) if report.status == "open" else f"{report.score.earned:g} / {report.score.possible}",
                )
                for report in self.reports
            ]  # fmt: skip
        self.query_one(Menu).fill(items)

    def on_menu_chosen(self, event: Menu.Chosen) -> None:
        self.app.push_screen(ResultsScreen(event.item.id))
