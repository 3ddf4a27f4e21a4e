"""What is pasted is text: control sequences in it are neither read as keys nor kept.

A terminal brackets a paste with two sequences (xterm, "Bracketed Paste Mode"). Textual's parser looks for a
sequence behind every ESC within the brackets too, and hands what it cannot read on as keys, Enter among them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable

from textual._xterm_parser import BRACKETED_PASTE_END, BRACKETED_PASTE_START, XTermParser
from textual.driver import Driver
from textual.message import Message

ESC = "\x1b"
_CONTROLS = dict.fromkeys((*(code for code in range(32) if chr(code) not in "\t\n\r"), *range(127, 160)))


class PasteFilter:
    """Takes what the terminal sends, in pieces cut anywhere; gives it back with plain text in the brackets."""

    def __init__(self) -> None:
        self._is_pasting = False
        self._seen = ""
        """The end of what went through, where an opening bracket may have begun."""
        self._held = ""
        """The end of a paste so far, where a closing bracket may have begun."""

    def __call__(self, data: str) -> str:
        out = ""
        while data:
            if self._is_pasting:
                body, bracket, rest = (self._held + data).partition(BRACKETED_PASTE_END)
                self._held, data = "", rest
                self._is_pasting = not bracket
                if not bracket:
                    begun = body.rfind(ESC)
                    if begun >= 0 and BRACKETED_PASTE_END.startswith(body[begun:]):
                        body, self._held = body[:begun], body[begun:]
                out += body.translate(_CONTROLS) + bracket
            else:
                before, bracket, data = (self._seen + data).partition(BRACKETED_PASTE_START)
                out += (before + bracket)[len(self._seen) :]
                self._is_pasting = bool(bracket)
                self._seen = "" if bracket else before[1 - len(BRACKETED_PASTE_START) :]
        return out


class PastingParser(XTermParser):
    """Textual's parser behind the filter."""

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        self._filter = PasteFilter()

    def feed(self, data: str) -> Iterable[Message]:
        filtered = self._filter(data)
        # an empty text means the end of all input
        return () if data and not filtered else super().feed(filtered)


def filter_pastes(driver: type[Driver]) -> None:
    """Use the filter in all that this driver reads from now on: a terminal's, or a browser's, which brackets likewise.

    Windows gives its own records of keys instead, with no parser of sequences in the driver.
    """
    module = sys.modules[driver.__module__]
    if hasattr(module, "XTermParser"):
        module.XTermParser = PastingParser
