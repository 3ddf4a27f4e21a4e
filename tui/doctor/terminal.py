"""What the terminal shows: its size, its colours, how wide it draws what the app draws, what lies between."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from engine.text import Text, same
from quizbank.fault import shown
from tui.doctor.asking import NO_ANSWER, Answers
from tui.doctor.finding import Finding, composed

SMALLEST, USUAL = (60, 20), (80, 24)
SAMPLES: Mapping[str, tuple[Text, str]] = {
    "quotes": (Text("quotes and dots", "引号与省略号"), "“”…·"),
    "boxes": (Text("box characters", "制表符"), "─│┼┤"),
    "marks": (Text("marks of plots", "图中的标记"), "●○◇■×"),
    "maths": (Text("mathematics", "数学符号"), "√≤∑∂"),
    "blocks": (Text("block elements", "方块字符"), "█▀▒"),
    "braille": (Text("braille (curves)", "盲文点阵（曲线）"), "⣿⠒"),
    "hanzi": (Text("hanzi", "汉字"), "汉，（"),
}
"""By name: what the characters are called, and some of them."""

_SIZE = Text("{width} × {height}", "{width} × {height}")
_SIZE_TOO_SMALL = Text(
    "the app needs 60 × 20 at least; make the window larger", "应用至少需要 60 × 20，请放大窗口"
)
_SIZE_SMALL = Text("from 80 × 24 on nothing is shortened", "达到 80 × 24 时不再省略内容")
_COLOURS = {
    "truecolor": Text("16 million", "1600 万色"),
    "256": Text("256", "256 色"),
    "standard": Text("16", "16 色"),
    "windows": Text("16", "16 色"),
    "none": Text("none", "无色"),
}
_NO_COLOUR = Text("none, as NO_COLOR asks", "按 NO_COLOR 的要求不用颜色")
_DUMB = Text(
    "this terminal moves no cursor (TERM={term}); `proofdeck study --plain` goes line by line",
    "此终端不能移动光标（TERM={term}）；可用 `proofdeck study --plain` 逐行进行",
)
_MORE_COLOURS = Text(
    "if your terminal can show more, set COLORTERM=truecolor (in tmux also: set -as terminal-features ',*:RGB')",
    "若终端支持更多颜色，可设置 COLORTERM=truecolor（在 tmux 中另加 set -as terminal-features ',*:RGB'）",
)
_NOT_MEASURED = Text("not measured: {why}", "未测量：{why}")
_AS_DRAWN = Text("{texts} as wide as the app takes them to be", "{texts} 的宽度与应用所取一致")
_CELLS = Text("{text} is {found} wide, taken for {taken}", "{text} 宽 {found} 格，应用按 {taken} 格计")
_NARROW = Text(
    "tell your terminal that characters of ambiguous width are narrow (single), or choose a font in which they are; "
    "until then columns of the app may be out of line",
    "请在终端设置中把“宽度不明确的字符”设为窄（单宽），或换用其中它们为单宽的字体；否则界面各列可能错位",
)
_WIDE = Text(
    "hanzi should be two cells wide: set a UTF-8 locale and a font that has them",
    "汉字应占两格：请使用 UTF-8 区域设置与含汉字的字体",
)
_BETWEEN = {
    "tmux": Text(
        "for copying: set -g set-clipboard on; for a prompt Esc: set -sg escape-time 10; for the mouse: set -g mouse on",
        "复制需要 set -g set-clipboard on；让 Esc 及时响应：set -sg escape-time 10；使用鼠标：set -g mouse on",
    ),
    "screen": Text(
        "screen passes 256 colours at most and no copying (OSC 52); tmux passes both",
        "screen 最多传递 256 色，且不支持复制（OSC 52）；tmux 两者都支持",
    ),
    "zellij": None,
    "ssh": None,
}
_NOTHING_BETWEEN = Text("nothing", "无")
_MOUSE = {
    True: Text("the terminal reports it", "终端支持"),
    False: Text(
        "the terminal does not report it; every screen goes without", "终端不支持；所有界面都可不用鼠标"
    ),
    None: Text("the terminal does not say; every screen goes without", "终端没有说明；所有界面都可不用鼠标"),
}
_COPIES = Text("the terminal takes what is copied (OSC 52)", "终端接受复制（OSC 52）")
_MAY_COPY = Text(
    "the terminal does not say whether it takes what is copied (OSC 52)", "终端没有说明是否接受复制（OSC 52）"
)
_TRY_COPY = Text(
    "copy something in the app and paste it; if nothing comes, select with the mouse (often with Shift held)",
    "在应用中复制一段再粘贴试试；若没有内容，请用鼠标选取（常需按住 Shift）",
)
_CONSOLE = Text(
    "the Linux console has no braille and few hanzi: use a terminal window, or `--plain`",
    "Linux 控制台没有盲文点阵，汉字也很少：请改用终端窗口，或使用 `--plain`",
)
OSC_52 = 52
"""The number by which a terminal says among its attributes that it takes the clipboard."""


def findings(answers: Answers, size: tuple[int, int] | None, environ: Mapping[str, str]) -> Iterator[Finding]:
    """What the terminal is like: ``size`` in cells, None without a terminal; ``answers`` are its own."""
    yield _kind(environ)
    yield _size(size, answers)
    yield _colours(environ)
    yield _between(environ)
    yield Finding(
        "terminal.mouse",
        Text("mouse", "鼠标"),
        "good" if answers.mouse else "note",
        _MOUSE[answers.mouse],
        answers.mouse,
    )
    yield _clipboard(answers)
    yield from _widths(answers)


def _kind(environ: Mapping[str, str]) -> Finding:
    term = environ.get("TERM", "")
    program = " ".join(
        filter(None, (environ.get("TERM_PROGRAM", ""), environ.get("TERM_PROGRAM_VERSION", "")))
    )
    known = program or ("Windows Terminal" if "WT_SESSION" in environ else "")
    said = same(shown(" · ".join(filter(None, (f"TERM={term}", known)))))
    name = Text("terminal", "终端")
    if term in ("", "dumb", "unknown"):
        return Finding("terminal.kind", name, "bad", said, term, _DUMB.filled(term=shown(term)))
    if term == "linux":
        return Finding("terminal.kind", name, "note", said, term, _CONSOLE)
    return Finding("terminal.kind", name, "good", said, term)


def _size(size: tuple[int, int] | None, answers: Answers) -> Finding:
    name = Text("size", "大小")
    if size is None:
        return Finding("terminal.size", name, "note", _not_measured(answers))
    said, value = _SIZE.filled(width=size[0], height=size[1]), {"width": size[0], "height": size[1]}
    if size[0] < SMALLEST[0] or size[1] < SMALLEST[1]:
        return Finding("terminal.size", name, "bad", said, value, _SIZE_TOO_SMALL)
    if size[0] < USUAL[0] or size[1] < USUAL[1]:
        return Finding("terminal.size", name, "note", said, value, _SIZE_SMALL)
    return Finding("terminal.size", name, "good", said, value)


def _colours(environ: Mapping[str, str]) -> Finding:
    """What the app will use: Textual asks Rich, and Rich the environment."""
    from rich.console import Console

    name = Text("colours", "颜色")
    if environ.get("NO_COLOR"):
        return Finding("terminal.colours", name, "good", _NO_COLOUR, 0)
    system = Console(force_terminal=True, _environ=environ).color_system or "none"
    number = {"truecolor": 2**24, "256": 256, "none": 0}.get(system, 16)
    few = number < 2**24
    return Finding(
        "terminal.colours",
        name,
        "note" if few else "good",
        _COLOURS[system],
        number,
        _MORE_COLOURS if few else None,
    )


def _widths(answers: Answers) -> Iterator[Finding]:
    """How wide the terminal draws what the app draws, beside what the app takes it to be."""
    from rich.cells import cell_len

    if not answers.widths:
        name = Text("what is ambiguous", "宽度不明确的字符")
        yield Finding("width.all", name, "note", _not_measured(answers))
        return
    for key, (name, texts) in SAMPLES.items():
        found = {text: answers.widths[text] for text in texts if text in answers.widths}
        finding_id = f"width.{key}"
        if len(found) < len(texts):
            yield Finding(finding_id, name, "note", _not_measured(answers), found)
            continue
        wrong = [
            _CELLS.filled(text=text, found=cells, taken=cell_len(text))
            for text, cells in found.items()
            if cells != cell_len(text)
        ]
        if wrong:
            said = Text(", ".join(one.en for one in wrong), "，".join(one.zh for one in wrong))
            yield Finding(finding_id, name, "bad", said, found, _WIDE if key == "hanzi" else _NARROW)
        else:
            yield Finding(finding_id, name, "good", _AS_DRAWN.filled(texts=" ".join(texts)), found)


def _not_measured(answers: Answers) -> Text:
    return composed(_NOT_MEASURED, why=answers.why_not or NO_ANSWER)


def _between(environ: Mapping[str, str]) -> Finding:
    """What stands between the app and the window: multiplexers, ssh."""
    term = environ.get("TERM", "")
    there = [
        name
        for name, found in (
            ("tmux", "TMUX" in environ),
            ("screen", "STY" in environ or (term.startswith("screen") and "TMUX" not in environ)),
            ("zellij", "ZELLIJ" in environ),
            ("ssh", "SSH_CONNECTION" in environ or "SSH_TTY" in environ),
        )
        if found
    ]
    advice = [said for name in there if (said := _BETWEEN[name])]
    return Finding(
        "terminal.between",
        Text("in between", "中间层"),
        "note" if advice else "good",
        same(", ".join(there)) if there else _NOTHING_BETWEEN,
        there,
        Text("; ".join(one.en for one in advice), "；".join(one.zh for one in advice)) if advice else None,
    )


def _clipboard(answers: Answers) -> Finding:
    name = Text("copying", "复制")
    takes = None if answers.attributes is None else OSC_52 in answers.attributes
    if takes:
        return Finding("terminal.clipboard", name, "good", _COPIES, True)
    # a terminal that does not list it may take it all the same
    return Finding("terminal.clipboard", name, "note", _MAY_COPY, None, _TRY_COPY)
