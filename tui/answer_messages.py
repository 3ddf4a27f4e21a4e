"""The words around typed answers, in both languages."""

from __future__ import annotations

from engine.text import Text

READ_AS = Text("Read as", "读作")
STOPS = Text("Stops here", "读到这里")
LINE = Text("Next line", "下一行")
LINE_HINT = Text("= … then Enter; Enter alone ends", "= ……，按 Enter；空行 Enter 结束")
LINE_HINT_OPEN = Text(
    "= … then Enter; Enter alone says how far you are", "= ……，按 Enter；空行 Enter 查看进度"
)
NO_LINE_YET = Text(
    "No line is written yet: type one that equals the start, then Enter.",
    "还没有写任何一行：先输入与起始式相等的一行，再按 Enter。",
)
EDITED_LINE = Text("Line {n}", "第 {n} 行")
EDITED_LINE_HINT = Text("Enter keeps it; empty deletes it", "Enter 保存；清空即删除")
START = Text("start", "起始式")
GOAL = Text("Goal: {goal}", "目标式：{goal}")
SYMBOLS = Text("Names: {names}", "可用名称：{names}")
NO_SYMBOLS = Text("No names are declared here: write numbers.", "这里没有声明名称：请写数。")
SYMBOL = Text("{name} ({kind})", "{name}（{kind}）")
TYPED_AS = Text("{name}, typed {typed}", "{name}，键入 {typed}")
KINDS: dict[str, Text] = {
    "real": Text("real", "实数"),
    "pos": Text("positive", "正数"),
    "prob": Text("between 0 and 1", "0 与 1 之间"),
    "posint": Text("positive integer", "正整数"),
    "nat0": Text("integer from 0", "非负整数"),
    "dim": Text("size", "维度"),
    "index": Text("index", "下标"),
    "dimval": Text("the size of that name", "同名维度的值"),
}
VECTOR = Text("vector, {kind}", "向量，{kind}")
MATRIX = Text("{shape} matrix", "{shape} 矩阵")
SYMMETRIC = Text("symmetric {shape} matrix", "{shape} 对称矩阵")
IDENTITY = Text("{shape} identity matrix", "{shape} 单位矩阵")
CONSTRAINTS = {
    "simplex": Text("the entries of {name} are positive and sum to 1", "{name} 的各分量为正且和为 1"),
}
CONSTRAINT = Text("{name}: {constraint}", "{name}：{constraint}")

FOLLOWS = Text("✓ follows", "✓ 成立")
FOLLOWS_NOT = Text("✗ does not follow", "✗ 不成立")
NOT_DECIDED = Text("? not decided", "? 未能判定")
NOT_READ = Text("? not read", "? 无法识别")
UNCHECKED = Text("– not checked", "– 未检查")
JUDGING = Text("… judging", "…… 判定中")
HINT_LINE = Text("hint", "提示")
IS_GOAL = Text("the goal", "到达目标")
HINT_COSTS = Text(
    "A hint writes the next line for you and costs points. {key} again shows it.",
    "提示会替你写出下一行，并扣分。再按一次 {key} 显示。",
)
NO_HINT_LEFT = Text(
    "No hint is left: only the goal is still ahead.",
    "没有更多提示：再往下就是目标式了。",
)
HINT_STAYS = Text(
    "A line that a hint gave stays as it is.",
    "提示给出的行不能修改。",
)

FORMULA_HINTS = {
    "symbolic": Text("a formula, e.g. 1/sqrt(n)", "填一个式子，如 1/sqrt(n)"),
    "matrix": Text("a matrix formula, e.g. A B^T", "填一个矩阵式，如 A B^T"),
    "asymptotic": Text("a growth class, e.g. O(n^2)", "填一个复杂度，如 O(n^2)"),
    "set": Text("a set or an interval: {1, 2}, [0, 1)", "填集合或区间，如 {1, 2}、[0, 1)"),
}
RECALL_HINT = Text(
    "Your answer in key words, or say it aloud. <key:prose.done> is done, <key:prose.new-line> begins a new line.",
    "写几个关键词，或口头作答。<key:prose.done> 完成，<key:prose.new-line> 换行。",
)
NOT_UNDERSTOOD = Text(
    "Not understood, and not counted against you: {reason}. Mend it and press Enter; Enter again leaves it as it is.",
    "没有看懂，不扣分：{reason}。请修改后再按 Enter；直接再按一次 Enter 则保持原样。",
)
NOT_UNDERSTOOD_YET = Text(
    "Not understood, and not counted against you: {reason}. Mend it and press Enter.",
    "没有看懂，不扣分：{reason}。请修改后再按 Enter。",
)
NOT_UNDERSTOOD_CODE = Text(
    "Not understood, and not counted against you: {reason}. Mend it, then <key:code.answer>; <key:code.answer> again leaves it as it is.",
    "没有看懂，不扣分：{reason}。请修改后再按 <key:code.answer>；直接再按一次 <key:code.answer> 则保持原样。",
)
NOT_UNDERSTOOD_CODE_YET = Text(
    "Not understood, and not counted against you: {reason}. Mend it, then <key:code.answer>.",
    "没有看懂，不扣分：{reason}。请修改后再按 <key:code.answer>。",
)
NOTHING_WRITTEN = Text("Nothing was written yet.", "还没有写任何内容。")
GRADING = Text("Judging…", "判定中……")
RUNNING = Text("Running…", "运行中……")
RAN = {
    True: Text("Every case passes", "全部用例通过"),
    False: Text("It does not pass yet", "还没有通过"),
}
NOT_RUN = Text("Not run: it is not understood yet", "没有运行：还看不懂这段代码")
RAN_EXAMPLE = Text(
    "Run on one case; the rest are tried when the paper is graded",
    "只运行了一个用例；其余用例在评分时运行",
)
RUN_SIGNS = {True: "✓", False: "✗"}
NOT_RUN_SIGN = "?"
PRINTED = Text("Printed:", "输出：")

# A card's question answered before it is revealed
DRILL = Text("Answer first", "先作答")
DRILL_ABOUT = Text(
    "What you answer here is judged at once. The first verdict proposes a grade for the card; you decide.",
    "这里的作答立即判定。第一次判定的结果会给出建议评分，最终由你决定。",
)
DRILL_OVER = Text(
    "<key:to-the-card> goes back to the card; <key:another> asks another question.",
    "<key:to-the-card> 回到卡片；<key:another> 换一题。",
)
DRILL_OVER_ONE = Text("<key:to-the-card> goes back to the card.", "<key:to-the-card> 回到卡片。")
VERDICT = Text("{sign} {outcome}", "{sign} {outcome}")
CAN_ANSWER = Text(
    "Or press <key:study.answer> to answer a question on it first.",
    "也可以按 <key:study.answer> 先做一道题。",
)
PROPOSED = Text(
    "{sign} Your answer: {outcome}. {rating} is proposed; you decide.",
    "{sign} 你的答案：{outcome}。建议评为“{rating}”，由你决定。",
)
PROPOSED_BY_FIRST = Text(
    "{sign} Your first answer: {outcome}. It proposes {rating}; later answers do not count. You decide.",
    "{sign} 第一次作答：{outcome}。据此建议评为“{rating}”，之后的作答不计；由你决定。",
)
NOT_PROPOSED_BY_FIRST = Text(
    "{sign} Your first answer: {outcome}. Later answers do not count; the grade is yours alone.",
    "{sign} 第一次作答：{outcome}。之后的作答不计，评分请自行决定。",
)
NOT_PROPOSED = Text(
    "{sign} Your answer: {outcome}. The grade is yours alone.",
    "{sign} 你的答案：{outcome}。评分请自行决定。",
)
