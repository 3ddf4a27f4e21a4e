"""Tiers of tests: the default ones run everywhere; slow, soak and torch where PROOFDECK_TIERS names them."""

from __future__ import annotations

import faulthandler
import itertools
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from quizbank.home import Home

TIERS = ("slow", "soak", "torch")
WANTED = {tier.strip() for tier in os.environ.get("PROOFDECK_TIERS", "").split(",") if tier.strip()}

HANGS = 600.0
"""Seconds after which a test is no longer waited for: the longest takes a tenth of them."""

# a busy machine is no fault of the code: no test fails for the time an example took
settings.register_profile("daily", deadline=None, max_examples=50)
settings.register_profile("slow", deadline=None)
settings.load_profile("slow" if WANTED & {"slow", "soak"} else "daily")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    unknown = WANTED - set(TIERS)
    if unknown:
        raise pytest.UsageError(f"PROOFDECK_TIERS knows {', '.join(TIERS)}, not {', '.join(sorted(unknown))}")
    kept, left = [], []
    for item in items:
        tiers = {mark.name for mark in item.iter_markers()} & set(TIERS)
        (kept if tiers <= WANTED else left).append(item)
    items[:] = kept
    config.hook.pytest_deselected(items=left)


def pytest_configure() -> None:
    global _stderr
    # while tests run, the other one is captured
    _stderr = os.dup(2)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """A test that hangs ends its process, told by name and with the place of every thread; the others go on.

    Not by a signal or a thread of Python: what hangs may hold Python's lock.
    """
    if item.get_closest_marker("soak") is None:
        faulthandler.dump_traceback_later(HANGS, exit=True, file=_stderr)
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()


@pytest.fixture(scope="session")
def computed(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Where the shipped cards are read, their numbers computed and their steps proved once for all workers."""
    root = tmp_path_factory.getbasetemp()
    return Home.in_folder((root.parent if "PYTEST_XDIST_WORKER" in os.environ else root) / "computed")


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Folders that are not there yet. ``tmp_path`` makes one a test, and looks at all others each time."""
    root = tmp_path_factory.mktemp("homes")
    return (root / f"proofdeck-home-{number}" for number in itertools.count())


@pytest.fixture(autouse=True)
def home(homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test has a data folder of its own and a fixed language."""
    folder = next(homes)
    monkeypatch.setenv("PROOFDECK_HOME", str(folder))
    monkeypatch.setenv("PROOFDECK_LANG", "en")
    return folder


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print how many mutants the checks and steps rejected, where mutants ran."""
    ran = {
        outcome: sum("::test_the_named_check_rejects_the_mutant[" in report.nodeid for report in reports)
        for outcome, reports in terminalreporter.stats.items()
        if outcome in ("passed", "failed")
    }
    rejected, survived = ran.get("passed", 0), ran.get("failed", 0)
    if rejected or survived:
        terminalreporter.write_line(f"mutants rejected: {rejected} of {rejected + survived}")
