"""One parameter of a demonstration under the person's hand, in one row."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from rich.style import Style
from textual import events
from textual.message import Message
from textual.reactive import reactive

from engine.errors import InputError
from engine.stepping import Stepping
from engine.text import Language, Text
from tui.commands import Command, bindings
from tui.drawing.prose import laid
from tui.drawing.rows import Row, left, right, shorten
from tui.widgets.rows import RowsView, StyledRow

if TYPE_CHECKING:
    from engine.demonstration import Parameter, Value

LESS = Command(
    "step(-1)",
    ("left", "h"),
    Text("Less", "减小"),
    Text("one step down", "减小一步"),
    footer=10,
    palette=False,
)
MORE = Command(
    "step(1)", ("right", "l"), Text("More", "增大"), Text("one step up", "增大一步"), footer=11, palette=False
)
MUCH_LESS = Command(
    "big_step(-1)",
    ("shift+left", "H"),
    Text("Much less", "大步减小"),
    Text("about a tenth of the range down", "减小约十分之一的范围"),
    palette=False,
)
MUCH_MORE = Command(
    "big_step(1)",
    ("shift+right", "L"),
    Text("Much more", "大步增大"),
    Text("about a tenth of the range up", "增大约十分之一的范围"),
    palette=False,
)
LOWEST = Command(
    "end(-1)",
    ("home",),
    Text("Lowest", "最小值"),
    Text("the low end of the range", "范围的下限"),
    palette=False,
)
HIGHEST = Command(
    "end(1)",
    ("end",),
    Text("Highest", "最大值"),
    Text("the high end of the range", "范围的上限"),
    palette=False,
)
RESET = Command("reset", ("r",), Text("Reset", "复位"), Text("back to the default", "恢复默认值"), footer=13)
TYPE = Command(
    "type",
    ("equals_sign",),
    Text("Type a value", "输入数值"),
    Text("type a value; digits begin at once", "输入数值；直接按数字键也可以"),
    footer=12,
    palette=False,
)

TYPING = Text("Enter: take it, Esc: leave it", "Enter 确定，Esc 取消")

_LONGEST_ENTRY = 24
_FEWEST_TRACK_CELLS = 8
_LABEL_SHARES = ((60, 0.6), (50, 0.5))
"""From so many cells on, the share of a row that may go to the label; below, the track needs its cells more."""
_LEAST_SHARE = 0.4
_STARTS_A_NUMBER = frozenset("0123456789.-+−")
_BELONGS_TO_A_NUMBER = _STARTS_A_NUMBER | frozenset("eE")


class Slider(RowsView, can_focus=True):
    """A parameter's meaning, a track, its value and unit.

    Arrow keys, ``h`` and ``l`` step; with shift they step far; Home and End go to the ends; a digit
    begins a typed value; ``r`` resets; the mouse clicks and drags. :class:`Changed` is posted when the
    person changes the value, and at no other time. A typed value that the parameter refuses stays
    to be mended, with the parameter's own message beneath.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "slider--label",
        "slider--filled",
        "slider--rail",
        "slider--thumb",
        "slider--value",
        "slider--error",
    }
    DEFAULT_CSS = """
    Slider {
        height: auto; width: 1fr; padding: 0 1;
        .slider--rail { color: $text-muted; }
        .slider--filled { color: $text-primary; }
        .slider--thumb { text-style: bold; }
        .slider--value { text-style: bold; }
        .slider--error { color: $text-error; }
        &:focus .slider--label { text-style: bold; }
        &:focus .slider--value { background: $block-cursor-background; color: $block-cursor-foreground; }
    }
    """
    OFFERS = (LESS, MORE, MUCH_LESS, MUCH_MORE, LOWEST, HIGHEST, TYPE, RESET)
    BINDINGS = bindings("slider", OFFERS)
    ALLOW_SELECT = False

    language: reactive[Language] = reactive("en")
    label_cells: reactive[int | None] = reactive(None)
    value_cells: reactive[int | None] = reactive(None)
    """Cells of the label and of the value; None: as many as they need. See :func:`align`."""

    class Changed(Message):
        """The person changed the value."""

        def __init__(self, slider: Slider, name: str, value: Value) -> None:
            super().__init__()
            self.slider, self.name, self.value = slider, name, value

        @property
        def control(self) -> Slider:
            return self.slider

    def __init__(
        self,
        parameter: Parameter,
        value: Value | None = None,
        *,
        id: str | None = None,  # noqa: A002 (Textual's name)
        classes: str | None = None,
    ) -> None:
        super().__init__(id=id, classes=classes)
        self.parameter = parameter
        self.stepping = Stepping(parameter)
        self._value: Value = parameter.read(parameter.default if value is None else value)
        self._entry: str | None = None
        self._error: InputError | None = None
        self._dragging = False
        self._track = (0, 0)
        self._choice_spans: list[tuple[int, int]] = []
        self._widest: dict[Language, int] = {}

    @property
    def value(self) -> Value:
        return self._value

    def set_value(self, value: object) -> None:
        """Another value, from the program: posts nothing.

        Raises:
            InputError: the parameter does not take it.
        """
        self._put(self.parameter.read(value), tell=False)

    # Changing the value --------------------------------------------------------------------------

    def _put(self, value: Value, tell: bool = True) -> None:
        different = value != self._value
        had_message = self._error is not None
        self._value, self._entry, self._error = value, None, None
        self.changed(layout=had_message)
        if different and tell:
            self.post_message(self.Changed(self, self.parameter.name, value))

    def action_step(self, by: int) -> None:
        self._put(self.stepping.moved(self._value, by))

    def action_big_step(self, by: int) -> None:
        self._put(self.stepping.moved(self._value, by * self.stepping.big))

    def action_end(self, direction: int) -> None:
        self._put(self.stepping.value(0 if direction < 0 else self.stepping.last))

    def action_reset(self) -> None:
        self._put(self.parameter.read(self.parameter.default))

    def action_type(self) -> None:
        self._type("")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return self.parameter.kind != "choice" if action == "type" else True

    # Typing a value ------------------------------------------------------------------------------

    @property
    def typing(self) -> bool:
        """True while a value is being typed and is not yet taken."""
        return self._entry is not None

    def _type(self, entry: str | None) -> None:
        """Show what is typed so far; None ends typing. A message about an earlier try goes away."""
        had_message = self._error is not None
        self._entry, self._error = None if entry is None else entry[:_LONGEST_ENTRY], None
        self.changed(layout=had_message)
        self.refresh_bindings()

    def _take(self) -> None:
        """Take what was typed, or say why not and let it be mended."""
        if not (self._entry or "").strip():
            self._type(None)
            return
        try:
            called = Text(f"“{self.label_in('en')}”", f"“{self.label_in('zh')}”")
            value = self.parameter.read(self._entry, called)
        except InputError as error:
            self._error = error
            self.changed(layout=True)
        else:
            self._put(value)
            self.refresh_bindings()

    def check_consume_key(self, key: str, character: str | None) -> bool:
        if self.parameter.kind == "choice" or character is None:
            return False
        return self.typing or _half_width(character) in _STARTS_A_NUMBER

    def on_key(self, event: events.Key) -> None:
        character = _half_width(event.character) if event.character and event.is_printable else ""
        if self._entry is None:
            taken = self._begin(character)
        elif event.key in ("enter", "escape"):
            self._take() if event.key == "enter" else self._type(None)
            taken = True
        elif event.key == "backspace":
            self._type(self._entry[:-1])
            taken = True
        elif character:
            if character in _BELONGS_TO_A_NUMBER:
                self._type(self._entry + character)
            taken = True
        else:
            # the arrows move nothing while a value is being typed; Tab and the rest go their way
            taken = event.key in ("left", "right", "home", "end", "shift+left", "shift+right")
        if taken:
            event.stop()
            event.prevent_default()

    def _begin(self, character: str) -> bool:
        """Whether a key begins a typed value, or picks a choice by its number."""
        if self.parameter.kind == "choice":
            if character.isdecimal() and 1 <= int(character) <= len(self.parameter.choices):
                self._put(self.stepping.value(int(character) - 1))
                return True
            return False
        if character and character in _STARTS_A_NUMBER:
            self._type(character)
            return True
        return False

    def on_paste(self, event: events.Paste) -> None:
        if self.parameter.kind != "choice":
            pasted = "".join(_half_width(character) for character in event.text.strip()[:_LONGEST_ENTRY])
            if set(pasted) <= _BELONGS_TO_A_NUMBER:
                self._type((self._entry or "") + pasted)
            event.stop()

    def on_focus(self) -> None:
        self.changed(layout=self._cut)

    def on_blur(self) -> None:
        if self.typing and self._error is None:
            self._take()
        self.changed(layout=self._cut)

    # The mouse -----------------------------------------------------------------------------------

    def on_mouse_down(self, event: events.MouseDown) -> None:
        column = event.x - self.gutter.left
        if event.y - self.gutter.top != 0 or self.typing:
            return
        start, cells = self._track
        if self.parameter.kind == "choice":
            for choice, (first, last) in zip(self.parameter.choices, self._choice_spans, strict=False):
                if first <= column < last:
                    self._put(choice.value)
        elif start <= column < start + cells:
            self._dragging = True
            self.capture_mouse()
            self._drag_to(column)
        event.stop()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self._dragging:
            self._drag_to(event.x - self.gutter.left)
            event.stop()

    def on_mouse_up(self, event: events.MouseUp) -> None:
        if self._dragging:
            self._dragging = False
            self.release_mouse()
            event.stop()

    def _drag_to(self, column: int) -> None:
        start, cells = self._track
        value = self.stepping.at_share((column - start) / max(1, cells - 1))
        if value != self._value:
            self._put(value)

    # Drawing -------------------------------------------------------------------------------------

    def watch_language(self) -> None:
        self.changed(layout=True)

    def watch_label_cells(self) -> None:
        self.changed()

    def watch_value_cells(self) -> None:
        self.changed()

    def style_of(self, name: str) -> Style:
        if name == "cursor":
            return Style(reverse=True)
        return self.component_style(f"slider--{name}")

    @property
    def label(self) -> str:
        return self.label_in(self.language)

    def label_in(self, language: Language) -> str:
        """The symbol and what it means; a symbol that is a word says nothing the meaning does not say."""
        from engine.notation.line import one_line
        from engine.notation.page import inline

        symbol, meaning = self.parameter.symbol, inline(self.parameter.meaning.of(language))
        if not symbol or symbol.startswith(r"\text{"):
            return meaning
        return f"{one_line(symbol)} {meaning}"

    def rows(self, width: int, height: int) -> Sequence[StyledRow]:
        mark = "▸ " if self.has_focus else "  "
        room = width - cell_len(mark)
        label_cells = self._label_cells(room)
        row: Row = [(mark, "label"), (left(self.label, label_cells) + "  ", "label")]
        start = cell_len(mark) + label_cells + 2
        row += self._control(start, width - start)
        return [row, *self._message_rows(width)]

    def _label_cells(self, room: int) -> int:
        """As many as the longest label needs, as long as a track of some length is left."""
        asked = self.label_cells if self.label_cells is not None else cell_len(self.label)
        share = next((share for least, share in _LABEL_SHARES if room >= least), _LEAST_SHARE)
        return max(0, min(asked, int(room * share)))

    @property
    def _cut(self) -> bool:
        room = self.content_size.width - 2
        return room > 0 and cell_len(self.label) > self._label_cells(room)

    def _control(self, start: int, room: int) -> Row:
        if self._entry is not None:
            hint = shorten(TYPING.of(self.language), max(0, room - cell_len(self._entry) - 2))
            return [(self._entry.replace("-", "−"), "value"), (" ", "cursor"), (" ", ""), (hint, "rail")]
        if self.parameter.kind == "choice":
            return self._choices(start, room)
        value = self._with_unit(shown(self._value))
        value_cells = max(self.value_cells or self.widest_value, cell_len(value))
        cells = room - value_cells - 1
        if cells < _FEWEST_TRACK_CELLS:
            self._track = (start, 0)
            return [(right(value, max(0, room)), "value")]
        self._track = (start, cells)
        thumb = round(self.stepping.share(self._value) * (cells - 1))
        return [
            ("⠶" * thumb, "filled"),
            ("●", "thumb"),
            ("⠤" * (cells - 1 - thumb), "rail"),
            (" ", ""),
            (right(value, value_cells), "value"),
        ]

    def _with_unit(self, value: str) -> str:
        unit = self.parameter.unit.of(self.language)
        return f"{value} {unit}" if unit else value

    @property
    def widest_value(self) -> int:
        """Cells for the longest of the values, so that the track does not move with the value."""
        if self.parameter.kind == "choice":
            return 0
        if self.language not in self._widest:
            self._widest[self.language] = self._widest_of_all()
        return self._widest[self.language]

    def _widest_of_all(self) -> int:
        last = self.stepping.last
        stops = {0, last, *range(0, last + 1, max(1, last // 60))}
        return max(cell_len(self._with_unit(shown(self.stepping.value(stop)))) for stop in stops)

    def _choices(self, start: int, room: int) -> Row:
        """All the choices with the chosen one marked; where they do not fit, the chosen one and its number."""
        labels = [choice.label.of(self.language) for choice in self.parameter.choices]
        values = [choice.value for choice in self.parameter.choices]
        at = values.index(str(self._value))
        self._choice_spans = []
        if sum(cell_len(label) + 4 for label in labels) - 2 <= room:
            row: Row = []
            for index, label in enumerate(labels):
                text = f"{'●' if index == at else '○'} {label}"
                self._choice_spans.append((start, start + cell_len(text)))
                row += [(text, "value" if index == at else ""), ("  ", "")]
                start += cell_len(text) + 2
            return row
        count = f"  {at + 1}/{len(labels)}"
        return [(f"‹ {shorten(labels[at], room - 4 - len(count))} ›", "value"), (count, "rail")]

    def _message_rows(self, width: int) -> list[Row]:
        if self._error is not None:
            said, style = self._error.line(self.language), "error"
        elif self.has_focus and cell_len(self.label) > self._label_cells(width - 2):
            # what had to be cut is there in full under the hand
            said, style = self.label, "rail"
        else:
            return []
        return [[("  ", ""), *((text, style) for text, _ in row)] for row in laid(said, max(1, width - 2))]


def align(sliders: Iterable[Slider]) -> None:
    """Let the tracks of several sliders stand under each other, in the language they have now."""
    sliders = list(sliders)
    labels = max((cell_len(slider.label) for slider in sliders), default=0)
    values = max((slider.widest_value for slider in sliders), default=0)
    for slider in sliders:
        slider.label_cells, slider.value_cells = labels, values


def shown(value: Value) -> str:
    """A value as prose and plots write it: whole numbers whole, others to six digits."""
    from quizbank.slot_grammar import number_text

    return number_text(value, ".6g") if isinstance(value, float) else str(value).replace("-", "−")


def _half_width(character: str) -> str:
    """A full-width digit or sign, as a Chinese input method types it, as the plain one."""
    if character in "。．":
        return "."
    return unicodedata.normalize("NFKC", character).replace("−", "-")
