"""A sheet as a file: the same bytes each time, whole or not at all, dated by the bank; a paper and its key agree."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from engine.errors import InputError
from engine.notation.prose import Paragraph, Plain, parse_prose
from quizbank.bank import Bank
from quizbank.card import Card
from quizbank.revisions import date_of, revised
from quizbank.sheets.beside import is_plain_line
from quizbank.sheets.content import Sheet
from quizbank.sheets.export import drawing, export, made
from quizbank.sheets.formats import FORMATS, Options
from quizbank.sheets.gather import gather
from quizbank.slots import Quantities
from quizbank.target import write_with_folder


@pytest.mark.slow
@pytest.mark.parametrize("format_", ["md", "html"])
def test_two_processes_write_the_same_bytes(tmp_path: Path, format_: str) -> None:
    written = []
    for name, seed in (("a", "1"), ("b", "2")):
        folder = tmp_path / name
        folder.mkdir()
        # hash randomisation and an empty cache: neither order nor what was kept before may show
        environment = {**os.environ, "PROOFDECK_HOME": str(folder / "home"), "PYTHONHASHSEED": seed}
        call = [
            sys.executable,
            "-m",
            "tui",
            "sheet",
            "--card",
            "why-qkv",
            "--format",
            format_,
            "-o",
            f"sheet.{format_}",
        ]
        subprocess.run(call, cwd=folder, env=environment, check=True, capture_output=True)
        files = (file for file in folder.rglob("*") if file.is_file() and "home" not in file.parts)
        written.append({file.relative_to(folder): file.read_bytes() for file in files})
    assert written[0] == written[1]
    assert (len(written[0]) > 1) == (format_ == "md")


def test_a_sheet_is_dated_by_the_bank_not_by_the_clock(
    bank: Bank, card: Card, quantities: Quantities
) -> None:
    def heading(**options: str) -> Sheet:
        sheet = drawing([card], bank, quantities, replace(FORMATS["html"], draws="cards"), Options(**options))  # type: ignore[arg-type]
        assert isinstance(sheet, Sheet)
        return sheet

    assert heading(mode="paper").heading.date == date_of(revised(bank))
    assert heading(mode="paper", date="2026-01-31").heading.date == "2026-01-31"


def test_a_paper_and_its_key_are_of_one_form_and_another_seed_is_another(
    bank: Bank, card: Card, quantities: Quantities
) -> None:
    other = bank.card("why-qkv")
    forms = {
        (mode, language): gather(
            [card, other], bank, quantities, Options(mode, language), backed=False
        ).heading.form
        for mode, language in (("paper", "zh"), ("key", "both"), ("embedded", "en"))
    }
    assert len(set(forms.values())) == 1
    form = forms["paper", "zh"]
    for cards, seed in (([card, other], 1), ([card], 0), ([other, card], 0)):
        sheet = gather(cards, bank, quantities, Options("key", seed=seed), backed=False)
        assert sheet.heading.form != form


def test_progress_counts_to_the_end_and_may_stop_it_anywhere(
    bank: Bank, card: Card, quantities: Quantities, tmp_path: Path
) -> None:
    told: list[tuple[int, int]] = []
    cards = [card, bank.card("why-qkv")]
    made(
        cards, bank, quantities, "md", Options("key"), progress=lambda done, whole: told.append((done, whole))
    )
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert len({whole for _, whole in told}) == 1
    assert told[0][0] == 0
    assert told[-1][0] == told[-1][1]
    for stop in range(len(told)):
        left = iter(range(stop))

        def give_up(_done: int, _whole: int, left: object = left) -> None:
            if next(left, None) is None:  # type: ignore[call-overload]
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            export(cards, bank, quantities, tmp_path / "x.md", "md", Options("key"), progress=give_up)
        assert list(tmp_path.iterdir()) == []


def test_figures_that_are_there_are_kept_unless_forced(tmp_path: Path) -> None:
    sheet, folder = tmp_path / "a.md", tmp_path / "a-figures"
    folder.mkdir()
    (folder / "001.svg").write_text("mine", encoding="utf-8")
    (folder / "notes.txt").write_text("mine too", encoding="utf-8")
    files = {"001.svg": "<svg/>", "002.svg": "<svg/>"}
    with pytest.raises(InputError, match="--force"):
        write_with_folder(sheet, "text", folder, files, force=False)
    assert {path.name for path in folder.iterdir()} == {"001.svg", "notes.txt"}
    assert not sheet.exists()
    write_with_folder(sheet, b"text", folder, files, force=True)
    assert sheet.read_bytes() == b"text"
    assert (folder / "001.svg").read_text(encoding="utf-8") == "<svg/>"
    assert (folder / "notes.txt").read_text(encoding="utf-8") == "mine too"
    assert {path.name for path in tmp_path.iterdir()} == {"a.md", "a-figures"}


def test_a_fault_on_the_way_leaves_sheet_and_figures_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sheet, folder = tmp_path / "a.md", tmp_path / "a-figures"
    folder.mkdir()
    sheet.write_text("old", encoding="utf-8")
    (folder / "001.svg").write_text("old", encoding="utf-8")
    files = {"001.svg": "new", "002.svg": "new"}
    replace_file = os.replace
    moves = 0
    for failing in range(1, 5):

        def fails(source: object, target: object, failing: int = failing) -> None:
            nonlocal moves
            moves += 1
            if moves == failing:
                raise OSError(28, "No space left on device")
            replace_file(source, target)  # type: ignore[arg-type]

        moves = 0
        with monkeypatch.context() as patched:
            patched.setattr("quizbank.target.os.replace", fails)
            with pytest.raises(InputError, match="No space left"):
                write_with_folder(sheet, "new", folder, files, force=True)
        assert sheet.read_text(encoding="utf-8") == "old"
        assert {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()} == {
            "001.svg": "old"
        }
        assert {path.name for path in tmp_path.iterdir()} == {"a.md", "a-figures"}
    assert moves > 3


KILLED = """
import os, sys
from pathlib import Path
from quizbank.target import write_with_folder
os.replace = lambda *_: os.kill(os.getpid(), 9)
sheet = Path(sys.argv[1])
write_with_folder(sheet, "new", sheet.with_name("a-figures"), {"001.svg": "new"}, force=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="elsewhere nothing says whether a process lives")
def test_what_a_killed_process_had_begun_is_gone_after_the_next_and_nothing_else(tmp_path: Path) -> None:
    sheet = tmp_path / "a.md"
    sheet.write_text("old", encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", KILLED, str(sheet)], check=False, timeout=60)
    assert done.returncode == -9
    assert sheet.read_text(encoding="utf-8") == "old"
    left = sorted(path for path in tmp_path.iterdir() if path.name.startswith("."))
    assert [path.is_dir() for path in left].count(True) == 1
    assert len(left) == 2
    (begun,) = {path.name.rpartition("-")[0].rpartition("-")[0] for path in left}
    gone = next(path for path in left if path.is_file()).name.split("-")[-2]
    alive, elsewhere = os.getpid(), begun[:-1] + ("0" if begun[-1] != "0" else "1")
    kept = [
        f"{begun}-{alive}-abcdefgh",
        f"{elsewhere}-{gone}-abcdefgh",
        f"{begun}-{gone}-ab",
        f".b-{gone}-abcdefgh",
        ".a-notes",
    ]
    for name in kept:
        (tmp_path / name).write_text("mine", encoding="utf-8")
    link = tmp_path / f"{begun}-{gone}-aalinkaa"
    link.symlink_to(tmp_path / ".a-notes")
    write_with_folder(sheet, "next", tmp_path / "a-figures", {"001.svg": "next"}, force=True)
    assert {path.name for path in tmp_path.iterdir()} == {"a.md", "a-figures", link.name, *kept}
    assert all((tmp_path / name).read_text(encoding="utf-8") == "mine" for name in kept)


def test_a_plain_line_is_one_that_prose_reads_as_plain() -> None:
    for text in (
        "a",
        " a (b) – 中文 ",
        "1. a",
        "a - b",
        "a\\$",
        "$x$",
        "`x`",
        "- a",
        "  - a",
        "a\nb",
        "",
        "```",
    ):
        if is_plain_line(text) and text.strip():
            assert parse_prose(text) == (Paragraph((Plain(text.strip()),)),)
    assert is_plain_line("q·k (1)")
    assert not is_plain_line("- item")
    assert not is_plain_line("$x$")
