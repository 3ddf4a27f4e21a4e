"""A formula as two-dimensional Unicode text.

Every row of a box has the same width in cells. Scripts are raised or lowered characters where
Unicode has all of them (x², hₜ₋₁), else they stand on rows of their own. A box wider than asked for
is broken at its relations, then at its binary operators, with a hanging indent; nothing is cut.
"""

from __future__ import annotations

from functools import lru_cache

from engine.notation.box import EMPTY, Box, aligned, beside, delimiter, shifted, stacked, text_box
from engine.notation.breaking import broken
from engine.notation.glyphs import ABOVE, accented, subscript, superscript
from engine.notation.line import LINE, is_atom, is_quiet, is_word, reads_whole
from engine.notation.nodes import (
    Accent,
    Fenced,
    Fraction,
    Limits,
    Node,
    Root,
    Row,
    Scripts,
    Symbol,
    Table,
    unwrapped,
)
from engine.notation.pieces import Drawer, Edge, Piece, join
from engine.notation.tree import parse
from engine.notation.wide import width as cells_of


@lru_cache(maxsize=2048)
def layout(latex: str, width: int | None = None) -> Box:
    """The formula as rows of text, at most ``width`` cells wide where that is given.

    Raises:
        NotationError: the formula is outside the subset.
    """
    node = parse(latex, True)
    box = TERMINAL.draw(node)
    if width is None or box.width <= width:
        return box
    return broken(TERMINAL, node, max(width, 1))


class TerminalDrawer(Drawer):
    """The two-dimensional form. What stands in a script is drawn by the one-line form, so nothing here
    is ever asked to be ``compact``."""

    def fraction(self, node: Fraction, compact: bool) -> Box:
        top, bottom = self.draw(node.top), self.draw(node.bottom)
        cells = max(top.width, bottom.width)
        if not node.line:
            blank = text_box(" " * cells)
            return stacked([top, blank, bottom], top.height)
        if top.tall or bottom.tall:
            cells += 2
        return stacked([top, text_box("─" * cells), bottom], top.height)

    def root(self, node: Root, compact: bool) -> Box:
        pieces = self.pieces(node.body)
        body = join(pieces)
        index = "" if node.index is None else LINE.text(node.index, True)
        if not body.tall:
            sign = superscript(index) if index else ""
            parts = [body] if is_atom(pieces) else [text_box("("), body, text_box(")")]
            return beside([text_box(f"√[{index}]" if sign is None else f"{sign}√"), *parts])
        pad = cells_of(index)
        edges = ["┌", *["│"] * (body.height - 1), "√"]
        lead = [" " * pad] * len(edges)
        lead[-2] = index or lead[-2]
        inside = ["─" * body.width, *body.rows]
        rows = tuple(map("".join, zip(lead, edges, inside, strict=True)))
        at = body.baseline + 1
        return Box(rows, pad + 1 + body.width, at, at, body.height - at)

    def scripts(self, node: Scripts, compact: bool) -> Piece:
        base = unwrapped(node.base)
        if isinstance(base, Symbol) and base.text in "∫∬∭∮":
            return self.integral(base, node)
        row = self.pieces(node.base)
        left, right = (row[0].left, row[-1].right) if row else ("letter", "letter")
        return self.attached(join(row) if row else EMPTY, node, left, right)

    def attached(self, box: Box, node: Scripts, left: Edge, right: Edge) -> Piece:
        """A base with its scripts: small ones where Unicode has them, else on rows of their own."""
        low = LINE.text(node.sub, True) if node.sub is not None else ""
        high = LINE.text(node.sup, True) if node.sup is not None else ""
        lowered, raised = subscript(low) if low else "", superscript(high) if high else ""
        word = node.sub is not None and is_word(node.sub)
        if (lowered is None or word) and raised is not None and reads_whole(low) and not box.tall:
            # W_f, d_head: no row of its own for what every reader of code reads at once
            lowered = f"_{low}"
        if lowered is None or raised is None:
            return Piece(_stacked_scripts(box, low, high), left, right, node)
        if box.tall:
            return Piece(_corner_scripts(box, lowered, raised), left, right, node)
        tail = (bool(lowered) or not is_quiet(raised)) and (left, right) != ("open", "close")
        return Piece(beside([box, text_box(lowered + raised)]), left, right, node, tail=tail)

    def stretched(self, pieces: list[Piece]) -> list[Piece]:
        """Typed brackets around something tall, drawn tall and as one piece with their scripts."""
        if not any(piece.box.tall for piece in pieces):
            return pieces
        out: list[Piece] = []
        opened: list[int] = []
        for piece in pieces:
            out.append(piece)
            if piece.left == "open" == piece.right:
                opened.append(len(out) - 1)
            elif piece.left == "close" == piece.right and opened:
                start = opened.pop()
                inside = join(out[start + 1 : -1])
                if inside.tall:
                    nodes = tuple(part.node for part in out[start:] if part.node is not None)
                    whole = self.enclosed(out[start], inside, piece)
                    out[start:] = [
                        whole._replace(node=Row(nodes), space=out[start].space, depth=out[start].depth)
                    ]
        return out

    def enclosed(self, opening: Piece, inside: Box, closing: Piece) -> Piece:
        scripts = closing.node if isinstance(closing.node, Scripts) else None
        end = unwrapped(scripts.base) if scripts is not None else None
        mark = end.text if isinstance(end, Symbol) else closing.box.rows[0]
        sides = [delimiter(text, inside.above, inside.below) for text in (opening.box.rows[0], mark)]
        box = beside([sides[0], inside, sides[1]])
        if scripts is None:
            return Piece(box, "open", "close")
        return self.attached(box, scripts, "open", "close")

    def integral(self, sign: Symbol, node: Scripts | Limits) -> Piece:
        """An integral sign as tall as its limits ask for, which stand right of it."""
        sub, sup = (node.sub, node.sup) if isinstance(node, Scripts) else (node.under, node.over)
        low, high = (LINE.text(part, True) if part is not None else "" for part in (sub, sup))
        cells = 1 + max(cells_of(low), cells_of(high))
        middle = "⎮" if sign.text == "∫" else sign.text
        rows = [f"⌠{high}", middle, f"⌡{low}"]
        return Piece(shifted(rows, cells, 1, 1, 1), "big", "big", node)

    def limits(self, node: Limits, compact: bool) -> Piece:
        sign = unwrapped(node.base)
        if isinstance(sign, Symbol) and sign.text in "∫∬∭∮":
            return self.integral(sign, node)
        row = self.pieces(node.base)
        box = join(row) if row else EMPTY
        left, right = (row[0].left, row[-1].right) if row else ("letter", "letter")
        brace = isinstance(base := unwrapped(node.base), Accent) and base.mark == "brace"
        boxes = [box]
        if node.over is not None:
            boxes.insert(0, self.label(node.over, brace))
        if node.under is not None:
            boxes.append(self.label(node.under, brace))
        baseline = box.baseline + (boxes[0].height if node.over is not None else 0)
        whole = stacked(boxes, baseline)
        if brace:
            left = right = "inner"
        elif right == "name":
            right = "big"
        return Piece(whole, left, right, node)

    def label(self, node: Node, brace: bool) -> Box:
        """What stands over or under; a ``\\substack`` keeps its lines."""
        inner = unwrapped(node)
        if isinstance(inner, Table):
            lines = [LINE.draw(Row(row), True) for row in inner.rows]
            return stacked(lines, 0)
        return LINE.draw(node, not brace)

    def accent(self, node: Accent, compact: bool) -> Box:
        body = self.draw(node.body)
        if body.height == 1 and len(body.rows[0]) == 1 and not node.under and node.mark != "brace":
            return text_box(accented(body.rows[0], node.mark))
        cells = max(body.width, 3) if node.mark == "brace" else body.width
        rows = list(aligned(body, cells, "c"))
        mark = _wide_mark(node, cells)
        if node.under:
            return Box((*rows, mark), cells, body.baseline, body.above, body.height - body.baseline)
        return Box((mark, *rows), cells, body.baseline + 1, body.baseline + 1, body.below)

    def fenced(self, node: Fenced, compact: bool) -> list[Piece]:
        body = unwrapped(node.body)
        if isinstance(body, Table) and len(body.rows) == 2 and "{" in (node.open, node.close):
            box = self.table(body, spread=True)
            parts = [delimiter(mark, box.above, box.below) for mark in (node.open, node.close)]
            return [Piece(beside([parts[0], box, parts[1]]), "open", "inner", node)]
        return super().fenced(node, compact)

    def table(self, node: Table, compact: bool = False, spread: bool = False) -> Box:
        """``spread``: a blank row between the lines even where none of them is tall."""
        lines = self.table_lines(node)
        spread = spread or any(line.height > 1 for line in lines)
        total = max(line.width for line in lines)
        out: list[Box] = []
        for number, line in enumerate(lines):
            if number in node.rules:
                out.append(text_box("─" * total))
            elif number and spread:
                out.append(text_box(" " * total))
            out.append(line)
        if len(lines) in node.rules:
            out.append(text_box("─" * total))
        if len(out) == 1:
            return lines[0]
        height = sum(box.height for box in out)
        return stacked(out, (height - 1) // 2, "l")

    def table_lines(self, node: Table) -> list[Box]:
        """The rows of a table, their cells padded to the width of their column."""
        boxes = [[self.draw(cell) for cell in row] for row in node.rows]
        columns = range(len(node.align))
        cells = [max(row[column].width for row in boxes) for column in columns]
        lines: list[Box] = []
        for row in boxes:
            parts: list[Box] = []
            for column, box in enumerate(row):
                parts.append(text_box(_between(node, column)))
                rows = aligned(box, cells[column], node.align[column])
                parts.append(box._replace(rows=rows, width=cells[column]))
            if len(node.align) in node.verticals:
                parts.append(text_box(" │"))
            lines.append(beside(parts))
        return lines


def _between(node: Table, column: int) -> str:
    """What stands before a column."""
    if column in node.verticals:
        return " │ " if column else "│ "
    if column == 0:
        return ""
    if node.gaps[column] == "none":
        return " "
    # between two equations of one line, or between two entries
    return "   " if "none" in node.gaps else "  "


def _wide_mark(node: Accent, cells: int) -> str:
    if node.mark == "line":
        return ("‾" if node.under else "_") * cells
    if node.mark == "arrow":
        return "─" * (cells - 1) + "→"
    if node.mark == "leftarrow":
        return "←" + "─" * (cells - 1)
    if node.mark == "brace":
        left = (cells - 3) // 2
        right = cells - 3 - left
        start, middle, end = ("╰", "┬", "╯") if node.under else ("╭", "┴", "╮")
        return start + "─" * left + middle + "─" * right + end
    mark = ABOVE[node.mark]
    left = (cells - 1) // 2
    return " " * left + mark + " " * (cells - 1 - left)


def _stacked_scripts(base: Box, low: str, high: str) -> Box:
    """Scripts on rows of their own, right of the base."""
    cells = max(cells_of(low), cells_of(high))
    up, down = base.above, base.below
    rows = [row + " " * cells for row in base.rows]
    baseline = base.baseline
    total = base.width + cells
    if high:
        at = baseline - up - 1
        if at < 0:
            rows.insert(0, " " * total)
            baseline, at = baseline + 1, 0
        rows[at] = _overlaid(rows[at], base.width, high)
    if low:
        at = baseline + down + 1
        if at >= len(rows):
            rows.append(" " * total)
        rows[at] = _overlaid(rows[at], base.width, low)
    return shifted(rows, total, baseline, up, down)


def _corner_scripts(base: Box, lowered: str, raised: str) -> Box:
    """Small scripts at the corners of a tall base."""
    cells = max(len(lowered), len(raised))
    rows = [row + " " * cells for row in base.rows]
    top, bottom = base.baseline - base.above, base.baseline + base.below
    rows[top] = _overlaid(rows[top], base.width, raised)
    rows[bottom] = _overlaid(rows[bottom], base.width, lowered)
    return shifted(rows, base.width + cells, base.baseline, base.above, base.below)


def _overlaid(row: str, cells: int, text: str) -> str:
    """The text written over the blank end of a row, from a column in cells."""
    head = row
    while cells_of(head) > cells:
        head = head[:-1]
    return head + text


TERMINAL = TerminalDrawer()
