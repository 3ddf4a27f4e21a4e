"""A small log made by hand, whose every figure can be counted with a pencil."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from quizbank.learning.log import ReviewLog
from quizbank.learning.memory import Rating

AGAIN, HARD, GOOD, EASY = Rating

SCALE, QKV, BERT, LAYER, BATCH, CHECKPOINTING = (
    "attention-scale", "attention-qkv", "bert-masking", "layer-norm", "batch-norm", "checkpointing",
)  # fmt: skip


def ms(moment: str) -> int:
    return round(datetime.fromisoformat(moment).replace(tzinfo=UTC).timestamp() * 1000)


NOW = ms("2026-01-12 10:00")
"""A Monday."""


def study(folder: Path) -> ReviewLog:
    """Ten reviews of five cards over a week, one of them taken back; the log is left open.

    day           came      card   rating
    Mon 5 Jan     new       scale  Good
    Mon 5 Jan     learning  scale  Good, ten minutes later
    Mon 5 Jan     new       bert   Easy
    Mon 5 Jan     new       qkv    Again, undone
    Wed 7 Jan     review    scale  Again: a lapse, two days later
    Wed 7 Jan     review    bert   Good
    Wed 7 Jan     new       layer  Good, at 03:30 on Thursday
    Sun 11 Jan    new       batch  Hard
    Mon 12 Jan    learning  scale  Good, five days later
    Mon 12 Jan    review    bert   Good
    """
    log = ReviewLog(folder, zone=UTC)
    log.grade(SCALE, GOOD, ms("2026-01-05 08:00"), 10_000, 2_000)
    log.grade(SCALE, GOOD, ms("2026-01-05 08:10"), 4_000, 1_000)
    log.grade(BERT, EASY, ms("2026-01-05 08:20"), 8_000, 3_000)
    slip = log.grade(QKV, AGAIN, ms("2026-01-05 08:30"), 60_000, 60_000)
    log.undo(slip.id, ms("2026-01-05 08:31"))
    log.grade(SCALE, AGAIN, ms("2026-01-07 09:00"), 20_000, 2_000)
    log.grade(BERT, GOOD, ms("2026-01-07 09:01"), 6_000, 1_000)
    log.grade(LAYER, GOOD, ms("2026-01-08 03:30"), 12_000, 2_000)
    # an interruption, and a time that was not measured
    log.grade(BATCH, HARD, ms("2026-01-11 12:00"), 700_000, 0)
    log.grade(SCALE, GOOD, ms("2026-01-12 08:00"), 16_000, 5_000)
    log.grade(BERT, GOOD, ms("2026-01-12 08:01"), 2_000, 1_000)
    log.suspend([LAYER], ms("2026-01-12 08:02"))
    return log
