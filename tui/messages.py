"""The words of the interface, in both languages. What a command is called stands in its Command."""

from __future__ import annotations

from engine.text import Text, same
from quizbank import labels

NAME = "Proofdeck"
NOTHING = same("")

# The frame of every screen
MORE = Text("more", "更多")
HOW_TO_QUIT = Text(
    "Press <key:quit> to leave; while typing, <key:back> first.",
    "按 <key:quit> 退出；正在输入时先按 <key:back>。",
)
FAULT = Text(
    "this failed: {what} ({where}). The rest of the app goes on.",
    "此处出错：{what}（{where}）。其余功能不受影响。",
)
MORE_FAULTS = Text(
    "… and {n} more: `proofdeck doctor` lists them", "……另有 {n} 处：`proofdeck doctor` 会全部列出"
)
WORKING = Text("working…", "计算中……")
LOADING = Text("opening the deck…", "正在载入题库……")

# Help and the palette
HELP = Text("Keys", "按键")
HELP_HERE = Text("Here", "当前界面")
HELP_MOVING = Text("Moving", "移动")
HELP_EVERYWHERE = Text("Everywhere", "任何地方")
HELP_LINE = Text("{name}: {what}", "{name}：{what}")
PALETTE = Text("Commands", "命令")
PALETTE_ABOUT = Text("Type part of a name, then Enter.", "输入名称的一部分，再按 Enter。")
PALETTE_HINT = Text("type part of a name, in either language", "输入名称的一部分，中英文皆可")
PALETTE_NONE = Text("nothing here is called that", "没有这样的命令")

# Home
HOME = same(NAME)
HOME_ABOUT = Text(
    "Pick one of the things to do, or a topic to see its cards.",
    "选一件事，或选一个主题查看其中的卡片。",
)
WELCOME = Text(
    "Interview questions on deep learning. No answer here has to be believed: each is derived and measured in front of you.",
    "深度学习架构面试题。这里没有需要“相信”的答案：每一个都当场推导、当场实测。",
)
FIRST_TIME = Text(
    "New here? Press <key:menu.open>. You see a question, say the answer aloud, reveal it, look at its proof, and say how well you knew it.",
    "第一次来？按 <key:menu.open>：先看问题，自己说出答案，再揭示、看证明，最后评价自己掌握得如何。",
)
DO = Text("What to do", "做什么")
STUDY_LINE = Text("Study: flashcards, just before you forget them", "学习：卡片复习，在快要忘记时再见到它")
LAB_LINE = Text("Lab: move the sliders, see predicted against measured", "实验室：拖动滑块，对照预测与实测")
TEST_LINE = Text("Self-test: a short timed paper, scored by topic", "自测：限时小卷，按主题计分")
SHEETS_LINE = Text(
    "Answer sheets: cards, papers and results to print or share",
    "答案册：把卡片、试卷与成绩导出来打印、分享、随身带",
)
SET_LINE = Text("{name}: {about}", "{name}：{about}")
BY_TOPIC = Text("Topics", "主题")
DUE_AND_NEW = Text("{due} due · {new} new", "{due} 张到期 · {new} 张新卡")
BACK_SOON = Text("{n} back shortly", "{n} 张即将再现")
NOTHING_DUE = Text("done for today", "今日已完成")
CARDS = Text("{n} {n:card|cards}", "{n} 张")
DEMOS_COUNT = Text("{n} {n:demonstration|demonstrations}", "{n} 个演示")
DRILLS_COUNT = Text("{n} {n:question|questions}", "{n} 题")
UNSET = same("…")
DECK_FAULTS = Text(
    "{n} faults in your own deck, the first at {first}; `proofdeck lint FILE` lists them all",
    "自备卡片有 {n} 处错误，第一处在 {first}；`proofdeck lint FILE` 会全部列出",
)

# Study
STUDY = Text("Study", "学习")
STUDY_CLOSED = Text(
    "Nothing can be studied until this is mended, as no answer could be kept.",
    "修好之前无法学习，因为答案无处保存。",
)
STUDY_ABOUT = Text(
    "Say the answer aloud before you reveal it. <key:reveal> reveals first the spoken answer, then the full one; <key:again> to <key:easy> grade it, and each button says when the card comes back.",
    "先自己把答案说出来，再揭示。<key:reveal> 依次显示口述答案与完整回答；<key:again> 到 <key:easy> 评分，按钮上写着下次何时再见。",
)
THINK = Text(
    "Say it aloud, as you would to the interviewer. Then press <key:reveal>.",
    "像面对面试官那样把答案说出来，再按 <key:reveal>。",
)
MORE_BELOW = Text(
    "<key:reveal> shows the full answer, <key:proof> its proof.",
    "<key:reveal> 显示完整回答，<key:proof> 看证明。",
)
RATINGS = {
    1: Text("Again", "重来"),
    2: Text("Hard", "困难"),
    3: Text("Good", "良好"),
    4: Text("Easy", "轻松"),
}
CRAM = Text("cram: nothing is stored", "突击模式：不记录进度")
PROGRESS = Text("{done} done · {left} to go", "已答 {done} · 剩余 {left}")
CAME = {
    "due": Text("due", "到期"),
    "new": Text("new", "新卡"),
    "step": Text("again", "再现"),
}
PLANNED = Text("today's plan", "今日计划")
NOT_AS_SHOWN = Text(
    "another window graded this card meanwhile, so it comes back in {interval}, not as the button said",
    "另一个窗口刚给这张卡评过分，因此它将在 {interval}后再现，与按钮所示不同",
)
UNDONE = Text("taken back: the card is asked again", "已撤销：这张卡重新提问")
NOTHING_TO_UNDO = Text("nothing to take back in this session", "本次学习中没有可撤销的评分")
SESSION_OVER = Text("That was the last card for now.", "目前没有别的卡片了。")
SESSION_EMPTY = Text(
    "Nothing is due, and no new card is left here. Press <key:go-through> to go through the cards anyway, without changing the schedule.",
    "没有到期的卡片，这里也没有新卡。按 <key:go-through> 可以不影响日程地全部过一遍。",
)
SESSION_NO_CARD = Text("No card matches.", "没有符合条件的卡片。")
SESSION_COUNTS = Text("Graded: {n}. {again} again, {hard} hard, {good} good, {easy} easy.",
                      "共 {n} 次作答：重来 {again}，困难 {hard}，良好 {good}，轻松 {easy}。")  # fmt: skip
SESSION_KEYS = Text(
    "<key:undo> takes the last grade back, <key:go-through> goes through the cards again without changing the schedule, <key:back> leaves.",
    "<key:undo> 撤销上一次评分，<key:go-through> 不影响日程地再过一遍，<key:back> 返回。",
)
NEXT_STEP = Text("The next card comes back in {interval}.", "下一张卡将在 {interval}后再现。")

# Browsing, and a card
BROWSE = Text("Cards", "卡片")
BROWSE_ABOUT = Text(
    "Type <key:find> and words in either language, or narrow the list by topic, level, verdict or demonstration; the list "
    "follows every key. <key:menu.open> opens a card, <key:back> comes back to it; <key:study-these> studies the ones listed.",
    "按 <key:find> 输入中文或英文查找，或按主题、难度、判定、演示筛选，列表随键入即时变化。<key:menu.open> 打开卡片，<key:back> 回到原处；<key:study-these> 学习列出的卡片。",
)
BROWSE_HINT = Text("<key:find> to find words, in English or Chinese", "按 <key:find> 查找，中英文均可")
BROWSE_COUNT = Text("{n} of {of}", "{n} / {of}")
BROWSE_NONE = Text(
    "No card matches. Outside the words, <key:show-all> shows all again.",
    "没有符合条件的卡片。离开输入框后按 <key:show-all>，恢复显示全部。",
)
BROWSE_ANY = Text("any", "不限")
CHOOSE_ABOUT = Text(
    "<key:menu.open> takes the value under the cursor; the number is how many cards it leaves. <key:back> changes nothing.",
    "<key:menu.open> 采用光标所在的值；数字是筛选后剩余的卡片数。<key:back> 不作改动。",
)
CARD = Text("Card", "卡片")
CARD_ABOUT = Text(
    "Each panel has a key of its own, shown in the second row. <key:back> goes back to where you were.",
    "每个面板有自己的按键，见第二行。<key:back> 返回原处。",
)
LAB = Text("Lab", "实验室")
FOLLOW_UPS_ABOUT = Text(
    "Answer each aloud, then press <key:follow-ups.show-answer> to compare.",
    "先自己回答，再按 <key:follow-ups.show-answer> 对照。",
)
HAS_CARD = Text("has a card", "有卡片")
NO_SUCH_CARD = Text("the card {card} is not in this deck", "题库中没有卡片 {card}")
SOURCE = Text("{authors} ({year}). {title}. {venue}.", "{authors}（{year}）：{title}，{venue}。")
COMMA = Text(", ", "、")
CLAIMS = Text("claims: {claims}", "涉及论断：{claims}")

# The lab
LAB_LIST_ABOUT = Text(
    "<key:menu.open> opens a demonstration, <key:find> finds one by its words. Each shows what a popular answer gets wrong.",
    "<key:menu.open> 打开一个演示，<key:find> 按文字查找。每个演示都说明某个流行说法错在哪里。",
)
LAB_ABOUT = Text(
    "Guess first; then <key:slider-before> <key:next-slider> choose a slider and <key:slider.less> <key:slider.more> move it. The figure and the checks follow.",
    "先猜；然后 <key:slider-before> <key:next-slider> 选择滑块，<key:slider.less> <key:slider.more> 移动它，图与检验随之更新。",
)
AGAINST = Text("against: {error}", "针对的说法：{error}")
NO_DEMO = Text("This card has no demonstration.", "这张卡片没有演示。")
GUESS = Text(
    "Popular error: {error}\n\nBefore you look, guess, at the setting of the sliders: {meaning}. "
    "It lies between {low} and {high}{unit}.",
    "流行误解：{error}\n\n先别看结果，猜一猜滑块当前取值下的这个量：{meaning}。取值范围：{low} 到 {high}{unit}。",
)
GUESS_LABEL = Text("Your guess", "你的猜测")
GUESS_HINT = Text("a number; Enter alone shows it", "填一个数；直接按 Enter 则显示结果")
GUESS_FAULT = Text("that was not a number; try again", "那不是一个数，请重填")
OUTCOME = Text("{meaning}: {value}", "{meaning}：{value}")
GUESS_FACTOR = Text(
    ". You said {guess}: off by a factor of {factor}.", "。你猜的是 {guess}，相差 {factor} 倍。"
)
GUESS_GAP = Text(". You said {guess}: off by {gap}.", "。你猜的是 {guess}，相差 {gap}。")
SHOWS = Text("What it shows: {shows}.", "它说明：{shows}。")
SAME_IN_THE_SHELL = Text("In the shell: `{call}`", "在终端中得到同样结果：`{call}`")
DERIVATION_ABOUT = Text(
    "<key:derivation.next-step> shows the next step. Each carries a badge that says what was truly done to it, and by which method.",
    "按 <key:derivation.next-step> 显示下一步。每一步都标明究竟做了什么、用的什么方法。",
)

# Self-test
TEST = Text("Self-test", "自测")
TEST_ABOUT = Text(
    "<key:up> <key:down> choose a field, <key:picker.change-back> <key:picker.change> change it, <key:start> starts. Answers count when the paper is handed in; the schedule of the cards is not touched.",
    "<key:up> <key:down> 选择栏目，<key:picker.change-back> <key:picker.change> 更改取值，<key:start> 开始。交卷后统一评分；不影响卡片的复习日程。",
)
ALL_CARDS = Text("all", "全部")
TOPIC = Text("Topic", "主题")
KIND = Text("Kind", "题型")
LEVEL = Text("Level", "难度")
COUNT = Text("Questions", "题数")
MINUTES = Text("Minutes", "分钟")
NO_LIMIT = Text("no limit", "不限时")
WEAK = Text("Topics drawn", "主题分配")
EVENLY = Text("evenly", "平均分配")
TO_THE_WEAK = Text("more of the weak ones", "薄弱主题多出题")
SEED = Text("Seed", "随机种子")
SEED_HINT = Text("empty: a new paper", "留空则随机组卷")
SEED_FAULT = Text("The seed is a whole number, or empty.", "随机种子须为非负整数，或留空。")
LEFT_OPEN = Text(
    "A self-test was left unfinished: <key:resume> resumes it.", "有一份自测尚未完成：按 <key:resume> 继续。"
)
SITTING_ABOUT = Text(
    "<key:menu.open> answers and goes on. Every answer is stored at once; going back stops the clock, and the paper can be resumed.",
    "<key:menu.open> 作答并进入下一题。每个答案立即保存；返回会停表，之后可以继续。",
)
FLAGGED = Text("flagged", "已标记")
TIME_LEFT = Text("{clock} left", "剩余 {clock}")
YOUR_ANSWER = labels.GIVEN
NUMBER_HINT = Text("a number", "填一个数")
CHOSEN = Text("your answer", "你的答案")
TICK = Text(
    "Which of these were in your answer? <key:tick> ticks, <key:menu.open> goes on.",
    "你的回答包含了哪几点？<key:tick> 勾选，<key:menu.open> 继续。",
)
TICK_PROPOSED = Text(
    "Which of these were in your answer? <key:tick> ticks, <key:menu.open> goes on. The ticks shown are only a proposal.",
    "你的回答包含了哪几点？<key:tick> 勾选，<key:menu.open> 继续。已勾选的只是建议。",
)
ALL_ANSWERED = Text(
    "Every question has an answer. <key:hand-in> hands in.", "所有题目都已作答，按 <key:hand-in> 交卷。"
)
STILL_UNANSWERED = Text(
    "{n} {n:question still has|questions still have} no answer; <key:hand-in> again ends all the same.",
    "还有 {n} 题没有作答；再按一次 <key:hand-in> 即结束自测。",
)
TIME_UP = Text("Time is up.", "时间到。")
PAUSED = Text("The clock is stopped. The self-test can be resumed.", "已停表，这份自测之后可以继续。")
RESULTS = Text("Result", "成绩")
RESULTS_ABOUT = Text(
    "<key:menu.open> on a question opens its card, <key:lab> its demonstration, <key:derivation> its proof. <key:add-to-today> adds what was missed to today's study.",
    "在题目上按 <key:menu.open> 打开对应的卡片，<key:lab> 看演示，<key:derivation> 看证明。<key:add-to-today> 把答错的加入今天的学习。",
)
WAS_WEIGHTED = Text("weighted to weak topics", "按薄弱主题加权组卷")
STILL_TO_TICK = Text(
    "{n} {n:answer counts only once its|answers count only once their} key points are ticked: <key:menu.open> on {n:it|each}.",
    "有 {n} 题须勾选要点后才计分：在题目上按 <key:menu.open>。",
)
ADDED_TO_TODAY = Text(
    "{n} {n:card|cards} added to today's study; <key:undo> takes {n:it|them} back.",
    "已将 {n} 张卡片加入今天的学习；按 <key:undo> 撤销。",
)
DUE_TODAY_ALREADY = Text("{n} {n:card,|cards, all} due today already.", "{n} 张卡片今天本来就到期。")
TAKEN_BACK = Text(
    "{n} {n:card|cards} taken back out of today's study.", "已将 {n} 张卡片从今天的学习中撤下。"
)
TICKING = Text("Key points", "要点")
KEEP = Text("Keep", "保存")
KEEP_HELP = Text("keep these ticks", "保存勾选")
SCORE = Text("Score: {score}", "得分：{score}")
RESULT_FACTS = Text(
    "{answered} of {n} answered · {time} used · paper {form} · seed {seed}",
    "作答 {answered} / {n} · 用时 {time} · 试卷 {form} · 种子 {seed}",
)
BY_KIND = Text("Kinds", "题型")
ANSWERS = Text("Answers", "答案")
PAST = Text("Results", "历次成绩")
PAST_ABOUT = Text(
    "<key:menu.open> opens a result, <key:trend> shows how each topic went.",
    "<key:menu.open> 查看一份成绩，<key:trend> 看各主题的趋势。",
)
TRENDS = Text("Trend", "趋势")
TRENDS_ABOUT = Text(
    "<key:menu.open> on a topic shows its cards.", "在主题上按 <key:menu.open> 查看其中的卡片。"
)
TRENDS_READ = Text(
    "A bar a self-test, the latest last; its share of the points; all points so far.",
    "每份自测一格，最近的在最后；其得分率；累计得分。",
)
NO_TRENDS = Text("No self-test has been handed in yet.", "还没有交过卷的自测。")
ANSWER = Text("Answer", "作答")
ANSWER_HELP = Text("take the option under the cursor as the answer", "以光标所在的选项作答")
NEXT = Text("Next", "下一题")
NEXT_HELP = Text("keep these ticks and go on", "保留勾选，进入下一题")
DO_IT = Text("Do it", "执行")
ID_CHANGED = Text(
    "The id {old} is now {new}: the question is the same, but its history stays with the old id. "
    "Give the card its old id back to go on with it.",
    "编号 {old} 已变为 {new}：问题没有变，但学习记录仍归旧编号。把编号改回去即可接着使用。",
)
DECK_RENEWED = Text("Your deck has changed; its texts are up to date.", "卡片文件有改动，内容已更新。")
CARDS_LOST = Text(
    "no longer in your deck: {ids}. The history is kept (proofdeck list --vanished).",
    "已不在卡片文件中：{ids}。学习记录仍然保留（proofdeck list --vanished）。",
)
CARDS_KEPT = Text("as they were, until the fault is mended: {ids}", "修正之前沿用原来的内容：{ids}")
DO_IT_HELP = Text("do what is under the cursor", "执行光标所在的命令")
