"""Deciding a whole derivation, and keeping what was decided."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from engine.proof.step import Claim, Decided, Expr, Relates, Status, Step, Typed
from engine.text import Text


def decide_step(step: Step) -> Decided:
    """Decide one step; the statement is printed from the very objects that are decided."""
    started = time.perf_counter()
    if isinstance(step.claim, Typed):
        statement, status, method, counterexample = step.claim.latex, step.expected, "", ""
    elif step.expected is Status.DEFINED:
        statement, status, method, counterexample = statement_latex(step.claim), Status.DEFINED, "", ""
    else:
        from engine.proof.ladder import decide

        statement = statement_latex(step.claim)
        outcome = decide(step.claim)
        status, method, counterexample = outcome.status, outcome.method, outcome.counterexample
        if status is Status.PROVED and step.bound:
            status = Status.PROVED_BOUNDED
    return Decided(
        name=step.name,
        statement=statement,
        rule=step.rule,
        status=status,
        expected=step.expected,
        method=method,
        bound=step.bound,
        source=step.source,
        counterexample=counterexample,
        ms=round((time.perf_counter() - started) * 1000, 3),
    )


def decide_all(derive: Callable[[], tuple[Step, ...]]) -> Iterator[Decided]:
    """The steps of a derivation, each decided when asked for.

    Raises:
        ValueError: a step leans on an equation that no earlier step defined or proved.
    """
    grounds: list[tuple[Expr, Expr]] = []
    for step in derive():
        leans = step.claim.using if isinstance(step.claim, Relates) else ()
        for lemma in leans:
            if lemma not in grounds:
                raise ValueError(f"step {step.name} uses {lemma}, which no earlier step defined or proved")
        decided_step = decide_step(step)
        if decided_step.status in _GROUND:
            grounds += _equations(step.claim)
        yield decided_step


def _equations(claim: Claim) -> list[tuple[Expr, Expr]]:
    """What later steps may lean on: an equation, and not one that was decided in listed cases only."""
    if isinstance(claim, Relates) and claim.op == "=" and not claim.over:
        return [(claim.lhs, claim.rhs)]
    return []


_GROUND = (Status.PROVED, Status.PROVED_BOUNDED, Status.DEFINED)


_OPERATORS = {"=": "=", "!=": r"\not\equiv", "<": "<", "<=": r"\leq", ">": ">", ">=": r"\geq"}


def statement_latex(claim: Relates) -> str:
    """The relation as LaTeX, printed by SymPy from the objects that are decided."""
    import sympy as sp

    left, right = (sp.latex(sp.sympify(side), mat_delim="[") for side in (claim.lhs, claim.rhs))
    return f"{left} {_OPERATORS[claim.op]} {right}"


class ProofCache:
    """Decided derivations in a folder, keyed by the engine's own source and SymPy's version.

    A change anywhere in ``engine`` or another SymPy makes every entry unreachable, so a kept
    proof always belongs to the code that runs. Plain JSON; an unreadable entry counts as none.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, demo_id: str) -> tuple[Decided, ...] | None:
        try:
            kept = json.loads(self._path(demo_id).read_text(encoding="utf-8"))
            return tuple(_from_json(entry) for entry in kept)
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def put(self, demo_id: str, steps: tuple[Decided, ...]) -> None:
        """Keep decided steps; an undecided step is not worth keeping. A full disk is no error."""
        if any(step.status is Status.UNDECIDED for step in steps):
            return
        path = self._path(demo_id)
        partial = path.with_suffix(f".{os.getpid()}.part")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            partial.write_text(json.dumps([_to_json(step) for step in steps]), encoding="utf-8")
            partial.replace(path)
        except OSError:
            partial.unlink(missing_ok=True)

    def _path(self, demo_id: str) -> Path:
        return self.folder / f"{demo_id}-{engine_fingerprint()}.json"


def decided(
    demo_id: str, derive: Callable[[], tuple[Step, ...]], cache: ProofCache | None = None
) -> tuple[Decided, ...]:
    """The whole derivation, from the cache where it is kept."""
    if cache is not None and (kept := cache.get(demo_id)) is not None:
        return kept
    steps = tuple(decide_all(derive))
    if cache is not None:
        cache.put(demo_id, steps)
    return steps


@cache
def engine_fingerprint() -> str:
    """A digest of the engine's source files and SymPy's version, without importing SymPy."""
    from importlib.metadata import version

    digest = hashlib.sha256(version("sympy").encode())
    root = Path(__file__).parent.parent
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _to_json(step: Decided) -> dict[str, object]:
    return {**step.__dict__, "rule": list(step.rule)}


def _from_json(entry: dict[str, object]) -> Decided:
    fields = dict(entry)
    rule = fields.pop("rule")
    status, expected = Status(str(fields.pop("status"))), Status(str(fields.pop("expected")))
    if not isinstance(rule, list):
        raise TypeError("rule")
    return Decided(rule=Text(*rule), status=status, expected=expected, **fields)  # type: ignore[arg-type]
