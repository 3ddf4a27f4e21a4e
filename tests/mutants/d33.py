"""Mutants of D33."""

from __future__ import annotations

from tests.mutants.mutant import Mutant


def _over_the_batch(original):  # type: ignore[no-untyped-def]
    from engine.nn.normalization import batch_norm_train

    return lambda x, eps: (
        batch_norm_train(x, eps=eps) if x.shape[0] > 1 and x.ndim > 1 else original(x, eps=eps)
    )


def _batch_statistics_at_inference(_):  # type: ignore[no-untyped-def]
    from engine.nn.normalization import batch_norm_train

    return lambda x, running, gamma=None, beta=None, eps=1e-5: batch_norm_train(x, gamma, beta, eps).y


def _fold_without_mean(original):  # type: ignore[no-untyped-def]
    return lambda running, gamma, beta, eps: (original(running, gamma, beta, eps)[0], beta)


def _variance_for_its_root(original):  # type: ignore[no-untyped-def]
    def folded(running, gamma=None, beta=None, eps=1e-5):  # type: ignore[no-untyped-def]
        scale = (1.0 if gamma is None else gamma) / (running.var + eps)
        return scale, (0.0 if beta is None else beta) - scale * running.mean

    return folded


def _biased_is_stored(original):  # type: ignore[no-untyped-def]
    class Stored(original):  # type: ignore[misc, valid-type]
        def updated(self, forward, momentum=0.1):  # type: ignore[no-untyped-def]
            return Stored(forward.mean.ravel(), forward.var.ravel())

    return Stored


def _centred_rms(_):  # type: ignore[no-untyped-def]
    from engine.nn.normalization import layer_norm

    return layer_norm


MUTANTS = (
    Mutant("layer-norm-over-the-batch", "layer_norm", _over_the_batch, "layer-norm-ignores-the-batch"),
    Mutant(
        "sample-variance-ddof-1",
        "layer_norm",
        lambda original: lambda x, eps: original(x, eps=eps, ddof=1),
        "jacobian-entries",
    ),
    Mutant(
        "eps-outside-the-root",
        "layer_norm",
        lambda original: lambda x, eps: original(x, eps=eps, eps_place="outside"),
        ("jacobian-entries", "jacobian-along-x", "layer-norm-invariance"),
        given={"eps": 0.1},
    ),
    Mutant(
        "batch-statistics-at-inference",
        "batch_norm_eval",
        _batch_statistics_at_inference,
        ("inference-on-one-row", "folded-layer"),
    ),
    Mutant("fold-forgets-the-mean", "batch_norm_folded", _fold_without_mean, "folded-layer"),
    Mutant(
        "variance-for-its-root-at-inference",
        "engine.nn.normalization:batch_norm_folded",
        _variance_for_its_root,
        "same-map-at-inference",
    ),
    Mutant("biased-variance-stored", "RunningStatistics", _biased_is_stored, "stored-variance"),
    Mutant("rms-norm-that-centres", "rms_norm", _centred_rms, ("rms-norm-shift", "rms-norm-gives-back")),
    Mutant(
        "running-statistics-in-training",
        "normalise_batch",
        lambda original: lambda x, mode, running, eps: original(x, "eval", running, eps),
        "batch-norm-sees-the-batch",
    ),
    Mutant(
        "jacobian-without-its-last-term",
        "jacobian_entry",
        lambda _: lambda own, h_i, h_j, s, d: (own - 1 / d) / s,
        ("own-feature", "other-feature", "no-gradient-along-x", "jacobian-entries"),
    ),
    Mutant(
        "padding-leaves-the-variance",
        "padded_variance",
        lambda _: lambda m, v, pad: (1 - pad) * v,
        ("padding-variance", "padded-variance"),
    ),
    Mutant(
        "noise-falls-with-the-batch-size",
        "batch_mean_variance",
        lambda _: lambda v, B: v / B**2,
        ("batch-noise", "batch-mean-noise"),
    ),
)
