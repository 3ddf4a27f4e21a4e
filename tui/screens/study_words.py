"""The keys of a study session, and what is said at its end."""

from __future__ import annotations

from engine.text import Text
from tui import messages
from tui.commands import Command

REVEAL = Command(
    "reveal", ("space", "enter"), Text("Reveal", "揭示"),
    Text("show the spoken answer, then the full one", "先显示口述答案，再显示完整回答"), 1,
)  # fmt: skip
ANSWER = Command(
    "answer",
    ("a",),
    Text("Answer", "作答"),
    Text("answer a question on this card before it is revealed; the verdict proposes the grade",
         "揭示之前先做这张卡的一道题，由判定结果给出建议评分"),
    2,
)  # fmt: skip
PROOF = Command(
    "proof",
    ("p",),
    Text("Proof", "证明"),
    Text("the derivation behind the answer, step by step", "逐步查看答案背后的推导"),
    3,
)
LAB = Command(
    "lab",
    ("l",),
    Text("Lab", "实验室"),
    Text("this card's demonstration, with sliders", "这张卡的演示，可拖动滑块"),
    4,
)
OPEN_CARD = Command(
    "card",
    ("o",),
    Text("Card", "卡片"),
    Text("the whole card: follow-ups, sources and more", "整张卡片：追问、来源等"),
    5,
)
UNDO = Command(
    "undo",
    ("u",),
    Text("Undo", "撤销"),
    Text("take back the last grade, burying or suspending", "撤销上一次评分、搁置或暂停"),
    6,
)
CRAM = Command(
    "cram", ("c",), Text("Go through", "过一遍"),
    Text("go through these cards without changing the schedule", "不影响日程地把这些卡片过一遍"), 7,
)  # fmt: skip
GRADES = tuple(
    Command(f"grade({number})", (str(number),), name, help_text)
    for (number, name), help_text in zip(
        messages.RATINGS.items(),
        (
            Text("not recalled; it comes back shortly", "没想起来；很快再现"),
            Text("recalled with much effort", "想起来了，但很吃力"),
            Text("recalled", "想起来了"),
            Text("recalled at once", "不假思索就想起来了"),
        ),
        strict=True,
    )
)

STUDYING = (REVEAL, *GRADES, ANSWER, PROOF, LAB, OPEN_CARD, UNDO, CRAM)

DAY_FULL = Text(
    "You are done for today: {n} more cards wait, held back by the daily limits of the settings.",
    "今天的量已经完成：还有 {n} 张卡片因设置中的每日上限留到以后。",
)
