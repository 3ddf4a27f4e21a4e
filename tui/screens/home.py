"""The first screen: what is due today, the things to do, the topics."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from textual.app import ComposeResult

from engine.text import Text
from quizbank import labels
from tui import messages
from tui.background import giving_way
from tui.commands import Command
from tui.drawing.rows import in_columns
from tui.screens.base import Page
from tui.screens.calibration_words import CALIBRATION_KEY
from tui.screens.glossary_words import GLOSSARY_KEY
from tui.screens.plan_words import DAYS, PLAN_KEY, READY, READY_TODAY
from tui.screens.plan_words import LINE as PLAN_LINE
from tui.screens.settings_words import SETTINGS_KEY
from tui.screens.statistics_words import LINE as STATISTICS_LINE
from tui.screens.statistics_words import STATISTICS_KEY
from tui.screens.workbench_words import LINE as WORKBENCH_LINE
from tui.screens.workbench_words import WORKBENCH_KEY
from tui.widgets.menu import Item, Menu

if TYPE_CHECKING:
    from tui.workspace import Overview

STUDY = Command(
    "study",
    ("s",),
    Text("Study", "学习"),
    Text("review what is due today, then new cards", "复习今日到期的卡片，再学新卡"),
    1,
)
LAB = Command(
    "lab",
    ("l",),
    Text("Lab", "实验室"),
    Text("the demonstrations, with their sliders", "全部演示，可拖动滑块"),
    3,
)
TEST = Command(
    "test", ("t",), Text("Self-test", "自测"), Text("set up a short timed paper", "设定一份限时小卷"), 4
)
SHEETS = Command(
    "sheets",
    ("e",),
    Text("Sheets", "答案册"),
    Text("export cards as an answer sheet", "把卡片导出为答案册"),
    5,
)
BROWSE = Command(
    "browse", ("b",), Text("Browse", "浏览"), Text("all cards, by topic", "按主题浏览全部卡片"), 6
)
INTERVIEW = Command(
    "interview",
    ("i",),
    Text("Interview", "模拟面试"),
    Text("an interviewer who follows up, thirty seconds per answer", "会追问的面试官，每答限三十秒"),
    7,
)
INTERVIEW_LINE = Text(
    "Interview: why, what if, prove it, against the clock", "模拟面试：为什么、换个前提、请证明，限时口答"
)


IDLE = 0.4
"""Seconds after another screen is opened before the heavy libraries are loaded, in a thread."""


DOT = " · "
"""Between the counts of a line."""


def load_screens() -> None:
    """Import every screen, so that the key that opens one waits for none."""
    from importlib import import_module
    from pkgutil import iter_modules

    for module in iter_modules([str(Path(__file__).parent)]):
        import_module(f"tui.screens.{module.name}")


class HomeScreen(Page):
    """Painted before anything slow is imported; the counts arrive when the bank is open."""

    HEADING = messages.HOME
    ABOUT = messages.HOME_ABOUT
    OFFERS = (STUDY, PLAN_KEY, LAB, TEST, SHEETS, BROWSE, INTERVIEW, WORKBENCH_KEY, GLOSSARY_KEY,
              STATISTICS_KEY, CALIBRATION_KEY._replace(footer=0), SETTINGS_KEY)  # fmt: skip

    AUTO_FOCUS = ""

    def __init__(self) -> None:
        super().__init__()
        self.overview: Overview | None = None
        self.fault: Exception | None = None
        self._warmed = False
        self.ready: tuple[int, float] | None = None
        """Days to the interview, and the share expected to be recalled then as planned."""

    def body(self) -> ComposeResult:
        yield Menu(id="home")

    def heading(self) -> str:
        return messages.NAME

    def status(self) -> str:
        return "" if self.overview or self.fault else self.say(messages.LOADING)

    def show(self) -> None:
        seen = self.overview
        unset = self.say(messages.UNSET)

        def count(n: int | None, of: Text) -> str:
            return unset if n is None else self.say(of, n=n)

        items = [Item("welcome", self.say(messages.WELCOME), role="text")]
        if self.fault is not None:
            items.append(Item("fault", self.fault_line(self.fault), role="strong"))
        if seen is not None and seen.first_time:
            items.append(Item("first", self.say(messages.FIRST_TIME), role="text"))
        items += [
            Item(
                "study",
                self.say(messages.STUDY_LINE),
                lead=self.key_of(STUDY),
                note=self._today() if seen else unset,
            ),
            Item("plan", self._plan_line(), lead=self.key_of(PLAN_KEY)),
            Item(
                "lab",
                self.say(messages.LAB_LINE),
                lead=self.key_of(LAB),
                note=count(seen and seen.demos, messages.DEMOS_COUNT),
            ),
            Item(
                "test",
                self.say(messages.TEST_LINE),
                lead=self.key_of(TEST),
                note=count(seen and seen.drills, messages.DRILLS_COUNT),
            ),
            Item("interview", self.say(INTERVIEW_LINE), lead=self.key_of(INTERVIEW)),
            Item("workbench", self.say(WORKBENCH_LINE), lead=self.key_of(WORKBENCH_KEY)),
            Item("statistics", self.say(STATISTICS_LINE), lead=self.key_of(STATISTICS_KEY)),
            Item(
                "sheets",
                self.say(messages.SHEETS_LINE),
                lead=self.key_of(SHEETS),
                note=count(seen and seen.cards, messages.CARDS),
            ),
        ]
        for one in seen.sets if seen is not None else ():
            line = self.say(messages.SET_LINE, name=one.name, about=one.about)
            items.append(Item(f"set:{one.id}", line, note=self._due(one.due, one.new)))
        if seen is not None and seen.topics:
            items.append(Item("topics", self.say(messages.BY_TOPIC), role="heading"))
            counts = [
                (self.say(messages.CARDS, n=topic.cards), *self._due(topic.due, topic.new).split(DOT))
                for topic in seen.topics
            ]
            for topic, note in zip(seen.topics, in_columns(counts, DOT), strict=True):
                items.append(Item(f"topic:{topic.name}", self.say(labels.TOPIC[topic.name]), note=note))
        self.query_one(Menu).fill(items)

    def _plan_line(self) -> str:
        if self.ready is None:
            return self.say(PLAN_LINE)
        days, share = self.ready
        if days == 0:
            return self.say(READY_TODAY, share=f"{share:.0%}")
        return self.say(READY, days=self.say(DAYS, n=days), share=f"{share:.0%}")

    def _plan(self) -> None:
        """How far off the interview is and how ready one will be, where a day is set: late, and beside the screen."""
        workspace = self.proofdeck.workspace
        interview, minutes = workspace.preferences.interview_date, workspace.preferences.minutes_a_day
        if interview is None:
            self._planned(None)
            return

        def look() -> tuple[int, float]:
            found = workspace.outlook(interview, minutes)
            return (interview - found.today).days, found.overall.planned

        # a day that is past, or a log that cannot be read, is told on the screen of the plan
        self.later(look, self._planned, group="plan", failed=lambda _: self._planned(None))

    def _planned(self, ready: tuple[int, float] | None) -> None:
        if ready != self.ready:
            self.ready = ready
            self.show()

    def _today(self) -> str:
        seen = self.overview
        assert seen is not None
        if seen.soon and not seen.due and not seen.new:
            return self.say(messages.BACK_SOON, n=seen.soon)
        return self._due(seen.due, seen.new)

    def _tell(self, notices: tuple[Text, ...]) -> None:
        for notice in notices:
            self.proofdeck.notice(self.say(notice), severity="warning")

    def _warm_up(self) -> None:
        workspace, loop = self.proofdeck.workspace, asyncio.get_running_loop()

        def load() -> None:
            with giving_way(loop):
                load_screens()
                workspace.warm_up()

        # a fault in it is met again, and told, where it is needed
        self.later(load, lambda _: None, group="warm-up", failed=lambda _: None)

    def _due(self, due: int, new: int) -> str:
        if not due and not new:
            return self.say(messages.NOTHING_DUE)
        return self.say(messages.DUE_AND_NEW, due=due, new=new)

    def begin(self) -> None:
        self.call_after_refresh(self._painted)

    def _painted(self) -> None:
        # the focus restyles the list, so it comes after the first paint
        self.query_one(Menu).focus()
        self.proofdeck.first_painted()

    def on_screen_suspend(self) -> None:
        # now a proof or a demonstration may be near; whoever only looks at the counts pays for neither
        if not self._warmed:
            self._warmed = True
            self.set_timer(IDLE, self._warm_up)

    def on_screen_resume(self) -> None:
        if self.overview is not None or self.fault is not None:
            self.refresh_counts()

    def refresh_counts(self) -> None:
        """Bring the counts up to date."""
        self.later(
            self.proofdeck.workspace.overview, self._counted, group="overview", failed=self._not_counted
        )

    def _not_counted(self, error: Exception) -> None:
        self.fault = error
        self.show()
        self.frame()

    def _counted(self, overview: Overview) -> None:
        if self.overview is None:
            self.later(self.proofdeck.workspace.notices, self._tell, group="notices")
        self.overview, self.fault = overview, None
        self.show()
        self.frame()
        self.set_timer(IDLE, self._plan)

    def on_menu_chosen(self, event: Menu.Chosen) -> None:
        name, _, which = event.item.id.partition(":")
        if name == "topic":
            self.action_browse(which)
        elif name == "set":
            self._open_set(which)
        else:
            getattr(self, f"action_{name}")()

    def _open_set(self, name: str) -> None:
        from tui.screens.browse import BrowseScreen
        from tui.screens.study import StudyScreen

        purpose = self.proofdeck.workspace.bank.card_set(name).purpose
        self.app.push_screen(
            StudyScreen({"set": name}) if purpose == "study" else BrowseScreen(card_set=name)
        )

    def action_glossary(self) -> None:
        from tui.screens.glossary import GlossaryScreen

        self.app.push_screen(GlossaryScreen())

    def action_study(self) -> None:
        from tui.screens.study import StudyScreen

        self.app.push_screen(StudyScreen())

    def action_lab(self) -> None:
        from tui.screens.lab import LabListScreen

        self.app.push_screen(LabListScreen())

    def action_test(self) -> None:
        from tui.screens.self_test import SelfTestScreen

        self.app.push_screen(SelfTestScreen())

    def action_interview(self) -> None:
        from tui.screens.interviews import InterviewsScreen

        self.app.push_screen(InterviewsScreen())

    def action_workbench(self) -> None:
        from tui.screens.workbench import WorkbenchScreen

        self.app.push_screen(WorkbenchScreen())

    def action_calibration(self) -> None:
        from tui.screens.calibration import CalibrationScreen

        self.app.push_screen(CalibrationScreen())

    def action_statistics(self) -> None:
        from tui.screens.statistics import StatisticsScreen

        self.app.push_screen(StatisticsScreen())

    def action_plan(self) -> None:
        from tui.screens.plan import PlanScreen

        self.app.push_screen(PlanScreen())

    def action_settings(self) -> None:
        from tui.screens.settings import SettingsScreen

        self.app.push_screen(SettingsScreen())

    def action_sheets(self) -> None:
        from tui.screens.sheets import SheetsScreen

        self.app.push_screen(SheetsScreen())

    def action_browse(self, topic: str = "") -> None:
        from tui.screens.browse import BrowseScreen

        self.app.push_screen(BrowseScreen(topic))
