"""How a sheet begins: its first cards or questions, made as the whole sheet makes them, without making the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from engine.errors import InputError
from quizbank.bank import Bank
from quizbank.papers.paper import Paper
from quizbank.papers.results import Report
from quizbank.sheets.compose import compose
from quizbank.sheets.content import form_id
from quizbank.sheets.document import Document, Heading, Node
from quizbank.sheets.export import NOTHING_MATCHES
from quizbank.sheets.formats import Options
from quizbank.sheets.gather import Source, gather
from quizbank.slots import Quantities


class Beginning(NamedTuple):
    """The first nodes of a sheet, word for word those of the whole; ``goes_on`` where it has more."""

    document: Document
    goes_on: bool


def beginning(
    source: Source,
    bank: Bank,
    quantities: Quantities,
    options: Options,
    parts: int,
    *,
    cache: Path | None = None,
) -> Beginning:
    """The nodes of the first ``parts`` cards or questions. ``cache`` is the folder of :attr:`quizbank.home.Home.cache`.

    Raises:
        InputError: as :func:`quizbank.sheets.export.export`, but for the path.
    """
    backed = options.mode == "embedded"
    if isinstance(source, Report):
        # what was answered is at hand; nothing is run for it
        document = compose(gather(source, bank, quantities, options, cache=cache, backed=False))
        return _until(document, [f"question-{parts + 1}"], len(source.lines) > parts)
    if isinstance(source, Paper):
        first = replace(source, questions=source.questions[:parts])
        sheet = gather(first, bank, quantities, options, cache=cache, backed=backed)
        whole = replace(sheet, heading=replace(sheet.heading, form=source.form), paper=source)
        return _until(compose(whole), ["bibliography"], len(source.questions) > parts)
    if not source:
        raise InputError(NOTHING_MATCHES)
    made = gather(source[:parts], bank, quantities, options, cache=cache, backed=backed)
    if len(source) <= parts:
        return Beginning(compose(made), False)
    form = form_id(source, options.seed, made.heading.revision)
    # the cards that follow are not made, but where they stand may decide how the first are headed
    sheet = replace(made, heading=replace(made.heading, form=form), cards=(*made.cards, *source[parts:]))
    last, following = source[parts - 1], source[parts]
    chapter = [f"topic-{following.topic}"] if following.topic != last.topic else []
    return _until(compose(sheet), [f"card-{following.id}", *chapter], True)


def _until(document: Document, anchors: Sequence[str], goes_on: bool) -> Beginning:
    """The document up to the first heading with one of these anchors."""

    def before(node: Node) -> bool:
        return not (isinstance(node, Heading) and node.anchor in anchors)

    if not goes_on:
        return Beginning(document, False)
    return Beginning(replace(document, nodes=tuple(takewhile(before, document.nodes))), True)
