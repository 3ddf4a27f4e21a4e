"""Mutants of D43."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

MUTANTS = (
    Mutant("bias-forgotten", "head_parameters", lambda _: lambda d, C: d * C, ("head", "span-head", "sentence-head-size")),
    Mutant("one-bias-for-all", "head_parameters", lambda _: lambda d, C: d * C + 1, ("head", "span-head", "sentence-head-size")),
    Mutant("pairs-twice", "pair_encodes", lambda _: lambda n: n * (n - 1), ("pairs", "ratio", "passes-by-pairs")),
    Mutant("sentence-with-itself", "pair_encodes", lambda _: lambda n: n * (n + 1) / 2, ("pairs", "ratio", "passes-by-pairs")),
    Mutant("end-before-start", "best_span", lambda _: lambda start, end: (int(start.argmax()), int(end.argmax())), "span-is-best", seed=4),
    Mutant("longest-answer-one", "best_span", lambda original: lambda start, end: original(start, end, 1), "span-is-best"),
    Mutant("tags-the-first-only", "classify_tokens", lambda original: lambda states, W, b: original(states[:, :1], W, b), "tag-per-token"),
    Mutant("vectors-encoded-again", "compare_by_vectors", lambda original: lambda encoder, n: (original(encoder, n), original(encoder, n))[1], "passes-by-vectors"),
    Mutant("one-class-more", "head_parameters", lambda _: lambda d, C: (d + 1) * (C + 1), ("head", "sentence-head-size")),
)  # fmt: skip
