"""`proofdeck log`: the log of reviews checked, written out, joined with another, taken back, restored."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from engine.errors import InputError
from engine.text import Language, Text
from tui import messages
from tui.shell.emit import emit

if TYPE_CHECKING:
    from quizbank.learning.entry import Entry
    from quizbank.learning.log import ReviewLog
    from quizbank.learning.verification import Verification

_NO_LOG = Text("there are no reviews yet", "还没有复习记录")
_SOUND = Text(
    "{n} {n:entry|entries} of {cards} {cards:card|cards}; the schedule is their replay, and the file is sound",
    "共 {n} 条，涉及 {cards} 张卡片；排期与重放结果一致，文件完好",
)
_DIFFERS = Text(
    "{card}: the schedule is not what the log says (stability {found}, replayed {replayed})",
    "{card}：排期与记录不符（稳定性为 {found}，重放得 {replayed}）",
)
_DAMAGE = Text("the file is damaged: {why}", "文件已损坏：{why}")
_MENDABLE = Text(
    "proofdeck log check --mend makes schedule and indexes anew from the entries, which stay as they are",
    "运行 proofdeck log check --mend 可由各条记录重新推算排期并重建索引，记录本身不变",
)
_SALVAGEABLE = Text(
    "proofdeck log check --mend sets the file aside and takes over what can be read of it; "
    "proofdeck log restore then adds what a backup holds",
    "运行 proofdeck log check --mend 可保留原文件，并从中取回可读的记录；再运行 proofdeck log restore 补回备份中的记录",
)
_MENDED = Text("made anew from the entries; checked again:", "已由各条记录重新生成，再次检查：")
_SET_ASIDE = Text("set aside: {path}", "已移到一旁：{path}")
_EXPORTED = Text("{path}: {n} {n:entry|entries}", "{path}：共 {n} 条")
_READ_ONLY = Text(
    "{path} may not be written here: a copy of it is read, and it stays as it is",
    "{path} 在此处不可写：改为读取它的副本，原文件不变",
)
_STDOUT = Text("stdout", "标准输出")
_TAKEN = Text(
    "{new} {new:entry|entries} added, {known} were here already", "新增 {new} 条，另有 {known} 条原已存在"
)
_FAULTS = Text("nothing was taken over", "未导入任何条目")
_UNDONE = Text(
    "taken back: {card}, graded {rating} at {when} ({id})", "已撤销：{card}，{when} 评为 {rating}（{id}）"
)
_ALSO_UNDONE = Text("taken back: {card}, {what} of {when} ({id})", "已撤销：{card}，{when} 的{what}（{id}）")
_KINDS = {
    "forward": Text("the wish to see it", "提前复习"),
    "bury": Text("the burying", "搁置"),
    "suspend": Text("the suspending", "暂停"),
    "resume": Text("the resuming", "恢复"),
    "bookmark": Text("the bookmark", "书签"),
    "unbookmark": Text("the removal of the bookmark", "去掉书签"),
    "note": Text("the note", "笔记"),
    "report": Text("the report", "报错"),
}
_NOTHING_TO_UNDO = Text("there is no review to take back", "没有可以撤销的复习")
_NO_SUCH_REVIEW = Text("no standing entry has an id that begins {id}", "没有编号以 {id} 开头且未撤销的条目")
_NO_BACKUP = Text("there is no good backup in {folder}", "{folder} 中没有完好的备份")
_BACKUP = Text("{path}  {when}  {n} {n:entry|entries}", "{path}  {when}  {n} 条")
_SHORTEST_ID = 4


@contextmanager
def _log(lang: Language) -> Iterator[ReviewLog]:
    """The log of this person, made if need be; what became of its file is told at the end."""
    from quizbank.home import Home
    from quizbank.learning.opening import open_log

    with open_log(Home.from_environment()) as log:
        try:
            yield log
        finally:
            for notice in log.notices:
                print(notice.of(lang), file=sys.stderr)


def _is_there() -> bool:
    """Whether there is a log, or a copy of one: to look for it makes none."""
    from quizbank.home import Home
    from quizbank.learning.backup import Backups
    from quizbank.learning.log import FILE_NAME

    data = Home.from_environment().data
    return (data / FILE_NAME).exists() or bool(Backups(data).all())


def check(mend: bool, as_json: bool, lang: Language) -> int:
    """The schedule against the replay, and every page of the file; with ``mend``, after what is wrong was made anew."""
    if not _is_there():
        if as_json:
            emit({"ok": True, "entries": 0, "cards": 0, "differences": [], "faults": [], "backups": []})
        else:
            print(_NO_LOG.of(lang), file=sys.stderr)
        return 0
    with _log(lang) as log:
        found = log.verify()
        if mend and not found.ok:
            log.mend(found)
            print(_MENDED.of(lang), file=sys.stderr)
            found = log.verify()
        # a file found damaged on opening is replaced by now: that it was is a fault all the same
        damaged = tuple(log.set_aside)
        backups = log.backups.all()
    ok = found.ok and not damaged
    if as_json:
        emit(
            {
                "ok": ok,
                "entries": found.entries,
                "cards": found.cards,
                "differences": [
                    {
                        "card": one.card,
                        "scheduled": one.scheduled.as_json(),
                        "replayed": one.replayed.as_json(),
                    }
                    for one in found.differences
                ],
                "faults": [*found.faults, *(f"set aside: {path}" for path in damaged)],
                "backups": [{"file": str(one.path), "entries": one.entries} for one in backups],
            }
        )
    else:
        for line in _check_lines(found, damaged, lang):
            print(line)
    if not found.ok:
        print((_MENDABLE if found.rows_are_sound else _SALVAGEABLE).of(lang), file=sys.stderr)
    return 0 if ok else 1


def _check_lines(found: Verification, damaged: Sequence[Path], lang: Language) -> Iterator[str]:
    from quizbank.fault import shown

    for fault in found.faults:
        yield _DAMAGE.filled(why=fault).of(lang)
    for path in damaged:
        yield _SET_ASIDE.filled(path=path).of(lang)
    for one in found.differences:
        yield _DIFFERS.filled(
            card=shown(one.card), found=one.scheduled.stability, replayed=one.replayed.stability
        ).of(lang)
    if found.ok and not damaged:
        yield _SOUND.filled(n=found.entries, cards=found.cards).of(lang)


def export(output: Path, force: bool, lang: Language) -> int:
    """The log as JSON lines; `-` is stdout."""
    from quizbank.learning.exchange import written_whole
    from quizbank.target import check_target

    to_stdout = str(output) == "-"
    if not to_stdout:
        check_target(output, force)
    with nullcontext(sys.stdout) if to_stdout else written_whole(output) as file:
        count = _write_lines(file, lang)
    where = _STDOUT.of(lang) if to_stdout else output
    print(_EXPORTED.filled(path=where, n=count).of(lang), file=sys.stderr)
    return 0


def _write_lines(file: TextIO, lang: Language) -> int:
    from quizbank.home import Home
    from quizbank.learning.exchange import export as write_lines
    from quizbank.learning.exchange import export_as_it_is
    from quizbank.learning.log import FILE_NAME

    if not _is_there():
        return 0
    path = Home.from_environment().data / FILE_NAME
    if path.is_file() and not all(os.access(place, os.W_OK) for place in (path, path.parent)):
        print(_READ_ONLY.filled(path=path).of(lang), file=sys.stderr)
        return export_as_it_is(path, file)
    with _log(lang) as log:
        return write_lines(log, file)


def import_(file: Path, lang: Language) -> int:
    """An export into the log, all of it or nothing."""
    return _take([file], lang, lines_only=True)


def merge(files: tuple[Path, ...], lang: Language) -> int:
    """Other machines' logs and exports into this one."""
    return _take(files, lang)


def _take(files: Sequence[Path], lang: Language, lines_only: bool = False) -> int:
    from quizbank.learning.exchange import FaultsError
    from quizbank.learning.exchange import merge as join

    with _log(lang) as log:
        try:
            merged = join(log, files, lines_only)
        except FaultsError as error:
            for fault in error.faults:
                print(fault.line(lang), file=sys.stderr)
            print(_FAULTS.of(lang), file=sys.stderr)
            return 2
        print(_TAKEN.filled(new=merged.new, known=merged.known).of(lang), file=sys.stderr)
    return 0


def undo(review: str | None, lang: Language) -> int:
    """Take back the latest review on this log, or the entry named, whatever it says."""
    from quizbank.fault import shown

    if not _is_there():
        raise InputError(_NOTHING_TO_UNDO)
    if review is not None and len(review) < _SHORTEST_ID:
        raise InputError(
            Text("give at least {n} characters of the id", "编号至少写出 {n} 个字符").filled(n=_SHORTEST_ID)
        )
    with _log(lang) as log:
        found = log.last_grade() if review is None else log.last_standing(review)
        if found is None:
            raise InputError(_NOTHING_TO_UNDO if review is None else _NO_SUCH_REVIEW.filled(id=shown(review)))
        log.undo(found.id)
        print(_told(found, lang))
    return 0


def _told(entry: Entry, lang: Language) -> str:
    from quizbank.fault import shown
    from quizbank.learning.backup import moment

    if entry.rating is None:
        return _ALSO_UNDONE.filled(
            card=shown(entry.card), what=_KINDS[entry.kind].of(lang), when=moment(entry.at_ms), id=entry.id
        ).of(lang)
    return _UNDONE.filled(
        card=shown(entry.card),
        rating=messages.RATINGS[entry.rating].of(lang),
        when=moment(entry.at_ms),
        id=entry.id,
    ).of(lang)


def restore(backup: Path | None, listing: bool, lang: Language) -> int:
    """Merge a backup into the log, or list the backups."""
    from quizbank.home import Home
    from quizbank.learning.backup import Backups, moment

    backups = Backups(Home.from_environment().data)
    if listing:
        for one in backups.all():
            print(_BACKUP.filled(path=one.path, when=moment(one.at_ms), n=one.entries).of(lang))
        return 0
    if backup is None:
        newest = backups.newest_good()
        if newest is None:
            raise InputError(_NO_BACKUP.filled(folder=backups.folder))
        backup = newest.path
    elif not backup.exists() and (backups.folder / backup.name).exists():
        # the name alone is enough
        backup = backups.folder / backup.name
    print(backup, file=sys.stderr)
    return _take([backup], lang)
