"""One question on a card, answered and judged at once: in study, before the card is revealed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.app import ComposeResult

from engine.errors import InputError
from engine.text import Text
from quizbank import labels
from tui import answer_messages as words
from tui import messages
from tui.background import in_thread
from tui.commands import Command
from tui.screens.answering import EDIT, LETTERS, PICKS, BesideEditor
from tui.screens.base import Page
from tui.widgets.answer_panel import AnswerPanel
from tui.widgets.code_editor import DONE, RUN
from tui.widgets.menu import Item, Menu
from tui.widgets.text_areas import Left
from tui.widgets.typed_line import Entered

if TYPE_CHECKING:
    from quizbank.card import Card, Drill
    from quizbank.drills.graded import Graded
    from quizbank.drills.grading import Grader
    from quizbank.drills.variant import Variant
    from tui.asking import Asked

CLOSE = Command(
    "close", ("enter", "space"), Text("To the card", "回到卡片"), Text("back to the card", "回到这张卡片"), 1
)
ANOTHER = Command(
    "another",
    ("n", "f7"),
    Text("Another", "换一题"),
    Text("another question on this card", "换这张卡的另一道题"),
    3,
)

WRITE = EDIT._replace(keys=("i",))


def can_be_asked(card: Card) -> tuple[Drill, ...]:
    """The card's questions that the engine judges; recalling is what study itself asks for."""
    return tuple(drill for drill in card.drills if drill.kind != "recall")


def first_asked(card: Card, day: int) -> int:
    """The place of the question that a day asks first: no program, which takes many minutes, while there is another."""
    from quizbank.drills.variant import pick

    drills = can_be_asked(card)
    short = [place for place, drill in enumerate(drills) if drill.kind != "code"] or range(len(drills))
    return short[pick(len(short), day, card.id)]


class DrillScreen(BesideEditor, Page):
    """Asks the card's question number ``first``, and others on wish; ``judged`` hears the first verdict of each.

    ``seed`` draws the variants. Not understood is no verdict: the answer is mended and given again. What is left
    half written stands in ``drafts``, by question, and is there again at the next asking.
    """

    HEADING = words.DRILL
    ABOUT = words.DRILL_ABOUT
    OFFERS = (CLOSE, WRITE, RUN, DONE, ANOTHER, *PICKS)
    AUTO_FOCUS = ""
    CSS = """
    DrillScreen Menu.-typed { height: auto; max-height: 60%; }
    DrillScreen Menu.-tall { max-height: 38%; }
    """

    def __init__(
        self, card: Card, first: int, seed: int, judged: Callable[[Graded], None], drafts: dict[str, str]
    ) -> None:
        super().__init__()
        self.card = card
        self.place = first
        self.seed = seed
        self.judged = judged
        self.drafts = drafts
        self.variant: Variant | None = None
        self.asked: Asked | None = None
        self.graded: Graded | None = None
        self.read: tuple[str, str] = ("", "")
        self._turn = asyncio.Lock()

    def body(self) -> ComposeResult:
        yield Menu(id="question")
        yield AnswerPanel(False, self.proofdeck.workspace.judge, id="answer")

    def begin(self) -> None:
        self.proofdeck.workspace.judge.warm()
        self._ask()

    def _ask(self) -> None:
        from quizbank.drills.variant import draw_variant

        drills = can_be_asked(self.card)
        variant = self.variant = draw_variant(self.card, drills[self.place % len(drills)], self.seed)
        self.asked = self.graded = None
        workspace = self.proofdeck.workspace
        self.later(lambda: workspace.asked(variant), self._put, group="ask", failed=self._gone)

    async def _put(self, asked: Asked) -> None:
        self.asked = asked
        assert self.variant is not None
        await self.panel.put(asked, self.drafts.get(self.variant.key, ""))
        self.show()
        if self._typed:
            self.panel.take_focus()
        else:
            self.query_one(Menu).focus()
        self.frame()

    def _gone(self, error: Exception) -> None:
        self.complain(error)
        self.app.pop_screen()

    @property
    def panel(self) -> AnswerPanel:
        return self.query_one(AnswerPanel)

    @property
    def _typed(self) -> bool:
        return self.asked is not None and not self.asked.options and self.graded is None

    # What is on screen -------------------------------------------------------------------------

    def show(self) -> None:
        menu, panel = self.query_one(Menu), self.panel
        menu.set_class(self._typed, "-typed")
        menu.set_class(self._typed and panel.has_class("-tall"), "-tall")
        panel.display = self._typed and panel.editor is not None
        panel.show()
        menu.offer(messages.ANSWER, messages.ANSWER_HELP, 1)
        menu.fill(self._items())

    def _items(self) -> list[Item]:
        asked = self.asked
        if asked is None:
            return [Item("working", self.say(messages.WORKING), role="quiet")]
        items = [
            Item("about", self.say(labels.KIND[asked.kind]), role="quiet"),
            Item("question", self.say(asked.question), role="strong"),
        ]
        if self.graded is not None:
            return [*items, *self._verdict(self.graded)]
        items += [Item(f"more {n}", text, role="text") for n, text in enumerate(asked.more(self.language))]
        for (option, text), letter in zip(asked.options, LETTERS, strict=False):
            items.append(Item(option, self.say(text), lead=f"{letter.upper()}."))
        return items

    def _verdict(self, graded: Graded) -> list[Item]:
        """The outcome, then the answer beside the reference and the case that shows the difference."""
        from quizbank.papers.told import told

        sign, outcome = labels.OUTCOME[graded.outcome]
        items = [Item("verdict", self.say(words.VERDICT, sign=sign, outcome=outcome), role="strong")]
        for number, part in enumerate(told(graded)):
            label = f"{self.say(part.label)}{'：' if self.language == 'zh' else ': '}" if part.label else ""
            text = self.say(part.text)
            # what has lines of its own stands under its label
            gap = "\n\n" if label and text.startswith("```") else ""
            items.append(
                Item(f"told {number}", label.rstrip() + gap + text if gap else label + text, role="text")
            )
        over = words.DRILL_OVER if len(can_be_asked(self.card)) > 1 else words.DRILL_OVER_ONE
        return [*items, Item("over", self.say(over), role="quiet")]

    # What a person does ------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match action:
            case "close":
                return self.graded is not None
            case "edit":
                return self._typed and self.panel not in (self.focused.ancestors if self.focused else ())
            case "run" | "done":
                return self._typed and self.panel.program is not None
            case "another":
                return self.asked is not None and len(can_be_asked(self.card)) > 1
            case "pick":
                options = self.asked.options if self.asked else ()
                return self.graded is None and int(str(parameters[0])) < len(options)
        return True

    async def _answer(self, given: str) -> None:
        variant, asked, grader = self.variant, self.asked, self.proofdeck.workspace.grader
        assert variant is not None
        assert asked is not None
        if self._turn.locked():
            return
        async with self._turn:
            try:
                graded, read = await in_thread(lambda: _judged(grader, variant, asked, given))
            except InputError as error:
                self.complain(error)
                return
        if variant is not self.variant:
            return
        if graded.outcome == "not-understood":
            code = graded.kind == "code"
            told = words.NOT_UNDERSTOOD_CODE_YET if code else words.NOT_UNDERSTOOD_YET
            self.panel.tell(told, reason=graded.feedback[0])
            return
        self.graded, self.read = graded, read
        self.drafts.pop(variant.key, None)
        self.judged(graded)
        await self.panel.clear()
        self.show()
        self.query_one(Menu).focus()
        self.query_one(Menu).scroll_to_item("verdict")
        self.frame()

    async def on_entered(self, event: Entered) -> None:
        event.stop()
        if event.answer:
            self.panel.tell(words.GRADING)
            await self._answer(event.answer)
        else:
            self.panel.tell(words.NOTHING_WRITTEN)

    def on_left(self, event: Left) -> None:
        event.stop()
        self.query_one(Menu).focus()

    async def action_pick(self, place: int) -> None:
        assert self.asked is not None
        await self._answer(self.asked.options[place][0])

    async def on_menu_chosen(self, event: Menu.Chosen) -> None:
        if self.graded is None:
            await self._answer(event.item.id)

    def action_edit(self) -> None:
        self.panel.take_focus()

    def _keep_draft(self) -> None:
        if self.variant is not None and self._typed:
            self.drafts[self.variant.key] = self.panel.answer

    def leave(self) -> None:
        self._keep_draft()
        super().leave()

    def action_another(self) -> None:
        self._keep_draft()
        self.place += 1
        self._ask()

    def action_close(self) -> None:
        self.app.pop_screen()


def _judged(grader: Grader, variant: Variant, asked: Asked, given: str) -> tuple[Graded, tuple[str, str]]:
    """The verdict on an answer, and how answer and reference of a formula were read."""
    graded = grader.grade(variant, given)
    if asked.kind != "expression" or asked.read is None:
        return graded, ("", "")
    return graded, (asked.read(given).latex, asked.read(graded.reference.en).latex)
