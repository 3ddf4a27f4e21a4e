"""YAML is read strictly, bounded, and with every fault in its place."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from quizbank import yaml_nodes
from quizbank.yaml_nodes import LARGEST_FILE, read_document, read_text


@pytest.fixture(params=["CSafeLoader", "SafeLoader"], autouse=True)
def loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_nodes, "_LOADER", getattr(yaml, request.param))


def faults(text: str) -> list[str]:
    return [fault.line("en") for fault in read_text(text, "f").faults]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("1e-5", 1e-5), ("1.5E3", 1500.0), (".5", 0.5), ("1.", 1.0), ("-.inf", float("-inf")),
        ("010", 10), ("0o17", 15), ("0x1F", 31), ("-3", -3), ("+3", 3),
        ("no", "no"), ("yes", "yes"), ("on", "on"), ("12:30", "12:30"), ("2024-01-01", "2024-01-01"), ("1_000", "1_000"),
        ("true", True), ("FALSE", False), ("null", None), ("~", None), ("", None),
        ("'1e-5'", "1e-5"), ('"no"', "no"), ("'true'", "true"), ("0b11", "0b11"), ("=", "="),
    ],
)  # fmt: skip
def test_scalars_follow_the_core_schema_of_yaml_1_2(written: str, value: object) -> None:
    document = read_text(f"a: {written}", "f")
    assert document.faults == []
    assert document.root is not None
    found = document.root.plain()["a"]
    assert found == value
    assert type(found) is type(value)


def test_a_backslash_in_double_quotes_is_a_fault_and_in_single_quotes_is_kept() -> None:
    document = read_text("a: \"\\nabla\"\nb: '\\nabla'\nc: |\n  \\nabla\n", "f")
    assert [fault.where for fault in document.faults] == ["f:1:4"]
    assert "single quotes" in document.faults[0].what.en
    assert document.root is not None
    assert document.root.plain()["b"] == "\\nabla"
    assert document.root.plain()["c"] == "\\nabla\n"


def test_every_fault_is_told_in_one_pass_with_its_place() -> None:
    text = 'a: 1\nb: "x\\t"\na: 2\nc: &anchor [1]\nd: *anchor\ne: !!python/object:os.system x\n1: 2\n'
    places = [line.split(": ")[0] for line in faults(text)]
    assert sorted(places) == ["f:2:4", "f:3:1", "f:4:4", "f:5:4", "f:6:4", "f:7:1"]
    assert any("first in line 1" in line for line in faults(text))


def test_an_alias_bomb_is_refused_at_once() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 12)]
    found = faults("\n".join(lines))
    assert all("anchors and aliases" in line for line in found[:-1])
    assert len(found) == yaml_nodes.MOST_FAULTS + 1


def test_a_merge_key_is_an_ordinary_key() -> None:
    document = read_text("<<: {b: 1}\n", "f")
    assert document.root is not None
    assert document.root.plain() == {"<<": {"b": 1}}


@pytest.mark.parametrize("opening", ["[", "{a: ", "- "])
def test_deep_nesting_is_refused(opening: str) -> None:
    assert "nest" in " ".join(faults(opening * 5_000))


@pytest.mark.parametrize(
    ("text", "place", "says"),
    [
        ("a: 1\n\tb: 2\n", "f:2:", "tab"),
        ("a: [1, 2\n", "f:", "not valid YAML"),
        ("a: @{D19.x}\n", "f:1:4", "not valid YAML"),
        ("a: 1\n---\nb: 2\n", "f:2:1", "second document"),
        ("a: x\x1b]52;c;AAAA\x07\n", "f:1:5", "U+001B"),
        ("a: safe\n# gnp.exe\u202e\n", "f:2:10", "U+202E"),
        ("a: zero\u200bwidth\n", "f:1:8", "U+200B"),
        ("? [a]\n: b\n", "f:1:3", "key must be a text"),
        (f"a: {'9' * 5000}\n", "f:1:4", "too long"),
        (f"a: 0x{'f' * 5000}\n", "f:1:4", "too long"),
    ],
)
def test_what_cannot_be_read_says_where_and_why(text: str, place: str, says: str) -> None:
    line = faults(text)[0]
    assert line.startswith(place)
    assert says in line
    assert "\x1b" not in line


def test_places_inside_texts_are_exact() -> None:
    text = "a: |\n  first\n  π @ here\nb: '中 @'\nc: plain @\nd: >\n  folded\n  @\n"
    document = read_text(text, "f")
    assert document.root is not None

    def place(key: str) -> str:
        value = document.find((key,))[0].value
        assert isinstance(value, str)
        return document.place((key,), value.index("@"))

    assert [place("a"), place("b"), place("c")] == ["f:3:5", "f:4:7", "f:5:10"]
    assert place("d") == "f:6:4"


def test_a_missing_file_a_folder_a_device_and_a_broken_encoding_get_one_line_each(tmp_path: Path) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_bytes(b"a: 1\nb: caf\xe9\n")
    huge = tmp_path / "huge.yaml"
    huge.write_bytes(b"#" * (LARGEST_FILE + 1))
    said = {
        tmp_path / "none.yaml": "no such file",
        tmp_path: "not a file",
        Path("/dev/zero"): "not a file",
        tmp_path / "nul\0.yaml": "cannot be read",
        broken: f"{broken}:2:7: the file is not UTF-8",
        huge: "larger than 5 MB",
    }
    for path, words in said.items():
        (fault,) = read_document(path).faults
        assert words in fault.line("en")
        assert fault.what.zh


def test_a_byte_order_mark_and_windows_line_ends_do_not_move_places(tmp_path: Path) -> None:
    path = tmp_path / "f.yaml"
    path.write_bytes(b"\xef\xbb\xbfa: 1\r\na: 2\r\n")
    (fault,) = read_document(path).faults
    assert fault.where.endswith(":2:1")


@pytest.mark.parametrize("many", ["- 'x'\n", '- "\\t"\n', "\u202e", "- *a\n", "- !t x\n"])
def test_a_file_full_of_faults_is_given_up_early(many: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_nodes, "MOST_NODES", 500)
    found = read_text(many * (yaml_nodes.MOST_NODES + 1), "f").faults
    assert len(found) <= yaml_nodes.MOST_FAULTS + 1
    assert "more than" in found[-1].what.en


@given(st.text(max_size=60))
def test_no_text_ends_the_program(text: str) -> None:
    read_text(text, "f")
