"""Importing: what is taken is sound, what is not is told with its line, and nothing hostile gets through."""

from __future__ import annotations

import json
import sqlite3
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import InputError
from quizbank.card import Card
from quizbank.card_file import read_card_file
from quizbank.importing import anki
from quizbank.importing.deck import Imported, import_deck
from quizbank.importing.html_prose import prose_of_html
from quizbank.importing.markdown import read_markdown


def imported(source: Path, **options: object) -> tuple[Imported, dict[str, Card]]:
    target = source.with_name("out.yaml")
    done = import_deck(source, target, force=True, **options)
    read = read_card_file(target)
    assert read.faults == ()
    assert [card.id for card in read.cards] == [id_ for _, id_, _ in done.taken]
    return done, {card.question.en: card for card in read.cards}


def written(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    return path


def where(faults: tuple, path: Path) -> list[str]:
    return [fault.where.removeprefix(f"{path}:").strip() for fault in faults]


# Tables -------------------------------------------------------------------------------------------


def test_a_table_with_names_over_its_columns(tmp_path: Path) -> None:
    text = (
        "level,Answer,Question,tags\n"
        'deep,"two\n\nparagraphs, with $x^2$",Why?,"a, b"\n'
        ",,Unanswered?,\n"
        "hard,yes,Level?,\n"
        ",again,Why?,\n"
    )
    path = written(tmp_path, "a.csv", text)
    done, cards = imported(path, topic="attention")
    assert cards["Why?"].answer.zh == "two\n\nparagraphs, with $x^2$"
    assert (cards["Why?"].level, cards["Why?"].tags, cards["Why?"].topic) == ("deep", ("a", "b"), "attention")
    assert where(done.left, path) == ["5", "7"]
    assert where(done.remarks, path) == ["6"]
    assert cards["Level?"].level == "core"


def test_a_table_without_names_and_other_separators(tmp_path: Path) -> None:
    for name, text in (
        ("a.tsv", "Why, so?\tBecause; of this\ttag\n"),
        ("a.csv", "\ufeff问题;答案\nWhy, so?;Because\n"),
        ("b.csv", "Why, so?,x".encode("utf-16")[:0] + "q,a\nWhy,Because\n".encode("utf-16")),
        ("c.txt", "#separator:tab\n#html:true\n<b>Why</b> &lt;x&gt;?\t<script>x</script>Because\n"),
    ):
        _, cards = imported(written(tmp_path, name, text))
        assert len(cards) == 1
        assert "Because" in next(iter(cards.values())).answer.en
    assert "Why <x>?" in cards


def test_ids_stay_over_edits_of_answers_and_repeated_imports(tmp_path: Path) -> None:
    first = imported(written(tmp_path, "a.csv", "What is 注意力?,x\n"))[0].taken[0][1]
    second = imported(written(tmp_path, "a.csv", "Other,y\nWhat is 注意力?,better\n"))[0].taken[1][1]
    assert first == second
    given_id = imported(written(tmp_path, "a.csv", "id,question,answer\nmy-id,Why,x\n"))[0].taken[0][1]
    assert given_id == "my-id"


def test_rows_that_cannot_be_told_apart_are_left_from_their_line_on(tmp_path: Path) -> None:
    path = written(tmp_path, "a.csv", 'Why,x\nOpen,"never closed\nHow,y\n')
    done, cards = imported(path)
    assert list(cards) == ["Why"]
    assert where(done.left, path) == ["2"]


def test_a_row_with_more_fields_than_columns_is_left_with_the_reason(tmp_path: Path) -> None:
    path = written(
        tmp_path, "a.csv", 'question,answer\nWhat is a,b?,x\n"What is a,b?",x\nPadded,y,,\nOpen, or not?,z\n'
    )
    done, cards = imported(path)
    assert list(cards) == ["What is a,b?", "Padded"]
    assert where(done.left, path) == ["2", "5"]
    assert "3 fields where there are 2 columns" in done.left[0].what.en
    assert "有 3 栏，而表格只有 2 列" in done.left[0].what.zh
    # without names there are four columns, or as many as the first row has
    path = written(tmp_path, "b.csv", "Why,x\nHow,y,tag,deep\nWhat, if,any,thing,goes\n")
    done, cards = imported(path)
    assert (list(cards), where(done.left, path), done.remarks) == (["Why", "How"], ["3"], ())
    path = written(tmp_path, "c.tsv", "Why\tx\ttag\tcore\tguid\nHow\ty\ttag\tcore\tguid\n")
    done, cards = imported(path)
    assert (list(cards), done.left) == (["Why", "How"], ())
    assert [remark.what.en for remark in done.remarks] == ["only the first four columns are read"]


def test_a_column_that_is_not_read_is_named(tmp_path: Path) -> None:
    path = written(tmp_path, "a.csv", "q,a,notes,\nWhy,x,mine,\n")
    done, _ = imported(path)
    assert where(done.remarks, path) == ["1"]
    assert done.remarks[0].what.en == "the column notes is not read"


# Markdown -----------------------------------------------------------------------------------------


def test_headings_are_questions(tmp_path: Path) -> None:
    text = (
        "# Title\nintro\n\n## Why **so** much?\nBecause [this](http://x) is:\n\n* one\n* `**two**` $a_b$\n"
        "Tags: x y\n\n```python\n## no heading\n```\n\n### Empty\n\n## 中文？\n答。\n"
    )
    path = written(tmp_path, "a.md", text)
    done, cards = imported(path)
    assert list(cards) == ["Why so much?", "中文？"]
    card = cards["Why so much?"]
    assert card.answer.en.startswith("Because this (http://x) is:\n\n- one\n- `**two**` $a_b$")
    assert "## no heading" in card.answer.en
    assert card.tags == ("x", "y")
    assert where(done.left, path) == ["2", "15"]


def test_spoken_lines_are_questions_and_answers(tmp_path: Path) -> None:
    path = written(
        tmp_path, "a.md", "stray\nQ: Why?\nA: Because\nof this.\n\n**Q:** How?\n问：何谓？\n答：如此。\n"
    )
    done, cards = imported(path)
    assert {question: card.answer.en for question, card in cards.items()} == {
        "Why?": "Because\nof this.",
        "何谓？": "如此。",
    }
    assert where(done.left, path) == ["1", "6"]


# HTML ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("html", "prose"),
    [
        ("a<br>b<div>c</div>", "a\nb\n\nc"),
        ("<ul><li>x</li><li>y &amp; z</li></ul>", "- x\n- y & z"),
        (r"It is \(a &lt; b\), not $5", r"It is $a < b$, not \$5"),
        (r"\[ \frac{a}{b} \]", r"$$\frac{a}{b}$$"),
        ("[latex]$x^2$[/latex] [$]y[/$] [$$]z[/$$]", "$x^2$ $y$\n\n$$z$$"),
        ("[latex]\\begin{equation}x\\end{equation}[/latex]", "$$x$$"),
        ('<anki-mathjax block="true">x_1</anki-mathjax>', "$$x_1$$"),
        ("<pre>if x:\n    y</pre>", "```\nif x:\n    y\n```"),
        ("<code>$HOME</code> <script>alert(1)</script><style>b{}</style>x", "`$HOME` x"),
        ("<scr<script>ipt>alert(1)</script>x", "<scrx"),
        ("x<sup>2</sup>", "x^2"),
    ],
)
def test_html_becomes_prose(html: str, prose: str) -> None:
    assert prose_of_html(html)[0] == prose


def test_media_are_named_not_taken() -> None:
    text, lost = prose_of_html('<img src="a.png"> and [sound:b.mp3]')
    assert text == "(a.png) and (b.mp3)"
    assert [("a.png" in told.en, "b.mp3" in told.zh) for told in lost] == [(True, False), (False, True)]


# Anki ---------------------------------------------------------------------------------------------

BASIC = {"type": 0, "flds": [{"name": "Front"}, {"name": "Back"}],
         "tmpls": [{"qfmt": "{{Front}}", "afmt": "{{FrontSide}}<hr>{{Back}}"}]}  # fmt: skip
REVERSED = {**BASIC, "tmpls": [*BASIC["tmpls"], {"qfmt": "{{Back}}", "afmt": "{{Front}}"}]}
CLOZE = {"type": 1, "flds": [{"name": "Text"}, {"name": "Extra"}],
         "tmpls": [{"qfmt": "{{cloze:Text}}", "afmt": "{{cloze:Text}}{{Extra}}"}]}  # fmt: skip


def package(folder: Path, notes: list[tuple[str, int, str, str]], name: str = "collection.anki2") -> Path:
    collection = folder / "made"
    collection.unlink(missing_ok=True)
    connection = sqlite3.connect(collection)
    connection.execute("CREATE TABLE col (models TEXT)")
    connection.execute(
        "CREATE TABLE notes (id INTEGER PRIMARY KEY, guid TEXT, mid INTEGER, tags TEXT, flds TEXT)"
    )
    models = json.dumps({"1": BASIC, "2": REVERSED, "3": CLOZE})
    connection.execute("INSERT INTO col VALUES (?)", (models,))
    connection.executemany("INSERT INTO notes (guid, mid, tags, flds) VALUES (?, ?, ?, ?)", notes)
    connection.commit()
    connection.close()
    path = folder / "deck.apkg"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        made.write(collection, name)
        made.writestr("media", "{}")
    return path


def test_notes_of_a_package(tmp_path: Path) -> None:
    notes = [
        ("g1", 1, " a b::c ", 'Why \\(d_k\\)?\x1f<b>Because</b><img src="p.png">'),
        ("g2", 2, "", "left\x1fright"),
        ("g3", 3, "", "{{c1::Softmax::what}} of {{c2::\\(x\\)}}\x1fmore"),
        ("g4", 1, "", "no answer\x1f"),
        ("g5", 99, "", "unknown type\x1fstill read"),
    ]
    path = package(tmp_path, notes)
    done, cards = imported(path)
    assert {question: card.answer.en for question, card in cards.items()} == {
        "Why $d_k$?": "Because (p.png)",
        "left": "right",
        "right": "left",
        "[what] of $x$": "Softmax of $x$\n\nmore",
        "Softmax of […]": "Softmax of $x$\n\nmore",
        "unknown type": "still read",
    }
    assert cards["Why $d_k$?"].tags == ("a", "b::c")
    assert where(done.left, path) == ["4"]
    assert where(done.remarks, path) == ["1"]
    # a note that is edited keeps its id
    ids = [id_.rpartition("-")[2] for _, id_, _ in done.taken]
    edited = [("g1", 1, "", "Entirely other?\x1fx"), *notes[1:]]
    assert imported(package(tmp_path, edited))[0].taken[0][1].rpartition("-")[2] == ids[0]


def test_what_is_no_package_or_a_hostile_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "out.yaml"

    def refused(path: Path, word: str) -> None:
        with pytest.raises(InputError, match=word) as error:
            import_deck(path, target)
        assert error.value.text.zh
        assert not target.exists()

    refused(tmp_path / "none.apkg", "no such file")
    refused(written(tmp_path, "a.apkg", b""), "damaged")
    refused(written(tmp_path, "a.apkg", b"PK\x03\x04" + bytes(100)), "damaged")
    sound = package(tmp_path, [("g", 1, "", "a\x1fb")])
    data = sound.read_bytes()
    refused(written(tmp_path, "cut.apkg", data[: len(data) // 2]), "damaged")
    refused(package(tmp_path, [("g", 1, "", "a\x1fb")], "collection.anki21b"), "older Anki versions")
    with zipfile.ZipFile(tmp_path / "b.apkg", "w") as made:
        made.writestr("collection.anki2", "no database")
    refused(tmp_path / "b.apkg", "damaged")

    views = tmp_path / "views"
    connection = sqlite3.connect(views)
    connection.execute("CREATE TABLE col (models TEXT)")
    connection.execute(
        "CREATE VIEW notes AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n)"
        " SELECT id, 'g' AS guid, 1 AS mid, '' AS tags, 'a' AS flds FROM n"
    )
    connection.commit()
    connection.close()
    with zipfile.ZipFile(tmp_path / "c.apkg", "w") as made:
        made.write(views, "collection.anki2")
    refused(tmp_path / "c.apkg", "damaged")

    monkeypatch.setattr(anki, "LARGEST_COLLECTION", 1_000_000)
    with zipfile.ZipFile(tmp_path / "bomb.apkg", "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("collection.anki2", bytes(5_000_000))
    refused(tmp_path / "bomb.apkg", "unpacks to more than")


# All of them --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "data", "word"),
    [
        ("a.csv", b"", "nothing in it"),
        ("a.csv", b"only one column\n", "no answer"),
        ("a.csv", b"q,a\n\xc4\xe3,x\n", r"a\.csv:2: this is not UTF-8"),
        ("a.md", b"\0\0", "no text file"),
        ("a.docx", b"x", r"\.csv"),
        ("a.md", b"plain words\n", "under no question"),
    ],
)
def test_bad_input_is_one_clear_line_and_leaves_nothing(
    tmp_path: Path, name: str, data: bytes, word: str
) -> None:
    source, target = written(tmp_path, name, data), tmp_path / "deck.yaml"
    with pytest.raises(InputError, match=word):
        import_deck(source, target)
    assert sorted(file.name for file in tmp_path.iterdir()) == [name]


def test_a_file_too_large_and_a_target_in_the_way(tmp_path: Path) -> None:
    large = tmp_path / "large.csv"
    with large.open("wb") as file:
        file.truncate(100_000_000)
    with pytest.raises(InputError, match="larger than 20 MB"):
        import_deck(large, tmp_path / "deck.yaml")
    source = written(tmp_path, "a.csv", "q,a\nWhy,x\n")
    there = written(tmp_path, "deck.yaml", "mine")
    with pytest.raises(InputError, match="--force"):
        import_deck(source, there)
    assert there.read_text() == "mine"
    with pytest.raises(InputError, match=r"something\.yaml"):
        import_deck(source, tmp_path / "deck.txt")


def test_what_a_card_file_refuses_is_left_out_and_the_rest_taken(tmp_path: Path) -> None:
    path = written(tmp_path, "a.csv", "Why,@{D19.nothing(}\nHow,fine\nFormula,$\\nosuch{x}$\n")
    done, cards = imported(path)
    assert list(cards) == ["How", "Formula"]
    assert where(done.left, path) == ["1"]
    assert where(done.remarks, path) == ["3"]


def test_more_faults_than_are_told_at_once_are_all_left_out(tmp_path: Path) -> None:
    rows = "".join(f"Bad {n},@{{D19.nothing(}}\n" for n in range(130))
    done, cards = imported(written(tmp_path, "a.csv", f"{rows}Good,x\n"))
    assert list(cards) == ["Good"]
    assert len(done.left) == 130


@pytest.mark.slow
def test_what_no_card_file_could_hold_is_left_out_from_there_on(tmp_path: Path) -> None:
    tags = " ".join(f"t{n}" for n in range(300))
    path = written(tmp_path, "a.csv", "q,a,tags\n" + "".join(f"Q{n},x,{tags}\n" for n in range(400)))
    done, cards = imported(path)
    assert len(done.left) == 1
    assert where(done.left, path) == [str(len(cards) + 2)]


texts = st.text(min_size=1, max_size=40)


@settings(max_examples=40)
@given(rows=st.lists(st.tuples(texts, texts, texts), min_size=1, max_size=4))
def test_whatever_stands_in_a_table_the_deck_is_sound(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, str]]
) -> None:
    import csv

    source = tmp_path_factory.mktemp("table") / "a.csv"
    with source.open("w", encoding="utf-8", errors="replace", newline="") as file:
        csv.writer(file).writerows(rows)
    try:
        done, _ = imported(source)
    except InputError:
        return
    assert len(done.taken) + len(done.left) >= 1


@pytest.mark.parametrize(
    "left_open", ["<!--", "<a ", '<a="', "</", "[latex]", "\\(", "{{c1::", "[a](", "`", "&"]
)
def test_what_is_left_open_a_thousand_times_is_read_in_one_go(tmp_path: Path, left_open: str) -> None:
    # looking for the end anew from each of them takes minutes at the size of one field
    text = left_open * (90_000 // len(left_open))
    prose_of_html(text)
    reading = read_markdown(written(tmp_path, "a.md", f"## Q\n{text}\n"))
    assert len(reading.notes) == 1


@given(html=st.text(alphabet="<>/&;abc$\\()[]{}:1 \n`'\"!-", max_size=80))
def test_no_html_ends_the_reading(html: str) -> None:
    prose_of_html(html)
