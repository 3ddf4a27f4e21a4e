"""Mutants of D61."""

from __future__ import annotations

import numpy as np

from tests.mutants.mutant import Mutant

MUTANTS = (
    Mutant(
        "sum-without-end",
        "share_beyond",
        lambda _: lambda to_distance, to_length: to_distance,
        ("beyond", "share-beyond"),
        given={"n": 64, "slope": 0.01, "beyond": 32},
    ),
    Mutant(
        "not-normalised",
        "share_beyond",
        lambda original: lambda to_distance, to_length: original(to_distance, to_length) * (1 - to_length),
        ("beyond", "share-beyond"),
        given={"n": 64, "slope": 0.01, "beyond": 32},
    ),
    Mutant(
        "linear-buckets",
        "bucket_edge",
        lambda _: lambda exact, longest, part: exact + (longest - exact) * part,
        ("powers-of-two", "last-bucket"),
    ),
    Mutant(
        "one-axis-twice",
        "grid_score",
        lambda _: lambda along, down: 2 * along,
        ("two-rotations", "grid-score"),
    ),
    Mutant(
        "bias-towards-the-far",
        "alibi_bias",
        lambda original: lambda heads, queries, keys: -original(heads, queries, keys),
        ("share-beyond", "contents-cannot-outweigh"),
    ),
    Mutant(
        "buckets-of-one-side",
        "relative_buckets",
        lambda original: (
            lambda distance, *, buckets, max_distance: original(
                distance, buckets=buckets, max_distance=max_distance, bidirectional=False
            )
        ),
        ("distances-misplaced", "last-bucket"),
        given={"longest": 512},
    ),
    Mutant(
        "offsets-reversed",
        "clipped_scores",
        lambda original: lambda query, key, table: original(query, key, table[::-1]),
        "shaw-two-ways",
    ),
    Mutant(
        "shift-forgotten",
        "relative_shift",
        lambda _: lambda by_distance: by_distance,
        "shift-two-ways",
    ),
    Mutant(
        "running-number",
        "rotate_on_grid",
        lambda original: lambda x, rows, columns: original(x, 0 * rows, columns + 14 * rows),
        "grid-score",
    ),
    Mutant(
        "distance-from-the-start",
        "distances",
        lambda original: lambda queries, keys: original(queries, keys) + np.arange(keys),
        "start-does-not-matter",
    ),
)
