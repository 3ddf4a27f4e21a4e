"""Mutants of D19."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

MUTANTS = (
    Mutant("no-scaling", "scale_scores", lambda _: lambda scores, p: scores, "score-variance"),
    Mutant(
        "formula-without-d_k",
        "score_variance",
        lambda _: lambda d_k, mu_q, mu_k, sigma, rho: sigma**4,
        ("four-terms", "sum", "score-variance"),
    ),
    Mutant(
        "correlation-forgotten",
        "product_variance",
        lambda _: lambda mu_q, mu_k, sigma, rho: sigma**4 + sigma**2 * (mu_q**2 + mu_k**2),
        "general",
    ),
)
