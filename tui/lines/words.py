"""The words of the line-by-line mode."""

from __future__ import annotations

from engine.text import Text

QUESTION = Text("Question {n}: {topic}, {level}", "第 {n} 题：{topic}，{level}")
REVEAL = Text("Enter shows the answer; q ends.", "按 Enter 显示答案；q 结束。")
GRADE = Text(
    "How well did you know it? {choices}. Also: p proof, f follow-ups, u undo, b bury until tomorrow, s suspend, "
    "m bookmark, n TEXT a note, w TEXT what is wrong, q end.",
    "答得怎么样？{choices}。另有：p 证明，f 追问，u 撤销，b 搁置到明天，s 暂停，m 书签，n 内容 写笔记，w 内容 报错，q 结束。",
)
GRADE_CRAM = Text(
    "How well did you know it? {choices}. Also: p proof, f follow-ups, u undo, m bookmark, n TEXT a note, "
    "w TEXT what is wrong, q end. The schedule stays as it is.",
    "答得怎么样？{choices}。另有：p 证明，f 追问，u 撤销，m 书签，n 内容 写笔记，w 内容 报错，q 结束。日程不变。",
)
CHOICE = Text("{n} {name}, back in {interval}", "{n} {name}，{interval}后再现")
CHOICE_CRAM = Text("{n} {name}", "{n} {name}")
NOT_A_GRADE = Text("Type 1, 2, 3 or 4, or one of the letters.", "请输入 1、2、3、4，或上面的某个字母。")
BURIED = Text("Put off until tomorrow.", "已搁置到明天。")
SUSPENDED = Text("Suspended: not asked until it is resumed.", "已暂停，恢复之前不再提问。")
SUSPEND_IT = Text(
    "Not to be asked any more: proofdeck mark {card} --suspend", "不想再问：proofdeck mark {card} --suspend"
)
AFTER = Text("u takes back what was done last; Enter ends.", "u 撤销上一步；按 Enter 结束。")
NO_PROOF = Text("No demonstration stands behind this card.", "这张卡没有演示支撑。")
NO_FOLLOW_UPS = Text("This card has no follow-up.", "这张卡没有追问。")
RUN_IT = Text("Measured: {call}", "实测：{call}")

START = Text("Start: {start}", "起始式：{start}")
UNIT = Text("In {unit}.", "单位：{unit}。")
NUMBER = Text(
    "Question {n} of {all}: {kind}, {topic}. {left}", "第 {n} 题，共 {all} 题：{kind}，{topic}。{left}"
)
LEFT = Text(
    "{minutes} {minutes:minute|minutes} {seconds} {seconds:second|seconds} left.",
    "剩余 {minutes} 分 {seconds} 秒。",
)
PICK = Text("Type a letter; Enter skips, q ends the paper.", "输入选项字母；按 Enter 跳过，q 结束答卷。")
ONE_LINE = Text("Type your answer; Enter skips, q ends the paper.", "输入答案；按 Enter 跳过，q 结束答卷。")
SEVERAL = Text(
    "Type your answer, line by line; a single full stop ends it. At once: Enter skips, q ends the paper.",
    "逐行输入答案，单独一个句点结束。第一行直接按 Enter 跳过，输入 q 结束答卷。",
)
RECALL = Text(
    "Say it aloud, or type key words line by line; a single full stop ends them. At once: Enter once it is said, "
    "s skips, q ends the paper.",
    "口头作答，或逐行输入关键词，单独一个句点结束。第一行：说完直接按 Enter，输入 s 跳过，输入 q 结束答卷。",
)
STILL_OPEN = Text(
    "No answer yet to {n} {n:question|questions}, asked once more; q ends the paper as it is.",
    "还有 {n} 题没有作答，再问一遍；输入 q 就此结束答卷。",
)
LEFT_OPEN = Text(
    "Stopped. Answers given are stored; `proofdeck test --plain --resume` goes on.",
    "已停止，已作答的都已保存；用 `proofdeck test --plain --resume` 继续。",
)
NOT_AN_OPTION = Text("No option has that letter.", "没有这个字母的选项。")
STORED = Text("Stored.", "已保存。")
TICK = Text(
    "Which of these were in your answer? Type their numbers, 0 for none; Enter takes the proposal: {proposed}.",
    "你的回答包含了哪几点？输入编号，一个也没有输入 0；按 Enter 采用建议：{proposed}。",
)
NONE = Text("none", "无")
NOT_A_POINT = Text("Type numbers from 1 to {n}.", "请输入 1 到 {n} 的编号。")
ASKED = Text("Question {n} of {all}, level {level}: {kind}", "第 {n} 题，共 {all} 题，第 {level} 层：{kind}")
SPEAK = Text(
    "Answer aloud, in thirty seconds; Enter shows the answer, q ends the interview.",
    "请在三十秒内口头作答；按 Enter 显示答案，q 结束面试。",
)
JUDGE = Text(
    "Did you say it? 1 yes, 2 partly, 3 no; q ends the interview.",
    "你说到了吗？1 说到了，2 说到了一部分，3 没有；q 结束面试。",
)
NOT_A_MARK = Text("Type 1, 2 or 3.", "请输入 1、2 或 3。")
LEVEL_TOLD = Text("Level {level}: {standing}. {facts}.", "第 {level} 层：{standing}。{facts}。")
AGAIN = Text("The same questions again: {call}", "同样的问题再来一遍：{call}")
ADD = Text(
    "a adds these cards to today's study; Enter ends.", "输入 a 把这些卡片加入今天的学习；按 Enter 结束。"
)
ADDED = Text("{n} {n:card|cards} added to today's study.", "已将 {n} 张卡片加入今天的学习。")
EMPTY = Text(
    "Nothing is due and no new card is left here; --cram goes through the cards anyway.",
    "没有到期的卡片，这里也没有新卡；--cram 可以不影响日程地全部过一遍。",
)
FULL = Text(
    "You are done for today: {n} more cards wait, held back by the daily limits of the settings.",
    "今天的量已经完成：还有 {n} 张卡片因设置中的每日上限留到以后。",
)
