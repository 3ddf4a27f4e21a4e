"""BERT's corruption of the input for masked language modelling (Devlin et al. 2019, section 3.1)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engine.coding.specification import Array, Case, Slip, Specification, edited
from engine.text import Text

TASK = Text(
    """Write BERT's masking. All randomness is given, so the result is determined.

- A token is selected where `u_select` < 0.15, unless it is special ([CLS], [SEP], padding).
- What becomes of a selected token: [MASK] where `u_fate` < 0.8; the id in `random_ids` where 0.8 ≤ `u_fate` < 0.9; itself where `u_fate` ≥ 0.9.
- Labels: the original id at every selected token, those left as they are included; `-100` everywhere else.
- Return the pair (input_ids, labels). `ids` is left as it was.""",
    """写出 BERT 的掩码过程。所有随机数都作为参数给出，因此结果是确定的。

- `u_select` < 0.15 的词元被选中，特殊词元（[CLS]、[SEP]、填充）除外。
- 被选中的词元：`u_fate` < 0.8 时换成 [MASK]；0.8 ≤ `u_fate` < 0.9 时换成 `random_ids` 中的 id；`u_fate` ≥ 0.9 时保持不变。
- 标签：凡被选中的位置都取原来的 id（保持不变的也算在内），其余位置为 `-100`。
- 返回二元组 (input_ids, labels)。不要改动 `ids` 本身。""",
)

SOLUTION = """import numpy as np


def mlm_masking(ids, special, u_select, u_fate, random_ids, mask_id):
    selected = (u_select < 0.15) & ~special
    labels = np.where(selected, ids, -100)
    masked = selected & (u_fate < 0.8)
    random = selected & (u_fate >= 0.8) & (u_fate < 0.9)
    input_ids = np.where(masked, mask_id, np.where(random, random_ids, ids))
    return input_ids, labels
"""


def reference(
    ids: Array, special: Array, u_select: Array, u_fate: Array, random_ids: Array, mask_id: int
) -> tuple[Array, Array]:
    """Token by token."""
    batch, length = ids.shape
    input_ids, labels = np.zeros((batch, length), np.int64), np.zeros((batch, length), np.int64)
    for b in range(batch):
        for t in range(length):
            token = int(ids[b, t])
            input_ids[b, t], labels[b, t] = token, -100
            if special[b, t] or u_select[b, t] >= 0.15:
                continue
            labels[b, t] = token
            if u_fate[b, t] < 0.8:
                input_ids[b, t] = mask_id
            elif u_fate[b, t] < 0.9:
                input_ids[b, t] = random_ids[b, t]
    return input_ids, labels


def cases(seed: int) -> Iterator[Case]:
    """One token, a batch with special tokens, every token selected, none selected, draws on the thresholds."""
    rng = np.random.default_rng(seed)
    mask_id = 103

    def drawn(batch: int, length: int) -> dict[str, Array | int]:
        special = np.zeros((batch, length), dtype=bool)
        special[:, 0] = length > 1
        return {
            "ids": rng.integers(1000, 5000, size=(batch, length)),
            "special": special,
            "u_select": rng.random((batch, length)),
            "u_fate": rng.random((batch, length)),
            "random_ids": rng.integers(5000, 9000, size=(batch, length)),
            "mask_id": mask_id,
        }

    one = drawn(1, 1)
    one["u_select"], one["u_fate"] = np.array([[0.1]]), np.array([[0.5]])
    yield Case(one, Text("one token, masked", "一个词元，被掩码"))
    yield Case(drawn(4, 60), Text("a batch", "一个批量"))
    # few tokens are selected and a tenth of them keeps its word: enough of each kind, by construction
    every = drawn(3, 40)
    every["u_select"] = 0.15 * rng.random((3, 40))
    yield Case(every, Text("every token selected but the special ones", "除特殊词元外全部被选中"))
    none = drawn(2, 12)
    none["u_select"] = 0.15 + 0.85 * rng.random((2, 12))
    yield Case(none, Text("no token selected", "没有词元被选中"))
    edge = drawn(1, 6)
    edge["u_select"] = np.array([[0.0, 0.15, 0.0, 0.0, 0.0, 0.0]])
    edge["u_fate"] = np.array([[0.0, 0.0, 0.8, 0.9, 0.0, 0.95]])
    yield Case(edge, Text("draws that lie on the thresholds", "随机数恰好落在阈值上"))
    padded = drawn(2, 30)
    padded["special"] = np.arange(30)[None, :] >= np.array([[20], [11]])
    padded["u_select"] = 0.3 * rng.random((2, 30))
    yield Case(padded, Text("sequences with padding", "带填充的序列"))


_RANDOM = "selected & (u_fate >= 0.8) & (u_fate < 0.9)"

SPECIFICATION = Specification(
    name="mlm-masking",
    title=Text("BERT's 15% / 80-10-10 masking", "BERT 的 15% / 80-10-10 掩码"),
    task=TASK,
    signature="def mlm_masking(ids, special, u_select, u_fate, random_ids, mask_id):",
    docstring=Text(
        """ids, random_ids (B, T): int64; special (B, T): bool, True = never selected
u_select, u_fate (B, T): float64, uniform on [0, 1); mask_id: int
returns (input_ids, labels), (B, T) each: int64""",
        """ids、random_ids (B, T)：int64；special (B, T)：bool，True = 不得选中
u_select、u_fate (B, T)：float64，[0, 1) 上均匀；mask_id：int
返回 (input_ids, labels)，形状都是 (B, T)：int64""",
    ),
    outputs=("input_ids", "labels"),
    cases=cases,
    reference=reference,
    solution=SOLUTION,
    slips=(
        Slip(
            "special-masked",
            Text("when special tokens are selected like the others", "特殊词元也照样被选中"),
            edited(SOLUTION, (" & ~special", "")),
        ),
        Slip(
            "kept-not-target",
            Text(
                "when tokens left as they are get no label",
                "保持不变的词元没有标签",
            ),
            edited(
                SOLUTION,
                (
                    "labels = np.where(selected, ids, -100)",
                    "labels = np.where(selected & (u_fate < 0.9), ids, -100)",
                ),
            ),
        ),
        Slip(
            "only-masked-target",
            Text("when only [MASK] positions get a label", "只有 [MASK] 位置才有标签"),
            edited(
                SOLUTION,
                (
                    "labels = np.where(selected, ids, -100)",
                    "labels = np.where(selected & (u_fate < 0.8), ids, -100)",
                ),
            ),
        ),
        Slip(
            "label-everywhere",
            Text("when every token gets a label", "每个词元都有标签"),
            edited(SOLUTION, ("labels = np.where(selected, ids, -100)", "labels = ids.copy()")),
        ),
        Slip(
            "corrupted-labels",
            Text("when the labels hold the corrupted ids", "标签取了替换之后的 id"),
            edited(
                SOLUTION,
                ("return input_ids, labels", "return input_ids, np.where(selected, input_ids, -100)"),
            ),
        ),
        Slip(
            "no-kept",
            Text("when nothing is left as it is: 80/20/0", "没有保持不变的词元，成了 80/20/0"),
            edited(SOLUTION, (_RANDOM, "selected & (u_fate >= 0.8)")),
        ),
        Slip(
            "always-mask",
            Text("when every selected token becomes [MASK]", "被选中的词元全部换成 [MASK]"),
            edited(SOLUTION, ("selected & (u_fate < 0.8)", "selected")),
        ),
        Slip(
            "random-kept-swapped",
            Text("when the random and the kept tenth change places", "随机替换与保持不变的 10% 互换"),
            edited(SOLUTION, (_RANDOM, "selected & (u_fate >= 0.9)")),
        ),
        Slip(
            "at-threshold",
            Text("when the thresholds count as inside (<= for <)", "把阈值本身也算了进去（< 写成 <=）"),
            edited(
                SOLUTION,
                ("u_select < 0.15", "u_select <= 0.15"),
                ("u_fate < 0.8)", "u_fate <= 0.8)"),
                ("(u_fate >= 0.8) & (u_fate < 0.9)", "(u_fate > 0.8) & (u_fate <= 0.9)"),
            ),
        ),
    ),
)
