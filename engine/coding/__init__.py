"""Functions to write by hand: specifications, found by their files, and the run of a typed program.

    for name in names(): ...
    specification = load("attention")
    outcome = run(specification, source)

Neither the list nor the import of this package imports NumPy.
"""

from __future__ import annotations

import importlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import InputError
from engine.text import Text

if TYPE_CHECKING:
    from engine.coding.outcome import Outcome
    from engine.coding.specification import Specification

DEADLINE_SECONDS = 5.0
"""For all cases together, from when the process has started."""


@cache
def names() -> tuple[str, ...]:
    """The names of all specifications, in alphabetical order; nothing is imported."""
    folder = Path(__file__).parent / "specs"
    stems = [path.stem for path in folder.glob("*.py") if not path.stem.startswith("_")]
    return tuple(sorted(stem.replace("_", "-") for stem in stems))


def load(name: str) -> Specification:
    """The specification of this name (``layer-norm``).

    Raises:
        InputError: there is none; the message offers the nearest names.
    """
    if name not in names():
        from difflib import get_close_matches

        near = get_close_matches(name, names(), n=3, cutoff=0.4) or names()
        shown = "".join(c if c.isprintable() else "�" for c in name)[:40]
        raise InputError(
            Text(
                "no code task is called {name}; nearest: {near}", "没有名为 {name} 的编程题；相近的有 {near}"
            ).filled(name=shown, near=", ".join(near))
        )
    module = importlib.import_module(f"{__name__}.specs.{name.replace('-', '_')}")
    specification: Specification = module.SPECIFICATION
    return specification


def run(
    specification: Specification, source: str, seed: int = 0, deadline: float = DEADLINE_SECONDS
) -> Outcome:
    """Run a typed program against a specification: :func:`engine.coding.runner.run`."""
    from engine.coding import runner

    return runner.run(specification, source, seed, deadline)


def audit(specification: Specification, seed: int = 0) -> tuple[Text, ...]:
    """What is wrong with a specification itself: :func:`engine.coding.runner.audit`."""
    from engine.coding import runner

    return runner.audit(specification, seed)
