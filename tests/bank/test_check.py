"""Every rule of the content compiler fires on the fault it is for, and the sample card has none."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.demos import load
from quizbank.bank import Bank, user_deck
from quizbank.card_file import read_card_file
from quizbank.check import check_bank
from quizbank.check.prose_numbers import written_numbers
from quizbank.slots import Quantities
from tests.bank.decks import SAMPLE, SOURCE, bank_of, changed, claims, write

_FOLDER: list[Path] = []


@pytest.fixture(scope="module", autouse=True)
def _quantities_folder(tmp_path_factory: pytest.TempPathFactory) -> None:
    _FOLDER[:] = [tmp_path_factory.mktemp("quantities")]


def check(bank: Bank) -> list[str]:
    return [fault.line("en") for fault in check_bank(bank, Quantities(_FOLDER[0]))]


def found(tmp_path: Path, *pairs: tuple[str, str]) -> list[str]:
    """The faults of the sample card with something changed, without the path of the file."""
    path = write(tmp_path, *pairs)
    return [line.removeprefix(f"{path}:") for line in check(bank_of(path))]


def test_the_sample_card_has_no_fault() -> None:
    assert check(bank_of(SAMPLE)) == []


CLAIMS = "claims: [dot-product-variance]"
FOLLOW_UP = """      - question:
          en: Why not divide by $d_k$?
          zh: 为什么不除以 $d_k$？
        answer:
          en: The variance would be $1 / d_k$, and attention would be close to a plain average.
          zh: 那样方差为 $1 / d_k$，注意力会接近简单平均。
"""
RECALL = changed()[changed().index("      - kind: recall") :]
FIRST_POINT_ZH = "zh: $q \\cdot k$ 的方差与 $d_k$ 成正比"
FIRST_POINT_EN = "en: the variance of $q \\cdot k$ is proportional to $d_k$"
RHO_ZH = "zh: 分数的均值变为 $d_k \\rho \\sigma^2$。"
RHO_EN = "en: The mean of the score becomes $d_k \\rho \\sigma^2$."


def both(en: str, zh: str) -> tuple[tuple[str, str], tuple[str, str]]:
    """The last follow-up's answer in other words."""
    return (RHO_EN, f"en: {en}"), (RHO_ZH, f"zh: {zh}")


@pytest.mark.parametrize(
    ("pairs", "says"),
    [
        ([(CLAIMS, "claims: [no-such-claim]")], "no-such-claim is not in the inventory of claims"),
        ([(CLAIMS, "claims: []")], "a card needs claims"),
        ([(CLAIMS, "claims: [dot-product-variance, dot-product-variance]")], "is there twice"),
        ([("verdict: imprecise", "verdict: contested")], "none of its claims is contested"),
        ([(FOLLOW_UP, "")], "2 of follow_ups, at least 3"),
        ([(RECALL, "")], "2 of drills, at least 3"),
        ([("key: vaswani-2017", "key: nobody-1999")], "nobody-1999 is not in the bibliography"),
        ([("id: D19\n", "id: D98\n")], "no demonstration is called D98"),
        ([("set: {d_k: 256}", "set: {d_k: 4096}")], "out of range"),
        ([("set: {d_k: 256}", "set: {dk: 256}")], "has no parameter dk"),
        (
            [("refuted_by: D19.unit-variance-suffices", "refuted_by: D19.no-such-step")],
            "no step or check no-such-step",
        ),
        (
            [("refuted_by: D19.unit-variance-suffices", "refuted_by: D19.sum")],
            "expected to be proved, so it refutes",
        ),
        ([("refuted_by: D19.unit-variance-suffices", "refuted_by: D20.x")], "D20 is not among the card's"),
        ([("id: saturation", "id: variance-grows")], "the id variance-grows is there twice, first at"),
        ([("id: mean\n", "id: variance\n")], "the id variance is there twice, first at"),
        ([("id: explain", "id: unscaled-variance")], "the id unscaled-variance is there twice, first at"),
        ([("{en: their mean, zh: 它们的均值}", "{en: Their  variance, zh: 它们的均值}")], "say the same"),
        ([("            right: true\n", "")], "0 options are marked right"),
        (
            [
                (
                    "在这些假设下，缩放与否均值都是 0。",
                    "在这些假设下，缩放与否均值都是 0。\n            right: true",
                )
            ],
            "2 options",
        ),
        ([(FOLLOW_UP, FOLLOW_UP + "        card: no-such-card\n")], "no card is called no-such-card"),
        ([(FOLLOW_UP, FOLLOW_UP + "        card: sample-attention-scale\n")], "leads to its own card"),
    ],
)
def test_a_reference_to_nothing_and_a_part_that_is_missing(
    tmp_path: Path, pairs: list[tuple[str, str]], says: str
) -> None:
    lines = found(tmp_path, *pairs)
    assert any(says in line for line in lines), lines


@pytest.mark.parametrize(
    ("old", "new"), [("id: saturation", "id: variance-grows"), ("id: mean\n", "id: variance\n")]
)
def test_a_doubled_id_is_told_with_both_places(tmp_path: Path, old: str, new: str) -> None:
    text = changed((old, new))
    numbers = [n for n, line in enumerate(text.splitlines(), 1) if line.strip("- ") == new.strip()]
    (line,) = [line for line in found(tmp_path, (old, new)) if "twice" in line]
    assert line.startswith(f"{numbers[1]}:")
    assert f"first at {tmp_path / 'deck.yaml'}:{numbers[0]}:" in line


def test_drills_of_one_kind_only(tmp_path: Path) -> None:
    start, end = changed().index("      - kind: choice"), changed().index("      - kind: recall")
    lines = found(
        tmp_path, (changed()[start:end], RECALL.replace("explain", "a") + RECALL.replace("explain", "b"))
    )
    assert any("drills of two kinds" in line for line in lines)


def test_a_source_that_no_card_uses_and_faults_of_a_bibliography(tmp_path: Path) -> None:
    path = write(tmp_path)
    entry = "- {key: lonely-2000, authors: [A B], year: 2000, title: T, venue: V, doi: 10.1000/x}\n"
    (tmp_path / "bibliography.yaml").write_text(entry + entry, encoding="utf-8")
    one = bank_of(path)
    sources = {SOURCE.key: SOURCE, "lonely-2000": SOURCE}
    lines = check(Bank(one.cards, (), lambda: sources, claims, [user_deck(tmp_path)]))
    place = tmp_path / "bibliography.yaml"
    assert lines == [
        f"{place}:2:3: lonely-2000 is there twice; first at {place}:1:3",
        f"{place}:1:3: no card refers to lonely-2000",
    ]


def test_a_demonstration_that_fails_at_the_parameters_of_the_card(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine.demonstration import Check

    monkeypatch.setattr(Check, "ok", property(lambda check: check.name != "score-variance"))
    assert any("the check score-variance of D19 fails" in line for line in found(tmp_path))


def test_a_demonstration_that_cannot_run_at_all_is_a_fault_of_its_card(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ValueError("logits must be finite or -inf")

    monkeypatch.setitem(load("D19").__dict__, "measure", fail)
    lines = found(tmp_path)
    assert any(
        "a demonstration of it failed with ValueError: logits must be finite" in line for line in lines
    )


@pytest.mark.parametrize(
    ("slot", "says"),
    [
        ("D19.no_such(d_k=256)", "has no measured number no_such"),
        ("D98.score_variance(d_k=256)", "no demonstration is called D98"),
        ("D19.score_variance(d_k=0)", "out of range"),
        ("D19.score_variance(width=1)", "has no parameter width"),
        ("d_k", "unknown name d_k"),
        ("1/0", "division by zero"),
    ],
)
def test_a_slot_that_cannot_be_computed_is_told_at_its_character(
    tmp_path: Path, slot: str, says: str
) -> None:
    old = "@{D19.score_variance(d_k=256)|.3f};"
    lines = found(tmp_path, (old, f"@{{{slot}|.3f}};"), (old.replace(";", "；"), f"@{{{slot}|.3f}}；"))
    text = changed()
    number = next(n for n, line in enumerate(text.splitlines(), 1) if old in line)
    column = text.splitlines()[number - 1].index("@{")
    assert any(
        line.startswith((f"{number}:{column + 3}:", f"{number}:{column + 4}:")) and says in line
        for line in lines
    ), lines
    assert len(lines) == 2


@pytest.mark.parametrize(
    ("formula", "says"),
    [
        (r"$\notacommand x$", "notacommand"),
        (r"$\frac{1}{$", ""),
        (r"$\sqrt{d_k}", "stands outside of a formula"),
        ("$d", "opens no formula"),
        (r"the root \sqrt of it", "stands outside of a formula"),
    ],
)
def test_a_formula_that_cannot_be_drawn_is_told_at_its_place(tmp_path: Path, formula: str, says: str) -> None:
    pairs = both(f"it is {formula} here.", f"它是 {formula} 。")
    number = next(n for n, line in enumerate(changed(*pairs).splitlines(), 1) if f"it is {formula}" in line)
    lines = found(tmp_path, *pairs)
    assert any(line.startswith(f"{number}:") and says in line for line in lines), lines


@pytest.mark.parametrize(
    ("pairs", "says"),
    [
        (
            [(FIRST_POINT_ZH, "zh: $q \\cdot k$ 的方差与 $d_v$ 成正比")],
            "formulas of the two languages differ: only in English d_k",
        ),
        (
            [(FIRST_POINT_ZH, "zh: $q \\cdot k = q \\cdot k$ 的方差与 $d_k$ 成正比")],
            "formulas of the two languages differ",
        ),
        (
            [("scale=linear)|.2g}，softmax", "scale=linear)|.3g}，softmax")],
            "value slots of the two languages differ",
        ),
        (
            both("It is 3 times larger.", "它大 2 倍。"),
            "numbers of the two languages differ: only in English 3; only in Chinese 2",
        ),
        (both("It holds 3 million.", "它有 300 万。"), ""),
        (both("It is 5% of it.", "占 5 份。"), "only in English 5%; only in Chinese 5"),
        (both("Chinese 汉字 here.", "中文。"), "Chinese (汉) in the English text"),
        (both("One two three four.", "One two three four."), "holds no Chinese"),
        (both("It is so.", "是这样,没错。"), "half-width ,"),
        (both("It is so.", "自注意力atention。"), "no space between hanzi and Latin: 力a"),
    ],
)
def test_the_languages_of_a_text_agree_and_are_their_own(
    tmp_path: Path, pairs: list[tuple[str, str]], says: str
) -> None:
    lines = found(tmp_path, *pairs)
    assert any(says in line for line in lines) if says else lines == []


def test_words_inside_a_formula_belong_to_its_language(tmp_path: Path) -> None:
    pairs = both(r"It is $x = 1 \text{ if } y$.", r"即 $x = 1 \text{ 若 } y$。")
    assert found(tmp_path, *pairs) == []


@pytest.mark.parametrize(
    ("words", "typed"),
    [
        ("249", True), ("30,522", True), ("0.368", True), ("36.8%", True), ("1.23e5", True), ("12.0", True),
        ("0.0033", False), ("100", False), ("50,000", False), ("12", False), ("2017", False),
        ("GPT-345", False), ("A100", False), ("3.2.1", False), ("`512`", False), ("$d_k = 512$", False),
        ("$h = 512, \\; w = 768$", False), ("$512$", True), ("$x = 512 + y$", True), ("$p = 0.368$", True),
        ("$d_{model} = 2048$", False), ("$\\approx 249$", True),
    ],
)  # fmt: skip
def test_a_number_typed_by_hand_is_a_definition_a_year_a_name_or_a_fault(
    tmp_path: Path, words: str, typed: bool
) -> None:
    lines = found(tmp_path, *both(f"It is {words} there.", f"它是 {words} 。"))
    assert [("typed by hand" in line) for line in lines] == ([True, True] if typed else []), lines


def test_a_two_figure_decimal_that_a_demonstration_computes_belongs_in_a_slot(tmp_path: Path) -> None:
    shown = Quantities(_FOLDER[0]).fill("@{D19.score_variance(d_k=256)|.2f}")
    lines = found(tmp_path, *both(f"It is {shown}.", f"它是 {shown}。"))
    assert len(lines) == 2
    assert all(f"{shown} is typed by hand but equals D19.score_variance" in line for line in lines)
    assert found(tmp_path, *both("It is 0.33.", "它是 0.33。")) == []


CITED = "    cited:\n      - {number: '30,522', key: vaswani-2017, where: '§3'}\n    drills:\n"


def test_a_cited_number_may_be_typed_and_must_stand_somewhere(tmp_path: Path) -> None:
    cited = ("    drills:\n", CITED)
    assert found(tmp_path, cited, *both("It has 30,522 pieces.", "共有 30,522 个。")) == []
    assert any("30,522 stands in none" in line for line in found(tmp_path, cited))
    elsewhere = ("    drills:\n", CITED.replace("vaswani-2017", "nobody-1999"))
    assert any("nobody-1999 is not in the bibliography" in line for line in found(tmp_path, elsewhere))


@pytest.mark.parametrize(
    ("pairs", "says"),
    [
        ([("value: 1\n", "value: d_k*1.001\n")], "passes for the answer 64 at d_k=64"),
        ([("value: 1\n", "value: D19.predicted.score_variance(d_k=256, scale=none)\n")], "the answer 256 at d_k=256"),
        ([("value: 1\n", "value: log(d_k - 64)\n")], "log of 0 is not defined at d_k=64"),
        ([("answer: D19.predicted.score_variance(d_k=d_k, scale=none)", "answer: d_k / 3")], ""),
        (
            [("answer: D19.predicted.score_variance(d_k=d_k, scale=none)", "answer: d_k / 3"), ("rel: 0.01", "abs: 0.0001")],
            "misses its own tolerance",
        ),
        (
            [("answer: D19.predicted.score_variance(d_k=d_k, scale=none)", "answer: D19.predicted.score_variance(d_k=n)")],
            "must be a whole number",
        ),
        ([("answer: D19.predicted.score_variance(d_k=d_k, scale=none)", "answer: '64'")], "does not depend on d_k"),
        ([("vary: {d_k: [64, 128, 256]}", "vary: {d_k: [64, 128, 256], n: [1, 2]}")], "does not show @{n}"),
        ([("vary: {d_k: [64, 128, 256]}", "vary: {d_k: [64, 4096]}")], "out of range: 1 to 1024 at d_k=4096"),
        (
            [("vary: {d_k: [64, 128, 256]}", f"vary: {{d_k: [64, 128], m: [1, 2, 3], n: {list(range(50))}}}")],
            "more than 200 variants",
        ),
    ],
)  # fmt: skip
def test_a_number_drill_can_be_answered_and_its_slips_told_apart(
    tmp_path: Path, pairs: list[tuple[str, str]], says: str
) -> None:
    lines = found(tmp_path, *pairs)
    assert any(says in line for line in lines) if says else lines == [], lines


def test_a_slip_may_name_the_variables_of_its_drill(tmp_path: Path) -> None:
    old = "{en: the standard deviation, zh: 给成了标准差}"
    new = "{en: 'the root of @{d_k}', zh: '给成了 @{d_k} 的平方根'}"
    assert found(tmp_path, (old, new)) == []
    assert any("unknown name" in line for line in found(tmp_path, (old, new.replace("d_k", "n"))))


OPTION = "{en: their mean, zh: 它们的均值}"


@pytest.mark.parametrize(
    "option",
    [
        "{en: Their  variance, zh: 它们的均值}",
        "{en: the Variance., zh: 均值}",
        "{en: mean, zh: 它们的 方差。}",
    ],
)
def test_options_that_say_the_same_are_told_with_both_places(tmp_path: Path, option: str) -> None:
    lines = found(tmp_path, (OPTION, option))
    numbers = [
        n for n, line in enumerate(changed((OPTION, option)).splitlines(), 1) if " text: {en: " in line
    ]
    (line,) = [line for line in lines if "say the same" in line]
    assert line.startswith(f"{numbers[1]}:")
    assert f"the options variance ({tmp_path / 'deck.yaml'}:{numbers[0]}:" in line


UNGRADED = "bert-understands-gpt-generates"


def test_what_is_not_graded_stands_beside_a_claim_that_is_and_is_never_asked(tmp_path: Path) -> None:
    beside = (CLAIMS, f"claims: [dot-product-variance, {UNGRADED}]")
    assert found(tmp_path, beside) == []
    (line,) = found(tmp_path, (CLAIMS, f"claims: [{UNGRADED}]"))
    assert "is not to be graded: it may stand beside a claim that is, not alone" in line
    (line,) = found(
        tmp_path, beside, (OPTION, "{en: 'BERT is for understanding, GPT for generation', zh: 它们的均值}")
    )
    assert f"drills.1.options.2.text: this says {UNGRADED}" in line
    popular = "en: Variance 1 of the entries alone gives a score variance of $d_k$."
    same = "zh: 只要各分量方差为 1，分数的方差就是 $d_k$。"
    (line,) = found(
        tmp_path,
        beside,
        (popular, "en: BERT is for understanding and GPT for generation."),
        (same, "zh: 如此。"),
    )
    assert f"trap.popular: this says {UNGRADED}" in line


@pytest.mark.parametrize(
    "words",
    ["@ {D19.score_variance(d_k=4)}", "＠{D19.score_variance(d_k=4)}", "{D19.score_variance(d_k=4)}", "D19.score_variance(d_k=4)", "TODO"],
)  # fmt: skip
def test_a_slot_not_written_as_one_would_be_shown_as_it_stands(tmp_path: Path, words: str) -> None:
    en, zh = [
        line
        for line in found(tmp_path, *both(f"It is {words}.", f"它是 {words} 。"))
        if "as it stands" in line
    ]
    assert "follow_ups.3.answer.en" in en
    assert "follow_ups.3.answer.zh" in zh


def test_a_formula_that_only_one_output_cannot_draw_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine.notation.error import NotationError
    from engine.text import Text
    from quizbank.check import formulas

    def refuse(latex: str) -> str:
        raise NotationError(Text("Typst has no sign for it", "Typst 没有这个符号"), latex, 0)

    for place in range(len(formulas._DRAWN)):
        drawn = [*formulas._DRAWN]
        drawn[place] = refuse
        monkeypatch.setattr(formulas, "_DRAWN", tuple(drawn))
        assert any("Typst has no sign for it" in line for line in found(tmp_path))
        monkeypatch.undo()


TWELVE = (
    ("verdict: imprecise", "verdict: contested"),
    (CLAIMS, "claims: [dot-product-variance, no-such-claim]"),
    ("key: vaswani-2017", "key: nobody-1999"),
    ("set: {d_k: 256}", "set: {d_k: 4096}"),
    ("refuted_by: D19.unit-variance-suffices", "refuted_by: D19.sum"),
    ("id: saturation", "id: variance-grows"),
    (OPTION, "{en: their Variance, zh: 均值}"),
    ("            right: true\n", ""),
    ("value: sqrt(d_k)", "value: d_k"),
    (FOLLOW_UP, FOLLOW_UP + "        card: no-such-card\n"),
    (FIRST_POINT_ZH, "zh: $q \\cdot k$ 的方差与 $d_v$ 成正比"),
    (RHO_ZH, "zh: 分数的均值变为 $d_k \\rho \\sigma^2$，softmax饱和。"),
)
SAYS = (
    "none of its claims is contested", "no-such-claim is not in the inventory", "nobody-1999 is not in the bibliography",
    "out of range", "so it refutes nothing", "the id variance-grows is there twice", "say the same",
    "0 options are marked right", "passes for the answer 64", "no card is called no-such-card",
    "formulas of the two languages differ: only in English d_k", "no space between hanzi and Latin: x饱",
)  # fmt: skip


def test_twelve_faults_in_one_file_are_twelve_lines_in_one_run(tmp_path: Path) -> None:
    lines = [line for line in found(tmp_path, *TWELVE) if "no card refers to" not in line]
    for says in SAYS:
        assert sum(says in line for line in lines) == 1, (says, lines)
    assert len(lines) == 12
    assert all(re.match(r"\d+:\d+: ", line) for line in lines)


def test_faults_of_form_and_of_sense_come_in_one_run(tmp_path: Path) -> None:
    form = (
        (("level: core", "level: easy"), "easy is not one of"),
        (("refuted_by: D19.unit-variance-suffices", "refuted_by: see D19"), "see D19 does not have the form"),
        (("zh: 训练之后缩放还重要吗？", "cn: 训练之后缩放还重要吗？"), "zh is missing"),
        (("value: 1\n", "value: 1 +\n"), "ends too early"),
        ((FIRST_POINT_ZH, 'zh: "$q \\nu k$ 成正比"'), "a backslash in a double-quoted text"),
        (
            ("            right: true\n", "            right: true\n            right: true\n"),
            "for the second time",
        ),
    )
    sense = (
        ((CLAIMS, "claims: [no-such-claim]"), "no-such-claim is not in the inventory"),
        (("key: vaswani-2017", "key: nobody-1999"), "nobody-1999 is not in the bibliography"),
        ((OPTION, "{en: their Variance, zh: 均值}"), "say the same"),
        (("id: saturation", "id: variance-grows"), "variance-grows is there twice"),
        (
            (RHO_ZH, "zh: 分数的均值变为 $d_k \\rho \\sigma^2$，softmax饱和。"),
            "no space between hanzi and Latin",
        ),
        (("set: {d_k: 256}", "set: {d_k: 4096}"), "out of range"),
    )
    lines = found(tmp_path, *(pair for pair, _ in (*form, *sense)))
    for _, says in (*form, *sense):
        assert any(says in line for line in lines), (says, lines)
    # a text whose key is misspelt is missing, and its key is unknown: two lines
    assert len(lines) == 13
    assert all(re.match(r"\d+:\d+: ", line) for line in lines)


@pytest.mark.parametrize(
    "pair",
    [
        ("level: core", "level: easy"),
        ("verdict: imprecise", "verdict: maybe"),
        ("id: sample-attention-scale", "id: Sample"),
        ("    claims: [dot-product-variance]\n", ""),
        ("rel: 0.01", "rel: -1"),
        ("kind: recall", "kind: essay"),
        ("key: vaswani-2017", "key: 2017"),
        ("id: D19\n", "id: nineteen\n"),
        ("popular:", "populr:"),
        ("    key_points:", "    key_point:"),
        ("zh: 权重之和", "cn: 权重之和"),
        ("topic: attention", "topic: astrology"),
        (changed()[changed().index("    drills:") :], "    drills: none\n"),
        (changed()[changed().index("  - id: sample") :], "  - just words\n"),
    ],
)
def test_a_part_at_fault_in_its_form_brings_no_faults_of_sense(tmp_path: Path, pair: tuple[str, str]) -> None:
    path = write(tmp_path, pair)
    told = [fault.line("en") for fault in read_card_file(path).faults]
    assert told
    assert check(bank_of(path)) == told


def test_all_faults_come_in_one_run(tmp_path: Path) -> None:
    lines = found(
        tmp_path,
        (CLAIMS, "claims: [no-such-claim]"),
        ("key: vaswani-2017", "key: nobody-1999"),
        ("            right: true\n", ""),
        *both("It is 3 and 249.", "它是 $2$。"),
    )
    words = " ".join(lines)
    for says in (
        "no-such-claim",
        "nobody-1999",
        "marked right",
        "numbers of the two",
        "formulas of the two",
        "typed by hand",
    ):
        assert says in words
    assert "no card refers to" in words


def test_faults_of_loading_are_among_them(tmp_path: Path) -> None:
    assert any("core, deep, expert" in line for line in found(tmp_path, ("level: core", "level: easy")))


def test_numbers_in_either_language() -> None:
    text = "GPT-3, A100, ResNet-152, h_2, 3.2.1; 1,024 and 0.5 %, 3 million, 30 万, 2e5, -7, 16GB"
    assert [(n.text, float(n.value), n.percent) for n in written_numbers(text)] == [
        ("1,024", 1024, False), ("0.5", 0.5, True), ("3", 3e6, False), ("30", 3e5, False), ("2e5", 2e5, False),
        ("7", 7, False), ("16", 16, False),
    ]  # fmt: skip
    assert [n.figures for n in written_numbers("100 0.100 0.0039 1,024 2e5 1.50e3 0")] == [
        1,
        3,
        2,
        4,
        1,
        3,
        0,
    ]
    assert [float(n.half_unit) for n in written_numbers("0.25 12 1.5e3")] == [0.005, 0.5, 50.0]
