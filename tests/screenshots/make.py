"""Take the README's screenshots from the running app.

``python -m tests.screenshots.make`` writes them beside this file. The terminal's picture is an SVG without
outside fonts: whoever looks at it sees their own monospaced one.
"""

from __future__ import annotations

import asyncio
import html
import re
import tempfile
from pathlib import Path

from rich.cells import cell_len

from engine.demos import catalogue
from engine.text import Language
from quizbank.home import Home
from tests.app.driving import settle
from tui.app import ProofdeckApp

HERE = Path(__file__).parent

TO_D19 = ("l", *("j",) * [entry.id for entry in catalogue()].index("D19"), "enter", "enter")

SHOTS: tuple[tuple[str, Language, tuple[int, int], tuple[str, ...]], ...] = (
    ("home", "en", (80, 24), ()),
    ("study", "zh", (80, 28), ("s", "space", "space")),
    ("derivation", "en", (92, 34), (*TO_D19, "d", *("space",) * 7)),
    ("lab", "en", (120, 40), (*TO_D19, *("space",) * 3)),
)


async def take(name: str, language: Language, size: tuple[int, int], keys: tuple[str, ...]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        app = ProofdeckApp(Home.in_folder(Path(folder)), language=language)
        async with app.run_test(size=size) as pilot:
            await settle(pilot)
            for key in keys:
                await pilot.press(key)
                await settle(pilot)
            drawn = app.export_screenshot(title="Proofdeck")
    (HERE / f"{name}.svg").write_text(with_wide_characters(without_outside_fonts(drawn)), encoding="utf-8")


def without_outside_fonts(drawn: str) -> str:
    """The picture with every font that would be fetched replaced by the viewer's own."""
    drawn = re.sub(r"@font-face\s*\{[^}]*\}", "", drawn)
    return drawn.replace("Fira Code", "ui-monospace")


def with_wide_characters(drawn: str) -> str:
    """Each run of text as long as its cells: the export counts a Chinese character as one cell, not two."""

    def stretched(match: re.Match[str]) -> str:
        text = html.unescape(match["text"])
        length = float(match["length"]) / max(1, len(text)) * cell_len(text)
        return f"{match['head']}{length:g}{match['tail']}{match['text']}</text>"

    pattern = r'(?P<head><text [^>]*?textLength=")(?P<length>[\d.]+)(?P<tail>"[^>]*>)(?P<text>[^<]*)</text>'
    return re.sub(pattern, stretched, drawn)


def main() -> None:
    for shot in SHOTS:
        asyncio.run(take(*shot))
        print(shot[0])


if __name__ == "__main__":
    main()
