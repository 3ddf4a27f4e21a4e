"""What the collector of garbage is spared where very many objects are made at once."""

from __future__ import annotations

import gc

import pytest

from quizbank.lasting import VERY_MANY, objects_that_stay


@pytest.mark.parametrize(("made", "spared"), [(100, False), (2 * VERY_MANY, True)])
def test_only_very_many_are_left_out_of_later_passes(made: int, spared: bool) -> None:
    before = gc.get_freeze_count()
    try:
        with objects_that_stay():
            assert not gc.isenabled()
            held = [[number] for number in range(made)]
        assert gc.isenabled()
        assert (gc.get_freeze_count() - before >= made) is spared
        frozen = gc.get_freeze_count()
        del held
        if spared:
            # they are not kept: frozen, they go as soon as nothing refers to them
            assert gc.get_freeze_count() <= frozen - made
    finally:
        gc.unfreeze()


def test_collecting_stays_off_where_it_was_off_and_comes_back_after_a_fault() -> None:
    with pytest.raises(ValueError, match="bad"), objects_that_stay():
        raise ValueError("bad")
    assert gc.isenabled()
    gc.disable()
    try:
        with objects_that_stay():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
