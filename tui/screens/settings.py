"""The settings: each with what it means; a change is in the file, and in force, the moment it is made."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

from textual.app import ComposeResult
from textual.widget import Widget
from textual.widgets import Input

from engine.errors import InputError
from engine.text import LANGUAGES, Text
from quizbank.settings import BY_NAME, Preferences, check_decks, settings_path
from tui.background import in_thread
from tui.screens.base import Pane
from tui.screens.form import FormPage
from tui.screens.settings_words import (
    ABOUT,
    CHOICES,
    GO,
    HEADING,
    KEPT,
    MANY,
    MEANT,
    NAMES,
    NOT_A_NUMBER,
    TYPED,
)
from tui.widgets.fields import Entry, Picker
from tui.widgets.menu import Item, Menu


class SettingsScreen(FormPage):
    """One row a setting; what the one under the cursor means stands below."""

    HEADING = HEADING
    ABOUT = ABOUT
    OFFERS = (GO,)

    def __init__(self) -> None:
        super().__init__()
        self.outcome: Text | None = None
        self.setting = "language"

    def body(self) -> ComposeResult:
        with Pane(can_focus=False):
            for name in NAMES:
                yield Picker(id=name) if name in CHOICES else Entry(self._typed(name), id=name)
            yield Menu(id="outcome")

    def begin(self) -> None:
        self.query_one("#outcome", Menu).can_focus = False

    @property
    def preferences(self) -> Preferences:
        return self.proofdeck.workspace.preferences

    def _typed(self, name: str) -> str:
        """A setting as it is typed; several decks with a semicolon between."""
        value = getattr(self.preferences, name)
        if name == "decks":
            return "; ".join(str(path) for path in value)
        return "" if value is None else str(value)

    def show(self) -> None:
        for name, label in NAMES.items():
            if name in CHOICES:
                value = getattr(self.preferences, name)
                chosen = str(value).lower() if isinstance(value, bool) else value
                options = [(word, self.say(text)) for word, text in CHOICES[name]]
                self.query_one(f"#{name}", Picker).tell(self.say(label), options, chosen)
            else:
                self.query_one(f"#{name}", Entry).tell(
                    self.say(label), self.say(MANY) if name == "decks" else ""
                )
        meaning = MEANT.get(self.setting, BY_NAME[self.setting].meaning)
        told = [Item("meaning", self.say(meaning), role="text")]
        if self.outcome is not None:
            told.append(Item("told", self.say(self.outcome), role="quiet"))
        self.query_one("#outcome", Menu).fill(told)

    def on_descendant_focus(self) -> None:
        focused: Widget | None = self.focused
        owner = next(
            (node.id for node in (focused.ancestors_with_self if focused else ()) if node.id in NAMES), None
        )
        if owner is not None and owner != self.setting:
            self.setting, self.outcome = owner, None
            self.show()

    async def on_picker_changed(self, event: Picker.Changed) -> None:
        name, value = str(event.picker.id), event.picker.value
        await self._keep(name, value == "true" if name == "plain" else value)
        if name == "theme":
            self.proofdeck.take_theme()
        elif name == "language" and value in LANGUAGES:
            self.proofdeck.language = "zh" if value == "zh" else "en"

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        await self.action_go()

    async def action_go(self) -> None:
        if self.setting not in TYPED:
            return
        name, typed = self.setting, self.query_one(f"#{self.setting}", Entry).value
        config = self.proofdeck.workspace.home.config
        try:
            value = _value(name, typed)
            await in_thread(lambda: _check(name, value, config))
        except InputError as error:
            self._tell(error)
            return
        await self._keep(name, value)

    async def _keep(self, name: str, value: object) -> None:
        workspace = self.proofdeck.workspace
        try:
            await in_thread(lambda: workspace.keep(name, lambda: value))
        except InputError as error:
            self._tell(error)
            return
        self.outcome = KEPT.filled(path=settings_path(workspace.home.config))
        self.show()

    def _tell(self, error: InputError) -> None:
        if error.where in NAMES:
            # the name that the file has for it stands nowhere here
            label = NAMES[error.where]
            self.outcome = Text(f"{label.en}: {error.text.en}", f"{label.zh}：{error.text.zh}")
        else:
            self.outcome = Text(error.line("en"), error.line("zh"))
        self.show()


def _check(name: str, value: Any, config: Path) -> None:
    """Refuse what the file may hold and a form must not take: the shell, or the plan, would refuse it afterwards.

    Raises:
        InputError: a deck that is not there, or a day for which no plan can be made.
    """
    from quizbank.learning.day import local_day, now_ms
    from quizbank.planning.limits import check_interview

    if name == "decks":
        check_decks(config, value)
    elif name == "interview_date":
        try:
            day = date.fromisoformat(value)
        except ValueError:
            # empty, or no date: the settings themselves say what it must be
            return
        check_interview(day, local_day(now_ms()))


def _value(name: str, typed: str) -> object:
    """What was typed, as the file holds it.

    Raises:
        InputError: no number where one is wanted.
    """
    if name == "decks":
        return [path.strip() for path in typed.replace("；", ";").split(";") if path.strip()]
    if name == "interview_date":
        return typed
    try:
        return float(typed) if name == "desired_retention" else int(typed)
    except ValueError:
        raise InputError(NOT_A_NUMBER.filled(given=typed[:40] or "–")) from None
