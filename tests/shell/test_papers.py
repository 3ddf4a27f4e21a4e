"""Papers and results from the shell: drawn, written, printed, looked up."""

from __future__ import annotations

import itertools
import json
import os
import signal
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from quizbank.bank import load_bank
from quizbank.card import LEVELS, TOPICS
from quizbank.drills.grading import Grader
from quizbank.home import Home
from quizbank.learning.log import ReviewLog
from quizbank.papers.draw import draw
from quizbank.papers.paper import Paper, read_paper
from quizbank.papers.results import Report, Results
from quizbank.slots import Quantities
from tests.shell.test_calls import Capture, call

START = 1_767_600_000_000  # 2026-01-05 08:00 UTC
DAY = 86_400_000
CHINESE = "，。、；：？！）】》"


def sit(home: Path, at_ms: int = START, hand_in: bool = True, right: bool = False, seed: int = 7) -> Report:
    """Four questions of the classic cards: choices and numbers answered, a recall ticked."""
    folder = Home.in_folder(home)
    cards = [card for card in load_bank(folder).cards if card.topic in ("attention", "bert", "efficient")]
    quantities = Quantities(folder.cache / "quantities")
    grader = Grader({card.id: card for card in cards}, quantities.value, quantities.fill)
    drawn = draw(cards, kinds=("choice", "number", "recall"), count=4, minutes=10, seed=seed)
    with Results(folder.data_folder()) as results:
        sitting = results.begin(drawn, grader, lambda: at_ms)
        for position, question in enumerate(drawn.questions):
            sitting.go_to(position)
            variant = question.variant
            if variant.kind == "choice":
                drill = next(
                    drill for card in cards if card.id == variant.card for drill in card.drills if drill.id == variant.drill
                )  # fmt: skip
                sitting.answer(next(option.id for option in drill.options if option.right is right))
            elif variant.kind == "number":
                sitting.answer("$1$ <b>")
            else:
                sitting.answer("three projections `W` and [x]")
                sitting.tick_points(())
        if hand_in:
            sitting.hand_in()
        return results.report(sitting.id)


def test_a_paper_is_drawn_as_asked_and_again_by_its_seed(capsys: Capture, tmp_path: Path) -> None:
    path, again = tmp_path / "paper.json", tmp_path / "again.json"
    wishes = ("--topic", "attention", "--topic", "bert", "--kind", "choice", "--kind", "number", "--level", "core",
              "--count", "4", "--minutes", "12", "--seed", "11")  # fmt: skip
    status, out, err = call(capsys, "paper", *wishes, "-o", str(path))
    assert (status, out) == (0, "")
    drawn = read_paper(path)
    assert err.startswith(f"{path}: 4 questions, paper {drawn.form}, seed 11")
    assert (drawn.topics, drawn.kinds, drawn.levels) == (
        ("attention", "bert"),
        ("choice", "number"),
        ("core",),
    )
    assert (len(drawn.questions), drawn.minutes, drawn.seed, drawn.weights) == (4, 12, 11, None)
    assert {question.topic for question in drawn.questions} == {"attention", "bert"}
    call(capsys, "paper", *wishes, "-o", str(again))
    assert again.read_bytes() == path.read_bytes()


def test_a_paper_is_one_json_document_on_stdout(capsys: Capture) -> None:
    status, out, err = call(capsys, "paper", "--count", "3", "-o", "-", "--lang", "zh")
    assert status == 0
    assert len(json.loads(out)["questions"]) == 3
    assert "标准输出：3 题" in err


def test_a_paper_that_exists_is_kept_unless_forced(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "paper.json"
    path.write_text("mine", encoding="utf-8")
    status, _, err = call(capsys, "paper", "--count", "3", "-o", str(path))
    assert status == 2
    assert "--force" in err
    assert path.read_text(encoding="utf-8") == "mine"
    assert call(capsys, "paper", "--count", "3", "-o", str(path), "--force")[0] == 0
    assert len(read_paper(path).questions) == 3
    assert [file.name for file in tmp_path.iterdir() if file.is_file()] == ["paper.json"]


def test_a_shortfall_is_told(capsys: Capture) -> None:
    _, out, err = call(capsys, "paper", "--topic", "bert", "--kind", "choice", "--count", "400", "-o", "-")
    assert f"the bank holds {len(json.loads(out)['questions'])}" in err


def test_a_weak_paper_follows_what_was_answered_and_says_with_which_weights(
    capsys: Capture, home: Path
) -> None:
    _, out, _ = call(capsys, "paper", "--weak", "--seed", "1", "--count", "20", "-o", "-")
    assert set(json.loads(out)["weights"].values()) == {0.5}
    # to look for a history makes none
    assert not list(home.glob("*.db"))
    report = sit(home)
    with ReviewLog(home) as log:
        log.grade("flash-attention", 4, START)
        log.grade("flash-attention", 1, START + 30 * DAY)
    _, out, _ = call(capsys, "paper", "--weak", "--seed", "1", "--count", "20", "-o", "-")
    document = json.loads(out)
    weights = document["weights"]
    # all that could be decided was wrong
    assert all(weights[topic] > 0.5 for topic, score in report.by_topic.items() if score.possible)
    # and a lapse in study counts too
    assert weights["efficient"] > 0.5
    assert weights["memory"] == 0.5
    drawn = draw(load_bank(Home.in_folder(home)).cards, count=20, seed=1, weights=weights)
    assert drawn.as_json() == document
    # the same history and seed give the same paper
    assert call(capsys, "paper", "--weak", "--seed", "1", "--count", "20", "-o", "-")[1] == out


def test_no_results_yet(capsys: Capture, home: Path) -> None:
    status, out, err = call(capsys, "results")
    assert (status, out) == (0, "")
    assert "proofdeck test" in err
    status, out, _ = call(capsys, "results", "--json")
    assert json.loads(out) == {"results": [], "topics": {}}
    assert not list(home.glob("*.db"))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_results_so_far_with_a_trend_for_each_topic(capsys: Capture, home: Path, language: str) -> None:
    first, second = sit(home), sit(home, START + DAY, right=True)
    sit(home, START + 2 * DAY, hand_in=False)
    status, out, err = call(capsys, "results", "--lang", language)
    rows = out.splitlines()
    assert status == 0
    assert rows[1].startswith(second.id[:13])
    assert rows[2].startswith(first.id[:13])
    assert {"en": "unfinished", "zh": "未完成"}[language] in rows[0]
    assert first.paper.form in rows[2]
    assert "3" in err
    trend = rows[rows.index("") + 2 :]
    counted = {topic: score for topic, score in first.by_topic.items() if score.possible}
    assert len(trend) == len(counted)
    assert {"en": "Attention", "zh": "注意力"}[language] in out
    status, out, _ = call(capsys, "results", "--json")
    document = json.loads(out)
    assert [result["id"] for result in document["results"]][1:] == [second.id, first.id]
    for topic, score in counted.items():
        assert document["topics"][topic]["sat"][0] == {
            "id": first.id, "day": first.day.isoformat(), "score": score.as_json(),
        }  # fmt: skip


@pytest.mark.parametrize("language", ["en", "zh"])
def test_one_result_has_each_answer_beside_the_reference_and_the_call_that_shows_it(
    capsys: Capture, home: Path, language: str
) -> None:
    report = sit(home)
    status, out, err = call(capsys, "results", report.id[:13], "--lang", language)
    assert (status, err) == (0, "")
    assert {"en": "Your answer: $1$ <b>", "zh": "你的答案：$1$ <b>"}[language] in out
    assert "three projections `W` and [x]" in out
    assert {"en": "Reference: ", "zh": "参考答案："}[language] in out
    assert "proofdeck demo D" in out
    assert "@{" not in out
    assert out.count("proofdeck show ") == len(report.missed)
    assert not [line for line in out.splitlines() if line.strip()[:1] in set(CHINESE)]
    _, out, _ = call(capsys, "results", report.id, "--json")
    assert json.loads(out) == json.loads(json.dumps(report.as_json()))


def test_the_beginning_of_an_id_must_name_one(capsys: Capture, home: Path) -> None:
    first, _ = sit(home), sit(home, START + 1000)
    status, out, err = call(capsys, "results", first.id[:8])
    assert (status, out) == (2, "")
    assert f"several self-tests begin with {first.id[:8]}" in err
    assert call(capsys, "results", first.id[:13])[0] == 0


def test_resume_and_draw_are_looked_at_before_the_app_opens(capsys: Capture, home: Path) -> None:
    sit(home)
    _, _, err = call(capsys, "test", "--resume")
    assert "no self-test to resume" in err
    sit(home, START + DAY, hand_in=False)
    _, _, err = call(capsys, "test", "--resume")
    assert "needs a terminal" in err
    cards = load_bank(Home.from_environment()).cards
    there = {(card.topic, card.level) for card in cards if any(drill.kind == "code" for drill in card.drills)}
    topic, level = next(pair for pair in itertools.product(TOPICS, LEVELS) if pair not in there)
    _, _, err = call(capsys, "test", "--topic", topic, "--level", level, "--kind", "code")
    assert "no question in the bank fits" in err


@pytest.mark.slow
@pytest.mark.parametrize("format_", ["md", "html"])
def test_a_paper_and_its_key_are_sheets_that_agree(capsys: Capture, tmp_path: Path, format_: str) -> None:
    paper = tmp_path / "paper.json"
    call(
        capsys,
        "paper",
        "--topic",
        "attention",
        "--topic",
        "bert",
        "--count",
        "8",
        "--seed",
        "5",
        "-o",
        str(paper),
    )
    drawn = read_paper(paper)
    written = {}
    for mode in ("paper", "key"):
        path = tmp_path / f"{mode}.{format_}"
        status, out, err = call(
            capsys, "sheet", "--paper", str(paper), "--mode", mode, "--format", format_, "--lang", "both", "-o", str(path)
        )  # fmt: skip
        assert (status, out) == (0, "")
        assert str(path) in err
        written[mode] = path.read_text(encoding="utf-8")
        assert drawn.form in written[mode]
        assert "@{" not in written[mode]
        for number in range(1, 9):
            assert f'id="question-{number}"' in written[mode]
    assert "proofdeck demo" in written["key"]
    assert "proofdeck demo" not in written["paper"]
    cards = {card.id: card for card in load_bank(Home.in_folder(tmp_path)).cards}
    for question in drawn.questions:
        if question.variant.kind == "choice":
            drill = next(d for d in cards[question.variant.card].drills if d.id == question.variant.drill)
            at = next(n for n, id_ in enumerate(question.variant.options) if next(o for o in drill.options if o.id == id_).right)  # fmt: skip
            assert f"{'ABCDEFGH'[at]}" in written["key"]


def test_a_paper_of_questions_that_are_gone_is_one_line(capsys: Capture, tmp_path: Path) -> None:
    paper = tmp_path / "paper.json"
    sample = Path(__file__).parent.parent / "data" / "sample_cards.yaml"
    call(capsys, "paper", "--deck", str(sample), "--topic", "attention", "--count", "400", "-o", str(paper))
    arguments = (
        "sheet",
        "--paper",
        str(paper),
        "--mode",
        "paper",
        "--format",
        "md",
        "-o",
        str(tmp_path / "x.md"),
    )
    status, _, err = call(capsys, *arguments)
    assert status == 2
    assert "no longer in the bank" in err
    assert "paper.json: question " in err
    assert "--deck" in err
    status, _, err = call(capsys, *arguments, "--deck", str(sample), "--seed", "4")
    assert status == 0
    assert "--seed: has no effect, the questions are drawn already" in err.splitlines()


def test_a_file_that_is_no_paper_is_told_where_and_what_to_do(capsys: Capture, tmp_path: Path) -> None:
    paper = tmp_path / "paper.json"
    call(capsys, "paper", "--topic", "attention", "--count", "2", "--seed", "3", "-o", str(paper))
    good = json.loads(paper.read_text(encoding="utf-8"))
    empty = Paper(3, 2, None, (), (), (), ())
    for content, said in (
        (
            '{\n "format": 1,\n "form": x',
            "paper.json:3:10: this is not a self-test paper; proofdeck paper draws one",
        ),
        (json.dumps({**good, "format": 2}), "a newer version of Proofdeck drew this paper; update"),
        (json.dumps({**good, "seed": 4}), "changed after it was drawn, so no key fits it; draw it again"),
        (empty.text(), "paper.json: this paper has no questions; draw another"),
    ):
        paper.write_text(content, encoding="utf-8")
        status, _, err = call(
            capsys, "sheet", "--paper", str(paper), "--format", "md", "-o", str(tmp_path / "x.md")
        )
        assert status == 2
        assert said in err


@pytest.mark.parametrize("output", ["x.html", "-"])
def test_a_call_that_is_told_to_end_leaves_nothing_behind(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, output: str
) -> None:
    def made(*_arguments: object, **_options: object) -> None:
        with TemporaryDirectory(dir=folder):
            os.kill(os.getpid(), signal.SIGTERM)

    folder = tmp_path / "written"
    folder.mkdir()
    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr("quizbank.sheets.export.made", made)
    with pytest.raises(SystemExit, match="143"):
        call(
            capsys,
            "sheet",
            "--card",
            "why-qkv",
            "--format",
            "html",
            "-o",
            output if output == "-" else str(folder / output),
        )
    assert list(folder.iterdir()) == []
    assert signal.getsignal(signal.SIGTERM) is before


@pytest.mark.slow
@pytest.mark.parametrize("format_", ["md", "html"])
def test_a_self_test_is_a_sheet_with_what_was_answered(
    capsys: Capture, home: Path, tmp_path: Path, format_: str
) -> None:
    report = sit(home)
    path = tmp_path / f"mine.{format_}"
    status, _, _ = call(
        capsys, "sheet", "--session", report.id, "--format", format_, "--lang", "zh", "-o", str(path)
    )
    text = path.read_text(encoding="utf-8")
    assert status == 0
    assert report.paper.form in text
    assert "参考答案" in text
    assert "你的答案" in text
    assert {"md": "`$1$ <b>`", "html": "<code>$1$ &lt;b&gt;</code>"}[format_] in text
    assert f"{report.score.earned:.3g} / {report.score.possible}" in text
    # in another mode, the paper that was sat
    blank = tmp_path / f"blank.{format_}"
    call(capsys, "sheet", "--session", report.id, "--mode", "paper", "--format", format_, "-o", str(blank))
    assert report.paper.form in blank.read_text(encoding="utf-8")
    assert "$1$" not in blank.read_text(encoding="utf-8")
