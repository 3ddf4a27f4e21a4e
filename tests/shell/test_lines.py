"""Study and self-test line by line: typed on stdin, said on stdout, stored as the app stores it."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from quizbank.home import Home
from quizbank.interview.store import Interviews
from quizbank.learning.log import ReviewLog
from quizbank.papers.results import Results
from tui.cli import main
from tui.lines.talk import Talk

DRAWN = {*map(chr, range(0x2500, 0x25A0)), *map(chr, range(0x2801, 0x2900)), "\x1b"}

Lines = Callable[..., tuple[int, str]]


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], home: Path) -> Lines:
    """Call with lines on stdin; (status, stdout), in which nothing is drawn."""

    def call(*arguments: str, typed: str = "") -> tuple[int, str]:
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        status = main([*arguments, "--plain"])
        out, _ = capsys.readouterr()
        assert not DRAWN & set(out)
        return status, out

    return call


def grades(home: Path) -> list[int]:
    with ReviewLog(Home.in_folder(home).data) as log:
        taken_back = {entry.undoes for entry in log.entries()}
        return [int(e.rating) for e in log.entries() if e.rating is not None and e.id not in taken_back]


def test_a_card_is_asked_answered_and_graded(lines: Lines, home: Path) -> None:
    status, out = lines("study", "--topic", "attention", typed="\nnine\nf\n3\nq\n")
    assert status == 0
    assert "softmax(QKᵀ/√dₖ) V" in out
    assert "Type 1, 2, 3 or 4" in out
    assert "3 Good, back in 10 min" in out
    assert grades(home) == [3]


def test_undo_bury_and_the_end_of_the_input_lose_nothing(lines: Lines, home: Path) -> None:
    # graded, taken back from the next card, graded otherwise; then one is put off, and the input ends
    _, out = lines("study", "--topic", "attention", "--lang", "zh", typed="\n1\n\nu\n\n4\n\nb\n\n")
    assert "已撤销" in out
    assert "已搁置到明天" in out
    assert grades(home) == [4]
    with ReviewLog(Home.in_folder(home).data) as log:
        assert log.verify().differences == ()
        assert [entry.kind for entry in log.entries()] == ["grade", "undo", "grade", "bury"]


def test_a_card_is_marked_and_put_off_and_the_latter_taken_back(lines: Lines, home: Path) -> None:
    typed = "\nm\nn it is $d_k$\nw\nw the sign\ns\n\nu\n\nq\n"
    _, out = lines("study", "--topic", "attention", "--limit", "2", typed=typed)
    assert "say what is wrong with the card" in out
    # suspended, then taken back: asked again, with the note under the answer
    assert out.index("Suspended") < out.index("taken back") < out.index("Your note") < out.rindex("it is dₖ")
    with ReviewLog(Home.in_folder(home).data) as log:
        assert [entry.kind for entry in log.entries()] == ["bookmark", "note", "report", "suspend", "undo"]
        assert log.put_off() == set()
    # on the closing screen too
    lines("study", "--topic", "attention", "--limit", "1", typed="\ns\nu\n\n3\n")
    assert grades(home) == [3]


def test_the_last_grade_can_be_taken_back_after_the_last_card(lines: Lines, home: Path) -> None:
    _, out = lines("study", "--topic", "attention", "--limit", "1", typed="\n4\nu\n\n2\n\n4\n\n")
    assert "That was the last card for now." in out
    assert grades(home) == [2, 4]


def test_cram_leaves_the_schedule(lines: Lines, home: Path) -> None:
    _, out = lines("study", "--topic", "attention", "--cram", "--limit", "1", typed="\n4\n\n")
    assert "The schedule stays as it is." in out
    assert grades(home) == []


def test_the_proof_is_read_out_step_by_step(lines: Lines) -> None:
    _, out = lines("study", "--topic", "attention", "--limit", "2", typed="\n4\n\np\nq\n")
    assert "✓ proved for d_k=4 · multiply out" in out
    assert "proofdeck demo D19 --set d_k=256" in out


def test_a_paper_of_every_kind_is_sat_and_told(lines: Lines, home: Path) -> None:
    typed = {"choice": "z\nb\n", "number": "12\n", "expression": "1+\n1\n", "recall": "the softmax\n.\n9\n1\n",
             "derivation": "1\n.\n", "code": "def f(): pass\n.\n"}  # fmt: skip
    for kind, answer in typed.items():
        status, out = lines("test", "--kind", kind, "--count", "1", "--seed", "1", typed=answer)
        assert status == 0
        assert "Question 1 of 1" in out
    with Results(Home.in_folder(home).data) as results:
        reports = results.history()
    assert len(reports) == len(typed)
    assert all(report.status == "handed in" and report.lines[0].given for report in reports)


def test_a_paper_left_at_the_end_of_the_input_goes_on_where_it_was(lines: Lines, home: Path) -> None:
    _, out = lines("test", "--kind", "choice", "--count", "3", "--seed", "2", typed="a\n")
    assert "proofdeck test --plain --resume goes on" in out
    with Results(Home.in_folder(home).data) as results:
        (report,) = results.history()
        assert (report.status, sum(line.graded is not None for line in report.lines)) == ("open", 1)
    _, out = lines("test", "--resume", typed="\na\nq\n")
    assert "Question 2 of 3" in out
    assert "No answer yet to 1 question, asked once more; q ends the paper as it is." in out
    with Results(Home.in_folder(home).data) as results:
        (report,) = results.history()
        assert (report.status, sum(line.graded is not None for line in report.lines)) == ("handed in", 2)


def test_a_paper_ended_by_a_key_says_that_it_stays(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], home: Path
) -> None:
    class Interrupted(io.StringIO):
        def readline(self, *_: object) -> str:  # type: ignore[override]
            line = super().readline()
            if not line:
                raise KeyboardInterrupt
            return line

    monkeypatch.setattr("sys.stdin", Interrupted("a\n"))
    status = main(["test", "--kind", "choice", "--count", "3", "--seed", "2", "--plain"])
    out, _ = capsys.readouterr()
    assert status == 130
    assert out.endswith("\nStopped. Answers given are stored; proofdeck test --plain --resume goes on.\n")
    with Results(Home.in_folder(home).data) as results:
        (report,) = results.history()
        assert (report.status, sum(line.graded is not None for line in report.lines)) == ("open", 1)


def test_an_interview_is_held_marked_and_told(lines: Lines, home: Path) -> None:
    asked = ("interview", "--card", "softmax-saturation", "--seed", "3")
    # spoken and ticked; then a slip of the finger, and ended: the mark that was given is kept
    status, out = lines(*asked, "--lang", "zh", typed="\n1 2\n\n7\nq\na\n")
    assert status == 0
    told = ("第 1 题，共 5 题", "第 2 题", "请输入 1、2 或 3", "第 1 层：不稳", "3 个要点说到 2 个")
    assert sorted(told, key=out.index) == list(told)
    assert "同样的问题再来一遍：proofdeck interview --card softmax-saturation --seed 3" in out
    assert "加入今天的学习" in out
    with Interviews(Home.in_folder(home).data) as interviews:
        (held,) = interviews.history()
        assert [(mark.said, mark.turn.level) for mark in held.marks] == [(2.0, 1)]
    with ReviewLog(Home.in_folder(home).data) as log:
        assert [entry.kind for entry in log.entries()] == ["forward"]
    # nothing was marked: nothing is told and nothing kept
    assert "说到 0%" not in lines(*asked, "--lang", "zh", typed="\n")[1]


def test_a_dumb_terminal_needs_no_option(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], home: Path
) -> None:
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr("sys.stdin", io.StringIO("q\n"))
    assert main(["study", "--topic", "rnn"]) == 0
    assert "Enter shows the answer" in capsys.readouterr().out


def test_markup_and_controls_are_text(capsys: pytest.CaptureFixture[str]) -> None:
    Talk("en").tell("h[t-1] [MASK] </b> $\\frac{1}{n}$ \x1b[2J\u202e {0} $\\nosuch$")
    assert capsys.readouterr().out == "h[t-1] [MASK] </b> $\\frac{1}{n}$  {0} $\\nosuch$\n"
    Talk("en").tell("- $\\frac{1}{n}$\n\n$$\\sqrt{d_k}$$\n\n```\na  b\n```")
    assert capsys.readouterr().out == "- 1/n\n√dₖ\na  b\n"


@pytest.mark.parametrize("ending", ["q", "interrupt"])
def test_an_interview_that_is_ended_says_what_it_keeps(
    lines: Lines, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    asked = ("interview", "--card", "softmax-saturation", "--seed", "3", "--lang", "zh")
    if ending == "interrupt":

        def interrupted(*_: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(Talk, "listen", interrupted)
    status, out = lines(*asked, typed="q\n")
    assert status == (130 if ending == "interrupt" else 0)
    assert "面试已结束；还没有标记任何回答" in out
