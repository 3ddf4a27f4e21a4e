"""What a person is told when a program does not do what it should."""

from __future__ import annotations

import json
import os
import sys
import time
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.coding import limits, load, run, runner
from engine.coding.outcome import Outcome
from engine.coding.process import execute
from engine.coding.specification import edited
from engine.coding.wire import WireError, decode, encode

ATTENTION = load("attention")


def program(body: str) -> str:
    """An attention with this body, whose first line is line 2."""
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    return f"def attention(query, key, value, mask):\n{lines}\n"


def tried(body: str, deadline: float = 20.0) -> Outcome:
    """The outcome of an attention with this body."""
    return run(ATTENTION, program(body), deadline=deadline)


FAULTS = [
    ("return None", "failed", "returns None", "返回 None"),
    ("x = 1 +", "refused", "line 2: Python cannot read this", "第 2 行：Python 无法解析"),
    (
        "x = 1\nreturn quary",
        "error",
        "line 3: NameError: name 'quary' is not defined",
        "第 3 行：NameError",
    ),
    ("return value", "failed", "its shape is (2, 4, 5) and should be (2, 3, 5)", "应为 (2, 3, 5)"),
    ("return value[:, :1] > 0", "failed", "its dtype is bool", "dtype 是 bool"),
    ("return 'context'", "failed", "asked for is an array of numbers", "要求返回数值数组"),
    ("return {'context': value}", "failed", "it returns dict", "返回的是 dict"),
    ("return value.astype(complex)", "failed", "it returns complex128", "返回的是 complex128"),
    ("return [[1.0], [1.0, 2.0]]", "failed", "it returns list", "返回的是 list"),
    ("return np.zeros((2000, 2000))", "failed", "more than 4 MiB", "超过 4 MiB"),
    ("raise SystemExit(0)", "error", "line 2: SystemExit", "第 2 行：SystemExit"),
    ("return attention(query, key, value, mask)", "error", "RecursionError", "RecursionError"),
    ("return np.einsum('bld,bsd->bls', query, key, value)", "error", "line 2: ValueError", "ValueError"),
]
ENDING = [
    ("return np.ones(80 * 2**20)", "memory", "line 2: it asks for more memory", "内存需求超过"),
    ("import os\nos._exit(0)", "error", "ended the process itself", "自行结束了进程"),
    ("import os\nos.kill(os.getpid(), 9)", "error", "signal 9", "信号 9"),
]
Told = tuple[str, str, str, str]


@cache
def outcomes() -> dict[str, Outcome]:
    """Of all bodies that leave the process alive, run one after the other."""
    bodies = [body for body, *_ in FAULTS]
    return dict(zip(bodies, runner.run_all(ATTENTION, tuple(map(program, bodies))), strict=True))


@pytest.mark.parametrize("told", FAULTS, ids=[row[0] for row in FAULTS])
def test_a_fault_is_told_in_both_languages(told: Told) -> None:
    assert_told(outcomes()[told[0]], told)


@pytest.mark.parametrize("told", ENDING, ids=[row[0] for row in ENDING])
def test_what_ends_the_process_is_told(told: Told) -> None:
    assert_told(tried(told[0]), told)


def assert_told(outcome: Outcome, told: Told) -> None:
    _, verdict, en, zh = told
    assert outcome.verdict == verdict
    assert en in outcome.message.en
    assert zh in outcome.message.zh
    assert outcome.slip is None


def test_the_first_failing_case_is_named_with_shapes_and_difference() -> None:
    outcome = tried(
        "w = np.exp(query @ key.swapaxes(-1, -2))\nreturn w / w.sum(-1, keepdims=True) @ value + 0.25"
    )
    assert (outcome.case, outcome.passed) == (0, 0)
    assert outcome.shapes == {"query": (1, 1, 1), "key": (1, 1, 1), "value": (1, 1, 1), "mask": "= None"}
    assert outcome.difference == pytest.approx(0.25, rel=1e-6)
    assert outcome.where == (0, 0, 0)
    assert outcome.slip is None
    assert "largest difference 0.25 at [0, 0, 0]" in outcome.message.en


def test_a_wrong_token_is_told_without_a_difference() -> None:
    beam = load("beam-search")
    longer, swapped = (
        run(beam, edited(beam.solution, ("np.array(winner[0]),", f"np.array({tokens}),")))
        for tokens in ("[*winner[0], 9]", "[*winner[0][:-1], 9]")
    )
    assert longer.difference is swapped.difference is None
    assert longer.output == swapped.output == "tokens"
    assert "tokens: [2, 9] where [2] is right" in longer.message.en
    assert "tokens: at [0]: [9] where [2] is right" in swapped.message.en
    assert "tokens：[0] 处得到 [9]，应为 [2]" in swapped.message.zh
    assert "，start = 0，end = 0，" in swapped.message.zh


def test_an_endless_loop_ends_at_the_deadline_and_names_its_case() -> None:
    endless = tried("print('here')\nwhile True:\n    pass", deadline=1.0)
    assert (endless.verdict, endless.case, endless.printed) == ("timeout", 0, "here\n")
    assert "1 s" in endless.message.en
    assert "1 秒" in endless.message.zh


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="no groups of processes")
def test_what_it_starts_ends_with_it(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    body = f"""import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
with open({str(mark)!r}, "w") as file:
    file.write(str(child.pid))
os._exit(0)"""
    outcome = tried(body)
    if "BlockingIOError" in outcome.message.en:
        pytest.skip("this user may start no process")
    pid = int(mark.read_text())
    for _ in range(200):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            break
        if _is_zombie(pid):
            break
        time.sleep(0.02)
    else:
        pytest.fail("a process the program started lives on")


def _is_zombie(pid: int) -> bool:
    """Dead, and not yet collected by whoever inherited it."""
    status = Path(f"/proc/{pid}/stat")
    return status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z"


@pytest.mark.parametrize("source", ["", "  \n", "x = 1\n" * 10_000, "x = '\0'", "x = '\ud800'"])
def test_what_is_no_program_is_refused(source: str) -> None:
    outcome = run(ATTENTION, source)
    assert outcome.verdict == "refused"
    assert outcome.message.zh


def test_a_missing_function_is_told() -> None:
    assert "no function called attention" in run(ATTENTION, "def atention(q): ...").message.en
    assert "no function called attention" in run(ATTENTION, "attention = 3").message.en


def test_a_module_that_raises_is_told_with_its_line() -> None:
    outcome = run(ATTENTION, "x = 1\ny = x / 0\n")
    assert (outcome.verdict, outcome.line) == ("error", 2)
    assert "ZeroDivisionError" in outcome.message.zh


def test_a_program_that_reads_more_code_and_cannot_has_raised() -> None:
    outcome = run(ATTENTION, "exec('x = (')\n" + program("return value"))
    assert outcome.verdict == "error"
    assert "line 1: SyntaxError" in outcome.message.en


def test_arguments_changed_in_place_are_a_note() -> None:
    changing = ATTENTION.solution.replace(
        "    scores = query",
        "    query *= 1.0\n    query += 1.0\n    query -= 1.0\n    value[:] = value * 1.0\n    key[...] = 0.0 * key + key\n    scores = query",
    )
    outcome = run(ATTENTION, changing)
    assert any("changes its argument" in note.en and "query" in note.en for note in outcome.notes)
    assert not any("value" in note.en for note in outcome.notes)


def test_float32_is_a_note() -> None:
    narrow = ATTENTION.solution.replace(
        "return weights @ value", "return (weights @ value).astype(np.float32)"
    )
    outcome = run(ATTENTION, narrow)
    assert outcome.verdict == "failed"
    assert any("float32" in note.zh for note in outcome.notes)


def test_output_is_bounded_and_cleaned() -> None:
    outcome = tried(
        "print('\\x1b]52;c;eA==\\x07\\x1b[2Jshown\\u202e')\nprint('x' * 10**6)\nraise ValueError('\\x1b[31mred')"
    )
    assert outcome.printed.startswith("shown\n")
    assert len(outcome.printed) <= 4_000
    assert "ValueError: red" in outcome.message.en


def test_warnings_name_the_line() -> None:
    assert "answer.py:2: RuntimeWarning" in tried("return np.log(0 * value)[:, :0]").printed


def test_the_environment_and_the_folder_are_not_the_persons() -> None:
    os.environ["PROOFDECK_SECRET"] = "told"
    try:
        outcome = tried(
            "import os, sys\nprint(os.listdir(), 'PROOFDECK_SECRET' in os.environ, sys.stdin.read())"
        )
    finally:
        del os.environ["PROOFDECK_SECRET"]
    assert outcome.printed.startswith("[] False \n")


@pytest.mark.skipif(sys.platform == "win32", reason="no limits of this kind")
def test_files_stay_small() -> None:
    outcome = tried("f = open('big', 'wb')\nfor _ in range(100):\n    f.write(bytes(10**6))\n    f.flush()")
    assert "OSError" in outcome.message.en


@pytest.mark.skipif(sys.platform != "linux", reason="the limits differ")
def test_the_limits_are_set() -> None:
    body = """import resource
for name in ("AS", "CPU", "FSIZE", "NPROC", "CORE"):
    print(resource.getrlimit(getattr(resource, "RLIMIT_" + name))[0])"""
    memory, cpu, file, processes, core = map(int, tried(body, deadline=9.0).printed.split()[:5])
    assert (memory, file, processes, core) == (512 * 2**20, 32 * 2**20, 0, 0)
    assert 9 < cpu < 15


@pytest.mark.parametrize(("platform", "told"), [("win32", "时间"), ("darwin", "内存"), ("linux", "")])
def test_what_a_system_cannot_limit_is_said(
    platform: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    missing = limits.missing()
    assert missing is None if not told else missing is not None and told in missing.zh


def test_results_are_data_only() -> None:
    class Trap:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            raise AssertionError("pickled")

    with pytest.raises(WireError):
        encode(np.array([Trap()], dtype=object))
    good = encode(np.ones((2, 3)))
    assert decode(good).sum() == 6.0
    for change in (
        {"dtype": "O"},
        {"shape": [2, 4]},
        {"shape": [-1]},
        {"shape": [10**9, 10**9]},
        {"shape": [True, 6]},
        {"data": "!!"},
        {"data": None},
    ):
        with pytest.raises(WireError):
            decode({**good, **change})
    with pytest.raises(WireError):
        decode([1, 2])


def test_a_forged_result_line_is_ignored() -> None:
    body = """import glob
for path in glob.glob('../job/results.jsonl'):
    with open(path, 'a') as file:
        file.write('{"program": 0, "case": 0, "kind": "value", "arrays": [{"dtype": "O"}]}\\\\n[1]\\\\n')
return value"""
    assert tried(body).verdict == "failed"


def test_the_outcome_is_json() -> None:
    outcome = tried("return value[:, :1] * np.nan")
    assert json.loads(json.dumps(outcome.as_json(), allow_nan=False))["difference"] == "nan"


def test_execution_counts_the_cases_it_came_to() -> None:
    program = "def f(x):\n    while x > 1: pass\n    return x"
    done = execute("f", 1, [program], [{"x": 0.0}, {"x": 1.0}, {"x": 2.0}], 0.5)
    assert done.ended == "timeout"
    assert len(done.records[0]) == 2


@given(
    st.sampled_from([np.float64, np.int64, np.bool_, np.float32]),
    st.lists(st.integers(0, 3), max_size=4),
    st.integers(0, 2**32 - 1),
)
def test_arrays_come_back_as_they_went(dtype: type, shape: list[int], seed: int) -> None:
    array = np.random.default_rng(seed).normal(scale=3, size=shape).astype(dtype)
    back = decode(json.loads(json.dumps(encode(array))))
    assert back.shape == array.shape
    np.testing.assert_array_equal(back, array)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: (
            st.lists(inner) | st.dictionaries(st.sampled_from(["dtype", "shape", "data", "x"]), inner)
        ),
    )
)
def test_no_document_breaks_the_reader(document: object) -> None:
    try:
        decode(document)
    except WireError:
        return


def test_parameters_may_be_renamed_or_moved() -> None:
    signature = "def attention(query, key, value, mask):"
    moved = ATTENTION.solution.replace(signature, "def attention(mask, value, key, query, scale=None):")
    renamed = ATTENTION.solution.replace(
        signature, "def attention(Q, K, V, M):\n    query, key, value, mask = Q, K, V, M"
    )
    short = ATTENTION.solution.replace(signature, "def attention(query, key, value):\n    mask = None")
    outcomes = runner.run_all(ATTENTION, (moved, renamed, short))
    assert [outcome.verdict for outcome in outcomes] == ["passed", "passed", "error"]
    assert "takes 3 positional arguments but 4 were given" in outcomes[2].message.en


def test_a_program_may_define_classes() -> None:
    source = "from __future__ import annotations\nfrom dataclasses import dataclass\n@dataclass\nclass Head:\n    d_k: int\n"
    assert run(ATTENTION, source + ATTENTION.solution).verdict == "passed"


def test_a_byte_order_mark_is_no_fault() -> None:
    assert run(ATTENTION, "\ufeff" + ATTENTION.solution).verdict == "passed"


def test_the_slips_are_no_fault_of_the_person(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "TRUSTED_SECONDS", 0.0)
    slip = ATTENTION.slips[0]
    outcome = run(ATTENTION, slip.source, seed=77)
    assert (outcome.verdict, outcome.slip_id) == ("failed", "")
    monkeypatch.undo()
    assert run(ATTENTION, slip.source, seed=77).slip_id == slip.id
