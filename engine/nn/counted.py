"""Arrays that count the multiplications done with them, so that a layer can be measured by running it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass
class Tally:
    """What was done so far: scalar multiplications inside matrix products, those between entries, and matrix products."""

    in_products: int = 0
    between_entries: int = 0
    products: int = 0


class Counted(np.ndarray[Any, Any]):
    """An array whose every ``@`` and ``*``, and those of all that is computed from it by NumPy's universal functions,
    are entered in its tally."""

    tally: Tally

    def __array_finalize__(self, source: object) -> None:
        if isinstance(source, Counted):
            self.tally = source.tally

    def __array_ufunc__(self, ufunc: np.ufunc, method: Any, *inputs: Any, **named: Any) -> Any:
        given = tuple(_plain(value) for value in inputs)
        if "out" in named:
            named["out"] = tuple(_plain(value) for value in named["out"])
        result = getattr(ufunc, method)(*given, **named)
        if method == "__call__" and ufunc is np.matmul:
            # (..., m, k) @ (..., k, n): k multiplications for each entry of the result
            self.tally.in_products += np.size(result) * given[0].shape[-1]
            self.tally.products += 1
        elif method == "__call__" and ufunc is np.multiply:
            self.tally.between_entries += np.size(result)
        return counted(result, self.tally) if isinstance(result, np.ndarray) else result


def counted(array: NDArray[Any], tally: Tally) -> Counted:
    """The same numbers (no copy) as an array that counts into ``tally``."""
    view = array.view(Counted)
    view.tally = tally
    return view


def _plain(value: Any) -> Any:
    return value.view(np.ndarray) if isinstance(value, Counted) else value
