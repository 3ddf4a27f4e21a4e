"""What the views of the statistics say."""

from __future__ import annotations

from engine.text import Text

NAMES = {
    "overview": Text("Overview", "总览"),
    "reviews": Text("Reviews a day", "每日复习"),
    "calendar": Text("Calendar", "日历"),
    "forecast": Text("Forecast", "到期预测"),
    "retention": Text("Retention", "记忆保持率"),
    "prediction": Text("Scheduler", "排期准不准"),
    "topics": Text("Weakest topics", "薄弱主题"),
    "time": Text("Time per card", "每卡用时"),
    "self_tests": Text("Self-tests", "自测"),
    "guesses": Text("Guesses", "猜得多准"),
}

# Where there is too little to draw
NOTHING = Text(
    "No review in this time. Study a few cards: every answer you grade counts here.",
    "这段时间没有复习记录。先学几张卡片：每评一次分，这里都会计入。",
)
NO_LATER = Text(
    "No card has come back on a later day yet. Study what falls due: only after a night is there something to recall.",
    "还没有隔天再见的卡片。到期时接着复习：隔了夜，才谈得上记没记住。",
)
NOT_YET = Text("not yet seen on a later day", "尚未隔天再见")
NOTHING_DUE = Text(
    "Nothing falls due within thirty days. The cards you study appear here.",
    "三十天内没有到期的卡片。学过的卡片会出现在这里。",
)
NO_TIMES = Text(
    "No time was measured. Study in the app: it times each card by itself.",
    "没有计时数据。在应用里学习时，每张卡片都会自动计时。",
)
NO_SELF_TESTS = Text(
    "No self-test was finished in this time. Sit one: t on the first screen, or `proofdeck test`.",
    "这段时间没有完成的自测。去做一份：首页按 t，或用 `proofdeck test`。",
)
NO_GUESSES = Text(
    "No guess so far. In the lab, guess the number before it is shown.",
    "还没有猜测。进实验室先猜数值，再看结果。",
)

# Axes and names of series
CARDS = Text("cards", "张数")
REVIEWS = Text("reviews", "复习次数")
RECALLED = Text("recalled", "记住的比例")
SECONDS = Text("seconds, median", "秒（中位数）")
POINTS = Text("points earned", "得分比例")
DAYS_AGO = Text("days from today", "距今天的天数")
DAYS_AHEAD = Text("days from today", "今天起的天数")
WEEKS_AGO = Text("weeks from this one", "距本周的周数")
PREDICTED_RECALL = Text("recall predicted", "预测记住的概率")
ALL = Text("all reviews", "全部复习")
NEW = Text("new cards", "新卡")
DUE = Text("cards due", "到期卡片")
RECALLED_LATER = Text("recalled, 95% interval", "实际记住，95% 区间")
TARGET = Text("your target", "你的目标")
GROUPS = Text("reviews predicted alike", "预测相近的复习")
EXACT = Text("as predicted", "与预测一致")

# Titles, and what to see
STATES_TITLE = Text("Cards by state of memory", "卡片的记忆状态")
STATES_SEE = Text(
    "New cards wait to be met; those in review were recalled through their learning steps.",
    "“新卡”尚未学过；“复习中”的卡片已走完学习步骤。",
)
STATES = {
    "new": Text("new", "新卡"),
    "learning": Text("learning", "学习中"),
    "review": Text("in review", "复习中"),
    "suspended": Text("suspended", "已暂停"),
}
REVIEWS_TITLE = Text("Reviews a day", "每日复习次数")
REVIEWS_SEE = Text(
    "A level line is an even load; many new cards on a day are many reviews on the days after.",
    "线越平，负担越均匀；某天新卡多，随后几天的复习也多。",
)
CALENDAR_TITLE = Text("Reviews on each day of a year", "一年中每天的复习次数（上方为月份）")
CALENDAR_SEE = Text(
    "A column is a week, Monday on top; the scale beneath says how many reviews a colour is.",
    "一列为一周，最上面是周一；颜色对应的次数见下方刻度。",
)
FORECAST_TITLE = Text("Cards that fall due in thirty days", "三十天内到期的卡片")
FORECAST_SEE = Text(
    "Today has all that is overdue; new cards are not in it, nor that those you review meanwhile come back once more.",
    "今天一项含全部逾期卡片；新卡不计在内，其间复习过的卡片再次到期也不计在内。",
)
RETENTION_TITLE = Text("Recalled on a later day, week by week", "隔天复习记住的比例（按周）")
RETENTION_SEE = Text(
    "Where the target lies inside the band, the schedule keeps what you asked of it.",
    "目标线落在区间带内，就说明排期做到了你的要求。",
)
PREDICTION_TITLE = Text("Recall the schedule predicted, and what came", "排期预测的记忆概率与实际")
PREDICTION_SEE = Text(
    "Below the diagonal you forget more than the schedule thinks, above it less.",
    "在对角线下方，忘得比排期以为的多；在上方，忘得更少。",
)
TOPICS_TITLE = Text("Recall by topic, the weakest first", "各主题记住的比例（最弱的在前）")
TOPICS_SEE = Text(
    "A bar ends in the middle of its 95% interval, the whisker is the interval: where whiskers overlap, either may be the weaker.",
    "条止于 95% 区间的中点，须线即区间：须线重叠的主题，难分强弱。",
)
TIME_TITLE = Text("Thinking time per card, by topic", "各主题每张卡片的思考时间")
TIME_SEE = Text(
    "The longer the bar, the longer you think before you reveal the answer.",
    "条越长，揭示答案之前想得越久。",
)
SELF_TESTS_TITLE = Text("Points in self-tests, the weakest topic first", "自测得分（最弱的主题在前）")
SELF_TESTS_SEE = Text(
    "A bar ends in the middle of its 95% interval, and the whisker is the interval.",
    "条止于 95% 区间的中点，须线即区间。",
)

# Sentences
STREAK = Text(
    "days in a row: {n}; the longest run so far: {longest}", "已连续学习 {n} 天；最长连续 {longest} 天"
)
TOTAL = Text(
    "since {since}: {n} {n:review|reviews} of {cards} {cards:card|cards}",
    "自 {since} 起：复习 {n} 次，涉及 {cards} 张卡片",
)
HOURS = Text("in {n} {n:hour|hours}", "用时 {n} 小时")
MINUTES = Text("in {n} {n:minute|minutes}", "用时 {n} 分钟")
STATES_TOLD = Text(
    "cards: {new} new, {learning} learning, {review} in review, {suspended} suspended",
    "卡片：新卡 {new}，学习中 {learning}，复习中 {review}，已暂停 {suspended}",
)
EVER = Text("in the whole log: {n} {n:review|reviews}", "全部记录：{n} 次复习")
RATINGS = Text(
    "{n} {n:review|reviews}: {again} again, {hard} hard, {good} good, {easy} easy",
    "共 {n} 次：重来 {again}，困难 {hard}，良好 {good}，轻松 {easy}",
)
BY_CAME = Text(
    "first meetings {new}, learning steps {learning}, reviews {review}",
    "初见 {new} 次，学习步骤 {learning} 次，复习 {review} 次",
)
STUDIED = Text(
    "studied on {n} of {of} days, most on {day}: {most} reviews",
    "{of} 天中有 {n} 天在学；最多的是 {day}，复习 {most} 次",
)
DUE_SUMS = Text(
    "{today} today, {week} within seven days, {month} within thirty",
    "今天 {today} 张，七天内 {week} 张，三十天内 {month} 张",
)
SHARE = Text(
    "{share} ({hits} of {n}; 95% interval {low} to {high})",
    "{share}（{n} 次中 {hits} 次；95% 区间 {low} 至 {high}）",
)
SHARE_FEW = Text(
    "{hits} of {n}, too few to say (95% interval {low} to {high})",
    "{n} 次中 {hits} 次，次数太少，下不了结论（95% 区间 {low} 至 {high}）",
)
BELOW = Text(
    "below your target of {target} beyond chance: cards come back too late for you",
    "显著低于目标 {target}：卡片回来得太晚",
)
ABOVE = Text(
    "above your target of {target} beyond chance: you could review less often",
    "显著高于目标 {target}：其实可以少复习一些",
)
ON_TARGET = Text("your target of {target} lies inside the interval", "目标 {target} 落在区间之内")
PREDICTED_MEAN = Text("predicted on average: {mean}; what came:", "平均预测 {mean}；实际：")
AS_PREDICTED = Text(
    "the prediction lies inside the interval: nothing speaks against the schedule's weights",
    "预测落在区间之内：没有迹象表明排期参数不合适",
)
TOO_HOPEFUL = Text(
    "the schedule is too hopeful: its weights do not fit your memory",
    "排期过于乐观：其参数与你的记忆不吻合",
)
TOO_CAUTIOUS = Text(
    "the schedule is too cautious: its weights do not fit your memory",
    "排期过于保守：其参数与你的记忆不吻合",
)
LAPSES = Text("lapses: {n}", "遗忘 {n} 次")
ALL_CARDS = Text("All cards", "全部卡片")
THINKING = Text("thinking", "思考")
GRADING = Text("grading", "评分")
TOOK = Text(
    "{median} s (middle half {first} to {third} s)", "{median} 秒（中间一半为 {first} 至 {third} 秒）"
)
FEW_TIMES = Text("measured too few times so far ({n})", "计时次数还太少（{n} 次）")
GUESSES = Text("guesses that count: {n}", "计入的猜测：{n} 次")

WEEKDAYS = (
    Text("Mon", "一"), Text("Tue", "二"), Text("Wed", "三"), Text("Thu", "四"), Text("Fri", "五"),
    Text("Sat", "六"), Text("Sun", "日"),
)  # fmt: skip
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
MONTHS = {number: Text(name, str(number)) for number, name in enumerate(_MONTHS, start=1)}
