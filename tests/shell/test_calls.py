"""The calls of the shell as a person and a script meet them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from rich.cells import cell_len

from quizbank.bank import SHIPPED
from quizbank.card import LEVELS, TOPICS, VERDICTS
from tui.cli import main

Capture = pytest.CaptureFixture[str]

CLASSIC = (
    "self-attention-long-range",
    "bert-vs-gpt",
    "why-qkv",
    "layernorm-vs-batchnorm",
    "why-positional-information",
    "gradient-checkpointing",
    "flash-attention",
)


def call(capsys: Capture, *arguments: str) -> tuple[int, str, str]:
    status = main(list(arguments))
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_version_and_help(capsys: Capture) -> None:
    status, out, _ = call(capsys, "--version")
    assert status == 0
    assert re.fullmatch(r"proofdeck \d+\.\d+\.\d+\n", out)
    for language, word in (("en", "Commands"), ("zh", "子命令")):
        status, out, _ = call(capsys, "--lang", language, "--help")
        assert status == 0
        assert word in out
        for name in (
            "study",
            "test",
            "list",
            "show",
            "demo",
            "check",
            "sheet",
            "lint",
            "schema",
            "paper",
            "results",
        ):
            assert f"  {name} " in out
            assert call(capsys, "--lang", language, name, "--help")[0] == 0


def test_list_as_json_has_the_seven_classic_cards(capsys: Capture) -> None:
    status, out, _ = call(capsys, "list", "--json")
    cards = {card["id"]: card for card in json.loads(out)}
    assert status == 0
    assert set(CLASSIC) <= set(cards)
    for card in cards.values():
        assert set(card) == {
            "id", "topic", "level", "verdict", "question", "demos", "claims", "drills", "marks",
        }  # fmt: skip
        assert card["topic"] in TOPICS
        assert card["level"] in LEVELS
        assert card["verdict"] in VERDICTS
        assert card["question"]["en"]
        assert card["question"]["zh"]
        assert card["demos"]
        assert card["claims"]
        assert len(card["drills"]) >= 3
        assert len({drill["kind"] for drill in card["drills"]}) >= 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("query", "card"),
    [
        ("flash", "flash-attention"),
        ("FLASH 在线", "flash-attention"),
        ("显存", "gradient-checkpointing"),
        ("位置信息", "why-positional-information"),
        ("ＢＥＲＴ", "bert-vs-gpt"),
        ("softmax", "flash-attention"),
    ],
)
def test_search_in_either_language(capsys: Capture, query: str, card: str) -> None:
    _, out, _ = call(capsys, "list", "--json", "--search", query)
    assert card in [found["id"] for found in json.loads(out)]


def test_what_is_found_by_words_has_its_topic_on_each_line(capsys: Capture) -> None:
    _, out, _ = call(capsys, "list", "--search", "softmax")
    facts = [line for line in out.splitlines() if line.startswith("  ") and not line.startswith("   ")]
    assert not [line for line in out.splitlines() if not line.startswith(" ")]
    assert len({line.split()[0] for line in facts}) == len(facts)
    assert any(re.match(r"  softmax-saturation +Attention \(attention\) · core · ", line) for line in facts)
    _, out, _ = call(capsys, "list", "--topic", "attention")
    assert out.splitlines()[0] == "Attention (attention)"
    assert "(attention) ·" not in out


def test_a_topic_that_is_none_is_told_with_the_names_of_those_there_are(capsys: Capture) -> None:
    status, _, err = call(capsys, "list", "--topic", "nosuch", "--lang", "zh")
    assert status == 2
    assert "convolution（卷积）、rnn（循环神经网络）" in err
    assert "、bert、gpt、" in err
    _, _, err = call(capsys, "list", "--topic", "nosuch", "--lang", "en")
    assert "convolution, rnn, " in err


def test_a_unit_of_two_cells_moves_no_description(capsys: Capture) -> None:
    _, out, _ = call(capsys, "demo", "D45", "--lang", "zh")
    told = [line for line in out.splitlines() if re.match(r"(k|alpha|half|size) = ", line)]
    assert {line[:24].rstrip(): line[24] for line in told} == {
        "k = 10": "答", "alpha = 0.3": "损", "half = 1 B": "一", "size = 100 B": "所",
    }  # fmt: skip
    # the refuted claim prints what its text speaks of
    assert "p² = p" in out
    assert "25" in out


def test_search_that_finds_nothing_is_an_empty_list(capsys: Capture) -> None:
    status, out, _ = call(capsys, "list", "--json", "--search", "zebra crossing")
    assert (status, json.loads(out)) == (0, [])


def test_list_filters(capsys: Capture) -> None:
    for arguments, wanted in (
        (("--topic", "efficient"), "flash-attention"),
        (("--demo", "D27"), "why-positional-information"),
        (("--demo", "permutation-equivariance"), "why-positional-information"),
    ):
        _, out, _ = call(capsys, "list", "--json", *arguments)
        ids = [card["id"] for card in json.loads(out)]
        assert wanted in ids
        assert "bert-vs-gpt" not in ids


@pytest.mark.slow
@pytest.mark.parametrize("card", CLASSIC)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_show_lays_the_whole_card_out(capsys: Capture, card: str, language: str) -> None:
    status, out, err = call(capsys, "show", card, "--lang", language)
    assert (status, err) == (0, "")
    assert "@{" not in out
    assert "\\frac" not in out
    assert not [line for line in out.splitlines() if line.strip()[:1] in set("，。、；：？！）】》")]


@pytest.mark.slow
@pytest.mark.parametrize("card", CLASSIC)
def test_show_as_json_has_every_slot_filled(capsys: Capture, card: str) -> None:
    status, out, _ = call(capsys, "show", card, "--json")
    shown = json.loads(out)
    assert status == 0
    assert shown["id"] == card
    assert len(shown["follow_ups"]) >= 3
    assert "@{D" not in json.dumps({key: value for key, value in shown.items() if key != "drills"})


def test_demo_meets_its_tolerance_and_repeats_itself(capsys: Capture) -> None:
    runs = []
    for _ in range(2):
        status, out, _ = call(capsys, "demo", "D19", "--set", "d_k=256", "--json")
        assert status == 0
        runs.append(out)
    document = json.loads(runs[0])
    assert document["ok"] is True
    assert document["parameters"]["d_k"] == 256
    assert all(step["status"] == step["expected"] for step in document["steps"])
    check = next(check for check in document["checks"] if check["name"] == "score-variance")
    assert abs(check["measured"] - check["predicted"]) <= check["tolerance"]
    without_times = [re.sub(r'"ms": [0-9.]+', '"ms": 0', run) for run in runs]
    assert without_times[0] == without_times[1]


@pytest.mark.slow
def test_two_processes_give_the_same_bytes(home: Path) -> None:
    command = [sys.executable, "-m", "tui", "demo", "D25", "--seed", "7", "--json"]
    made = [subprocess.run(command, capture_output=True, check=True).stdout for _ in range(2)]
    times = re.compile(rb'"ms": [0-9.]+')
    assert times.sub(b"", made[0]) == times.sub(b"", made[1])


@pytest.mark.parametrize("language", ["en", "zh"])
def test_demo_in_words(capsys: Capture, language: str) -> None:
    status, out, _ = call(capsys, "demo", "gradient-decay", "--lang", language)
    assert status == 0
    assert "✓" in out
    assert "✗" in out
    assert "λ" in out


def test_a_number_below_zero_is_taken_with_the_minus_it_is_shown_with(capsys: Capture) -> None:
    _, shown, _ = call(capsys, "demo", "D19", "--set", "mu_q=-0.5", "--plain")
    assert "mu_q = −0.5" in shown
    assert call(capsys, "demo", "D19", "--set", "mu_q=−0.5", "--plain")[:2] == (0, shown)
    assert "mu_q = −2:" in call(capsys, "demo", "D19", "--sweep", "mu_q", "--plain")[1]


def test_a_sweep_in_words_and_as_json(capsys: Capture) -> None:
    status, out, _ = call(capsys, "demo", "D19", "--set", "scale=none", "--sweep", "d_k", "--json")
    runs = json.loads(out)["runs"]
    assert status == 0
    assert [one["predicted"] for one in runs] == [one["value"] for one in runs]
    _, drawn, _ = call(capsys, "demo", "D19", "--sweep", "scale", "--lang", "zh")
    assert "scale = none：" in drawn
    assert re.search("[█▓]", drawn)
    _, said, _ = call(capsys, "demo", "D19", "--sweep", "scale", "--lang", "zh", "--plain")
    assert "分数的方差：随“分数除以什么”变化" in said
    assert [line.partition("：")[0] for line in said.splitlines() if "（预测 " in line] == [
        "scale = none", "scale = sqrt", "scale = linear",
    ]  # fmt: skip
    assert "每个点各运行一次，随机种子相同" in said
    assert not re.search("[█▓⠀-⣿]", said)


def test_demo_list(capsys: Capture) -> None:
    _, out, _ = call(capsys, "demo", "--list", "--json")
    listed = {demo["id"]: demo for demo in json.loads(out)}
    assert set(listed) >= {"D07", "D19", "D20", "D23", "D25", "D27", "D33", "D40", "D41", "D42", "D52", "D56"}
    assert all(demo["title"]["zh"] for demo in listed.values())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("show", "why-qvk"), "why-qkv"),
        (("show", "no\x1b[2Jsuch"), "no card is called no�[2Jsuch (proofdeck list"),
        (("demo", "D999"), "no demonstration is called"),
        (("demo",), "--list"),
        (("demo", "D19", "--set", "d_k=5000"), "1 to 1024"),
        (("demo", "D19", "--set", "d_k=many"), "1 to 1024"),
        (("demo", "D19", "--set", "d_k=nan"), "1 to 1024"),
        (("demo", "D19", "--set", "d_k"), "name=value"),
        (("demo", "D19", "--sweep", "width"), "no parameter width"),
        (("demo", "D19", "--set", "=3"), "name=value"),
        (("demo", "D19", "--set", "nope=1"), "has no parameter"),
        (("demo", "D19", "--seed", "-1"), "0 or more"),
        (("list", "--topic", "cooking"), "convolution"),
        (("list", "--level", "easy"), "core"),
        (("list", "--demo", "D999"), "no demonstration is called"),
        (("list", "--deck", "missing.yaml"), "missing.yaml"),
        (("sheet", "--format", "docx", "-o", "x"), "md, html"),
        (("sheet", "-o", "x.docx"), "md, html"),
        (("sheet", "--format", "md"), "missing: -o/--output"),
        (("sheet", "--format", "md", "-o", "-"), "figures in files beside it"),
        (("sheet", "--format", "md", "--set", "nope", "-o", "x.md"), "no set is called"),
        (("sheet", "--format", "md", "--demo", "D999", "-o", "x.md"), "no demonstration is called"),
        (("sheet", "--format", "md", "--topic", "own", "-o", "x.md"), "nothing to write"),
        (("sheet", "--format", "html", "--force", "-o", "/dev/null"), "no ordinary file"),
        (("sheet", "--format", "md", "-o", "no/such/folder/x.md"), "no/such/folder"),
        (("sheet", "--format", "md", "-o", "."), "folder"),
        (("sheet", "--format", "md", "--card", "nope", "-o", "x.md"), "no card is called"),
        (("sheet", "--format", "md", "--date", "today", "-o", "x.md"), "YYYY-MM-DD"),
        (("study", "--limit", "0"), "1 or more"),
        (("test", "--minutes", "nan"), "1 or more"),
        (("test", "--minutes", "601"), "1 to 600"),
        (("test", "--count", "501"), "1 to 500"),
        (("test", "--kind", "riddle"), "choice, number"),
        (("test", "--resume"), "no self-test to resume"),
        (("test", "--resume", "--weak"), "--resume: goes on with a paper as it was drawn"),
        (("test", "--seed", "3"), "needs a terminal"),
        (("paper", "--count", "3"), "missing: -o/--output"),
        (("paper", "--minutes", "0", "-o", "x.json"), "1 or more"),
        (("paper", "--count", "501", "-o", "x.json"), "1 to 500"),
        (("paper", "--topic", "cooking", "-o", "x.json"), "convolution"),
        (("paper", "-o", "no/such/folder/x.json"), "no/such/folder"),
        (("paper", "-o", "."), "folder"),
        (("results", "0123"), "no self-test has the id 0123"),
        (("sheet", "--format", "md", "--paper", "missing.json", "-o", "x.md"), "missing.json"),
        (("sheet", "--format", "md", "--session", "0123", "-o", "x.md"), "no self-test has the id 0123"),
        (("sheet", "--format", "md", "--session", "0123", "--card", "why-qkv", "-o", "x.md"), "not several"),
        (("lint", "missing.yaml"), "missing.yaml"),
        (("demmo",), "demo"),
        (("list", "--jsn"), "--json"),
        (("show",), "CARD"),
        (("show", "why-qkv", "extra"), "extra"),
        (("study",), "needs a terminal"),
        ((), "needs a terminal"),
        (("--lang", "fr", "list"), "zh, en"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(
    capsys: Capture, arguments: tuple[str, ...], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    status, out, err = call(capsys, *arguments)
    assert status == 2
    assert out == ""
    assert words in err
    assert err.count("\n") == 1
    assert "\x1b" not in err
    assert "Traceback" not in err
    assert sorted(tmp_path.iterdir()) == before


def test_a_terminal_that_cannot_draw_is_told_what_it_can_do(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "dumb")
    for language in ("en", "zh"):
        monkeypatch.setenv("PROOFDECK_LANG", language)
        status, _, err = call(capsys)
        assert status == 2
        assert "TERM=dumb" in err
        assert {"en": "line by line", "zh": "逐行"}[language] in err


def test_a_bad_language_in_the_environment(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROOFDECK_LANG", "klingon")
    status, _, err = call(capsys, "list")
    assert (status, err) == (2, "proofdeck: PROOFDECK_LANG: must be zh or en\n")


def test_errors_are_in_the_language_asked_for(capsys: Capture) -> None:
    _, _, err = call(capsys, "show", "nope", "--lang", "zh")
    assert "没有名为 nope 的卡片" in err


def test_a_data_folder_that_cannot_be_used(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("mine", encoding="utf-8")
    monkeypatch.setenv("PROOFDECK_HOME", str(in_the_way))
    for arguments in (("study",), ("list",), ()):
        status, _, err = call(capsys, *arguments)
        assert status == 2
        assert str(in_the_way) in err
    assert in_the_way.read_text(encoding="utf-8") == "mine"


@pytest.mark.slow
def test_sheet_writes_what_it_says(capsys: Capture, tmp_path: Path) -> None:
    for format_, named in (("md", ("--format", "md")), ("html", ())):
        path = tmp_path / f"deck.{format_}"
        arguments = ("sheet", "--card", "why-qkv", "--lang", "both", *named, "-o", str(path))
        status, out, err = call(capsys, *arguments)
        assert (status, out) == (0, "")
        assert str(path) in err
        text = path.read_text(encoding="utf-8")
        assert "三个投影" in text
        assert "Why three projections" in text
        assert call(capsys, *arguments)[0] == 2
        assert call(capsys, *arguments, "--force")[0] == 0


def test_a_sheet_is_written_through_a_link(capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "old.html").write_text("old", encoding="utf-8")
    link = tmp_path / "link.html"
    link.symlink_to("old.html")
    status, *_ = call(
        capsys,
        "sheet",
        "--card",
        "why-qkv",
        "--mode",
        "paper",
        "--format",
        "html",
        "-o",
        str(link),
        "--force",
    )
    assert status == 0
    assert link.is_symlink()
    # where no language is asked for, both
    written = (tmp_path / "old.html").read_text(encoding="utf-8")
    assert "三个投影" in written
    assert "Why three projections" in written


def test_a_sheet_to_stdout(capsys: Capture) -> None:
    status, out, err = call(
        capsys, "sheet", "--card", "why-qkv", "--mode", "paper", "--format", "html", "-o", "-"
    )
    assert (status, err) == (0, "")
    assert out.startswith("<!")
    assert out.rstrip().endswith("</html>")


@pytest.mark.parametrize(
    ("format_", "options", "told"),
    [
        ("apkg", "--mode paper", "--mode paper: apkg has question and answer in every mode"),
        ("apkg", "--mode key --date 2026-01-01", "--date: has no effect on apkg"),
        ("apkg", "--mode embedded --seed 3", ""),
        ("html", "--size letter --flavour plain", "--size: has no effect on html"),
        ("json", "--flavour github", "--flavour: has no effect on json"),
        ("md", "--size a4 --flavour plain", "--size: has no effect on md"),
        ("html", "--mode key --date 2026-01-01 --seed 3", ""),
    ],
)
def test_an_option_that_changes_nothing_is_told(
    capsys: Capture, tmp_path: Path, format_: str, options: str, told: str
) -> None:
    path = tmp_path / f"x.{format_}"
    arguments = ("sheet", "--card", "why-qkv", *options.split(), "-o", str(path))
    status, out, err = call(capsys, *arguments)
    assert (status, out) == (0, "")
    if told:
        assert told in err.splitlines()
    else:
        assert err.splitlines() == [str(path)]
    if told:
        _, _, err = call(capsys, *arguments, "--lang", "zh", "--force")
        assert "不起作用" in err or "在任何模式下" in err


def test_a_sheet_takes_the_filters_of_the_list(capsys: Capture) -> None:
    narrowed = ("--topic", "code", "--level", "core")
    _, listed, _ = call(capsys, "list", *narrowed, "--json")
    wanted = [card["id"] for card in json.loads(listed)]
    arguments = ("sheet", "--mode", "paper", "--lang", "en", "--format", "html", "-o", "-")
    _, out, _ = call(capsys, *arguments, *narrowed)
    assert re.findall(r'<h\d id="card-([^"]+)"', out) == wanted
    _, out, _ = call(capsys, *arguments, "--set", "last-evening", "--level", "deep")
    _, listed, _ = call(capsys, "list", "--set", "last-evening", "--level", "deep", "--json")
    assert re.findall(r'<h\d id="card-([^"]+)"', out) == [card["id"] for card in json.loads(listed)]


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="needs a device that is always full")
@pytest.mark.parametrize("arguments", ["list", "show why-qkv", "--help", "demo --list --json"])
def test_output_that_cannot_be_written_is_one_line(arguments: str) -> None:
    done = subprocess.run(
        f"{sys.executable} -m tui {arguments} > /dev/full",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert (
        done.stderr.splitlines()[-1]
        == "proofdeck: stdout: cannot be read or written: No space left on device"
    )
    assert "Traceback" not in done.stderr


def test_no_output_at_all_is_as_asked() -> None:
    done = subprocess.run(
        f"{sys.executable} -m tui show why-qkv >&-", shell=True, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
def test_a_deck_of_ones_own_is_added(capsys: Capture) -> None:
    sample = Path(__file__).parent.parent / "data" / "sample_cards.yaml"
    _, out, _ = call(capsys, "list", "--json", "--deck", str(sample))
    assert "sample-attention-scale" in [card["id"] for card in json.loads(out)]
    assert call(capsys, "lint", str(sample))[0] == 0


@pytest.mark.slow
def test_every_fault_of_a_deck_in_one_run(capsys: Capture, tmp_path: Path) -> None:
    sample = Path(__file__).parent.parent / "data" / "sample_cards.yaml"
    text = sample.read_text(encoding="utf-8")
    broken = (
        text.replace("level: core", "level: easy", 1)
        .replace("claims: [dot-product-variance]", "claims: [no-such-claim]")
        .replace("refuted_by: D19.unit-variance-suffices", "refuted_by: D19.nothing-like-it")
    )
    path = tmp_path / "broken.yaml"
    path.write_text(broken, encoding="utf-8")
    status, out, _ = call(capsys, "lint", str(path))
    assert status == 1
    assert all(re.match(rf"{re.escape(str(path))}:\d+(:\d+)?: .+", line) for line in out.splitlines())


def test_the_cards_of_a_clone_that_does_not_run_are_not_linted_against_those_that_do(
    capsys: Capture, tmp_path: Path
) -> None:
    there = tmp_path / "quizbank" / "cards" / "attention.yaml"
    there.parent.mkdir(parents=True)
    there.write_bytes((SHIPPED / "cards" / "attention.yaml").read_bytes())
    status, out, err = call(capsys, "lint", str(there))
    assert (status, out) == (2, "")
    assert "pip install -e ." in err


@pytest.mark.slow
def test_what_cards_refer_to_can_be_linted_too(capsys: Capture) -> None:
    for name in ("claims.yaml", "complete.yaml"):
        assert call(capsys, "lint", str(SHIPPED / name)) == (0, "", "")


def test_schema_is_a_json_schema(capsys: Capture) -> None:
    _, out, _ = call(capsys, "schema")
    assert "properties" in json.loads(out) or "$defs" in json.loads(out)
    _, out, _ = call(capsys, "schema", "--sheet")
    assert json.loads(out)["properties"]["format"] == {"const": "proofdeck-sheet"}


@pytest.mark.slow
def test_calls_of_the_shell_import_no_textual() -> None:
    script = (
        "import sys\n"
        "from tui.cli import main\n"
        "for call in (['--help'], ['--version'], ['list'], ['show', 'why-qkv'], ['demo', '--list'], ['results'], ['paper', '-o', '-']):\n"
        "    assert main(call) == 0\n"
        "print([name for name in sys.modules if name.split('.')[0] == 'textual'])\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_help_imports_none_of_the_heavy_libraries() -> None:
    script = (
        "import sys\n"
        "from tui.cli import main\n"
        "main(['--help']), main(['--version'])\n"
        "print(sorted({name.split('.')[0] for name in sys.modules} & {'numpy', 'sympy', 'yaml', 'textual', 'pydantic'}))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_reader_that_goes_away_is_no_error() -> None:
    # status 0, and nothing said of it
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", f"{sys.executable} -m tui list | head -1"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip()
    assert "Traceback" not in done.stderr
    assert "Error" not in done.stderr


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_help_says_of_every_call_in_full_what_it_is_for(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    status, out, _ = call(capsys, "--lang", language, "--help")
    assert status == 0
    assert "..." not in out.partition("[ARGS]...")[2]
    assert {"en": "what is installed, whether your files are sound", "zh": "你的文件是否完好"}[
        language
    ] in " ".join(out.split())
    for name in ("derive", "import"):
        out += call(capsys, "--lang", language, name, "--help")[1]
    assert all(cell_len(row) <= 80 for row in out.splitlines())
    for word in {"en": ("Options:", "Commands:", "[required]"), "zh": ("选项：", "子命令：", "[必填]")}[
        language
    ]:
        assert word in out


def test_a_group_of_calls_by_itself_names_them(capsys: Capture) -> None:
    status, _, err = call(capsys, "log")
    assert status == 2
    assert err.count("\n") == 1
    assert "one of check, export, import, merge, restore, undo (proofdeck log --help)" in err


def test_a_port_that_is_none_is_refused_as_any_number(capsys: Capture) -> None:
    status, _, err = call(capsys, "serve", "--port", "99999")
    assert status == 2
    assert "--port: must be a whole number from 1 to 65535, not 99999" in err


def test_the_glossary_in_both_languages_and_as_json(capsys: Capture) -> None:
    status, out, err = call(capsys, "glossary", "teacher", "forcing")
    assert status == 0
    assert out.startswith("teacher forcing · 教师强制")
    assert "1 term" in err
    status, out, _ = call(capsys, "glossary", "教师强制", "--json")
    (term,) = json.loads(out)
    assert (term["name"]["en"], term["key"]) == ("teacher forcing", "teacher-forcing")
    # nothing found is no failure, of terms as of cards
    assert call(capsys, "glossary", "zebra") == (0, "", "0 terms\n")
    assert call(capsys, "list", "--search", "zebra") == (0, "", "0 cards\n")


def test_the_cards_of_a_set_in_its_order(capsys: Capture) -> None:
    status, out, _ = call(capsys, "list", "--set", "thirty-most-asked", "--json")
    found = [card["id"] for card in json.loads(out)]
    assert status == 0
    assert len(found) == 30
    assert found.index("vanishing-gradient") < found.index("why-qkv") < found.index("kv-cache")
    for name in ("list", "study"):
        status, _, err = call(capsys, name, "--set", "nowhere")
        assert status == 2
        assert "thirty-most-asked" in err


def test_a_card_says_what_it_builds_on(capsys: Capture) -> None:
    assert "builds on: scaled-dot-product-attention" in call(capsys, "show", "sqrt-dk-scale")[1]
