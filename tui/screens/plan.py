"""The plan up to the interview: how ready one will be, what each day holds, and today's cards to study."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import date, timedelta
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.timer import Timer

from engine.errors import InputError
from engine.text import Text
from quizbank import labels
from tui import readiness
from tui.background import in_thread
from tui.screens import plan_words as words
from tui.screens.base import Page, Pane
from tui.screens.form import FormPage
from tui.widgets.fields import Entry
from tui.widgets.menu import Item, Menu

if TYPE_CHECKING:
    from quizbank.planning.outlook import Outlook, Readiness

_NARROW, _WIDE = 76, 100
"""Columns below which bars are short, and from which there is room for the range in figures."""
_REST = 0.4
"""Seconds after the last key before the plan is made anew."""


class PlanScreen(Page):
    """Enter on the first entry studies today's cards, on a topic shows its cards, on a day the cards of the day."""

    HEADING = words.HEADING
    ABOUT = words.ABOUT
    OFFERS = (words.TYPE, words.EARLIER, words.LATER, words.LESS, words.MORE, words.STUDY)

    def __init__(self) -> None:
        super().__init__()
        self.found: Outlook | None = None
        self.interview: date | None = None
        self.minutes = 0
        self.share: float | None = None
        self.fault: Exception | None = None
        self._resting: Timer | None = None

    def body(self) -> ComposeResult:
        yield Menu(id="plan")

    @property
    def is_waiting(self) -> bool:
        """Is the plan of this date and these minutes still being made?"""
        return self.share is not None

    def begin(self) -> None:
        self._take_settings()
        self._plan()

    def on_screen_resume(self) -> None:
        if self.minutes:
            self._take_settings()
            self._plan()

    def _take_settings(self) -> None:
        preferences = self.proofdeck.workspace.preferences
        self.interview, self.minutes = preferences.interview_date, preferences.minutes_a_day

    # Planning ----------------------------------------------------------------------------------

    def _plan(self) -> None:
        """Plan anew; the screen keeps what it shows until the new plan is there, and can be left meanwhile."""
        interview, minutes, workspace = self.interview, self.minutes, self.proofdeck.workspace
        self.fault = None
        if interview is None:
            self.found = self.share = None
            self.show()
            self.frame()
            return
        loop = asyncio.get_running_loop()
        self.share = 0.0

        def told(share: float) -> None:
            loop.call_soon_threadsafe(self._told, share)

        self.later(
            lambda: workspace.outlook(interview, minutes, told),
            self._planned,
            group="plan",
            failed=self._failed,
        )
        self.show()
        self.frame()

    def _told(self, share: float) -> None:
        if self.share is not None and self.is_attached:
            self.share = share
            self.frame()

    def _planned(self, found: Outlook) -> None:
        first = self.found is None
        self.found, self.share = found, None
        self.proofdeck.tell_notices()
        self.query_one(Menu).fill(list(self._items()), at="study" if first else None)
        self.frame()

    def _failed(self, error: Exception) -> None:
        self.found = self.share = None
        self.fault = error
        self.show()
        self.frame()

    # What is on screen -------------------------------------------------------------------------

    def status(self) -> str:
        return "" if self.share is None else self.say(words.PROGRESS, share=f"{self.share:.0%}")

    def show(self) -> None:
        self.query_one(Menu).fill(list(self._items()))

    def on_resize(self) -> None:
        if self.is_mounted:
            self.show()

    def _items(self) -> Iterator[Item]:
        if self.interview is None:
            yield Item("none", self.say(words.NO_DATE), role="text")
            return
        found = self.found
        if found is not None and found.interview == self.interview:
            planned = found.days and found.days[0][0] == found.today
            yield Item(
                "study",
                self.say(words.STUDY_TODAY if planned else words.STUDY_USUAL),
                lead=self.key_of(words.STUDY),
                note=readiness.day_line(found, found.days[0][1], self.language) if planned else "",
            )
        yield Item("date", self._date_line(self.interview), lead=self.key_of(words.TYPE))
        yield Item("minutes", self.say(words.MINUTES_LINE, n=self.minutes), lead=self.key_of(words.TYPE))
        if self.fault is not None:
            yield Item("fault", self.fault_line(self.fault), role="text")
        if found is None:
            return
        if (found.interview, found.minutes) != (self.interview, self.minutes):
            told = self.say(words.STALE, day=found.interview.isoformat(), minutes=found.minutes)
            yield Item("stale", told, role="text")
        yield Item("readiness", self.say(words.READINESS), role="heading")
        yield Item("legend", self._listed(readiness.LEGEND, readiness.BAR_LEGEND), role="quiet")
        yield self._topic(self.say(readiness.ALL), found.overall)
        for topic in found.topics:
            yield self._topic(self.say(labels.TOPIC[topic.topic]), topic)
        yield Item("outlook", self._listed(*readiness.rests_on(found)), role="quiet")
        yield Item("ahead", self.say(words.AHEAD), role="heading")
        if found.days and found.days[0][0] > found.today:
            yield Item("before", self.say(readiness.BEFORE, day=found.days[0][0].isoformat()), role="text")
        lines = readiness.day_lines(found, self.language)
        for place, ((day, _), line) in enumerate(zip(found.days, lines, strict=True)):
            yield Item(f"day {place}", self._day_name(day), note=line)

    def _listed(self, *texts: Text) -> str:
        return "\n".join(f"- {self.say(text)}" for text in texts)

    def _date_line(self, interview: date) -> str:
        from quizbank.learning.day import local_day, now_ms

        left = (interview - local_day(now_ms())).days
        if left < 0:
            return self.say(words.PAST_LINE, day=interview.isoformat())
        if left == 0:
            return self.say(words.DATE_TODAY, day=interview.isoformat())
        return self.say(words.DATE_LINE, day=interview.isoformat(), days=self.say(words.DAYS, n=left))

    def _topic(self, name: str, topic: Readiness) -> Item:
        width = self.app.size.width
        note = f"{readiness.bar(topic, 8 if width < _NARROW else 16)} {readiness.shares(topic)}"
        if width >= _WIDE:
            note += f"  {readiness.range_of(topic):>8}"
        return Item(f"topic {topic.topic}", name, note=note)

    def _day_name(self, day: date) -> str:
        assert self.found is not None
        return self.say(readiness.TODAY) if day == self.found.today else day.isoformat()

    # What a person does ------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match action:
            case "shift":
                return self.interview is not None or parameters[0] == 1
            case "minutes":
                return self.interview is not None
            case "study":
                return self.found is not None
        return True

    async def action_shift(self, days: int) -> None:
        from quizbank.learning.day import local_day, now_ms
        from quizbank.planning.limits import FURTHEST_DAYS

        today = local_day(now_ms())
        furthest = today + timedelta(days=FURTHEST_DAYS)
        wanted = min(furthest, max(today, (self.interview or today) + timedelta(days=days)))
        if wanted != self.interview:
            self.interview = wanted
            await self._keep("interview_date", wanted.isoformat())

    async def action_minutes(self, by: int) -> None:
        from quizbank.planning.limits import MOST_MINUTES

        wanted = min(MOST_MINUTES, max(5, (self.minutes + by) // 5 * 5))
        if wanted != self.minutes:
            self.minutes = wanted
            await self._keep("minutes_a_day", wanted)

    async def _keep(self, name: str, value: object) -> None:
        workspace = self.proofdeck.workspace
        self.show()
        try:
            await in_thread(lambda: workspace.keep(name, lambda: value))
        except InputError as error:
            self.complain(error)
            return
        # a plan for every key that is held down would be made for nothing
        if self._resting is not None:
            self._resting.stop()
        self.share = 0.0
        self._resting = self.set_timer(_REST, self._plan)

    def action_type(self) -> None:
        self.app.push_screen(DateScreen())

    def action_study(self) -> None:
        """Today's planned cards, whatever their schedule says; before the planned days, what is due."""
        from tui.screens.study import StudyScreen

        found = self.found
        assert found is not None
        if not found.days or found.days[0][0] > found.today:
            self.app.push_screen(StudyScreen())
            return
        cards = found.days[0][1]
        if not cards:
            self.proofdeck.notice(self.say(readiness.NOTHING))
            return
        workspace = self.proofdeck.workspace
        self.later(
            lambda: workspace.log.bring_forward(cards),
            lambda _: self._study(cards),
            group="study",
        )

    def _study(self, cards: tuple[str, ...]) -> None:
        from tui.screens.study import StudyScreen

        self.app.push_screen(StudyScreen({"cards": cards, "planned": True}))

    def on_menu_chosen(self, event: Menu.Chosen) -> None:
        kind, _, which = event.item.id.partition(" ")
        if kind == "study":
            self.action_study()
        elif kind == "topic":
            from tui.screens.browse import BrowseScreen

            self.app.push_screen(BrowseScreen(which))
        elif kind == "day":
            assert self.found is not None
            day, cards = self.found.days[int(which)]
            self.app.push_screen(DayScreen(self._day_name(day), cards, frozenset(self.found.new_on(cards))))
        else:
            self.action_type()


class DayScreen(Page):
    """The cards of one day of the plan. Enter opens a card."""

    ABOUT = words.ABOUT

    def __init__(self, day: str, cards: tuple[str, ...], new: frozenset[str]) -> None:
        super().__init__()
        self.HEADING = words.DAY_HEADING.filled(day=day)  # type: ignore[misc]
        self.cards, self.new = cards, new

    def body(self) -> ComposeResult:
        yield Menu(id="day")

    def show(self) -> None:
        bank = self.proofdeck.workspace.bank
        items = [
            Item(
                card,
                self.say(bank.card(card).question),
                note=self.say(words.IS_NEW) if card in self.new else "",
            )
            for card in self.cards
        ]
        self.query_one(Menu).fill(items or [Item("none", self.say(readiness.NOTHING), role="text")])

    def on_menu_chosen(self, event: Menu.Chosen) -> None:
        from tui.screens.card import CardScreen

        self.app.push_screen(CardScreen(event.item.id))


class DateScreen(FormPage):
    """Date and minutes, typed. What cannot be used is said, and the screen stays."""

    HEADING = words.TYPING
    ABOUT = words.TYPING_ABOUT
    OFFERS = (words.KEEP,)

    def __init__(self) -> None:
        super().__init__()
        self.fault: InputError | None = None

    def body(self) -> ComposeResult:
        preferences = self.proofdeck.workspace.preferences
        day = preferences.interview_date
        with Pane(can_focus=False):
            yield Entry(day.isoformat() if day else "", id="date")
            yield Entry(str(preferences.minutes_a_day), id="minutes")
            yield Menu(id="outcome")

    def begin(self) -> None:
        self.query_one("#outcome", Menu).can_focus = False

    def show(self) -> None:
        self.query_one("#date", Entry).tell(self.say(words.DATE), self.say(words.DATE_HINT))
        self.query_one("#minutes", Entry).tell(self.say(words.MINUTES))
        told = self.say(words.TYPING_ABOUT) if self.fault is None else self.fault_line(self.fault)
        self.query_one("#outcome", Menu).fill([Item("told", told, role="text")])

    async def action_go(self) -> None:
        day, minutes = (self.query_one(f"#{name}", Entry).value for name in ("date", "minutes"))
        workspace = self.proofdeck.workspace

        from quizbank.learning.day import local_day, now_ms
        from quizbank.planning.limits import check_interview

        def keep() -> None:
            if not minutes.isascii() or not minutes.isdigit():
                raise InputError(words.NOT_WHOLE.filled(given=minutes[:20] or "–"))
            if day and not _is_date(day):
                # the settings would name their key, and the minutes be kept already
                raise InputError(words.NOT_A_DATE.filled(given=day[:20]))
            if day:
                check_interview(date.fromisoformat(day), local_day(now_ms()))
            workspace.keep("minutes_a_day", lambda: int(minutes))
            workspace.keep("interview_date", lambda: day)

        try:
            await in_thread(keep)
        except InputError as error:
            self.fault = error
            self.show()
            return
        self.leave()


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True
