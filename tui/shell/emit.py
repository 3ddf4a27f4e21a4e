"""JSON on stdout."""

from __future__ import annotations

import json
import sys


def emit(document: object) -> None:
    """One JSON document on stdout."""
    json.dump(document, sys.stdout, ensure_ascii=False, indent=2, allow_nan=False)
    sys.stdout.write("\n")
