"""Mutants of D57: a single wrong entry each."""

from __future__ import annotations

from dataclasses import replace

from engine.demos.d57_source_audit import Dated
from tests.mutants.mutant import Mutant


def changed(name: str, **values: object):  # type: ignore[no-untyped-def]
    """The table with one source's fields changed."""

    def change(table: tuple[Dated, ...]) -> tuple[Dated, ...]:
        return tuple(replace(s, **values) if s.name.startswith(name) else s for s in table)  # type: ignore[arg-type]

    return change


MUTANTS = (
    Mutant("transformer-in-2019", "SOURCES", changed("Vaswani", year=2019), ("arxiv-months", "usual-chain-out-of-order")),
    Mutant("wrong-arxiv-number", "SOURCES", changed("Bai", arxiv="1603.01271"), "arxiv-months"),
    Mutant("residuals-after-the-transformer", "SOURCES", changed("He et al.", year=2018), ("newest-part-is-older", "arxiv-months")),
    Mutant("a-source-twice", "SOURCES", lambda table: (*table, table[0]), "no-doubles"),
    Mutant("bahdanau-in-2010", "SOURCES", changed("Bahdanau", year=2010), ("attention-before-bahdanau", "arxiv-months")),
    Mutant("rnn-in-the-seventies", "SOURCES", changed("Elman", year=1974), "cnn-rnn-contemporaries"),
    Mutant("positions-in-3-3", "SECTIONS", lambda table: {**table, "positional encoding": "3.3"}, ("positions-not-in-3-3", "sections-in-order")),
    Mutant("batch-in-sequences", "BATCH_TOKENS", lambda table: {**table, "RoBERTa": 8_000}, "batches-are-large"),
    Mutant("all-published", "ARCHITECTURE_PUBLISHED", lambda table: dict.fromkeys(table, True), "some-undisclosed"),
    Mutant("one-exception-four-times", "NOT_DECODER_ONLY", lambda names: (names[0],) * 5, "not-decoder-only"),
    Mutant("one-sided", "EVIDENCE", lambda table: {claim: (sides[0], ()) for claim, sides in table.items()}, "both-sides"),
)  # fmt: skip
