"""Masked, causal and next-sentence targets: against loops, against PyTorch's losses, and by their laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.nn.loss import IGNORED, cross_entropy, cross_entropy_backward
from engine.nn.masked_lm import (
    Fate,
    Selection,
    causal_labels,
    exact_count,
    mask_tokens,
    masked_labels,
    next_sentence_pairs,
)
from tests.nn.oracle import SOURCES, arrays, assert_close, cases

MASK = 1_000


def slowly_masked(
    input_ids: np.ndarray,
    rng: np.random.Generator,
    vocab_size: int,
    rate: float,
    split: tuple[float, float, float],
    selection: Selection,
    special: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The specification: token by token, with the draws taken in the same order."""
    rows, tokens = input_ids.shape
    u = rng.random((rows, tokens))
    fate = np.zeros((rows, tokens), dtype=int)
    for row in range(rows):
        free = [t for t in range(tokens) if not special[row, t]]
        if selection == "exact":
            order = sorted(free, key=lambda t: u[row, t])
            wanted = exact_count(tokens, rate)
            chosen = order[:wanted]
            limit = u[row, order[wanted]] if wanted < len(order) else 1.0
        else:
            chosen, limit = [t for t in free if u[row, t] < rate], rate
        for t in chosen:
            position = u[row, t] / limit
            if position < split[0]:
                fate[row, t] = Fate.MASKED
            elif position < split[0] + split[1]:
                fate[row, t] = Fate.RANDOM
            else:
                fate[row, t] = Fate.KEPT
    words = iter(rng.integers(vocab_size, size=int((fate == Fate.RANDOM).sum())))
    ids, labels = input_ids.copy(), np.full_like(input_ids, IGNORED)
    for row in range(rows):
        for t in range(tokens):
            if fate[row, t] != Fate.UNSELECTED:
                labels[row, t] = input_ids[row, t]
            if fate[row, t] == Fate.MASKED:
                ids[row, t] = MASK
            elif fate[row, t] == Fate.RANDOM:
                ids[row, t] = next(words)
    return ids, labels, fate


@settings(max_examples=80, deadline=None)
@given(
    rows=st.integers(1, 5),
    tokens=st.integers(1, 24),
    vocab_size=st.integers(1, 50),
    rate=st.sampled_from([0.05, 0.15, 0.4, 0.9, 1.0]),
    split=st.sampled_from(
        [(0.8, 0.1, 0.1), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.2, 0.8), (0.8, 0.2, 0.0)]
    ),
    selection=st.sampled_from(["bernoulli", "exact"]),
    special=st.sampled_from([0.0, 0.3, 1.0]),
    seed=st.integers(0, 2**32 - 1),
)
def test_masking_is_the_loop_over_tokens(
    rows: int,
    tokens: int,
    vocab_size: int,
    rate: float,
    split: tuple[float, float, float],
    selection: Selection,
    special: float,
    seed: int,
) -> None:
    setting = np.random.default_rng([seed, 1])
    input_ids = setting.integers(vocab_size, size=(rows, tokens))
    never = setting.random((rows, tokens)) < special
    batch = mask_tokens(
        input_ids,
        np.random.default_rng(seed),
        vocab_size=vocab_size,
        mask_id=MASK,
        rate=rate,
        split=split,
        selection=selection,
        special=never,
    )
    slow = slowly_masked(input_ids, np.random.default_rng(seed), vocab_size, rate, split, selection, never)
    for ours, theirs in zip((batch.input_ids, batch.labels, batch.fate), slow, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@settings(max_examples=60, deadline=None)
@given(tokens=st.integers(1, 40), rate=st.floats(0.01, 1.0), seed=st.integers(0, 2**32 - 1))
def test_an_exact_selection_selects_its_number_in_every_sequence(tokens: int, rate: float, seed: int) -> None:
    batch = mask_tokens(
        np.zeros((4, tokens), dtype=np.int64),
        np.random.default_rng(seed),
        vocab_size=3,
        mask_id=MASK,
        rate=rate,
        selection="exact",
    )
    assert ((batch.fate != Fate.UNSELECTED).sum(axis=1) == min(tokens, exact_count(tokens, rate))).all()


def test_only_targets_are_touched_and_a_kept_token_is_a_target() -> None:
    rng = np.random.default_rng(5)
    ids = rng.integers(30, size=(50, 40))
    batch = mask_tokens(ids, rng, vocab_size=30, mask_id=MASK)
    untouched = batch.labels == IGNORED
    np.testing.assert_array_equal(batch.input_ids[untouched], ids[untouched])
    kept = batch.fate == Fate.KEPT
    assert kept.any()
    np.testing.assert_array_equal(batch.input_ids[kept], batch.labels[kept])
    np.testing.assert_array_equal(batch.labels[~untouched], ids[~untouched])
    np.testing.assert_array_equal(batch.input_ids == MASK, batch.fate == Fate.MASKED)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"rate": 0.0}, "rate"),
        ({"rate": 1.1}, "rate"),
        ({"split": (0.8, 0.1, 0.2)}, "split"),
        ({"split": (1.2, -0.1, -0.1)}, "split"),
        ({"split": (0.5, 0.5)}, "split"),
        ({"vocab_size": 0}, "vocabulary"),
    ],
)
def test_settings_that_make_no_sense_are_refused(setting: dict[str, object], message: str) -> None:
    ids = np.zeros((1, 4), dtype=np.int64)
    with pytest.raises(ValueError, match=message):
        mask_tokens(ids, np.random.default_rng(0), **{"vocab_size": 9, "mask_id": MASK, **setting})


@settings(max_examples=40, deadline=None)
@given(rows=st.integers(1, 4), tokens=st.integers(1, 9), seed=st.integers(0, 99))
def test_causal_labels_are_the_next_tokens(rows: int, tokens: int, seed: int) -> None:
    ids = np.random.default_rng(seed).integers(3, size=(rows, tokens))
    labels, unpadded = causal_labels(ids, padding_id=0), causal_labels(ids)
    for row in range(rows):
        for t in range(tokens):
            following = ids[row, t + 1] if t + 1 < tokens else IGNORED
            assert unpadded[row, t] == following
            assert labels[row, t] == (IGNORED if following == 0 else following)


@pytest.mark.parametrize("source", SOURCES)
def test_the_losses_on_these_labels_are_those_of_pytorch(source: str) -> None:
    for name, case in cases(arrays("masked_lm", source)).items():
        logits, ids = case["logits"], case["ids"]
        for kind, labels in (
            ("masked", masked_labels(ids, case["selected"])),
            ("causal", causal_labels(ids)),
        ):
            forward = cross_entropy(logits, labels)
            assert_close(forward.loss, case[kind], f"{name} {kind}")
            assert_close(cross_entropy_backward(forward), case[f"d_{kind}"], f"{name} d_{kind}")


@settings(max_examples=50, deadline=None)
@given(lengths=st.lists(st.integers(1, 5), min_size=2, max_size=7), seed=st.integers(0, 2**32 - 1))
def test_a_negative_comes_from_another_document(lengths: list[int], seed: int) -> None:
    document_of = np.repeat(np.arange(len(lengths)) * 10, lengths)
    rng = np.random.default_rng(seed)
    if max(lengths) == 1:
        with pytest.raises(ValueError, match="two sentences"):
            next_sentence_pairs(document_of, 10, rng)
        return
    pairs = next_sentence_pairs(document_of, 400, rng)
    assert (pairs.second[pairs.is_next] == pairs.first[pairs.is_next] + 1).all()
    own, other = document_of[pairs.first], document_of[pairs.second]
    np.testing.assert_array_equal(own == other, pairs.is_next)
    assert pairs.second.min() >= 0
    assert pairs.second.max() < len(document_of)


def test_negatives_reach_every_sentence_of_the_other_documents() -> None:
    document_of = np.array([0, 0, 1, 1, 1, 2])
    pairs = next_sentence_pairs(document_of, 5_000, np.random.default_rng(1))
    for first in (0, 2, 3):
        reached = set(pairs.second[(pairs.first == first) & ~pairs.is_next].tolist())
        assert reached == set(np.flatnonzero(document_of != document_of[first]).tolist())


@pytest.mark.parametrize("document_of", [[0, 1, 0], [3, 3, 3], []])
def test_documents_that_give_no_pairs_are_refused(document_of: list[int]) -> None:
    with pytest.raises(ValueError, match="document"):
        next_sentence_pairs(np.array(document_of, dtype=np.int64), 1, np.random.default_rng(0))
