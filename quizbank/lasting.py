"""Many objects made at once that stay: what the collector of garbage need not look through while they come about."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

VERY_MANY = 50_000
"""Objects that a single pass of the collector takes tens of milliseconds to go through, with all else at a stop."""


@contextmanager
def objects_that_stay() -> Iterator[None]:
    """No garbage is collected meanwhile: every pass would go through all that was made, which is half of the time of
    loading a hundred thousand cards. Very many are left out of every later pass too; they still go when nothing
    refers to them any more. Whether garbage was collected before stays as it was.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    before = gc.get_count()[0]
    try:
        yield
    finally:
        if gc.get_count()[0] - before > VERY_MANY:
            gc.freeze()
        if was_enabled:
            gc.enable()
