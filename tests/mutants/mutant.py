"""A mutant: a demonstration with one thing wrong, and the check or step that must reject it."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Mutant:
    """One named fault.

    ``target`` is a name in the demonstration's module (a formula, a layer it imported), or
    ``module:name`` elsewhere; ``replace`` receives the original and returns the faulty one.
    ``rejected_by`` is the name of the check or step that must fail (all of those named must).
    ``given`` and ``seed`` set the run.
    """

    name: str
    target: str
    replace: Callable[[Any], Any]
    rejected_by: str | tuple[str, ...]
    given: Mapping[str, object] = field(default_factory=dict)
    seed: int = 0

    @property
    def rejecters(self) -> tuple[str, ...]:
        return (self.rejected_by,) if isinstance(self.rejected_by, str) else self.rejected_by


@contextmanager
def applied(mutant: Mutant, demo_module: str) -> Iterator[None]:
    """The fault in place while the block runs."""
    module_name, _, name = mutant.target.rpartition(":")
    module = importlib.import_module(module_name or demo_module)
    original = getattr(module, name)
    setattr(module, name, mutant.replace(original))
    try:
        yield
    finally:
        setattr(module, name, original)
