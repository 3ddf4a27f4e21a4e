"""What is said where a card is marked, put off, written on or opened in an editor, in both languages."""

from __future__ import annotations

from engine.text import Text

BURIED = Text("not asked again today: {card}", "今天不再提问：{card}")
SUSPENDED = Text("suspended: {card}", "已暂停：{card}")
RESUMED = Text("asked again as its schedule says: {card}", "已恢复，按日程提问：{card}")
BOOKMARKED = Text("bookmarked", "已加书签")
UNBOOKMARKED = Text("bookmark taken off", "已去掉书签")
NOTE_KEPT = Text("note kept", "笔记已保存")
NOTE_GONE = Text("note taken away", "笔记已去掉")
REPORTED = Text(
    "Kept for the author. `proofdeck reports` shows it; `proofdeck log undo ID` takes it back.",
    "已记下，留给作者。`proofdeck reports` 可以查看，`proofdeck log undo ID` 可以撤回。",
)
SHIPPED = Text(
    "This card comes with the program: what you saw is a copy. <key:something-is-wrong> says what is wrong with it; a card of your own goes into your own deck.",
    "这是内置卡片，打开的是只读副本。发现错误请按 <key:something-is-wrong>；想自己写，请放进自备卡片的文件。",
)

NOTE_BACK = Text("Keep and go back", "保存并返回")
NOTE_BACK_HELP = Text(
    "keep the note as it stands; an empty one is taken away", "按现在的内容保存；留空则去掉笔记"
)
REPORT_BACK = Text("Leave it", "放弃")
REPORT_BACK_HELP = Text(
    "go back without a report; asked once more where something is written",
    "不报告，返回；已写内容时会再确认一次",
)
YOUR_NOTE = Text("Your note", "我的笔记")
NOTE_ABOUT = Text(
    "<key:keep> or <key:back> keeps it; an empty note is taken away. <key:prose.new-line> begins a new line, an empty line a new paragraph; "
    "formulas stand between dollar signs, as on the cards.",
    "<key:keep> 或 <key:back> 保存，留空则去掉。<key:prose.new-line> 换行，空一行另起一段；公式与卡片一样写在美元符号之间。",
)
REPORT_ABOUT = Text(
    "Say what is wrong, and where: a sign, a number, a sentence. <key:keep> keeps it for the author, <key:back> leaves.",
    "写明哪里有误：符号、数字，还是某句话。<key:keep> 记下并留给作者，<key:back> 放弃。",
)
DROP_REPORT = Text(
    "<key:keep> keeps what is written; <key:back> again drops it.",
    "按 <key:keep> 保存已写的内容；再按一次 <key:back> 则放弃。",
)

LEECH = Text("Forgotten again", "又忘了")
LEECH_ABOUT = Text(
    "This card has been forgotten again and again, so reviewing alone does not keep it. <key:menu.open> does what is under "
    "the cursor; <key:back> goes on.",
    "这张卡片屡学屡忘，光靠复习记不住。<key:menu.open> 执行光标所在的一项，<key:back> 继续。",
)
LEECH_SAID = Text(
    "You have forgotten this card {n} times: reviewing alone does not keep it. Look once more at why it is so.",
    "这张卡片已经忘了 {n} 次，光靠复习记不住。不妨再看一遍它为什么成立。",
)
LEECH_LAB = Text(
    "Its demonstration: move the sliders and watch it happen", "看演示：拖动滑块，亲眼看它如何发生"
)
LEECH_PROOF = Text("Its proof, step by step", "看证明：一步一步推导")
LEECH_CARD = Text("The whole card", "看整张卡片")
LEECH_NOTE = Text("Write a note that helps next time", "写一条下次用得上的笔记")
LEECH_SUSPEND = Text("Suspend it: not to be asked until resumed", "暂停：恢复之前不再提问")
LEECH_ON = Text("Go on", "继续")
PUT_OFF = Text(
    "Put off: {buried} until tomorrow, {suspended} suspended.",
    "搁置到明天 {buried} 张，暂停 {suspended} 张。",
)
TAKEN_BACK = Text("taken back: {card} is asked as its schedule says", "已撤销：{card} 按日程提问")
