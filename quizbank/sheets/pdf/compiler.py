"""The compiler in a process of its own, run as a script: ``compiler.py FOLDER``.

It keeps all that it ever laid out, several megabytes a page; a process that ends gives that back, and can be
ended when the sheet is given up. The folder holds ``sheet.json`` and receives ``sheet.pdf``. Nothing of this
distribution is imported, so that a process is at work at once.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path

ASKED, MADE = "sheet.json", "sheet.pdf"

FONTS = Path(__file__).parent.parent / "fonts"


def compiled(text: str, inputs: Mapping[str, str], timestamp: int = 0) -> bytes:
    """What the compiler makes of a source and its inputs; ``timestamp`` (seconds of UTC) is stamped in."""
    import typst

    return typst.compile(
        text.encode(),
        font_paths=typst.Fonts(include_system_fonts=False, font_paths=[FONTS]),
        ignore_system_fonts=True,
        sys_inputs=dict(inputs),
        timestamp=timestamp,
        # the tree of tags of a part says nothing about the whole that the part is bound into
        pdf_tags="part" not in inputs,
    )


if __name__ == "__main__":
    place = Path(sys.argv[1])
    (place / MADE).write_bytes(compiled(**json.loads((place / ASKED).read_bytes())))
