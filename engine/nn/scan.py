"""Linear recurrences h_t = a_t h_{t-1} + b_t without a loop over time: scans of an associative composition.

Shapes, time first: a, b, h (T, …), elementwise in all but time. A scan here is *inclusive*: entry t combines
the elements 1 … t. Sources: Hillis and Steele 1986; Blelloch 1990, section 1.4; Martin and Cundy 2018 (recurrent
networks); Lim et al. 2024 and Danieli et al. 2025 (Newton's iteration for nonlinear ones).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Elements: TypeAlias = tuple[NDArray[Any], ...]
"""Arrays with the same leading axis: element t is the t-th entry of each."""
Combine: TypeAlias = Callable[[Elements, Elements], Elements]
"""(earlier, later) to their combination, entry by entry; must be associative."""
Method = Literal["hillis_steele", "odd_even"]


@dataclass(frozen=True)
class Scan:
    """``elements`` combined up to each place; ``combinations``: how many ran at once in each round."""

    elements: Elements
    combinations: tuple[int, ...]

    @property
    def rounds(self) -> int:
        """Rounds one after another, however many devices there are."""
        return len(self.combinations)

    @property
    def work(self) -> int:
        return sum(self.combinations)

    def rounds_on(self, devices: int) -> int:
        """Rounds when only ``devices`` combinations can run at once."""
        return sum(-(-count // devices) for count in self.combinations)


def compose(earlier: tuple[Any, ...], later: tuple[Any, ...]) -> tuple[Any, ...]:
    """h -> a h + b of two steps as one such step; numbers, arrays or SymPy symbols."""
    (a_1, b_1), (a_2, b_2) = earlier, later
    # a_2 (a_1 h + b_1) + b_2 = (a_2 a_1) h + (a_2 b_1 + b_2)
    return a_2 * a_1, a_2 * b_1 + b_2


# a product of many factors below one that is too small for a float is 0: the right value, and nothing to warn of
@np.errstate(under="ignore")
def scan(elements: Elements, combine: Combine, method: Method = "hillis_steele") -> Scan:
    """All prefixes of ``elements``. ``hillis_steele``: fewest rounds; ``odd_even``: fewest combinations.

    Raises:
        ValueError: no element.
    """
    if not len(elements[0]):
        raise ValueError("nothing to scan")
    return hillis_steele(elements, combine) if method == "hillis_steele" else odd_even(elements, combine)


def hillis_steele(elements: Elements, combine: Combine) -> Scan:
    """Each round combines every entry with the one ``offset`` before it, and doubles the offset."""
    length, offset = len(elements[0]), 1
    counts: list[int] = []
    while offset < length:
        # x_t <- x_{t-offset} o x_t: entry t then covers the last 2 * offset elements
        joined = combine(tuple(x[:-offset] for x in elements), tuple(x[offset:] for x in elements))
        elements = tuple(np.concatenate((x[:offset], y)) for x, y in zip(elements, joined, strict=True))
        counts.append(length - offset)
        offset *= 2
    return Scan(elements, tuple(counts))


def odd_even(elements: Elements, combine: Combine) -> Scan:
    """Scan the combined pairs, then fill in between (Blelloch 1990; the recursion of ``jax.lax.associative_scan``)."""
    length = len(elements[0])
    if length == 1:
        return Scan(elements, ())
    pairs = length // 2
    # the prefixes at even places are those of the pairs (x_1 o x_2), (x_3 o x_4), …
    inner = odd_even(
        combine(tuple(x[: 2 * pairs : 2] for x in elements), tuple(x[1::2] for x in elements)), combine
    )
    counts = [pairs, *inner.combinations]
    out = tuple(np.empty((length, *y.shape[1:]), y.dtype) for y in inner.elements)
    between = (length - 1) // 2
    # one more element each gives the prefixes at odd places from the third on
    filled = combine(tuple(y[:between] for y in inner.elements), tuple(x[2::2] for x in elements))
    for whole, x, y, z in zip(out, elements, inner.elements, filled, strict=True):
        whole[0], whole[1::2], whole[2::2] = x[0], y, z
    if between:
        counts.append(between)
    return Scan(out, tuple(counts))


def linear_recurrence(a: Floats, b: Floats, h_0: Floats) -> Floats:
    """h_1 … h_T (T, …) step by step, from ``h_0`` (…)."""
    states = np.empty(np.broadcast_shapes(a.shape, b.shape))
    h = h_0
    for a_t, b_t, after in zip(a, b, states, strict=True):
        # h_t = a_t h_{t-1} + b_t
        h = np.multiply(a_t, h, out=after)  # (…)
        h += b_t
    return states


def linear_scan(a: Floats, b: Floats, h_0: Floats, method: Method = "hillis_steele") -> Floats:
    """As :func:`linear_recurrence`, by a scan."""
    composed = scan((a, b), compose, method)
    # h_t = A_t h_0 + B_t, with (A_t, B_t) the composition of the first t steps
    with np.errstate(under="ignore"):
        states: Floats = composed.elements[0] * h_0 + composed.elements[1]  # (T, …)
    return states


def linear_scan_backward(
    a: Floats, states: Floats, h_0: Floats, d_states: Floats, method: Method = "hillis_steele"
) -> tuple[Floats, Floats, Floats]:
    """dL/da, dL/db (T, …) and dL/dh_0 (…) from the loss's direct parts ``d_states`` (T, …): a scan backwards in time."""
    # g_t = dL/dh_t = direct part + a_{t+1} g_{t+1}
    factors = np.concatenate((a[1:], np.zeros_like(a[:1])))[::-1]
    g = linear_scan(factors, d_states[::-1], np.zeros_like(h_0), method)[::-1]  # (T, …)
    before = np.concatenate((h_0[None], states[:-1]))
    # dL/da_t = g_t h_{t-1}, dL/db_t = g_t, dL/dh_0 = a_1 g_1
    return g * before, g, a[0] * g[0]


@dataclass(frozen=True)
class NewtonSolution:
    """``states`` (T, …), after so many ``iterations``, each one scan; ``changes``: the largest change in each."""

    states: Floats
    iterations: int
    changes: tuple[float, ...]


def newton_recurrence(
    step: Callable[[Floats], Floats],
    slope: Callable[[Floats], Floats],
    h_0: Floats,
    start: Floats,
    tolerance: float = 1e-13,
) -> NewtonSolution:
    """All states of h_t = step(h_{t-1})_t at once: Newton's iteration, whose linear system is a linear recurrence.

    ``step`` and ``slope`` (its derivative, elementwise) map the states before each step (T, …) to (T, …). ``start``
    (T, …) is the first guess. After k iterations the first k states are exact, so at most T are needed; contracting
    steps need a handful.
    """
    states, changes = start, list[float]()
    for _ in range(len(start)):
        before = np.concatenate((h_0[None], states[:-1]))
        a = slope(before)  # (T, …)
        # h_t = f(h'_{t-1}) + f'(h'_{t-1}) (h_{t-1} - h'_{t-1}), h' the states of the last iteration
        new = linear_scan(a, step(before) - a * before, h_0)  # (T, …)
        changes.append(float(np.abs(new - states).max()))
        states = new
        if changes[-1] <= tolerance:
            break
    return NewtonSolution(states, len(changes), tuple(changes))
