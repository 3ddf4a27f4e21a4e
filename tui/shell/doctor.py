"""`doctor`: what this terminal can show, what is installed, and whether a person's files are sound."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

from engine.notation.wrap import wrap
from engine.text import Language, Text
from tui.doctor.finding import Finding
from tui.shell.cards import width
from tui.shell.emit import emit

SIGNS = {"good": "✓", "note": "·", "bad": "✗"}
_GROUPS = {
    "terminal": Text("Terminal", "终端"),
    "width": Text("Width of characters", "字符宽度"),
    "machine": Text("Installation", "安装"),
    "files": Text("Your files", "你的文件"),
}
_ALL_WELL = Text("Nothing is in the way.", "一切正常。")
_WRONG = Text("{n} {n:thing is|things are} wrong.", "有 {n} 处问题。")
_ADVICE = Text("→ {advice}", "→ {advice}")


def doctor(as_json: bool, lang: Language) -> int:
    """Everything found out, each with what to do; exit status 1 where something is wrong."""
    found = list(_findings(lang))
    wrong = sum(finding.standing == "bad" for finding in found)
    if as_json:
        emit({"ok": not wrong, "findings": [finding.as_json() for finding in found]})
    else:
        for line in _lines(found, lang):
            print(line)
        told = _WRONG.filled(n=wrong) if wrong else _ALL_WELL
        print(told.of(lang), file=sys.stderr)
    return 1 if wrong else 0


def _findings(lang: Language) -> Iterator[Finding]:
    from quizbank.home import Home
    from tui.doctor import files, machine, terminal
    from tui.doctor.asking import ask

    answers = ask([text for _, texts in terminal.SAMPLES.values() for text in texts])
    yield from terminal.findings(answers, _size(), os.environ)
    yield from machine.findings(lang, os.environ)
    yield from files.findings(Home.from_environment())


def _size() -> tuple[int, int] | None:
    """Columns and rows of the terminal this is run in; None without one."""
    for stream in (sys.__stdout__, sys.__stderr__, sys.__stdin__):
        try:
            size = os.get_terminal_size(stream.fileno()) if stream is not None else None
        except (OSError, ValueError):
            continue
        if size is not None and size.columns > 0:
            return size.columns, size.lines
    return None


def _lines(found: list[Finding], lang: Language) -> Iterator[str]:
    colon, group = "：" if lang == "zh" else ": ", ""
    for finding in found:
        if (here := finding.id.partition(".")[0]) != group:
            if group:
                yield ""
            group = here
            yield _GROUPS[group].of(lang)
        head = f"{SIGNS[finding.standing]} {finding.name.of(lang)}{colon}{finding.said.of(lang)}"
        yield from _indented(head, 2)
        if finding.advice is not None:
            yield from _indented(_ADVICE.filled(advice=finding.advice.of(lang)).of(lang), 4)


def _indented(text: str, indent: int) -> Iterator[str]:
    """A wrapped paragraph whose further lines stand in line with the text after its sign."""
    for place, line in enumerate(wrap(text, max(20, width() - indent - 2))):
        yield " " * (indent + (2 if place else 0)) + line
