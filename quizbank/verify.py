"""The whole bank proved and measured again, and compiled: what ``proofdeck check`` reports.

Proofs come from this machine's cache unless ``deep``; the cache is keyed by the engine's own source, so a
changed formula is always proved anew. Experiments always run.
"""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.demos import catalogue, load
from engine.proof.derivation import ProofCache, decided
from engine.text import LANGUAGES, Language, Text
from quizbank.bank import Bank
from quizbank.card import KINDS
from quizbank.fault import Fault, shown
from quizbank.home import Home
from quizbank.slot_grammar import find_slots

if TYPE_CHECKING:
    from engine.demonstration import Demonstration, Run
    from engine.proof.step import Decided

DEEP_SEEDS = 100
WORKERS = 2
WORTH_A_POOL = 3
"""Derivations to prove from which starting worker processes costs less than it saves."""


@dataclass(frozen=True)
class DemoVerdict:
    """How one demonstration came out; ``steps`` counts by status, checks over all seeds."""

    id: str
    steps: Mapping[str, int]
    checks_ok: int
    checks_failed: int
    ms: float
    faults: tuple[Fault, ...]

    @property
    def ok(self) -> bool:
        return not self.faults


@dataclass(frozen=True)
class Verification:
    """The verdict on every demonstration, and every fault of the bank and of the demonstrations."""

    demos: tuple[DemoVerdict, ...]
    cards: Mapping[str, int]
    faults: tuple[Fault, ...]

    @property
    def ok(self) -> bool:
        return not self.faults

    def to_json(self, language: Language = "en") -> dict[str, Any]:
        return {
            "ok": self.ok,
            "demos": [
                {
                    "id": demo.id,
                    "ok": demo.ok,
                    "steps": dict(demo.steps),
                    "checks": {"ok": demo.checks_ok, "failed": demo.checks_failed},
                    "ms": demo.ms,
                }
                for demo in self.demos
            ],
            "cards": dict(self.cards),
            "faults": [{"where": fault.where, "what": fault.what.of(language)} for fault in self.faults],
        }


def _untold(share: float) -> None:
    """Nobody asks how much is done."""


def verify(
    bank: Bank,
    home: Home,
    deep: bool = False,
    workers: int = WORKERS,
    told: Callable[[float], None] = _untold,
) -> Verification:
    """Prove and measure every demonstration, then compile the bank. ``told`` hears which share is done.

    ``deep`` proves without the cache and measures at seeds 0 to 99. Load ``bank`` leniently, so that
    the faults of the shipped cards are listed too.
    """
    proofs = home.cache / "proofs"
    verdicts = examine_all([entry.id for entry in catalogue()], proofs, deep, workers, told)

    from quizbank.check import check_bank
    from quizbank.slots import Quantities

    faults = [fault for verdict in verdicts for fault in verdict.faults]
    faults += check_bank(bank, Quantities(home.cache / "quantities"), ProofCache(proofs))
    return Verification(tuple(verdicts), card_counts(bank), tuple(faults))


def card_counts(bank: Bank) -> dict[str, int]:
    """How much of what the bank holds."""
    drills: Counter[str] = Counter(drill.kind for card in bank.cards for drill in card.drills)
    return {
        "cards": len(bank.cards),
        "topics": len({card.topic for card in bank.cards}),
        "follow_ups": sum(len(card.follow_ups) for card in bank.cards),
        "drills": drills.total(),
        **{kind: drills[kind] for kind in KINDS if drills[kind]},
        "demos": len({demo.id for card in bank.cards for demo in card.demos}),
        "claims": len({claim for card in bank.cards for claim in card.claims}),
        "sources": len({source.key for card in bank.cards for source in card.sources}),
        "slots": sum(_slot_count(card.spoken) + _slot_count(card.answer) for card in bank.cards),
    }


def _slot_count(text: Text) -> int:
    return max(len(find_slots(text.of(language))) for language in LANGUAGES)


def examine_all(
    demo_ids: Sequence[str],
    proofs: Path | None,
    deep: bool = False,
    workers: int = WORKERS,
    told: Callable[[float], None] = _untold,
) -> list[DemoVerdict]:
    """Examine demonstrations, in worker processes where there is enough to prove."""
    cache = None if deep or proofs is None else ProofCache(proofs)
    unproved = [demo_id for demo_id in demo_ids if cache is None or cache.get(demo_id) is None]
    folder = None if cache is None else cache.folder
    seeds = range(DEEP_SEEDS if deep else 1)
    workers = min(workers, os.cpu_count() or 1)
    if workers < 2 or len(unproved) < WORTH_A_POOL:
        verdicts = []
        for demo_id in demo_ids:
            verdicts.append(examine(demo_id, folder, seeds))
            told(len(verdicts) / len(demo_ids))
        return verdicts
    # the unproved first, so that no long proof is left over for the end
    order = sorted(demo_ids, key=lambda demo_id: demo_id not in unproved)
    found: dict[str, DemoVerdict] = {}
    with _safe_path():
        pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_leave_interrupts)
    try:
        with _safe_path():
            futures = {demo_id: pool.submit(examine, demo_id, folder, seeds) for demo_id in order}
        for demo_id, future in futures.items():
            try:
                found[demo_id] = future.result()
            except BrokenProcessPool:
                what = Text("a worker process ended before it was examined", "检查完成之前，工作进程意外终止")
                found[demo_id] = DemoVerdict(demo_id, {}, 0, 0, 0.0, (Fault(demo_id, what),))
            told(len(found) / len(order))
    finally:
        pool.shutdown(cancel_futures=True)
    return [found[demo_id] for demo_id in demo_ids]


@contextmanager
def _safe_path() -> Iterator[None]:
    """Processes started meanwhile do not take a ``numpy.py`` of the folder they are started in for NumPy."""
    before = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONSAFEPATH"]
        else:
            os.environ["PYTHONSAFEPATH"] = before


def _leave_interrupts() -> None:
    """Ctrl-C is the parent's to handle; a worker would only add a traceback."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def examine(demo_id: str, proofs: Path | None, seeds: Iterable[int]) -> DemoVerdict:
    """Prove one demonstration, measure it at its defaults for each seed, and see that its texts can be drawn.

    Whatever a demonstration raises is a fault of it, never of the caller.
    """
    started = time.perf_counter()
    faults: list[Fault] = []
    steps: tuple[Decided, ...] = ()
    passed: Counter[str] = Counter()
    failed: dict[str, list[tuple[int, Run]]] = {}
    try:
        demo = load(demo_id)
        steps = decided(demo_id, demo.derive, ProofCache(proofs) if proofs is not None else None)
        faults += _step_faults(demo_id, steps)
        run = None
        for seed in seeds:
            run = demo.run(seed=seed)
            for check in run.checks:
                if check.ok:
                    passed[check.name] += 1
                else:
                    failed.setdefault(check.name, []).append((seed, run))
        faults += _check_faults(demo_id, failed)
        faults += _text_faults(demo, steps, run)
    except Exception as error:
        name, reason = type(error).__name__, shown(error, 120)
        faults.append(
            Fault(
                demo_id,
                Text(f"the demonstration failed with {name}: {reason}", f"演示因 {name} 中断：{reason}"),
            )
        )
    return DemoVerdict(
        demo_id,
        Counter(str(step.status) for step in steps),
        passed.total(),
        sum(len(runs) for runs in failed.values()),
        round((time.perf_counter() - started) * 1000, 1),
        tuple(faults),
    )


def _step_faults(demo_id: str, steps: Iterable[Decided]) -> Iterator[Fault]:
    for step in steps:
        if not step.ok:
            shown_point = f": {_on_one_line(step.counterexample)}" if step.counterexample else ""
            yield Fault(
                f"{demo_id}.{step.name}",
                Text(
                    f"the step is expected to be {step.expected} but came out {step.status}{shown_point}",
                    f"该步骤预期为 {step.expected}，实际为 {step.status}{shown_point}",
                ),
            )


def _on_one_line(latex: str) -> str:
    from engine.notation.error import NotationError
    from engine.notation.line import one_line

    try:
        return one_line(latex)
    except NotationError:
        return latex


def _check_faults(demo_id: str, failed: Mapping[str, list[tuple[int, Run]]]) -> Iterator[Fault]:
    """One fault for each failed check, told at the first seed that fails it."""
    for name, runs in failed.items():
        seed, run = runs[0]
        check = next(check for check in run.checks if check.name == name)
        numbers = f"{check.predicted:.6g}, {check.measured:.6g}, {check.tolerance}"
        more_en = f" and {len(runs) - 1} more seeds" if len(runs) > 1 else ""
        more_zh = f" 以及另外 {len(runs) - 1} 个种子" if len(runs) > 1 else ""
        yield Fault(
            f"{demo_id}.{name}",
            Text(
                f"the check fails (predicted, measured, tolerance: {numbers}) at seed {seed}{more_en}",
                f"检验不成立（预测、实测、容差：{numbers}），种子 {seed}{more_zh}",
            ),
        )


def _text_faults(demo: Demonstration, steps: Iterable[Decided], run: Run | None) -> Iterator[Fault]:
    """Statements and texts that the notation cannot draw."""
    from quizbank.check.formulas import drawing_fault, prose_faults

    formulas = [
        (step.name, latex) for step in steps for latex in (step.statement, step.counterexample) if latex
    ]
    formulas += [(parameter.name, parameter.symbol) for parameter in demo.parameters]
    for name, latex in formulas:
        fault = drawing_fault(latex)
        if fault is not None:
            yield Fault(f"{demo.id}.{name}", fault.text)
    texts = [("title", demo.title), ("shows", demo.shows), ("kills", demo.kills)]
    texts += [(step.name, step.rule) for step in steps]
    texts += [(parameter.name, parameter.meaning) for parameter in demo.parameters]
    texts += [
        (check.name, text) for check in (run.checks if run else ()) for text in (check.claim, check.law)
    ]
    for name, text in texts:
        for language in LANGUAGES:
            for _, what in prose_faults(text.of(language)):
                yield Fault(f"{demo.id}.{name}", what)
