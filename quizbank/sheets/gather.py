"""Everything a sheet may print, put together: slots filled, drills drawn, demonstrations run and proved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path

from engine.demos import load
from engine.errors import InputError
from engine.proof.derivation import ProofCache, decided
from engine.text import LANGUAGES, Text
from quizbank.bank import Bank
from quizbank.card import Card
from quizbank.drills.variant import as_put, find_drill
from quizbank.papers.paper import Paper
from quizbank.papers.results import Report
from quizbank.revisions import date_of, revised
from quizbank.sheets.content import Backing, Heading, Item, Sheet, form_id
from quizbank.sheets.evidence import evidence
from quizbank.sheets.formats import Mode, Options, Progress
from quizbank.sheets.questions import ask, ask_variant
from quizbank.slots import Quantities, filled

Source = Sequence[Card] | Paper | Report
"""What a sheet is of: cards, a drawn paper, a self-test that was sat."""

_NOT_OVER = Text(
    "self-test {form} is not handed in yet, and a sheet with answers would tell its key: hand it in first "
    "(proofdeck test --resume), or export its questions alone (--mode paper; not for Anki)",
    "自测 {form} 尚未交卷，带答案的答案册会泄露它的参考答案：请先交卷（proofdeck test --resume），"
    "或只导出题目（--mode paper；Anki 除外）",
)

# reads every text of the bank; a bank that was read again is another one
_revised = lru_cache(maxsize=1)(revised)


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
    revisions = _revised(bank)
    paper = source.paper if isinstance(source, Report) else source if isinstance(source, Paper) else None
    items: tuple[Item, ...] = ()
    if paper is not None:
        items = tuple(_items(paper, bank, quantities, gone=isinstance(source, Report)))
        chosen = list({item.card.id: item.card for item in items if item.card is not None}.values())
        form, seed = paper.form, paper.seed
    else:
        assert not isinstance(source, Report | Paper)
        chosen = list(source)
        form, seed = form_id(chosen, options.seed, bank.fingerprint[:8]), options.seed
    ready, backings, asked = [], {}, {}
    for position, card in enumerate(chosen):
        if progress is not None:
            progress(position, len(chosen))
        if backed:
            backings[card.id] = _backings(card, cache, quantities)
        if paper is None:
            asked[card.id] = ask(card, seed, quantities)
        else:
            mine = (item.asked for item in items if item.card is not None and item.card.id == card.id)
            asked[card.id] = tuple(each for each in mine if each is not None)
        ready.append(filled(replace(card, drills=()), quantities.fill))
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
        source if isinstance(source, Report) else None,
    )


def check_over(source: Source, mode: Mode) -> None:
    """Of a self-test that may still be answered only the questions are told. Raises InputError: more was asked for."""
    if isinstance(source, Report) and source.status == "open" and mode != "paper":
        raise InputError(_NOT_OVER.filled(form=source.paper.form))


def _backings(card: Card, cache: Path | None, quantities: Quantities) -> tuple[Backing, ...]:
    """Every demonstration of a card, run at the card's parameters and proved, each once on this machine."""
    proofs = None if cache is None else ProofCache(cache / "proofs")
    runs = None if cache is None else cache / "runs"
    backings = []
    for reference in card.demos:
        run = evidence(reference.id, reference.set, runs, quantities)
        steps = decided(reference.id, lambda: load(reference.id).derive(), proofs)  # noqa: B023 (called at once)
        backings.append(Backing(run.demo, run.params, run.results, steps, run.checks, run.figures))
    return tuple(backings)


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
