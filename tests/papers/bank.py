"""A small bank made for the tests of papers: topics with cards of every kind of drill."""

from __future__ import annotations

from collections.abc import Sequence

from engine.text import Text, same
from quizbank.card import (
    Card,
    ChoiceDrill,
    Drill,
    FollowUp,
    KeyPoint,
    NumberDrill,
    Option,
    RecallDrill,
    Slip,
    SourceRef,
    Trap,
)
from quizbank.drills.grading import Grader
from quizbank.slots import Quantities

POINTS = (
    KeyPoint("variance-grows", Text("the variance of $q \\cdot k$ is proportional to $d_k$", "$q \\cdot k$ 的方差与 $d_k$ 成正比")),
    KeyPoint("saturation", Text("large scores saturate the softmax and its gradient vanishes", "分数过大使 softmax 饱和，梯度消失")),
    KeyPoint("premises", Text("zero mean and independence are assumed", "前提是零均值且相互独立")),
)  # fmt: skip


def choice(id_: str) -> ChoiceDrill:
    return ChoiceDrill(
        id_,
        Text("Which one?", "哪一个？"),
        tuple(
            Option(name, same(f"option {name}"), Text(f"because {name}", f"因为 {name}"), right=name == "b")
            for name in "abcd"
        ),
    )


def number(id_: str, unit: str = "") -> NumberDrill:
    return NumberDrill(
        id_,
        Text("What is the variance at @{d_k}?", "@{d_k} 时方差是多少？"),
        answer="d_k * 3",
        vary={"d_k": (64, 128, 256, 512)},
        unit=unit,
        rel=0.01,
        slips=(
            Slip("d_k", Text("forgot the factor 3", "漏了因子 3")),
            Slip("sqrt(d_k)", Text("took the deviation at @{d_k}", "@{d_k} 时取成了标准差")),
        ),
    )


def card(id_: str, topic: str, drills: Sequence[Drill], level: str = "core") -> Card:
    text = Text("text", "文字")
    return Card(
        id=id_,
        topic=topic,
        level=level,
        verdict="true",
        question=text,
        spoken=text,
        answer=Text("The whole answer.", "完整答案。"),
        key_points=POINTS,
        trap=Trap(text, text, "D19.unit-variance-suffices"),
        follow_ups=(FollowUp(text, text),),
        sources=(SourceRef("vaswani-2017", same("§3.2.1")),),
        demos=(),
        claims=(),
        drills=tuple(drills),
    )


def every_kind(id_: str, topic: str, level: str = "core") -> Card:
    return card(
        id_,
        topic,
        (choice("choose"), number("compute"), RecallDrill("say", Text("Say it.", "说一说。"))),
        level,
    )


CARDS = (
    every_kind("attention-scale", "attention"),
    every_kind("attention-qkv", "attention", "deep"),
    every_kind("bert-masking", "bert"),
    every_kind("layer-norm", "normalization"),
    every_kind("batch-norm", "normalization", "expert"),
    every_kind("checkpointing", "memory", "deep"),
)


def grader(cards: Sequence[Card] = CARDS) -> Grader:
    quantities = Quantities()
    return Grader({one.id: one for one in cards}, quantities.value, quantities.fill)
