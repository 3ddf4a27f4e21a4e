"""What the plan for the interview says on screen."""

from __future__ import annotations

from engine.text import Text
from tui.commands import Command

PLAN_KEY = Command(
    "plan", ("p",), Text("Plan", "计划"),
    Text("the day of the interview, and which cards to see until then", "面试日期，以及到那天为止看哪些卡片"), 2,
)  # fmt: skip
LINE = Text("Plan: which cards to see until the interview", "计划：到面试那天为止看哪些卡片")
HEADING = Text("Interview plan", "面试计划")
ABOUT = Text(
    "Every day's cards are chosen so that most is recalled on the day of the interview. <key:menu.open> studies today's.",
    "每天看哪些卡片，以“面试当天记住最多”为准。按 <key:menu.open> 学习今天的卡片。",
)
EARLIER = Command("shift(-1)", ("left_square_bracket",), Text("Earlier", "提前"), Text("the interview a day earlier", "面试提前一天"), 2)  # fmt: skip
LATER = Command("shift(1)", ("right_square_bracket",), Text("Later", "推后"), Text("the interview a day later", "面试推后一天"), 3)  # fmt: skip
LESS = Command(
    "minutes(-5)", ("minus",), Text("Less", "减少"), Text("five minutes a day less", "每天少五分钟"), 4
)
MORE = Command("minutes(5)", ("plus", "equals_sign"), Text("More", "增加"), Text("five minutes a day more", "每天多五分钟"), 5)  # fmt: skip
TYPE = Command(
    "type", ("d",), Text("Type", "输入"), Text("type the date and the minutes", "输入日期和分钟数"), 1
)
STUDY = Command(
    "study", ("s",), Text("Study", "学习"), Text("today's planned cards", "学习今天计划中的卡片"), 6
)

NO_DATE = Text(
    "When is the interview? Press <key:type> to type the day, or <key:later> for a day later than today.",
    "面试是哪天？按 <key:type> 输入日期，或按 <key:later> 从今天起逐日推后。",
)
DATE_LINE = Text("{day}, {days} to go", "{day}，还有 {days}")
DATE_TODAY = Text("{day}, today", "{day}，就是今天")
PAST_LINE = Text("{day}, which is past", "{day}，已经过去")
DAYS = Text("{n} {n:day|days}", "{n} 天")
STALE = Text(
    "Below is still the plan for {day}, {minutes} minutes a day; the new one is on its way.",
    "下面仍是 {day}、每天 {minutes} 分钟的安排；新的安排正在生成。",
)
MINUTES_LINE = Text("{n} {n:minute|minutes} a day", "每天 {n} 分钟")
STUDY_TODAY = Text("Study today's cards", "学习今天的卡片")
STUDY_USUAL = Text("Study what is due", "学习到期的卡片")
READINESS = Text("Readiness by topic", "各主题的准备程度")
AHEAD = Text("The days ahead", "接下来的日子")
PROGRESS = Text("planning, {share}", "正在安排，{share}")
READY_TODAY = Text("Plan: the interview is today, readiness {share}", "计划：今天面试，准备程度 {share}")
READY = Text(
    "Plan: {days} to the interview, readiness {share} by then",
    "计划：距面试 {days}，届时准备程度 {share}",
)
TYPING = Text("Date and minutes", "日期与分钟数")
TYPING_ABOUT = Text(
    "Both are kept as settings. An empty date means that there is none yet.",
    "两者都会存为设置。日期留空表示尚未确定。",
)
KEEP = Command("go", ("enter",), Text("Keep", "保存"), Text("keep both and plan anew", "保存并重新安排"), 1)
DATE = Text("Interview", "面试日期")
MINUTES = Text("Minutes a day", "每天分钟数")
DATE_HINT = Text("e.g. 2027-01-15", "如 2027-01-15")
NOT_WHOLE = Text("minutes are a whole number, not {given}", "分钟数应为整数，而不是 {given}")
NOT_A_DATE = Text(
    "{given} is no date: write it like 2027-01-15, or leave it empty",
    "“{given}”不是日期：请写成 2027-01-15 的样子，或留空",
)
DAY_HEADING = Text("Cards of {day}", "{day} 的卡片")
IS_NEW = Text("new", "新卡")
