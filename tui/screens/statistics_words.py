"""What the statistics and the fit say beside the views themselves."""

from __future__ import annotations

from engine.text import Text
from tui.commands import Command

STATISTICS_KEY = Command(
    "statistics", ("a",), Text("Statistics", "统计"),
    Text("reviews, retention, forecast, weak topics", "复习次数、记忆保持率、到期预测、薄弱主题"),
)  # fmt: skip
LINE = Text(
    "Statistics: what you reviewed, what you recall, what falls due",
    "统计：复习了多少、记住了多少、还有多少到期",
)
HEADING = Text("Statistics", "统计")
ABOUT = Text(
    "What you reviewed in the last year, one view at a time; left and right turn the pages. A range behind a share is where it lies with 95% confidence; with few reviews that range is wide.",
    "最近一年的复习情况，一次看一幅，左右键翻页。比例后面的范围是 95% 置信区间；次数越少，范围越宽。",
)
PREVIOUS = Command(
    "turn(-1)", ("left",), Text("Previous", "上一幅"), Text("the view before this one", "上一幅图"), 2
)
NEXT = Command("turn(1)", ("right",), Text("Next", "下一幅"), Text("the view after this one", "下一幅图"), 1)
ZOOM = Command(
    "zoom", ("z",), Text("Zoom", "放大"),
    Text("the figure alone on the screen, and back", "让图占满屏幕，再按一次还原"), 4,
)  # fmt: skip
FIT = Command(
    "fit", ("f",), Text("Fit", "拟合"),
    Text("fit the scheduler to your own reviews", "用你自己的复习记录拟合排期参数"), 3,
)  # fmt: skip
OFFER = Text(
    "There are enough reviews to fit the scheduler to your memory: <key:fit> shows what it would gain.",
    "复习记录已足够拟合排期参数：按 <key:fit> 查看拟合前后的对比。",
)
MORE_GUESSES = Text("<key:how-far-off> opens the whole view.", "按 <key:how-far-off> 查看全部。")
PLACE = Text("{name} · {n} of {of}", "{name} · {n}/{of}")

FIT_HEADING = Text("Fit the scheduler", "拟合排期参数")
FIT_ABOUT = Text(
    "The scheduler's weights are found on your earlier reviews, and both sets are judged on the later ones, which the fit has not seen. Nothing changes until you ask for it.",
    "用较早的复习求出排期参数，再用拟合时没有见过的较晚复习比较新旧两组。在你确认之前，什么都不会改变。",
)
START = Command(
    "start",
    ("s",),
    Text("Start", "开始"),
    Text("fit and compare; it takes minutes", "开始拟合并比较，需要几分钟"),
    1,
)
APPLY = Command(
    "apply", ("a",), Text("Use them", "采用"), Text("schedule by the new weights", "按新参数排期"), 1
)
RESET = Command(
    "reset",
    ("d",),
    Text("Usual weights", "恢复默认"),
    Text("schedule by the usual weights again", "恢复按默认参数排期"),
    2,
)
READY = Text(
    "From your {n} reviews on a later day, the weights that describe your memory best can be found. Press <key:start> to start; you may leave this screen to stop it.",
    "可以根据你的 {n} 次隔天复习，求出最符合你记忆的参数。按 <key:start> 开始；离开本界面即停止。",
)
TOO_FEW = Text(
    "{n} {n:review|reviews} on a later day so far; a fit needs {needed}.",
    "目前有 {n} 次隔天复习；拟合需要 {needed} 次。",
)
OWN = Text("Weights of your own are in force now.", "当前使用的是你自己的参数。")
USUAL = Text("The usual weights are in force now.", "当前使用的是默认参数。")
RUNNING = Text("fitting… this takes minutes", "正在拟合……需要几分钟")
MISSING = Text(
    "This needs PyTorch, which is not installed. The line that installs it:\n\n`{line}`",
    "拟合需要 PyTorch，尚未安装。安装方法：\n\n`{line}`",
)
APPLIED = Text(
    "The new weights are in force; the schedule was derived anew.", "新参数已生效，排期已重新推算。"
)
WAS_RESET = Text(
    "The usual weights are in force again; the schedule was derived anew.", "已恢复默认参数，排期已重新推算。"
)
CUT_SHORT = Text("the fit ended early: {why}", "拟合提前结束：{why}")
