"""Mutants of D19."""

from __future__ import annotations

from tests.mutants.mutant import Mutant


def _one_vector_for_both(p, rng, pairs):  # type: ignore[no-untyped-def]
    u = p.mu_q + p.sigma * rng.standard_normal((pairs, p.d_k))
    return u * u


MUTANTS = (
    Mutant("no-scaling", "scale_scores", lambda _: lambda scores, d_k, scale: scores, "score-variance"),
    Mutant(
        "divided-by-d-for-its-root",
        "scale_scores",
        lambda _: lambda scores, d_k, scale: scores / d_k,
        "score-variance",
    ),
    Mutant("query-is-key", "draw_products", lambda _: _one_vector_for_both, ("score-variance", "score-mean")),
    Mutant(
        "formula-without-d_k",
        "score_variance",
        lambda _: lambda d_k, mu_q, mu_k, sigma, rho: sigma**4,
        ("four-terms", "sum", "score-variance"),
        given={"scale": "none"},
    ),
    Mutant(
        "deviations-add-instead-of-variances",
        "score_variance",
        lambda _: lambda d_k, mu_q, mu_k, sigma, rho: d_k**2 * sigma**4,
        ("four-terms", "sum", "score-variance"),
    ),
    Mutant(
        "sigma-squared-for-its-square",
        "product_variance",
        lambda _: (
            lambda mu_q, mu_k, sigma, rho: sigma**2 * (1 + rho**2 + mu_q**2 + mu_k**2 + 2 * rho * mu_q * mu_k)
        ),
        ("one-term", "means", "general", "score-variance"),
        given={"sigma": 2.0},
    ),
    Mutant(
        "means-forgotten",
        "product_variance",
        lambda _: lambda mu_q, mu_k, sigma, rho: sigma**4 * (1 + rho**2),
        ("means", "general", "score-variance"),
        given={"mu_q": 1.0},
    ),
    Mutant(
        "correlation-forgotten",
        "product_variance",
        lambda _: lambda mu_q, mu_k, sigma, rho: sigma**4 + sigma**2 * (mu_q**2 + mu_k**2),
        ("general", "score-variance"),
        given={"rho": 0.9},
    ),
    Mutant(
        "mixed-term-counted-once",
        "product_variance",
        lambda _: (
            lambda mu_q, mu_k, sigma, rho: (
                sigma**4 * (1 + rho**2) + sigma**2 * (mu_q**2 + mu_k**2 + rho * mu_q * mu_k)
            )
        ),
        "general",
    ),
    Mutant(
        "aligned-vectors-keep-mean-zero",
        "product_mean",
        lambda _: lambda mu_q, mu_k, sigma, rho: mu_q * mu_k,
        ("correlated-mean", "score-mean"),
        given={"rho": 0.5},
    ),
)
