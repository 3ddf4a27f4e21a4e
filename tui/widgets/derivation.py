"""A derivation, one step a key press: the rule, the formula, and a badge that says what was truly done."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from engine.proof.words import badge, method
from engine.text import Language, Text
from tui.badges import tone
from tui.commands import Command, bindings
from tui.drawing.prose import laid
from tui.drawing.rows import Row, clean, shorten
from tui.widgets.formula import formula_rows
from tui.widgets.menu import Scrolled

if TYPE_CHECKING:
    from engine.proof.step import Decided

NEXT = Command(
    "next_step",
    ("space", "n", "enter"),
    Text("Next step", "下一步"),
    Text("show the next step of the derivation", "显示推导的下一步"),
    footer=10,
)
BACK = Command(
    "last_step",
    ("backspace",),
    Text("Hide step", "收起一步"),
    Text("hide the last step again", "重新隐藏最后一步"),
    footer=12,
)
ALL = Command(
    "all_steps",
    ("A",),
    Text("All steps", "全部步骤"),
    Text("show the whole derivation", "显示完整推导"),
    footer=11,
)

NEXT_HINT = Text("{key}: step {next} of {total}", "按 {key}：第 {next} 步，共 {total} 步")
FIRST_HINT = Text("{key}: the next step", "按 {key}：下一步")
DECIDING = Text("deciding the next step…", "正在判定下一步……")
HOLDS = Text("All {total} steps came out as their author claims.", "全部 {total} 步均与作者声明的结果一致。")
FAILS = Text(
    "{bad} of {total} steps did not come out as claimed.", "共 {total} 步，其中 {bad} 步与声明的结果不符。"
)
COUNTEREXAMPLE = Text("Counterexample:", "反例：")
SOURCE = Text("Source: {source}", "来源：{source}")
MILLISECONDS = Text("{ms} ms", "{ms} 毫秒")

INDENT = 3
FORMULA_INDENT = 5


class DerivationView(ScrollView, can_focus=True):
    """Steps revealed one at a time; the newest is scrolled into view.

    Fill it with :meth:`show` when all steps are known, or with :meth:`add` as each is decided and
    :meth:`finish` after the last. Asked for a step that is not there yet, it says that the step is
    being decided, posts :class:`Wanted`, and shows it on arrival.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "derivation--good",
        "derivation--false",
        "derivation--bad",
        "derivation--plain",
        "derivation--quiet",
        "derivation--math",
        "derivation--error",
        "derivation--code",
        "derivation--number",
    }
    DEFAULT_CSS = """
    DerivationView {
        height: 1fr; padding: 0 1; scrollbar-size-vertical: 1; scrollbar-gutter: stable; overflow-x: hidden;
        .derivation--good { text-style: bold; color: $text-success; }
        .derivation--false { text-style: bold; color: $text-warning; }
        .derivation--bad { text-style: bold; color: $text-error; }
        .derivation--plain { text-style: bold; color: $text-accent; }
        .derivation--quiet { color: $text-muted; }
        .derivation--math { color: $text-success; }
        .derivation--error { color: $text-warning; }
        .derivation--code { color: $text-warning; }
        .derivation--number { text-style: bold; }
    }
    """
    OFFERS = (NEXT, ALL, BACK)
    BINDINGS = bindings("derivation", OFFERS)

    language: reactive[Language] = reactive("en")
    next_key: reactive[str] = reactive("Space")
    """The key that asks for the next step, as it stands on the keyboard."""
    revealed: reactive[int] = reactive(0)

    class Wanted(Message):
        """A step was asked for that is not decided yet."""

        def __init__(self, view: DerivationView, index: int) -> None:
            super().__init__()
            self.view, self.index = view, index

        @property
        def control(self) -> DerivationView:
            return self.view

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self.steps: list[Decided] = []
        self.complete = False
        self._waiting = False
        self._all_wanted = False
        self._lines: list[Row] = []
        self._tops: list[int] = []
        self._laid_for = -1
        self._styles: dict[str, Style] = {}

    # What there is to show ----------------------------------------------------------------------

    def show(self, steps: Iterable[Decided], revealed: int = 0) -> None:
        """All the steps of a derivation, ``revealed`` of them at once."""
        all_wanted = self._all_wanted
        self.clear()
        self.steps, self.complete = list(steps), True
        self.revealed = len(self.steps) if all_wanted else min(revealed, len(self.steps))
        self._lay()

    def clear(self) -> None:
        """Nothing shown, nothing known: another derivation begins."""
        self.steps, self.complete, self._waiting, self._all_wanted = [], False, False, False
        self.revealed = 0
        self.scroll_to(y=0, animate=False)
        self._lay()

    def add(self, step: Decided) -> None:
        """The next step, decided; shown at once if it was asked for."""
        self.steps.append(step)
        if self._waiting:
            self._waiting = self._all_wanted
            self.revealed = len(self.steps)
        else:
            self._lay()

    def finish(self) -> None:
        """There are no more steps."""
        self.complete, self._waiting, self._all_wanted = True, False, False
        self._lay()
        self.refresh_bindings()

    # Keys ---------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        all_shown = self.complete and self.revealed >= len(self.steps)
        match action:
            case "next_step" | "all_steps":
                return not all_shown
            case "last_step":
                return self.revealed > 0
            case _:
                return True

    def action_next_step(self) -> None:
        if self.revealed < len(self.steps):
            self.revealed += 1
        elif not self.complete and not self._waiting:
            self._waiting = True
            self._lay()
            self._follow()
            self.post_message(self.Wanted(self, self.revealed))

    def action_all_steps(self) -> None:
        self.revealed = len(self.steps)
        if not self.complete:
            self._all_wanted = True
            self.action_next_step()

    def action_last_step(self) -> None:
        self._waiting = self._all_wanted = False
        self.revealed = max(0, self.revealed - 1)

    def watch_revealed(self) -> None:
        self._lay()
        self._follow()
        self.refresh_bindings()

    def watch_language(self) -> None:
        self._lay()

    def watch_next_key(self) -> None:
        self._lay()

    # Moving, as every list and page of the app moves ------------------------------------------------

    def move(self, by: int) -> None:
        self.scroll_relative(y=by, animate=False)

    def page(self, direction: int) -> None:
        self.scroll_relative(y=direction * max(1, self.size.height - 1), animate=False)

    def edge(self, direction: int) -> None:
        self.scroll_to(y=0 if direction < 0 else self.max_scroll_y, animate=False)

    def scroll_hint(self) -> tuple[int, int]:
        """(rows above, rows below) what is on screen."""
        above = round(self.scroll_offset.y)
        return above, max(0, len(self._lines) - above - self.size.height)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if self.is_attached:
            self.post_message(Scrolled())

    # Laying out and drawing ---------------------------------------------------------------------

    def on_resize(self) -> None:
        if self.scrollable_content_region.width != self._laid_for:
            self._lay()

    def _lay(self) -> None:
        width = self.scrollable_content_region.width
        if width <= 0:
            return
        self._laid_for = width
        self._lines, self._tops = [], []
        for number, step in enumerate(self.steps[: self.revealed], 1):
            if self._lines:
                self._lines.append([])
            self._tops.append(len(self._lines))
            self._lines += step_rows(step, number, width, self.language)
        if self._lines:
            self._lines.append([])
        self._tops.append(len(self._lines))
        self._lines += [
            [(text, "quiet" if kind == "text" else kind) for text, kind in row]
            for row in laid(self._outlook(), width)
        ]
        self.virtual_size = Size(width, len(self._lines))
        self.refresh()

    def _outlook(self) -> str:
        """The last line: what comes next, or how it all came out."""
        total = len(self.steps)
        if self._waiting:
            return DECIDING.of(self.language)
        if not self.complete:
            return FIRST_HINT.of(self.language).format(key=self.next_key)
        if self.revealed < total:
            hint = NEXT_HINT.of(self.language)
            return hint.format(key=self.next_key, next=self.revealed + 1, total=total)
        bad = sum(not step.ok for step in self.steps)
        return (FAILS if bad else HOLDS).of(self.language).format(bad=bad, total=total)

    def _follow(self) -> None:
        """Bring the newest step into view: its end, but never past its beginning."""
        if not self._tops:
            return
        top = self._tops[self.revealed - 1] if 0 < self.revealed <= len(self._tops) else 0
        end = len(self._lines) - self.size.height
        y = min(max(round(self.scroll_offset.y), end), top)
        self.scroll_to(y=max(0, y), animate=False, force=True)

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._styles.clear()

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        line = y + round(self.scroll_offset.y)
        row = self._lines[line] if 0 <= line < len(self._lines) else []
        segments = [Segment(text, self._style(style)) for text, style in row if text]
        return Strip(segments).adjust_cell_length(width, self._style(""))

    def _style(self, name: str) -> Style:
        style = self._styles.get(name)
        if style is None:
            known = f"derivation--{name}" in self.COMPONENT_CLASSES
            style = self.get_visual_style(f"derivation--{name}").rich_style if known else self.rich_style
            self._styles[name] = style
        return style


def step_rows(step: Decided, number: int, width: int, language: Language) -> list[Row]:
    """One step: badge and method, rule, formula, and what a refutation or a citation rests on."""
    rows = _head(step, number, width, language)
    rows += _indented(laid(step.rule.of(language), width - INDENT), INDENT)
    # a false statement must not look like a result
    look = "error" if step.status == "refuted" else "math"
    rows += [
        [(" " * FORMULA_INDENT, ""), (row, look)]
        for row in formula_rows(step.statement, width - FORMULA_INDENT)
    ]
    if step.counterexample:
        rows.append([(" " * INDENT, ""), (COUNTEREXAMPLE.of(language), tone(step))])
        rows += [
            [(" " * FORMULA_INDENT, ""), (row, "math")]
            for row in formula_rows(step.counterexample, width - FORMULA_INDENT)
        ]
    if step.source:
        said = SOURCE.of(language).format(source=clean(step.source))
        rows += _indented(laid(said, width - INDENT), INDENT)
    return rows


def _head(step: Decided, number: int, width: int, language: Language) -> list[Row]:
    """Number and badge; the method and its time on the right, or beneath where there is no room."""
    badges = [
        [("".join(text for text, _ in row), tone(step))]
        for row in laid(badge(step).of(language), width - INDENT)
    ]
    first, *others = _indented(badges, INDENT)
    head: Row = [(f"{number:<{INDENT}}", "number"), *first[1:]]
    how = method(step).of(language)
    if step.method:
        took = MILLISECONDS.of(language).format(ms=_milliseconds(step.ms))
        how = f"{how} · {took}" if how else took
    gap = width - sum(cell_len(text) for text, _ in head) - cell_len(how)
    if not how:
        return [head, *others]
    if gap >= 2 and not others:
        return [[*head, (" " * gap, ""), (how, "quiet")]]
    return [head, *others, [(" " * INDENT, ""), (shorten(how, width - INDENT), "quiet")]]


def _milliseconds(ms: float) -> str:
    return f"{ms:.0f}" if ms >= 10 else f"{ms:.1f}"


def _indented(rows: Iterable[Sequence[tuple[str, str]]], cells: int) -> list[Row]:
    return [[(" " * cells, ""), *row] for row in rows]
