"""A pilot whose pauses end when the screen stands, on a busy machine too."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

TURNS = 40


def pausing_until_settled(original: Callable[..., Any]) -> Callable[..., Any]:
    """``Pilot.pause``, and then until nothing waits to be laid out or painted (a hidden widget may wait for ever)."""

    async def pause(pilot: Any, delay: float | None = None) -> None:
        await original(pilot, delay)
        for _ in range(TURNS):
            stack = pilot.app._screen_stack if pilot.app._running else []
            if not stack or not _waits(stack[-1]):
                return
            await asyncio.sleep(0.01)
            await original(pilot)

    return pause


def _waits(screen: Any) -> bool:
    if screen._layout_required or screen._dirty_widgets:
        return True
    return any(
        widget.display and (widget._layout_required or widget._repaint_required)
        for widget in screen.walk_children()
    )
