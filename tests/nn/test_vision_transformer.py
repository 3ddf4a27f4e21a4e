"""Patches and a small ViT agree with PyTorch and with plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.nn.transformer import parameters
from engine.nn.vision_transformer import (
    PatchWeights,
    VisionTransformerWeights,
    embed_by_convolution,
    embed_by_unfolding,
    new_vision_transformer,
    patches,
    vision_transformer,
    with_class_token,
)
from tests.nn.oracle import SOURCES, arrays, assert_close, cases
from tests.nn.test_transformer import read_encoder, read_linear, read_norm

# rounding of sums that pass through several layers with weights of size 1
ATOL = 1e-12


@pytest.mark.parametrize("source", SOURCES)
def test_as_pytorch(source: str) -> None:
    found = cases(arrays("transformer", source), "vit-")
    assert len(found) == 3
    for name, case in found.items():
        patch = PatchWeights(case["kernel"], case["kernel_bias"])
        weights = VisionTransformerWeights(
            patch,
            case["class_token"],
            case["positions"],
            tuple(read_encoder(case, f"{index}_") for index in range(int(case["depth"]))),
            read_norm(case, "norm"),
            read_linear(case, "head"),
        )
        for embed in (embed_by_convolution, embed_by_unfolding):
            assert_close(embed(case["images"], patch), case["embedded"], name, atol=ATOL)
        done = vision_transformer(case["images"], weights, int(case["heads"]))
        assert_close(done.tokens, case["tokens"], name, atol=ATOL)
        for index, layer in enumerate(done.layers):
            assert_close(layer.y, case[f"layer{index}"], name, atol=ATOL)
        assert_close(done.hidden_state, case["hidden"], name, atol=ATOL)
        assert_close(done.logits, case["logits"], name, atol=ATOL)


@given(st.integers(1, 4), st.integers(1, 3), st.integers(0, 3), st.integers(0, 3), st.integers(1, 3))
def test_patches_as_a_loop(patch: int, channels: int, down: int, across: int, spare: int) -> None:
    height, width = (down + 1) * patch + spare % patch, (across + 1) * patch
    images = np.random.default_rng(patch).standard_normal((channels, height, width))
    expected = [
        [
            images[c, i * patch + u, j * patch + v]
            for c in range(channels)
            for u in range(patch)
            for v in range(patch)
        ]
        for i in range(height // patch)
        for j in range(width // patch)
    ]
    np.testing.assert_array_equal(patches(images, patch), np.array(expected))


def test_images_of_another_size_are_refused() -> None:
    weights = new_vision_transformer(8, 4, 1, 4, 8, 1, 2, np.zeros)
    with pytest.raises(ValueError, match="5 positions for 9 patches"):
        vision_transformer(np.zeros((1, 12, 12)), weights, 2)
    with pytest.raises(ValueError, match="positions"):
        with_class_token(np.zeros((3, 4)), np.zeros(4), np.zeros((3, 4)))


def test_vit_b16_has_its_published_number_of_parameters() -> None:
    weights = new_vision_transformer(224, 16, 3, 768, 3072, 12, 1000, lambda s: np.empty(s, np.float16))
    assert parameters(weights) == 86_567_656
