"""The compiler in a process of its own: ``python -m quizbank.sheets.pdf.compiler FOLDER``.

It keeps all that it ever laid out, several megabytes a page; a process that ends gives that back, and can be
ended when the sheet is given up. The folder holds ``sheet.json`` and receives ``sheet.pdf``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from importlib.resources import as_file, files
from pathlib import Path

ASKED, MADE = "sheet.json", "sheet.pdf"


def compiled(text: str, drawings: Mapping[str, str], timestamp: int) -> bytes:
    """What the compiler makes of a source and its drawings; ``timestamp`` (seconds of UTC) is stamped in."""
    import typst

    with as_file(files("quizbank.sheets") / "fonts") as folder:
        return typst.compile(
            text.encode(),
            font_paths=typst.Fonts(include_system_fonts=False, font_paths=[folder]),
            ignore_system_fonts=True,
            sys_inputs=dict(drawings),
            timestamp=timestamp,
        )


if __name__ == "__main__":
    place = Path(sys.argv[1])
    (place / MADE).write_bytes(compiled(**json.loads((place / ASKED).read_bytes())))
