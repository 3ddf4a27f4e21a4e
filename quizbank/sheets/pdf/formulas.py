"""Formulas in Typst, each read once on this machine: reading them takes as long as all else that writes a source.

What is kept belongs to the code that made it, as a kept proof does: the name of its file holds a digest of the engine's
source, of this module and of the parser's version. It begins with a digest of itself; what is damaged counts as none.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path

from engine.notation.breadth import breadth
from engine.notation.typst import broken, typst
from engine.proof.derivation import engine_fingerprint
from quizbank.card_cache import digest

_ROOM = 37.0
"""The narrowest place of a formula, in em: beside the number of a step in a sheet of one language on A4."""
_MOST = 20_000
"""Formulas held at a time; the whole bank has some four thousand."""

_known: dict[str, str] = {}
_new = False


def drawn(latex: str, display: bool = False) -> str:
    """A formula in a text; or on lines of its own (``display``), with pieces to break it into where it may be too wide.

    Raises:
        NotationError: the formula is outside the subset.
    """
    global _new
    key = f"{latex}\n{display:d}"
    found = _known.get(key)
    if found is None:
        found = _alone(latex) if display else typst(latex)
        if len(_known) >= _MOST:
            _known.clear()
        _known[key] = found
        _new = True
    return found


def _alone(latex: str) -> str:
    if breadth(latex, True) <= _ROOM:
        return f"#formula({typst(latex, True)})"
    pieces = broken(latex)
    rest = "".join(f", {piece}" for piece in pieces) if len(pieces) > 1 else ""
    return f"#fit({typst(latex, True)}{rest})"


def remember(folder: Path) -> None:
    """Know what was kept in a folder."""
    path = folder / _name()
    with suppress(OSError, ValueError):
        check, _, held = path.read_bytes().partition(b"\n")
        if check.decode("ascii") == digest(held):
            _known.update({**json.loads(held), **_known})


def keep(folder: Path) -> None:
    """Keep what is known, where anything of it is new. Without a cache all is read again, nothing more."""
    global _new
    if not _new:
        return
    path = folder / _name()
    partial = path.with_suffix(f".{os.getpid()}.part")
    data = json.dumps(_known, ensure_ascii=False).encode("utf-8", "surrogatepass")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        partial.write_bytes(digest(data).encode() + b"\n" + data)
        partial.replace(path)
    except OSError:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
        return
    _new = False


@cache
def _name() -> str:
    own = digest(Path(__file__).read_bytes())
    return f"formulas-{engine_fingerprint()}-{version('math-core')}-{own[:16]}.json"
