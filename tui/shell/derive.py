"""`derive`: the derivation workbench; without a terminal, lines on stdin judged one by one."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.answers.worker import Judge
from engine.errors import InputError
from engine.notation.prose import clean
from engine.text import Language, Text
from quizbank.fault import shown
from quizbank.home import Home
from quizbank.notebook import LONGEST, Kept, Notebook
from tui.shell.emit import emit

if TYPE_CHECKING:
    from quizbank.bank import Bank
    from quizbank.drills.graded import Graded
    from quizbank.workbench import Task, Work

_VERDICTS = {
    "equal": ("✓", Text("follows", "成立")),
    "different": ("✗", Text("does not follow", "不成立")),
    "undecided": ("?", Text("not decided", "未能判定")),
    "unchecked": ("–", Text("not checked", "未检查")),
}
_NOT_READ = ("?", Text("not read", "无法识别"))
_HINT = Text("hint", "提示")
_COMPLETE = Text("complete: start and goal are joined", "完成：从起始式推到了目标式")
_NOT_COMPLETE = Text("not complete", "未完成")
_KEPT = Text("kept", "已保存")
_NONE = Text("no card has a derivation to write yet", "目前没有卡片带推导题")
_COUNT = Text("{n} derivations, {kept} kept", "共 {n} 道推导题，已保存 {kept} 份推导")
_OWN = Text("own start and goal", "自拟的起始式与目标式")


def derive(
    drill: str | None,
    start: str | None,
    goal: str | None,
    symbols: tuple[str, ...],
    wheres: tuple[str, ...],
    mode: str,
    listing: bool,
    show_kept: bool,
    keep: bool,
    as_json: bool,
    decks: tuple[Path, ...],
    lang: Language,
) -> int:
    """Open the workbench; where stdin is no terminal, judge the lines on it. 0: complete; 1: a line that does not
    follow, or not arrived.

    Raises:
        InputError: no such derivation, a start or goal that cannot be used, lines that are not text.
    """
    own = start is not None or goal is not None
    if own and drill is not None:
        raise InputError(
            Text(
                "give a derivation, or --start and --goal, not both", "推导题与 --start、--goal 不能同时给出"
            )
        )
    if own and (start is None or goal is None):
        raise InputError(
            Text("--start and --goal come together", "--start 与 --goal 须同时给出"),
            "--goal" if goal is None else "--start",
        )
    if not own and (symbols or wheres):
        raise InputError(
            Text(
                "names are declared for a start and goal of your own: --start, --goal",
                "只有自拟起始式与目标式（--start、--goal）时才声明名称",
            ),
            "--symbol" if symbols else "--where",
        )
    if show_kept:
        return _show_kept(drill, as_json, lang)
    if listing or (drill is None and not own and (as_json or not _is_terminal())):
        return _list(decks, as_json, lang)
    options = {
        "drill": drill, "start": start, "goal": goal, "mode": mode,
        "symbols": _pairs(symbols, "--symbol"), "where": _pairs(wheres, "--where"),
    }  # fmt: skip
    if _is_terminal() and not (as_json or keep):
        from tui.shell.start import open_app

        return open_app("derive", lang, decks, options)
    with Judge() as judge:
        task = _task(options, judge, decks, lang)
        from quizbank.workbench import assess

        work = assess(task, _typed(), judge)
    kept = _keep(work) if keep else None
    if as_json:
        emit(_document(work, kept))
    else:
        _print(work, kept, lang)
    return 0 if work.complete else 1


def _is_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


def _pairs(given: Sequence[str], option: str) -> dict[str, str]:
    """``name=kind`` by name."""
    found = {}
    for pair in given:
        name, equals, kind = pair.partition("=")
        if not (equals and name.strip() and kind.strip()):
            raise InputError(
                Text(
                    "write name=kind, as in d_k=dim, not {given}",
                    "应写成 名称=类型，如 d_k=dim，而不是 {given}",
                ).filled(given=shown(pair)),
                option,
            )
        found[name.strip()] = kind.strip()
    return found


def _bank(decks: Sequence[Path], lang: Language) -> Bank:
    from tui.shell.deck import open_deck

    return open_deck(decks, lang).bank


def _task(options: dict[str, object], judge: Judge, decks: Sequence[Path], lang: Language) -> Task:
    from quizbank.workbench import find_task, own_task

    drill, start, goal = options["drill"], options["start"], options["goal"]
    if isinstance(drill, str):
        return find_task(_bank(decks, lang).cards, drill)
    symbols, where = options["symbols"], options["where"]
    assert isinstance(start, str)
    assert isinstance(goal, str)
    assert isinstance(symbols, dict)
    assert isinstance(where, dict)
    try:
        return own_task(start, goal, symbols, judge, str(options["mode"]), where)
    except InputError as error:
        option = "symbol" if error.where == "names" else error.where
        raise InputError(error.text, f"--{option}" if option else "") from error


def _typed() -> str:
    """The lines on stdin."""
    try:
        typed = sys.stdin.read(LONGEST + 1)
    except UnicodeDecodeError as error:
        raise InputError(Text("the lines must be UTF-8", "输入须为 UTF-8 编码"), "stdin") from error
    if len(typed) > LONGEST:
        raise InputError(Text(f"more than {LONGEST} characters", f"超过 {LONGEST} 个字符"), "stdin")
    if not typed.strip():
        raise InputError(
            Text("give the lines on stdin, each beginning with =", "请在标准输入给出推导，每行以 = 开头"),
            "stdin",
        )
    return typed


def _keep(work: Work) -> Kept | None:
    lines = [f"{'?=' if line.hint else '='} {line.text}" for line in work.graded.lines]
    if not lines:
        return None
    with Notebook(Home.from_environment().data_folder()) as notebook:
        return notebook.keep(work.task.drill, lines, work.complete, work.task.card)


def _document(work: Work, kept: Kept | None) -> dict[str, object]:
    graded = work.graded
    verdict = graded.verdict.as_json() if graded.verdict is not None else None
    return {
        **work.task.as_json(),
        "lines": [
            {"text": line.text, "hint": line.hint, "verdict": line.verdict, "reading": line.reading}
            for line in graded.lines
        ],
        "complete": work.complete,
        "outcome": graded.outcome,
        "points": graded.points,
        "slip": graded.slip and graded.slip._asdict(),
        "verdict": verdict,
        "kept": kept and kept.id,
    }


def _print(work: Work, kept: Kept | None, lang: Language) -> None:
    """A verdict a line on stdout; what it comes to on stderr."""
    for number, line in enumerate(work.graded.lines, 1):
        sign, word = _VERDICTS.get(line.verdict, _NOT_READ)
        hint = f" ({_HINT.en})" if line.hint and lang == "en" else f"（{_HINT.zh}）" if line.hint else ""
        print(f"{number}. {sign} {word.of(lang)}{hint}  = {clean(line.text)}")
    for part in _summary(work.graded, lang):
        print(part, file=sys.stderr)
    print((_COMPLETE if work.complete else _NOT_COMPLETE).of(lang), file=sys.stderr)
    if kept is not None:
        print(f"{_KEPT.of(lang)} {kept.id}", file=sys.stderr)


def _summary(graded: Graded, lang: Language) -> list[str]:
    from engine.notation.page import inline
    from quizbank import labels
    from quizbank.papers.told import counterexample

    colon = "：" if lang == "zh" else ": "
    parts = [clean(text.of(lang)) for text in graded.feedback]
    verdict = graded.verdict
    case = counterexample(verdict, of_a_line=True) if verdict is not None else None
    if case is not None:
        parts.append(f"{labels.COUNTEREXAMPLE.of(lang)}{colon}{inline(case.of(lang))}")
    if graded.slip is not None:
        parts.append(f"{labels.SLIP.of(lang)}{colon}{inline(graded.slip.of(lang))}")
    return parts


def _list(decks: Sequence[Path], as_json: bool, lang: Language) -> int:
    from engine.notation.page import inline
    from quizbank.workbench import tasks

    bank = _bank(decks, lang)
    with Notebook(Home.from_environment().data_folder()) as notebook:
        kept = [one.key for one in notebook.kept()]
    found = list(tasks(bank.cards))
    if as_json:
        emit([{**task.as_json(), "kept": kept.count(task.key)} for task in found])
        return 0
    for task in found:
        print(f"{clean(task.key)}\n    {inline(task.drill.question.of(lang))}")
    told = _COUNT.filled(n=len(found), kept=len(kept)).of(lang) if found else _NONE.of(lang)
    print(told, file=sys.stderr)
    return 0


def _show_kept(drill: str | None, as_json: bool, lang: Language) -> int:
    with Notebook(Home.from_environment().data_folder()) as notebook:
        found = [one for one in notebook.kept() if drill in (None, one.key, one.card, one.drill)]
    if as_json:
        emit([one.as_json() for one in found])
        return 0
    for one in found:
        state = (_COMPLETE if one.complete else _NOT_COMPLETE).of(lang)
        print(f"{one.day.isoformat()}  {clean(one.key) or _OWN.of(lang)}  {state}")
        print(f"      {clean(one.start)}")
        for line in one.lines:
            print(f"    {clean(line.rjust(len(line) + (0 if line.startswith('?') else 1)))}")
    return 0
