"""Modules that are loaded in advance give way to the keys, and never hold up one who waits for them."""

from __future__ import annotations

import asyncio
import importlib
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import tui.background
from tui.background import giving_way, in_thread

NAMES = [f"given_way_{number}" for number in range(12)]


@pytest.fixture(autouse=True)
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A chain of modules, each of which imports the next."""
    for name, following in zip(NAMES, [*NAMES[1:], None], strict=True):
        (tmp_path / f"{name}.py").write_text(f"import {following}\n" if following else "", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    before = list(sys.meta_path)
    yield
    assert sys.meta_path == before
    for name in NAMES:
        sys.modules.pop(name, None)


def found() -> int:
    return sum(name in sys.modules for name in NAMES)


async def load() -> None:
    loop = asyncio.get_running_loop()

    def work() -> None:
        with giving_way(loop):
            importlib.import_module(NAMES[0])

    await in_thread(work)


async def test_a_loop_that_is_at_work_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tui.background, "PATIENCE", 600)
    loading = asyncio.create_task(load())
    # the thread begins
    await asyncio.sleep(0)
    time.sleep(0.3)
    # the loop was at work all the time
    assert found() <= 1
    await loading
    assert found() == len(NAMES)


async def test_one_who_waits_for_a_module_gets_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tui.background, "PATIENCE", 0.001)
    loading = asyncio.create_task(load())
    while not found():
        await asyncio.sleep(0)
    importlib.import_module(NAMES[0])
    assert found() == len(NAMES)
    await loading


async def test_other_threads_and_a_closed_loop_wait_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tui.background, "PATIENCE", 600)
    with giving_way(asyncio.get_running_loop()):
        await in_thread(lambda: importlib.import_module(NAMES[6]))
    closed = asyncio.new_event_loop()
    closed.close()
    with giving_way(closed):
        importlib.import_module(NAMES[0])
    assert found() == len(NAMES)
