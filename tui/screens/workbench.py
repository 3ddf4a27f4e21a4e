"""The derivation workbench: what there is to derive, a start and goal of one's own, and the derivation itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from textual.app import ComposeResult
from textual.widgets import Input

from engine.errors import InputError
from engine.text import Text
from quizbank import labels
from tui import messages
from tui.commands import Command
from tui.screens import workbench_words as words
from tui.screens.base import Page, Pane
from tui.screens.derive import DeriveScreen
from tui.screens.finding import FindingPage
from tui.screens.form import FormPage
from tui.widgets.fields import Entry, Picker
from tui.widgets.menu import Item, Menu

if TYPE_CHECKING:
    from quizbank.card import Card
    from quizbank.notebook import Kept
    from quizbank.workbench import Task

OWN = Command(
    "own", ("n",), Text("Your own", "自拟"), Text("a start and a goal of your own", "自拟起始式与目标式"), 1
)
REMOVE = Command(
    "remove",
    ("d", "delete"),
    Text("Delete", "删除"),
    Text("take out the kept derivation under the cursor", "删除光标所在的已保存推导"),
    2,
)


class WorkbenchScreen(FindingPage):
    """The derivations of the bank, or of one card, and those kept; Enter on a kept one goes on with it."""

    HEADING = words.WORKBENCH
    ABOUT = words.LIST_ABOUT
    OFFERS = (OWN, REMOVE, *FindingPage.OFFERS)

    def __init__(self, card: str = "") -> None:
        super().__init__()
        self.only = card
        self.tasks: tuple[Task, ...] | None = None
        self.cards: Mapping[str, Card] = {}
        self.kept: tuple[Kept, ...] = ()
        self.sure = ""

    def body(self) -> ComposeResult:
        yield self.field_of_words()
        yield Menu(id="derivations", compact=False)

    def begin(self) -> None:
        self._read()

    def on_screen_resume(self) -> None:
        if self.tasks is not None:
            self._read()

    def _read(self) -> None:
        workspace, only = self.proofdeck.workspace, self.only

        def read() -> tuple[tuple[Task, ...], Mapping[str, Card], tuple[Kept, ...]]:
            from quizbank.workbench import tasks

            bank = workspace.bank
            found = tuple(task for task in tasks(bank.cards.full) if only in ("", task.card))
            return found, bank.by_id, workspace.notebook.kept(only or None)

        self.later(read, self._loaded)

    def _loaded(self, found: tuple[tuple[Task, ...], Mapping[str, Card], tuple[Kept, ...]]) -> None:
        self.tasks, self.cards, self.kept = found
        self.show()
        self.frame()

    def show(self) -> None:
        self.query_one("#words", Input).placeholder = self.say(messages.BROWSE_HINT)
        self.narrow()

    def narrow(self, from_top: bool = False) -> None:
        items = list(self._items())
        first = next((item.id for item in items if item.id.startswith(("task:", "kept:"))), None)
        self.query_one(Menu).fill(items, at=first if from_top and self.typed else None)

    def _asked_for(self, task: Task) -> bool:
        card = self.cards[task.card]
        return self.holds(task.key, *task.drill.question, *card.question, *labels.TOPIC[card.topic])

    def _items(self) -> Iterator[Item]:
        if self.tasks is None:
            yield Item("loading", self.say(messages.LOADING), role="quiet")
            return
        yield Item("about", self.say(words.CARD_LIST_ABOUT if self.only else words.LIST_ABOUT), role="quiet")
        if not self.only:
            yield Item("own", self.say(words.OWN_LINE), lead=self.key_of(OWN))
        tasks = [task for task in self.tasks if self._asked_for(task)]
        if not tasks:
            yield Item("none", self.say(words.NONE_FOUND if self.tasks else words.NONE_YET), role="text")
        topic = ""
        for task in tasks:
            found = self.cards[task.card].topic
            if found != topic and not self.only:
                topic = found
                yield Item(f"topic {topic}", self.say(labels.TOPIC[topic]), role="heading")
            here = [one for one in self.kept if one.key == task.key]
            note = self.say(words.COMPLETE) if any(one.complete for one in here) else ""
            if here and not note:
                note = self.say(words.KEPT_COUNT, n=len(here))
            yield Item(f"task:{task.key}", self.say(task.drill.question), note=note)
        if self.kept:
            yield Item("kept", self.say(words.KEPT_HEADING), role="heading")
        for one in self.kept:
            yield self._kept_item(one)

    def _kept_item(self, kept: Kept) -> Item:
        # where the card's drill stands above, its name says enough
        what = kept.key or self.say(words.FROM_TO, start=_code(kept.start), goal=_code(kept.goal))
        state = self.say(words.COMPLETE if kept.complete else words.UNFINISHED)
        return Item(
            f"kept:{kept.id}",
            f"{kept.day.isoformat()} · {what}",
            note=f"{self.say(words.LINES, n=len(kept.lines))} · {state}",
        )

    @property
    def _under_cursor(self) -> Kept | None:
        item = self.query_one(Menu).item
        return next((one for one in self.kept if item is not None and item.id == f"kept:{one.id}"), None)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "remove":
            return bool(self.query("#derivations")) and self._under_cursor is not None
        if action == "own":
            return not self.only
        return super().check_action(action, parameters)

    def on_menu_moved(self) -> None:
        self.sure = ""
        self.refresh_bindings()

    def on_menu_chosen(self, event: Menu.Chosen) -> None:
        kind, _, name = event.item.id.partition(":")
        if kind == "own":
            self.action_own()
        elif kind == "task":
            self.app.push_screen(DeriveScreen(next(task for task in self.tasks or () if task.key == name)))
        elif (kept := self._under_cursor) is not None:
            self.app.push_screen(DeriveScreen(_task_of(kept, self.tasks or ()), kept.lines))

    def action_own(self) -> None:
        self.app.push_screen(OwnTaskScreen())

    def action_remove(self) -> None:
        kept = self._under_cursor
        assert kept is not None
        if self.sure != kept.id:
            # one key must not take out what was kept
            self.sure = kept.id
            self.proofdeck.notice(self.say(words.REMOVE_AGAIN, key=self.key_of(REMOVE)), severity="warning")
            return

        def removed(_: None) -> None:
            self.proofdeck.notice(self.say(words.REMOVED))
            self._read()

        self.later(lambda: self.proofdeck.workspace.notebook.remove(kept.id), removed)


def _task_of(kept: Kept, tasks: Sequence[Task]) -> Task:
    """What was derived: the card's drill while start and goal are still as they were, else as it was kept."""
    from quizbank.workbench import kept_task

    return kept_task(kept, tasks)


GO = Command(
    "go", ("enter",), Text("Derive", "开始推导"), Text("start below the start", "从起始式开始推导"), 1
)


class OwnTaskScreen(FormPage):
    """Start, goal, the names in them."""

    HEADING = words.OWN
    ABOUT = words.OWN_ABOUT
    OFFERS = (GO,)
    AUTO_FOCUS = "Input"

    def __init__(self) -> None:
        super().__init__()
        self.told: Text | None = None

    def body(self) -> ComposeResult:
        with Pane(can_focus=False):
            for name in ("start", "goal", "names", "where"):
                yield Entry(self._typed.get(name, ""), id=name)
            yield Picker(id="mode")
            yield Menu(id="outcome")

    def begin(self) -> None:
        self.query_one("#outcome", Menu).can_focus = False
        self.picker("mode").choose(self._typed.get("mode", ""))

    @property
    def _typed(self) -> dict[str, str]:
        """What was typed last, here or when the screen was opened before."""
        return self.proofdeck.workspace.own_task

    def on_input_changed(self, event: Input.Changed) -> None:
        entry = event.input.parent
        if isinstance(entry, Entry) and entry.id:
            self._typed[entry.id] = event.value

    def on_picker_changed(self, event: Picker.Changed) -> None:
        self._typed["mode"] = event.picker.value

    def show(self) -> None:
        for name, label, hint in (
            ("start", words.START, words.START_HINT),
            ("goal", words.GOAL, words.GOAL_HINT),
            ("names", words.NAMES, words.NAMES_HINT),
            ("where", words.WHERE, words.WHERE_HINT),
        ):
            self.query_one(f"#{name}", Entry).tell(self.say(label), self.say(hint))
        self.picker("mode").tell(
            self.say(words.MODE), [(name, self.say(text)) for name, text in words.MODES.items()]
        )
        told = [_plain(self.say(self.told))] if self.told else []
        told.append(self.say(words.OWN_ABOUT))
        self.query_one("#outcome", Menu).fill(
            [Item(str(n), text, role="text") for n, text in enumerate(told)]
        )

    def action_go(self) -> None:
        values = {
            name: self.query_one(f"#{name}", Entry).value for name in ("start", "goal", "names", "where")
        }
        mode, workspace = self.picker("mode").value, self.proofdeck.workspace

        def make() -> Task:
            from quizbank.workbench import own_task

            names = read_names(values["names"])
            where = {name.strip(): "simplex" for name in _parts(values["where"])}
            return own_task(values["start"], values["goal"], names, workspace.judge, mode, where)

        self._tell(words.CHECKING)
        self.later(make, self._made, group="own", failed=self._refused)

    def _made(self, task: Task) -> None:
        self._tell(None)
        self.app.push_screen(DeriveScreen(task))

    def _refused(self, error: Exception) -> None:
        if not isinstance(error, InputError):
            self._tell(None)
            self.complain(error)
            return
        field = words.FIELDS.get(error.where)
        if field is None:
            self._tell(error.text)
            return
        self._tell(Text(*(words.FAULT.of(language).format(field=field.of(language), what=error.text.of(language)) for language in ("en", "zh"))))  # fmt: skip
        from engine.answers.verdict import UndeclaredError

        # most likely it is not the formula that is wrong
        mended = "names" if isinstance(error.__cause__, UndeclaredError) else error.where
        self.query_one(f"#{mended}").query("Input, Picker").first().focus()

    def _tell(self, text: Text | None) -> None:
        self.told = text
        self.show()


def read_names(typed: str) -> dict[str, str]:
    """``d_k=dim, W=mat:m,n``: names with their kinds; a comma inside ``mat:`` belongs to it.

    Raises:
        InputError: a part that is no ``name=kind``.
    """
    found: dict[str, str] = {}
    name = ""
    for part in _parts(typed):
        left, equals, right = part.partition("=")
        if equals and left.strip() and right.strip():
            name = left.strip()
            found[name] = right.strip()
        elif name and found[name].startswith("mat:") and "," not in found[name]:
            found[name] += f",{part.strip()}"
        else:
            from quizbank.fault import shown

            raise InputError(words.NAME_FAULT.filled(given=shown(part.strip())), "names")
    return found


def _parts(typed: str) -> list[str]:
    """The parts between commas, semicolons or their full-width forms."""
    plain = (
        typed.replace("，", ",").replace("；", ",").replace(";", ",").replace("、", ",").replace("＝", "=")
    )
    return [part for part in plain.split(",") if part.strip()]


def _code(text: str) -> str:
    """A typed line inside a code span."""
    return text.replace("`", "'")


def _plain(text: str) -> str:
    """Plain text as prose: what was typed may stand in it."""
    return text.replace("$", r"\$").replace("`", "'")


def open_workbench(options: Mapping[str, Any]) -> Page:
    """Where ``proofdeck derive`` opens: at the derivation asked for, else at the list."""
    if options.get("drill") or options.get("start"):
        return DeriveScreen(None, options=options)
    return WorkbenchScreen()
