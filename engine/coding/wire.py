"""Arrays between the two processes, as JSON: never pickled, and every field checked when read."""

from __future__ import annotations

import base64
import binascii
import math
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]

MAX_BYTES = 4 * 2**20
"""Of one array; the largest result of a specification has a few thousand numbers."""

_MAX_AXES = 8
_DTYPES = {"f8": np.dtype("<f8"), "i8": np.dtype("<i8"), "b1": np.dtype("?")}
_BY_KIND = {"f": "f8", "i": "i8", "u": "i8", "b": "b1"}


class WireError(ValueError):
    """What was read is not an array as it is written here."""


def encode(array: Array) -> dict[str, Any]:
    """A boolean, integer or floating array as a JSON object; integers and floats widened to 64 bits.

    Raises:
        WireError: another kind of number, or more than :data:`MAX_BYTES`.
    """
    name = _BY_KIND.get(array.dtype.kind)
    if name is None or array.size * 8 > MAX_BYTES or array.ndim > _MAX_AXES:
        raise WireError(f"an array {array.shape} of {array.dtype} is not carried")
    data = np.ascontiguousarray(array, dtype=_DTYPES[name]).tobytes()
    return {"dtype": name, "shape": list(array.shape), "data": base64.b64encode(data).decode("ascii")}


def decode(document: object) -> Array:
    """The array that :func:`encode` wrote.

    Raises:
        WireError: a field is missing, of another type, or does not fit the others.
    """
    if not isinstance(document, Mapping):
        raise WireError("not an object")
    dtype, shape, data = (document.get(field) for field in ("dtype", "shape", "data"))
    if not isinstance(dtype, str) or dtype not in _DTYPES or not isinstance(data, str):
        raise WireError("no known dtype, or no data")
    if not isinstance(shape, list) or len(shape) > _MAX_AXES:
        raise WireError("no shape")
    if not all(type(length) is int and 0 <= length <= MAX_BYTES for length in shape):
        raise WireError("not the lengths of axes")
    size = math.prod(shape) * _DTYPES[dtype].itemsize
    if size > MAX_BYTES or len(data) > 2 * MAX_BYTES:
        raise WireError("too large")
    try:
        raw = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError) as error:
        raise WireError("not base64") from error
    if len(raw) != size:
        raise WireError("the data does not fill the shape")
    return np.frombuffer(raw, _DTYPES[dtype]).reshape(shape).copy()
