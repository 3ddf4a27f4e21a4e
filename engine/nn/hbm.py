"""A GPU's large, slow memory (HBM) that counts what is read from it and written to it, in elements.

Arrays are matrices of named rows and columns; a *tile* is a block of rows. :class:`Memory` holds arrays,
:class:`RowMemory` shapes alone, for loops whose arithmetic would take too long: there a tile is its number of rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.floating[Any]]

Tile: TypeAlias = Any
"""Rows of a matrix: an array out of a :class:`Memory`, their number out of a :class:`RowMemory`."""


@dataclass(frozen=True)
class Traffic:
    """Elements read and written, and how many elements of each array were written."""

    read: int
    written: int
    written_by_name: Mapping[str, int]

    @property
    def total(self) -> int:
        return self.read + self.written


class AnyMemory(Protocol):
    """What the loops need of a memory; rows are slices."""

    def read(self, rows: slice, *names: str) -> tuple[Tile, ...]: ...

    def write(self, rows: slice, **tiles: Tile) -> None: ...

    def allocate(self, rows: int, **columns: int) -> None: ...

    def fill(self, name: str, value: float) -> None: ...


class _Counting:
    """Adds up the rows transferred for each group of arrays that travel together."""

    def __init__(self) -> None:
        self.width: dict[str, int] = {}
        self.length: dict[str, int] = {}
        self._rows_read: Counter[tuple[str, ...]] = Counter()
        self._rows_written: Counter[tuple[str, ...]] = Counter()

    def traffic(self) -> Traffic:
        written: Counter[str] = Counter()
        for names, rows in self._rows_written.items():
            for name in names:
                written[name] += rows * self.width[name]
        read = sum(rows * self.width[name] for names, rows in self._rows_read.items() for name in names)
        return Traffic(read, written.total(), dict(written))

    def extra_elements(self) -> int:
        """Elements held beyond the inputs Q, K, V and the output O."""
        return sum(
            self.width[name] * self.length[name] for name in self.width if name not in ("Q", "K", "V", "O")
        )


class Memory(_Counting):
    """HBM that holds arrays (rows, columns)."""

    def __init__(self, **arrays: Floats) -> None:
        super().__init__()
        self.arrays = dict(arrays)
        self.dtype = next(iter(arrays.values())).dtype
        for name, array in arrays.items():
            self.length[name], self.width[name] = array.shape

    def read(self, rows: slice, *names: str) -> tuple[Floats, ...]:
        tiles = tuple(self.arrays[name][rows].copy() for name in names)
        self._rows_read[names] += len(tiles[0])
        return tiles

    def write(self, rows: slice, **tiles: Floats) -> None:
        for name, tile in tiles.items():
            self.arrays[name][rows] = tile
        self._rows_written[tuple(tiles)] += rows.stop - rows.start

    def allocate(self, rows: int, **columns: int) -> None:
        for name, width in columns.items():
            self.arrays[name] = np.empty((rows, width), dtype=self.dtype)
            self.length[name], self.width[name] = rows, width

    def fill(self, name: str, value: float) -> None:
        self.arrays[name][:] = value
        self._rows_written[(name,)] += self.length[name]


class RowMemory(_Counting):
    """HBM that holds shapes only: a tile is its number of rows."""

    def __init__(self, rows: int, **columns: int) -> None:
        super().__init__()
        self.allocate(rows, **columns)

    def read(self, rows: slice, *names: str) -> tuple[int, ...]:
        count = rows.stop - rows.start
        self._rows_read[names] += count
        return (count,) * len(names)

    def write(self, rows: slice, **tiles: int) -> None:
        self._rows_written[tuple(tiles)] += rows.stop - rows.start

    def allocate(self, rows: int, **columns: int) -> None:
        for name, width in columns.items():
            self.length[name], self.width[name] = rows, width

    def fill(self, name: str, value: float) -> None:
        self._rows_written[(name,)] += self.length[name]
