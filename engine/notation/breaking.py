"""Breaking a formula that is too wide: where a line may end, and which of those places is best."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from engine.notation.box import Box, aligned, beside, text_box
from engine.notation.line import LINE
from engine.notation.nodes import Node, Row, Table, unwrapped
from engine.notation.pieces import Drawer, Piece, breakable, gap, join
from engine.notation.wrap import fill, tokens

INDENT = 4


def broken(drawer: Drawer, node: Node, width: int) -> Box:
    """A formula that is too wide, over several lines."""
    inner = unwrapped(node)
    if isinstance(inner, Table) and "none" in inner.gaps:
        lines: list[Box] = []
        for row in inner.rows:
            lines.extend(_lines(drawer, Row(row), width))
    else:
        lines = _lines(drawer, node, width)
    spread = any(line.height > 1 for line in lines)
    cells = max(line.width for line in lines)
    rows: list[str] = []
    for number, line in enumerate(lines):
        if number and spread:
            rows.append(" " * cells)
        rows.extend(aligned(line, cells, "l"))
    return Box(tuple(rows), cells, lines[0].baseline, lines[0].baseline, len(rows) - 1 - lines[0].baseline)


def _lines(drawer: Drawer, node: Node, width: int) -> list[Box]:
    pieces = drawer.pieces(node)
    indent = INDENT if width >= 6 * INDENT else min(2, width // 4)
    room = width - indent
    if any(piece.box.width > room for piece in pieces):
        # a matrix or a fraction that no line can hold: written on one line, which can break anywhere
        return _linear(node, width, indent)
    out: list[Box] = []
    start = 0
    while start < len(pieces):
        limit = width if not out else room
        stop = _stop(pieces, start, limit)
        line = join(pieces[start:stop])
        out.append(beside([text_box(" " * indent), line]) if out else line)
        start = stop
    return out


def _stop(pieces: Sequence[Piece], start: int, limit: int) -> int:
    """Where the line that starts at a piece ends: at the best break that leaves it well filled."""
    used = 0
    best: tuple[int, int] | None = None
    for at in range(start, len(pieces)):
        if at > start:
            used += max(pieces[at].space, gap(pieces[at - 1], pieces[at]))
            rank = breakable(pieces, at)
            before = used
            if rank is None:
                # no good break, but never before a closing bracket or after an opening one
                stuck = pieces[at].left in ("close", "punct") or pieces[at - 1].right == "open"
                rank = 2000 if stuck else 1000
            elif before < limit // 3:
                rank += 100
            if used <= limit and (best is None or rank <= best[0]):
                best = (rank, at)
        used += pieces[at].box.width
        if used > limit and at > start:
            return best[1] if best else at
    return len(pieces)


def _linear(node: Node, width: int, indent: int) -> list[Box]:
    """The one-line form over several lines; an operator goes with what follows it."""
    parts: list[str] = []
    for word in LINE.text(node).split():
        if parts and len(parts[-1]) == 1 and unicodedata.category(parts[-1]) == "Sm":
            parts[-1] += f" {word}"
        else:
            parts.append(word)
    rows = fill(tokens([(parts, "math")]), width, hanging=indent)
    return [text_box("".join(text for text, _ in row)) for row in rows]
