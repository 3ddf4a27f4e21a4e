"""A list to move in and pick from, whose entries are prose: formulas laid out, Chinese wrapped by its rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal, NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.events import Click
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from engine.text import Text
from tui.commands import Command, bindings
from tui.drawing.prose import laid
from tui.widgets.chrome import clipped

Row = tuple[tuple[str, str], ...]

CURSOR = "▸ "
OPEN = Command(
    "choose",
    ("enter",),
    Text("Open", "打开"),
    Text("open what the cursor is on", "打开光标所在的一项"),
    footer=60,
)


class Item(NamedTuple):
    """One entry. ``text`` and ``detail`` are prose; ``lead`` (a key, a number, a tick) and ``note`` are plain.

    The cursor stops at entries only: headings and text (strong, quiet) are there to be read.
    """

    id: str
    text: str
    lead: str = ""
    note: str = ""
    detail: str = ""
    role: Literal["entry", "heading", "text", "strong", "quiet"] = "entry"


class Menu(ScrollView, can_focus=True, inherit_bindings=False):
    """Entries one under the other; the one with the cursor is marked by a sign and by reversed colours."""

    # few: each is styled anew with the widget, and the first list stands on the first screen
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "menu--cursor", "menu--lead", "menu--quiet", "menu--heading", "menu--math", "menu--code",
    }  # fmt: skip
    DEFAULT_CSS = """
    Menu {
        height: 1fr; padding: 0 1; scrollbar-size-vertical: 1; scrollbar-gutter: stable; overflow-x: hidden;
        .menu--lead { text-style: bold; color: $text-accent; }
        .menu--math { color: $text-success; }
        .menu--code { color: $text-warning; }
        .menu--quiet { color: $text-muted; }
        .menu--heading { text-style: bold; color: $text-primary; }
        .menu--cursor { text-style: bold; background: $block-cursor-blurred-background; }
        &:focus .menu--cursor { background: $block-cursor-background; color: $block-cursor-foreground; }
    }
    """

    class Chosen(Message):
        """Enter, or a click, on an entry."""

        def __init__(self, menu: Menu, item: Item) -> None:
            super().__init__()
            self.menu, self.item = menu, item

        @property
        def control(self) -> Menu:
            return self.menu

    class Moved(Message):
        """The cursor stands on another entry."""

        def __init__(self, menu: Menu, item: Item) -> None:
            super().__init__()
            self.menu, self.item = menu, item

        @property
        def control(self) -> Menu:
            return self.menu

    OFFERS: tuple[Command, ...] = (OPEN,)
    BINDINGS = bindings("menu", OFFERS)

    def __init__(self, *, id: str | None = None, compact: bool = True) -> None:  # noqa: A002 (Textual's name)
        super().__init__(id=id)
        self.items: tuple[Item, ...] = ()
        self.cursor = -1
        self.compact = compact
        self._lines: list[tuple[int, Row]] = []
        self._spans: list[tuple[int, int]] = []
        self._laid_for = -1
        self._styles: dict[tuple[str, bool], Style] = {}

    @property
    def item(self) -> Item | None:
        """The entry with the cursor."""
        return self.items[self.cursor] if 0 <= self.cursor < len(self.items) else None

    def fill(self, items: Sequence[Item], at: str | None = None) -> None:
        """Show these entries; the cursor stays on the entry with the same id, or goes to ``at``."""
        wanted = at if at is not None else (self.item.id if self.item else None)
        self.items = tuple(items)
        places = [place for place, item in enumerate(self.items) if item.role == "entry"]
        found = [place for place in places if self.items[place].id == wanted]
        self.cursor = (found or places or [-1])[0]
        self._lay()
        self._reveal()

    def move(self, by: int) -> None:
        """The cursor ``by`` entries further, stopping at the ends; at an end the list itself scrolls."""
        places = [place for place, item in enumerate(self.items) if item.role == "entry"]
        if not places:
            self.scroll_relative(y=by, animate=False)
            return
        at = places.index(self.cursor)
        top, height = self._spans[self.cursor]
        view_top, view_height = round(self.scroll_offset.y), self.size.height
        # an entry taller than the view is scrolled through before the cursor leaves it
        if by == 1 and top + height > view_top + view_height and height > view_height > 0:
            self.scroll_relative(y=1, animate=False)
            return
        if by == -1 and top < view_top and height > view_height > 0:
            self.scroll_relative(y=-1, animate=False)
            return
        place = places[max(0, min(len(places) - 1, at + by))]
        if place == self.cursor:
            self.scroll_to(y=0 if by < 0 else self.max_scroll_y, animate=False)
            return
        self.cursor = place
        self._reveal(from_end=by < 0)
        self.refresh()
        self.post_message(self.Moved(self, self.items[place]))

    def page(self, direction: int) -> None:
        """A view further: by the entries that fill it, or by its rows where there is nothing to pick."""
        if self.cursor < 0:
            self.scroll_relative(y=direction * max(1, self.size.height - 1), animate=False)
            return
        rows, steps, place = 0, 0, self.cursor
        while 0 <= place + direction < len(self.items) and rows < self.size.height - 1:
            place += direction
            rows += self._spans[place][1]
            steps += self.items[place].role == "entry"
        self.move(direction * max(1, steps))

    def edge(self, direction: int) -> None:
        self.move(direction * max(1, len(self.items)))
        # what stands before the first entry, or after the last, belongs to the edge too
        if self.cursor < 0 or self._in_view_from(0 if direction < 0 else self.max_scroll_y):
            self.scroll_to(y=0 if direction < 0 else self.max_scroll_y, animate=False, force=True)

    def _in_view_from(self, y: float) -> bool:
        """Would the cursor's first row be seen if the page were scrolled there?"""
        return y <= self._spans[self.cursor][0] < y + self.size.height

    def scroll_to_item(self, item_id: str) -> None:
        """Bring an item's first row to the top, as far as the page can be scrolled."""
        for place, item in enumerate(self.items):
            if item.id == item_id and place < len(self._spans):
                self.scroll_to(y=self._spans[place][0], animate=False, force=True)

    def offer(self, name: Text, explanation: Text, footer: int = OPEN.footer) -> None:
        """What Enter does in this list, in its own words; ``footer`` is its rank where that needs saying."""
        words = (
            OPEN._replace(name=name, help=explanation, footer=footer),
            *(c for c in type(self).OFFERS if c.action != "choose"),
        )
        if words != self.OFFERS:
            self.OFFERS = words
            self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return self.item is not None if action == "choose" else True

    def action_choose(self) -> None:
        if self.item is not None:
            self.post_message(self.Chosen(self, self.item))

    def on_click(self, event: Click) -> None:
        line = event.y + round(self.scroll_offset.y)
        if 0 <= line < len(self._lines):
            place = self._lines[line][0]
            if place >= 0 and self.items[place].role == "entry":
                self.cursor = place
                self.refresh()
                self.post_message(self.Chosen(self, self.items[place]))

    # Laying out and drawing ---------------------------------------------------------------------

    @property
    def _width(self) -> int:
        """Cells a row has: what the scroll bar leaves."""
        return self.scrollable_content_region.width

    def on_resize(self) -> None:
        if self._width != self._laid_for:
            self._lay()
            self._reveal()
        self._tell_scroll()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        # Textual's width has the scroll bar's column in it
        return len(self._laid(width - self.scrollbar_size_vertical)[0])

    def _lay(self) -> None:
        width = self._width
        if width <= 0:
            # keys may come before there is a place on the screen: until then an entry counts as a row
            self._spans = [(place, 1) for place in range(len(self.items))]
            return
        self._lines, self._spans = self._laid(width)
        self._laid_for = width
        self.virtual_size = Size(width, len(self._lines))
        self.refresh(layout=self.styles.height is not None and self.styles.height.is_auto)

    def _laid(self, width: int) -> tuple[list[tuple[int, Row]], list[tuple[int, int]]]:
        lines: list[tuple[int, Row]] = []
        spans: list[tuple[int, int]] = []
        lead = max((cell_len(item.lead) for item in self.items), default=0)
        indent = cell_len(CURSOR) + (lead + 1 if lead else 0)
        for place, item in enumerate(self.items):
            top = len(lines)
            above = self.items[place - 1].role if place else "heading"
            if above != "heading" and (
                "entry" not in (item.role, above) or item.role != above or not self.compact
            ):
                lines.append((-1, ()))
                top += 1
            lines.extend((place, row) for row in self._rows(item, width, lead, indent))
            spans.append((top, len(lines) - top))
        return lines, spans

    def _rows(self, item: Item, width: int, lead: int, indent: int) -> list[Row]:
        if item.role == "heading":
            return [(("heading", clipped(item.text, width)),)]
        if item.role != "entry":
            return [
                tuple((f"{item.role} {kind}", text) for text, kind in row) for row in laid(item.text, width)
            ]
        # a note takes its place from the first row only when that leaves half the width for the text
        note = clipped(item.note, max(0, width // 2))
        note_width = cell_len(note) + 2 if note else 0
        rows: list[Row] = []
        for number, row in enumerate(laid(item.text, width - indent - note_width)):
            body = tuple((kind, text) for text, kind in row)
            head = (
                item.lead + " " * (indent - cell_len(CURSOR) - cell_len(item.lead))
                if number == 0
                else " " * (indent - cell_len(CURSOR))
            )
            if number == 0 and note:
                gap = width - indent - sum(cell_len(text) for _, text in body) - cell_len(note)
                body = (*body, ("text", " " * gap), ("quiet", note))
            rows.append((("lead", head), *body))
        if item.detail:
            rows.extend(
                (
                    ("lead", " " * (indent - cell_len(CURSOR))),
                    *((f"quiet {kind}", text) for text, kind in row),
                )
                for row in laid(item.detail, width - indent)
            )
        return rows

    def _reveal(self, from_end: bool = False) -> None:
        if not (0 <= self.cursor < len(self._spans)):
            return
        top, height = self._spans[self.cursor]
        if from_end and height > self.size.height:
            top, height = top + height - self.size.height, self.size.height
        # the heading above the first entry is shown with it
        if self.cursor and self.items[self.cursor - 1].role != "entry":
            above = self._spans[self.cursor - 1][0]
            top, height = above, top + height - above
        self.scroll_to_region(
            Region(0, top, 1, min(height, max(1, self.size.height))), animate=False, force=True
        )

    def render_line(self, y: int) -> Strip:
        width = self._laid_for
        line = y + round(self.scroll_offset.y)
        if not 0 <= line < len(self._lines):
            return Strip.blank(max(0, width), self._style("", False))
        place, row = self._lines[line]
        chosen = place >= 0 and place == self.cursor
        first = place >= 0 and line == self._spans[place][0]
        segments = []
        if row and place >= 0 and self.items[place].role == "entry":
            mark = CURSOR if chosen and first else " " * cell_len(CURSOR)
            segments.append(Segment(mark, self._style("", chosen)))
        segments.extend(Segment(text, self._style(kind, chosen)) for kind, text in row)
        return Strip(segments).adjust_cell_length(width, self._style("", chosen))

    def _style(self, kinds: str, chosen: bool) -> Style:
        """The style of a run, looked up once a drawing: resolving one walks all the way up the tree."""
        style = self._styles.get((kinds, chosen))
        if style is None:
            style = self.rich_style
            for kind in kinds.split():
                if kind == "strong":
                    style += Style(bold=True)
                elif f"menu--{kind}" in self.COMPONENT_CLASSES:
                    style += self.get_component_rich_style(f"menu--{kind}")
            if chosen:
                cursor = self.get_component_rich_style("menu--cursor", partial=True)
                style = style.without_color + self.rich_style.background_style + cursor
            self._styles[kinds, chosen] = style
        return style

    def render_lines(self, crop: Region) -> list[Strip]:
        self._styles.clear()
        return super().render_lines(crop)

    def scroll_hint(self) -> tuple[int, int]:
        """(rows above, rows below) what is on screen."""
        above = round(self.scroll_offset.y)
        return above, max(0, len(self._lines) - above - self.size.height)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self._tell_scroll()

    def watch_virtual_size(self, size: Any) -> None:
        self._tell_scroll()

    def _tell_scroll(self) -> None:
        if self.is_attached:
            self.post_message(Scrolled())


class Scrolled(Message):
    """What can be seen of a page has changed."""
