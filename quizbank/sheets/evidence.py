"""What a run of a demonstration puts on a sheet, kept on this machine so that it is run once.

A kept run belongs to the code that made it: its file's name holds a digest of the engine's source and NumPy's version,
as that of a kept proof does. Whether it was kept or has just been made, what a sheet prints has gone through the same
JSON, so both are the same to the last digit.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.demonstration import Check, Value
from engine.demos import load
from engine.proof.derivation import engine_fingerprint
from engine.text import Text
from quizbank.sheets.picture import Picture, packed
from quizbank.slots import Quantities, numbers_of

if TYPE_CHECKING:
    from engine.demonstration import Run


@dataclass(frozen=True)
class Demo:
    """What a demonstration says of itself: :class:`engine.demonstration.Demonstration` without its functions."""

    id: str
    name: str
    title: Text
    shows: Text
    kills: Text


@dataclass(frozen=True)
class Evidence:
    """One run at seed 0: the values of all parameters, single numbers measured, predicted against measured, what is to be seen."""

    demo: Demo
    params: Mapping[str, Value]
    results: Mapping[str, float | int]
    checks: tuple[Check, ...]
    figures: tuple[Picture, ...]


def evidence(
    demo_id: str, given: Mapping[str, Value], folder: Path | None, quantities: Quantities | None = None
) -> Evidence:
    """The run of a demonstration at these parameters, from the folder where it is kept.

    ``quantities`` learns the numbers of a run that had to be made.

    Raises:
        InputError: no such demonstration or parameter, or a value out of range.
    """
    path = None if folder is None else folder / f"{demo_id}-{_settings(given)}-{_code()}.json"
    if path is not None and (kept := _kept(path)) is not None:
        return kept
    run = load(demo_id).run(given)
    if quantities is not None:
        quantities.learn(run, given)
    text = "\n".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in _of_run(run))
    if path is not None:
        _keep(path, text)
    return _unpacked(text, path)


def _settings(given: Mapping[str, Value]) -> str:
    text = json.dumps([[name, repr(value)] for name, value in sorted(given.items())], ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@cache
def _code() -> str:
    from importlib.metadata import version

    return f"{engine_fingerprint()}-{version('numpy')}"


def _kept(path: Path) -> Evidence | None:
    try:
        return _unpacked(path.read_text(encoding="utf-8"), path)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _keep(path: Path, text: str) -> None:
    """Without a cache the run is made again, nothing more."""
    partial = path.with_suffix(f".{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
    except OSError:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


# as lines of JSON: what is said of the run, then a figure a line, which is read only when it is drawn


def _of_run(run: Run) -> Iterator[Any]:
    demo = run.demo
    figures = run.figures()
    yield {
        "demo": [demo.id, demo.name, demo.title, demo.shows, demo.kills],
        "params": run.params.as_dict(),
        "results": numbers_of(run.results),
        "checks": [packed(check) for check in run.checks],
        "figures": [[figure.title, figure.see] for figure in figures],
    }
    for figure in figures:
        yield packed(figure)


def _unpacked(text: str, path: Path | None) -> Evidence:
    head, *rows = text.split("\n")
    kept = json.loads(head)
    demo_id, name, *texts = kept["demo"]
    return Evidence(
        Demo(demo_id, name, *(Text(*said) for said in texts)),
        kept["params"],
        kept["results"],
        tuple(_check(row) for row in kept["checks"]),
        tuple(
            Picture(Text(*title), Text(*see), row, path and path.with_name(f"{path.stem}-{number}"))
            for number, ((title, see), row) in enumerate(zip(kept["figures"], rows, strict=True), 1)
        ),
    )


def _check(row: list[Any]) -> Check:
    name, claim, predicted, measured, tolerance, law, *rest = row
    return Check(name, Text(*claim), predicted, measured, tolerance, Text(*law), *rest)
