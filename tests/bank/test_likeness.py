"""Minimal pairs are fair; the same thing in other words is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text import Text, same
from quizbank.check.likeness import alike

APART = ("alpha beta", "阿尔法")


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("the mean", "Its mean."),
        ("ＲＮＮ  cells", "rnn cell"),
        ("it normalizes activations", "it normalises the activation"),
        ("It grows with $d_k$", "it grows with $ d_k $"),
        ("1,024 weights", "1024 weights"),
        ("权重之和为 1", "权重的和为１。"),
        ("Q、K 与 V", "Q，K 和 V"),
    ],
)
def test_two_ways_to_write_one_thing(left: str, right: str) -> None:
    assert alike(Text(left, APART[0]), Text(right, APART[1]))
    assert alike(Text(APART[0], left), Text(APART[1], right))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("softmax over the rows of the score matrix", "softmax over the columns of the score matrix"),
        ("it grows with $d_k$", "it grows with $d_v$"),
        ("the scores grow with 2 heads", "the scores grow with 3 heads"),
        ("the layer is symmetric in its arguments", "the layer is asymmetric in its arguments"),
        ("the layer is bounded", "the layer is unbounded"),
        ("the mask is needed at inference", "the mask is not needed at inference"),
        ("a weight for every token", "a weight for a token"),
        ("from the encoder to the decoder", "from the decoder to the encoder"),
        ("$x > y$ holds", "$x < y$ holds"),
        ("x > y", "x < y"),
        ("10 %", "10"),
        ("对每一行做 softmax", "对每一列做 softmax"),
        ("训练时需要掩码", "训练时不需要掩码"),
        ("梯度消失", "梯度爆炸"),
    ],
)
def test_a_difference_that_carries_the_sense(left: str, right: str) -> None:
    assert not alike(same(left), same(right))


def test_added_words_count_for_nothing_only_where_both_languages_say_nearly_the_same() -> None:
    long = "because dot products of long vectors grow with the width of the head"
    longer = "because dot products of long vectors grow larger with the width of the head"
    hanzi, more = "因为长向量的点积随着注意力头的宽度增长", "因为长向量的点积随着注意力头的宽度增长大"
    assert alike(Text(long, hanzi), Text(longer, more))
    assert not alike(Text(long, hanzi), Text(longer, "softmax 因此饱和"))
    assert not alike(Text("the mean", "均值"), Text("the running mean", "滑动均值"))


@given(st.text(max_size=60), st.text(max_size=60))
def test_likeness_is_symmetric_and_holds_of_a_text_and_itself(left: str, right: str) -> None:
    a, b = Text(left, right), Text(right, left)
    assert alike(a, a)
    assert alike(a, b) == alike(b, a)
