"""Everything a sheet may print, put together: slots filled, drills drawn, demonstrations run and proved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from engine.demos import load
from engine.errors import InputError
from engine.proof.derivation import ProofCache, decided
from engine.proof.step import Decided
from engine.text import LANGUAGES, Text
from quizbank.bank import Bank
from quizbank.card import Card, DemoRef
from quizbank.drills.variant import as_put, find_drill
from quizbank.revisions import date_of, revised_as_kept
from quizbank.sheets.content import Backing, Heading, Item, Sheet, form_id
from quizbank.sheets.evidence import evidence
from quizbank.sheets.filling import Filling
from quizbank.sheets.formats import Mode, Options, Progress
from quizbank.sheets.questions import ask, ask_variant
from quizbank.slots import Quantities, filled

if TYPE_CHECKING:
    from quizbank.papers.paper import Paper
    from quizbank.papers.results import Report

Source: TypeAlias = "Sequence[Card] | Paper | Report"
"""What a sheet is of: cards, a drawn paper, a self-test that was sat."""

_NOT_OVER = Text(
    "self-test {form} is not handed in yet, and a sheet with answers would tell its key: hand it in first "
    "(proofdeck test --resume), or export its questions alone (--mode paper; not for Anki)",
    "自测 {form} 尚未交卷，带答案的答案册会泄露它的参考答案：请先交卷（proofdeck test --resume），"
    "或只导出题目（--mode paper；Anki 除外）",
)


def paper_of(source: Source) -> Paper | None:
    """The drawn paper, that of a self-test too; None of cards."""
    # a sheet of cards loads nothing of papers
    if isinstance(source, Sequence):
        return None
    from quizbank.papers.results import Report

    return source.paper if isinstance(source, Report) else source


def report_of(source: Source) -> Report | None:
    """The self-test, None of anything else."""
    if isinstance(source, Sequence):
        return None
    from quizbank.papers.results import Report

    return source if isinstance(source, Report) else None


# looks at every card; a bank that was read again is another one
_revised = lru_cache(maxsize=1)(revised_as_kept)


def gather(
    source: Source,
    bank: Bank,
    quantities: Quantities,
    options: Options,
    *,
    cache: Path | None = None,
    backed: bool = True,
    progress: Progress | None = None,
) -> Sheet:
    """The sheet of ``source``, in no format yet. ``cache`` is the folder of :attr:`quizbank.home.Home.cache`.

    ``backed``: run and prove the demonstrations. ``progress`` is told cards.

    Raises:
        InputError: a value that cannot be computed; of a paper, a question that is gone or has changed; answers of a
            self-test that is not over.
    """
    check_over(source, options.mode)
    revisions = _revised(bank, cache)
    filling = Filling(quantities)
    if cache is not None:
        filling.known.remember(cache / "sheets")
    paper, report = paper_of(source), report_of(source)
    items: tuple[Item, ...] = ()
    if paper is not None:
        items = tuple(_items(paper, bank, filling, gone=report is not None))
        chosen = list({item.card.id: item.card for item in items if item.card is not None}.values())
        form, seed = paper.form, paper.seed
    else:
        assert isinstance(source, Sequence)
        chosen = list(source)
        form, seed = form_id(chosen, options.seed, bank.fingerprint[:8]), options.seed
    ready, backings, asked = [], {}, {}
    proved = _Proved(cache, quantities)
    for position, card in enumerate(chosen):
        if progress is not None:
            progress(position, len(chosen))
        if backed:
            backings[card.id] = tuple(proved.backing(reference) for reference in card.demos)
        if paper is None:
            asked[card.id] = ask(card, seed, filling)
        else:
            mine = (item.asked for item in items if item.card is not None and item.card.id == card.id)
            asked[card.id] = tuple(each for each in mine if each is not None)
        ready.append(filled(replace(card, drills=()), filling.fill))
    if cache is not None:
        filling.known.keep(cache / "sheets")
    by_id = {card.id: card for card in ready}
    return Sheet(
        Heading(form, bank.fingerprint[:8], seed, version("proofdeck"), options.date or date_of(revisions)),
        options.mode,
        LANGUAGES if options.language == "both" else (options.language,),
        tuple(ready),
        asked,
        backings,
        bank.bibliography,
        revisions,
        paper,
        tuple(replace(item, card=item.card and by_id[item.card.id]) for item in items),
        report,
    )


def check_over(source: Source, mode: Mode) -> None:
    """Of a self-test that may still be answered only the questions are told. Raises InputError: more was asked for."""
    report = report_of(source)
    if report is not None and report.status == "open" and mode != "paper":
        raise InputError(_NOT_OVER.filled(form=report.paper.form))


class _Proved:
    """Demonstrations run at a card's parameters and proved, each once on this machine, and read once for a sheet."""

    def __init__(self, cache: Path | None, quantities: Quantities) -> None:
        self._proofs = None if cache is None else ProofCache(cache / "proofs")
        self._runs = None if cache is None else cache / "runs"
        self._quantities = quantities
        self._steps: dict[str, tuple[Decided, ...]] = {}
        self._made: dict[tuple[object, ...], Backing] = {}

    def backing(self, reference: DemoRef) -> Backing:
        """A demonstration as a card refers to it. Raises InputError: no such one, or a value out of range."""
        key = (reference.id, *sorted((name, repr(value)) for name, value in reference.set.items()))
        if key not in self._made:
            run = evidence(reference.id, reference.set, self._runs, self._quantities)
            steps = self._derived(reference.id)
            self._made[key] = Backing(run.demo, run.params, run.results, steps, run.checks, run.figures)
        return self._made[key]

    def _derived(self, demo_id: str) -> tuple[Decided, ...]:
        if demo_id not in self._steps:
            self._steps[demo_id] = decided(demo_id, lambda: load(demo_id).derive(), self._proofs)
        return self._steps[demo_id]


def _items(paper: Paper, bank: Bank, quantities: Quantities, gone: bool) -> Iterator[Item]:
    """The questions of a paper. ``gone``: those that are no longer in the bank are kept, without card and drill."""
    cards = {card.id: card for card in bank.cards}
    for question in paper.questions:
        try:
            card, drill = find_drill(cards, question.variant)
            yield Item(question, card, ask_variant(drill, question.variant, quantities, as_put(card, drill)))
        except InputError:
            if not gone:
                raise
            yield Item(question, None, None)
