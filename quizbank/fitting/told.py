"""What a fit has found, in words: for the shell and for the screen."""

from __future__ import annotations

from collections.abc import Iterator

from engine.notation.wide import width as cells_of
from engine.text import Language, Text
from quizbank.fitting.fit import Fit
from quizbank.planning.forgetting import DEFAULT

_READ = Text(
    "learned from {trained} reviews on a later day, judged on the {held_out} from {day} on",
    "用 {trained} 次隔天复习拟合，用 {day} 起的 {held_out} 次检验",
)
_HEAD = (Text("", ""), Text("before", "拟合前"), Text("after", "拟合后"))
_LOSS = Text("log loss", "对数损失")
_RMSE = Text("RMSE (bins)", "RMSE（分箱）")
_WORSE = Text(
    "The new weights predict the held-out reviews no better: stay with those in force.",
    "新参数对留出的复习预测得并不更好：建议保留现用参数。",
)
_BY_CHANCE = Text(
    "The new weights predict the held-out reviews better, but by no more than chance could do: log loss falls by {mean} per review, 95% interval {low} to {high}.",
    "新参数对留出的复习预测得更好，但差别可能只是偶然：每次复习对数损失下降 {mean}，95% 区间 {low} 至 {high}。",
)
_SURE = Text(
    "The new weights predict the held-out reviews better: log loss falls by {mean} per review, 95% interval {low} to {high}.",
    "新参数对留出的复习预测得更好：每次复习对数损失下降 {mean}，95% 区间 {low} 至 {high}。",
)
_DISAGREE = Text(
    "RMSE over bins says the opposite: the two measures disagree.",
    "RMSE（分箱）的结论相反：两种度量并不一致。",
)
_FAVOURED = Text(
    "The weights in force were fitted before, perhaps to some of the same reviews: the comparison favours them.",
    "现用参数是先前拟合的，可能用到了其中一些复习，因此这一比较对它有利。",
)
_WEIGHTS = Text("new weights: {weights}", "新参数：{weights}")


def table(found: Fit, language: Language) -> Iterator[str]:
    """Before and after, in columns; the smaller number is the better."""
    rows = [
        [text.of(language) for text in _HEAD],
        [_LOSS.of(language), f"{found.before.log_loss:.4f}", f"{found.after.log_loss:.4f}"],
        [_RMSE.of(language), f"{found.before.rmse_bins:.4f}", f"{found.after.rmse_bins:.4f}"],
    ]
    first = max(cells_of(row[0]) for row in rows)
    for name, *values in rows:
        cells = "".join(" " * (10 - cells_of(value)) + value for value in values)
        yield name + " " * (first - cells_of(name)) + cells


def told(found: Fit) -> tuple[Text, ...]:
    """What was read, which weights are better and how sure that is, and the weights found."""
    read = _READ.filled(trained=found.trained, held_out=found.held_out, day=found.held_out_from.isoformat())
    verdict = _WORSE
    if found.is_better:
        mean, low, high = (f"{value:.4f}" for value in (found.gain.mean, found.gain.low, found.gain.high))
        verdict = (_SURE if found.gain.is_sure else _BY_CHANCE).filled(mean=mean, low=low, high=high)
    weights = " ".join(f"{weight:g}" for weight in found.after.weights)
    notes = []
    if found.is_better != (found.after.rmse_bins < found.before.rmse_bins):
        notes.append(_DISAGREE)
    if found.before.weights != DEFAULT:
        notes.append(_FAVOURED)
    return read, verdict, *notes, _WEIGHTS.filled(weights=weights)
