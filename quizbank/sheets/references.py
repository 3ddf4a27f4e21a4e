"""What stands on every sheet: which it is, and where its answers are written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from engine.text import Text
from quizbank import labels
from quizbank.card import SourceRef
from quizbank.reference import Source
from quizbank.sheets.content import Heading as About
from quizbank.sheets.document import Citation, Entry, Heading, Node, Note

_FORM = Text(
    "form {form} · bank {revision} of {date} · seed {seed} · Proofdeck {version}",
    "卷号 {form} · 题库 {revision}（{date}） · 种子 {seed} · Proofdeck {version}",
)
_BIBLIOGRAPHY = Text("Bibliography", "参考文献")


def form_line(heading: About) -> Note:
    """The line that says which paper it is, of which bank, drawn how."""
    return Note(_FORM.filled(**vars(heading)))


def source_nodes(
    sources: Sequence[SourceRef], bibliography: Mapping[str, Source], level: int
) -> Iterator[Node]:
    """Where a card's answer is written, down to the section."""
    if sources:
        yield Heading(level, labels.SOURCES)
    for reference in sources:
        yield Citation(bibliography[reference.key], reference.where)


def bibliography_nodes(used: set[str], bibliography: Mapping[str, Source]) -> Iterator[Node]:
    """The sources with these keys, in full."""
    if used:
        yield Heading(2, _BIBLIOGRAPHY, anchor="bibliography", listed=True)
    for key in sorted(used, key=lambda each: (bibliography[each].short.casefold(), each)):
        yield Entry(bibliography[key])
