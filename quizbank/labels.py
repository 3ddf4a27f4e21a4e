"""What the parts of a card are called, on every screen and sheet."""

from __future__ import annotations

from engine.text import Text

TOPIC: dict[str, Text] = {
    "convolution": Text("Convolution", "卷积"),
    "rnn": Text("RNN", "循环神经网络"),
    "lstm-gru": Text("LSTM and GRU", "LSTM 与 GRU"),
    "seq2seq": Text("Seq2Seq", "Seq2Seq"),
    "attention": Text("Attention", "注意力"),
    "multi-head": Text("Multi-head attention", "多头注意力"),
    "position": Text("Position", "位置编码"),
    "block": Text("Transformer block", "Transformer 模块"),
    "normalization": Text("Normalization", "归一化"),
    "training": Text("Training", "训练"),
    "embeddings": Text("Embeddings", "词嵌入"),
    "bert": Text("BERT", "BERT"),
    "gpt": Text("GPT", "GPT"),
    "decoding": Text("Decoding", "解码"),
    "vit": Text("ViT", "ViT"),
    "efficient": Text("Efficient attention", "高效注意力"),
    "memory": Text("Memory", "显存"),
    "code": Text("Code", "代码"),
    "own": Text("My own", "我的卡片"),
}

LEVEL: dict[str, Text] = {
    "core": Text("core", "基础"),
    "deep": Text("deep", "进阶"),
    "expert": Text("expert", "专家"),
}

VERDICT: dict[str, Text] = {
    "true": Text("the popular answer is true", "通行答案成立"),
    "imprecise": Text("the popular answer is imprecise", "通行答案不精确"),
    "contested": Text("contested", "尚有争议"),
    "false": Text("the popular answer is false", "通行答案有误"),
    "unchecked": Text("your own card, unchecked", "自备卡片，未经核对"),
}

VERDICT_WORD: dict[str, Text] = {
    "true": Text("true", "成立"),
    "imprecise": Text("imprecise", "不精确"),
    "contested": Text("contested", "有争议"),
    "false": Text("false", "有误"),
    "unchecked": Text("unchecked", "未核对"),
}
"""The same of the popular answer, where there is room for a word."""

KIND: dict[str, Text] = {
    "choice": Text("choice", "选择题"),
    "number": Text("number", "数值题"),
    "expression": Text("expression", "表达式题"),
    "derivation": Text("derivation", "推导题"),
    "code": Text("code", "编程题"),
    "recall": Text("recall", "复述题"),
}

OUTCOME: dict[str, tuple[str, Text]] = {
    "right": ("✓", Text("right", "正确")),
    "partial": ("◐", Text("in part", "部分正确")),
    "wrong": ("✗", Text("wrong", "错误")),
    "not-understood": ("?", Text("not understood", "无法识别")),
    "undecided": ("?", Text("undecided", "未能判定")),
    "to-tick": ("?", Text("not ticked", "未勾选要点")),
    "unanswered": ("–", Text("no answer", "未作答")),
}
"""A sign and a word for how an answer was graded, or for a question without one."""

MARK: dict[str, Text] = {
    "bookmarked": Text("bookmarked", "已加书签"),
    "noted": Text("with a note", "有笔记"),
    "reported": Text("reported", "已报错"),
    "buried": Text("buried until tomorrow", "搁置到明天"),
    "suspended": Text("suspended", "已暂停"),
    "leech": Text("forgotten again and again", "屡学屡忘"),
}
"""What a person marked, put off or keeps forgetting (:mod:`quizbank.learning.marked`)."""

STATUS: dict[str, Text] = {
    "open": Text("unfinished", "未完成"),
    "handed in": Text("handed in", "已交卷"),
    "timed out": Text("time ran out", "时间到"),
}

SPOKEN = Text("In thirty seconds", "三十秒作答")
ANSWER = Text("Full answer", "完整回答")
NO_DEMONSTRATION = Text("No demonstration: to be believed.", "没有演示：只能相信。")
TAGS = Text("Tags", "标签")
KEY_POINTS = Text("Key points", "要点")
TRAP = Text("The trap", "常见误区")
POPULAR = Text("Popular error", "流行误解")
"""The trap: not the popular answer, whose verdict may be that it is true."""
CORRECTION = Text("What holds", "正确的说法")
REFUTED_BY = Text("Refuted by", "证伪依据")
PROOF = Text("Proof", "证明")
DERIVATION = Text("Derivation", "推导")
MEASURED_AGAINST = Text("Predicted against measured", "预测与实测")
FOLLOW_UPS = Text("Follow-up questions", "追问")
SOURCES = Text("Sources", "参考来源")
DRILLS = Text("Drills", "练习")
QUESTION = Text("Question", "问题")
KEY = Text("Key", "答案")
GIVEN = Text("Your answer", "你的答案")
SAID_ALOUD = Text("(said aloud)", "（口头作答）")
START = Text("Start", "起始式")
GOAL = Text("Goal", "目标式")
REFERENCE = Text("Reference", "参考答案")
SLIP = Text("The slip", "错因")
HINT = Text("hint", "提示")
COUNTEREXAMPLE = Text("Counterexample", "反例")
TIME = Text("Time", "用时")
SCORE = Text("Score", "得分")
LEFT_OUT = Text(
    "{n} {n:answer is|answers are} left out of the score: not understood, or not decided.",
    "{n} 题不计入得分：没有看懂，或未能判定。",
)
CONTENTS = Text("Contents", "目录")
SEE_CARD = Text("see card", "见卡片")
BUILDS_ON = Text("builds on", "前提")


def refuted_by(reference: str) -> Text:
    """Where a trap is refuted, for a person: the step and the check have no name on any screen."""
    demo, _, _ = reference.partition(".")
    return Text(f"demonstration {demo}", f"演示 {demo}")
