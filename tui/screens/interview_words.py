"""What the interviewer's screens say."""

from __future__ import annotations

from engine.text import Text

INTERVIEW = Text("Interview", "模拟面试")
PICK_ABOUT = Text(
    "Pick the card to start from, or let the interviewer choose. Each interview is five questions on three levels, thirty seconds of speaking each.",
    "选一张开场的卡片，或让面试官来选。每场共三层、五个问题，每题口头回答三十秒。",
)
DRAW_LINE = Text("Let the interviewer choose", "由面试官来选")
PAST_LINE = Text("Interviews held so far", "以往的模拟面试")
HELD = Text("{n} held", "共 {n} 场")
ABOUT = Text(
    "Answer aloud while the clock runs; <key:reveal> shows the answer. Say honestly what was in yours: every mark is stored at once, and the schedule of the cards is not touched.",
    "计时期间开口作答；按 <key:reveal> 显示答案。如实标记自己说到了什么：每个标记立即保存，且不影响卡片的复习日程。",
)
SPEAK = Text(
    "Answer aloud. <key:reveal> shows the answer; <key:clock> stops the clock.",
    "请口头作答。按 <key:reveal> 显示答案，按 <key:clock> 停表。",
)
COMPARE_POINTS = Text(
    "<key:reveal> goes on to the key points; <key:proof> shows the proof, <key:lab> the lab.",
    "按 <key:reveal> 逐点对照；<key:proof> 看证明，<key:lab> 进实验室。",
)
COMPARE_WHOLE = Text(
    "Did you say it? <key:yes-i-said-it> yes, <key:partly> partly, <key:no> no. <key:proof> shows the proof, <key:lab> the lab.",
    "你说到了吗？<key:yes-i-said-it> 说到了，<key:partly> 说到了一部分，<key:no> 没有。<key:proof> 看证明，<key:lab> 进实验室。",
)
COMPARE_PLAIN = Text(
    "Did you say it? <key:yes-i-said-it> yes, <key:partly> partly, <key:no> no.",
    "你说到了吗？<key:yes-i-said-it> 说到了，<key:partly> 说到了一部分，<key:no> 没有。",
)
TICK = Text(
    "What was in your answer? <key:answers.tick> ticks, <key:answers.open> goes on.",
    "你的回答包含了哪几点？<key:answers.tick> 勾选，<key:answers.open> 继续。",
)
MARK = Text("Did you say it?", "你说到了吗？")
SPOKE = Text("{n} s of 30", "用时 {n} 秒，限 30 秒")
LEVEL = Text("Level {n}", "第 {n} 层")
CONTEXT = Text("Now about: {question}", "接下来谈：{question}")
PROGRESS = Text("question {n} of {all}", "第 {n} 题，共 {all} 题")
ANSWER = Text("Answer", "回答")
KIND = {
    "opening": Text("the question", "开场问题"),
    "why": Text("why", "为什么"),
    "what-if": Text("what if", "换个前提"),
    "follow-up": Text("and then", "追问"),
    "prove-it": Text("prove it", "请证明"),
    "what-breaks": Text("what breaks", "哪里站不住"),
}
ASKED_AS = {**KIND, "what-breaks": Text("a claim", "一个说法")}
"""While it is asked, a popular error is put as anything else one is asked to agree with."""
MARKS = {
    "said": Text("yes, I said it", "说到了"),
    "partly": Text("partly", "说到了一部分"),
    "not": Text("no", "没有"),
}
SAID = {
    "said": Text("said", "说到了"),
    "partly": Text("in part", "部分"),
    "not": Text("not said", "没说到"),
}

# The end
VERDICT = Text("Verdict", "评语")
VERDICT_ABOUT = Text(
    "<key:menu.open> opens the card behind a level. <key:add-to-today> adds the cards to look at to today's study.",
    "按 <key:menu.open> 打开一层背后的卡片；按 <key:add-to-today> 把值得再看的卡片加入今天的学习。",
)
STANDING = {
    "holds": ("✓", Text("holds", "站得住")),
    "shaky": ("◐", Text("shaky", "不稳")),
    "breaks": ("✗", Text("breaks", "站不住")),
}
LEVEL_FACTS = Text("{share} said, {used} s of {limit}", "说到 {share}，用时 {used} 秒，限 {limit} 秒")
MARK_LINE = Text("{kind}: {said}, {used} s", "{kind}：{said}，{used} 秒")
POINTS = Text("{said} of {all} points", "{all} 个要点说到 {said} 个")
LOOK_AT = Text("Cards to look at", "值得再看的卡片")
NOTHING_TO_MEND = Text("Every answer held.", "每个回答都站得住。")
SEED_LINE = Text("In the shell: `{call}`", "在终端中重来一遍：`{call}`")

END_AGAIN = Text(
    "An interview cannot be taken up again. <key:back> again ends it and keeps the {n} {n:answer|answers} marked so far.",
    "面试结束后不能接着进行。再按一次 <key:back> 结束；已标记的 {n} 题会保留。",
)
ENDED = Text(
    "The interview is ended; {n} of {all} answers {n:is|are} kept.",
    "面试已结束，保留了 {n} 题，共 {all} 题。",
)
ENDED_EMPTY = Text(
    "The interview is ended; no answer was marked, so nothing is kept.",
    "面试已结束；还没有标记任何回答，因此没有留下记录。",
)

PAST = Text("Interviews", "以往面试")
PAST_ABOUT = Text(
    "<key:menu.open> opens the verdict of an interview.", "按 <key:menu.open> 查看该场面试的评语。"
)
NONE_YET = Text(
    "No interview so far. Go back, and let the interviewer choose a card to start from.",
    "还没有进行过模拟面试。返回上一处，由面试官选一张卡片开场。",
)
BROKEN_OFF = Text("broken off", "中途结束")
