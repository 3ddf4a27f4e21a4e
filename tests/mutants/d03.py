"""Mutants of D03."""

from __future__ import annotations

from engine.nn.convolution import correlate_backward
from tests.mutants.mutant import Mutant


def one_convolution_a_block(original):
    """A block that never uses its second convolution."""

    def backward(block, x, weights, dilation, d_y):
        gradient = original(block, x, weights, dilation, d_y)
        inner = correlate_backward(x, weights.first, d_y, dilation=dilation, padding="causal")
        return gradient._replace(x=d_y + inner.x)

    return backward


MUTANTS = (
    Mutant(
        "k-for-k-minus-one",
        "linear_field",
        lambda _: lambda k, layers: 1 + layers * k,
        ("stacked", "depth-stacked", "field"),
    ),
    Mutant(
        "one-doubling-too-many",
        "geometric_field",
        lambda original: lambda k, b, layers: original(k, b, layers + 1),
        ("no-layer", "powers-of-k", "field"),
        given={"dilation": "doubling"},
    ),
    Mutant(
        "one-convolution-a-block-in-the-formula",
        "tcn_field",
        lambda _: lambda k, blocks: 1 + (k - 1) * (2**blocks - 1),
        ("tcn", "tcn-field"),
    ),
    Mutant(
        "one-convolution-a-block-in-the-layer",
        "tcn_block_backward",
        one_convolution_a_block,
        "tcn-field",
    ),
    Mutant(
        "length-over-kernel-width",
        "linear_depth",
        lambda _: lambda n, k: n / k,
        ("depth-stacked", "layers-needed", "layers-stacked"),
    ),
    Mutant(
        "variance-of-k-squared",
        "tap_variance",
        lambda _: lambda k: k**2 / 12,
        ("box", "profile-deviation"),
    ),
    Mutant(
        "deviations-add-instead-of-variances",
        "linear_variance",
        lambda _: lambda k, layers: layers**2 * (k**2 - 1) / 12,
        ("boxes-add", "profile-deviation"),
    ),
    Mutant(
        "stride-on-one-axis",
        "work_share",
        lambda _: lambda s: 1 / s,
        ("less-work", "work-share"),
        given={"stride": 2},
    ),
    Mutant(
        "no-stride-in-the-pooling",
        "max_pool",
        lambda original: lambda x, size: original(x, size, stride=(1, 1)),
        "work-share",
        given={"stride": 2},
    ),
    Mutant(
        "attention-in-a-window",
        "causal_mask",
        lambda original: lambda rows, n: original(rows, n // 2),
        "layers-attention",
    ),
    Mutant(
        "gradient-of-a-smaller-kernel",
        "correlate_backward",
        lambda original: (
            lambda x, kernel, d, *, dilation, stride: original(
                x, kernel * [1.0, 1.0, 0.0], d, dilation=dilation, stride=stride
            )
        ),
        ("field", "touched", "profile-deviation"),
    ),
)
