"""Rules over the whole bank: questions asked twice, answers given away by length, topics declared complete."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from quizbank.bank import Bank, Deck, user_deck
from quizbank.card_file import read_card_file
from quizbank.check import check_bank
from quizbank.reference_file import read_claims, read_complete
from quizbank.slots import Quantities
from tests.bank.decks import SAMPLE, SOURCE, claims, place_of, several, write

_FOLDER: list[Path] = []


@pytest.fixture(scope="module", autouse=True)
def _quantities_folder(tmp_path_factory: pytest.TempPathFactory) -> None:
    _FOLDER[:] = [tmp_path_factory.mktemp("quantities")]


def check(path: Path, *complete: str, files: list[str] | None = None) -> list[str]:
    return checked(path, replace(user_deck(path), name=str(path.parent)), complete, files)


def checked(path: Path, deck: Deck, complete: Iterable[str], files: list[str] | None = None) -> list[str]:
    read = read_card_file(path)
    bank = Bank(
        read.cards,
        read.faults,
        lambda: {SOURCE.key: SOURCE},
        claims,
        [deck],
        lambda: frozenset(complete),
    )
    return [fault.line("en") for fault in check_bank(bank, Quantities(_FOLDER[0]), files=files)]


def other(name: str, refuted_by: str = "D19.divide-by-d") -> list[tuple[str, str]]:
    """Changes that make the sample card another one, in id, in its trap and in all that it asks."""
    return [
        ("sample-attention-scale", name),
        ("D19.unit-variance-suffices", refuted_by),
        ("Why are attention scores divided by $\\sqrt{d_k}$?", f"What about {name} number one?"),
        ("注意力分数为什么要除以 $\\sqrt{d_k}$？", f"{name} 的第一个问题是什么？"),
        ("What does dividing the scores by $\\sqrt{d_k}$ keep at 1?", f"Second, which {name} holds?"),
        ("分数除以 $\\sqrt{d_k}$，使什么保持为 1？", f"其次，{name} 有哪些成立？"),
        ("Entries are independent with mean 0 and variance 1. What is the", f"Third, in {name}, find the"),
        ("zh: 各分量独立、均值为 0、方差为 1。", f"zh: 再次，在 {name} 中，"),
        ("Explain to a colleague why the root and not $d_k$ itself.", f"Last, tell of {name} aloud."),
        ("向同事解释为什么除以根号，而不是 $d_k$ 本身。", f"最后，讲讲 {name}。"),
    ]


def test_cards_that_ask_different_things_have_no_fault(tmp_path: Path) -> None:
    assert check(several(tmp_path, [], other("alpha"))) == []


def doubled(path: Path) -> list[str]:
    return [line for line in check(path) if "the same question" in line]


QUESTION = "Why are attention scores divided by $\\sqrt{d_k}$?"


@pytest.mark.slow
@pytest.mark.parametrize(
    "again",
    [
        QUESTION,
        "Why are the attention scores  divided by $\\sqrt{d_k}$",
        "why are ATTENTION scores being divided by $ \\sqrt{d_k} $?",
        "Why is an attention score divided by $\\sqrt{d_k}$?",
    ],
)
def test_a_question_asked_twice_names_both_places(tmp_path: Path, again: str) -> None:
    path = several(tmp_path, [], [*other("alpha"), ("What about alpha number one?", again)])
    (line,) = doubled(path)
    skip = 1 if again == QUESTION else 0
    assert line.startswith(f"{place_of(path, f'en: {again}', skip)}:7: alpha, question: ")
    assert f"the same question as {place_of(path, f'en: {QUESTION}')}:7 (sample-attention-scale)" in line


@pytest.mark.parametrize(
    "other_question",
    [
        "Why are attention scores divided by $d_k$?",
        "Why are attention scores not divided by $\\sqrt{d_k}$?",
        "Why are attention weights divided by $\\sqrt{d_k}$?",
    ],
)
def test_a_question_about_something_else_is_another(tmp_path: Path, other_question: str) -> None:
    assert (
        doubled(several(tmp_path, [], [*other("alpha"), ("What about alpha number one?", other_question)]))
        == []
    )


def test_a_drill_that_asks_the_question_of_another_card_is_told_but_its_own_recall_may(
    tmp_path: Path,
) -> None:
    recall = ("Explain to a colleague why the root and not $d_k$ itself.", QUESTION)
    assert doubled(several(tmp_path, [recall])) == []
    (line,) = doubled(several(tmp_path, [], [*other("alpha"), ("Last, tell of alpha aloud.", QUESTION)]))
    assert "alpha, drills.3.question: the same question as" in line


def choices(right_longest: int, others: int) -> str:
    """Choice drills, in so many of which the right option is the longest in both languages."""
    out = ""
    for n in range(right_longest + others):
        right, wrong = ("is in every way", "no") if n < right_longest else ("no", "is in every way")
        zh, zh_wrong = ("在各方面都是", "不") if n < right_longest else ("不", "在各方面都是")
        out += (
            f"      - kind: choice\n        id: c{n}\n        question: {{en: Case {n} of it?, zh: 第 {n} 例？}}\n"
            "        options:\n"
            f"          - {{id: r, text: {{en: {right}, zh: {zh}}}, feedback: {{en: Yes., zh: 对。}}, right: true}}\n"
            f"          - {{id: w, text: {{en: {wrong}, zh: {zh_wrong}}}, feedback: {{en: No., zh: 错。}}}}\n"
        )
    return out


@pytest.mark.parametrize(
    ("right", "others", "told"), [(4, 6, False), (5, 5, True), (4, 0, False), (2, 12, False)]
)
def test_the_right_option_is_the_longest_in_few_choices(
    tmp_path: Path, right: int, others: int, told: bool
) -> None:
    path = write(tmp_path, ("      - kind: recall", f"{choices(right, others)}      - kind: recall"))
    lines = check(path)
    if not told:
        assert lines == []
        return
    english, chinese = lines
    assert english.startswith(f"{place_of(path, 'is in every way')}:")
    # the sample's own choice counts in English, where a wrong option is the longest; in Chinese two are
    assert (
        "in 45% of the bank's 11 choices the right option is the longest in English, at most 40%" in english
    )
    assert "sample-attention-scale/c0, sample-attention-scale/c1" in english
    assert "in 50% of the bank's 10 choices the right option is the longest in Chinese" in chinese


CHAIN = "          en: The variance would be $1 / d_k$, and attention would be close to a plain average.\n          zh: 那样方差为 $1 / d_k$，注意力会接近简单平均。\n"


def linked(to: str) -> tuple[str, str]:
    return (CHAIN, f"{CHAIN}        card: {to}\n")


RECALL = "      - {kind: recall, id: again, question: {en: Once more., zh: 再来一次。}}\n"
FOURTH = ("      - kind: recall", f"{RECALL}      - kind: recall")


def without_claims(lines: list[str]) -> list[str]:
    return [line for line in lines if "no card carries" not in line]


def test_a_complete_topic_carries_every_claim_and_others_need_not(tmp_path: Path) -> None:
    path = several(tmp_path, [])
    lines = [line for line in check(path, "attention") if "no card carries" in line]
    inventory = SAMPLE.parents[2] / "quizbank" / "claims.yaml"
    of_topic = {claim.id for claim in read_claims(inventory)[0].values() if claim.topic == "attention"}
    assert len(lines) == len(of_topic) - 1
    line = next(line for line in lines if "softmax-saturation-gradient" in line)
    number = place_of(inventory, "id: softmax-saturation-gradient").rsplit(":", 1)[1]
    assert line.startswith(f"quizbank/claims.yaml:{number}:")
    assert not any("dot-product-variance" in line for line in lines)
    alone = check(path, "gpt")
    assert set(alone) < set(check(path, "gpt", "vit"))
    assert all("the topic gpt is declared" in line for line in alone)


def test_a_complete_topic_has_four_drills_a_card(tmp_path: Path) -> None:
    path = several(tmp_path, [("level: core", "level: deep")])
    (line,) = without_claims(check(path, "attention"))
    assert line.startswith(f"{place_of(path, 'kind: choice')}:")
    assert "3 of drills; in a complete topic a card has at least 4" in line
    assert (
        without_claims(check(several(tmp_path, [("level: core", "level: deep"), FOURTH]), "attention")) == []
    )


def test_a_deck_of_ones_own_promises_nothing_of_a_complete_topic(tmp_path: Path) -> None:
    path = write(tmp_path)
    assert len(checked(path, user_deck(path), ["attention"], [str(path)])) == 0


def test_a_complete_topic_has_three_kinds_of_drill(tmp_path: Path) -> None:
    text = write(tmp_path).read_text(encoding="utf-8")
    number = text[text.index("      - kind: number") : text.index("      - kind: recall")]
    more = [
        ("level: core", "level: deep"),
        (number, RECALL + RECALL.replace("again", "and-again").replace("Once", "Twice")),
    ]
    (line,) = [
        line for line in without_claims(check(several(tmp_path, more), "attention")) if "kinds" in line
    ]
    assert "the drills of the topic attention are of 2 kinds (choice, recall), at least 3" in line


@pytest.mark.slow
def test_from_a_core_card_of_a_complete_topic_why_can_be_asked_three_deep(tmp_path: Path) -> None:
    traps = {
        "one": "D19.divide-by-d",
        "two": "D19.holds-after-training",
        "three": "D19.score-variance",
        "four": "D19.score-mean",
    }

    def deck(*links: tuple[str, str]) -> Path:
        follow = dict(links)
        cards = []
        for name, refuted_by in traps.items():
            level = [] if name == "one" else [("level: core", "level: deep")]
            cards.append(
                [
                    *other(name, refuted_by),
                    FOURTH,
                    ("Once more.", f"Sum up {name}."),
                    ("再来一次。", f"总结 {name}。"),
                    *level,
                    *([linked(follow[name])] if name in follow else []),
                ]
            )
        return several(tmp_path, *cards)

    assert without_claims(check(deck(("one", "two"), ("two", "three"), ("three", "four")), "attention")) == []
    for links in ([("one", "two"), ("two", "three")], [("one", "two"), ("two", "three"), ("three", "one")]):
        path = deck(*links)
        (line,) = without_claims(check(path, "attention"))
        assert line.startswith(f"{path}:")
        assert "one, follow_ups: no chain of follow-ups leads 3 cards deep" in line


def test_a_list_of_complete_topics_with_an_unknown_one(tmp_path: Path) -> None:
    path = tmp_path / "complete.yaml"
    path.write_text("topics: [rnn, astrology]\n", encoding="utf-8")
    topics, found = read_complete(path)
    assert topics == frozenset()
    assert next(fault.line("en") for fault in found).startswith(f"{path}:1:15: astrology is not one of")
    path.write_text("topics: [rnn, bert]\n", encoding="utf-8")
    assert read_complete(path) == (frozenset({"rnn", "bert"}), ())


def test_only_the_files_asked_for_are_told(tmp_path: Path) -> None:
    path = write(tmp_path, ("claims: [dot-product-variance]", "claims: [no-such-claim]"))
    assert check(path, files=["elsewhere.yaml", str(path)[:-1]]) == []
    (line,) = check(path, files=[str(path)])
    assert "no-such-claim" in line
