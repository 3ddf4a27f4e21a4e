"""How a Python process of ours is called, so that it finds what this one finds and nothing else.

With ``-P`` and this environment, a ``numpy.py`` in the folder somebody works in is not taken for NumPy, and the process
starts where that folder is gone: an editable install has a path that is relative to it.
"""

from __future__ import annotations

import os
import sys


def own_environment() -> dict[str, str]:
    """The environment of this process, with its absolute search path, and UTF-8 everywhere."""
    path = os.pathsep.join(filter(os.path.isabs, sys.path))
    return {**os.environ, "PYTHONPATH": path, "PYTHONUTF8": "1"}
