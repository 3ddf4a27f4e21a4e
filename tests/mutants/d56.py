"""Mutants of D56."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.nn.checkpointing import ActivationMemory, TanhLayer
from tests.mutants.mutant import Mutant


def never_released(original: Any) -> Any:
    """Replayed activations stay until the end of the backward pass."""

    def drop(self: Any, i: int) -> None:
        if i != 0 and self.work.backward:
            return
        original.drop(self, i)

    return type("_Run", (original,), {"drop": drop})


def inner_activations_kept(original: Any) -> Any:
    """The forward pass keeps every activation, as if there were no segments."""

    def drop(self: Any, i: int) -> None:
        if self.work.backward:
            original.drop(self, i)

    return type("_Run", (original,), {"drop": drop})


def masks_kept_with_checkpoints(original: Any) -> Any:
    """A checkpoint drags along what its layer kept inside."""

    def forward(self: Any, i: int, for_backward: bool = True) -> None:
        original.forward(self, i, True)

    return type("_Run", (original,), {"forward": forward})


def fresh_masks(original: Any) -> Any:
    """The state of the generator is never restored."""
    return lambda *given, **named: original(*given, **{**named, "preserve_rng_state": False})


def last_segment_kept(original: Any) -> Any:
    return lambda *given, **named: original(*given, **{**named, "keep_last": True})


def only_weight_gradient(original: type[TanhLayer]) -> Any:
    """The product for the gradient by the input is forgotten in the count."""

    def backward(self: TanhLayer, *given: Any) -> Any:
        result = original.backward(self, *given)
        return result._replace(flops=result.flops // 2)

    return type("TanhLayer", (original,), {"backward": backward})


def slope_of_the_state(original: type[TanhLayer]) -> Any:
    """1 - y for 1 - y²."""

    def backward(self: TanhLayer, x: Any, mask: Any, output: Any, d_output: Any) -> Any:
        return original.backward(self, x, mask, output, d_output * (1 - output) / (1 - output**2))

    return type("TanhLayer", (original,), {"backward": backward})


def mask_forgotten_backwards(original: type[TanhLayer]) -> Any:
    """Dropout in the forward pass, none in the gradient by the weight."""

    def backward(self: TanhLayer, x: Any, mask: Any, output: Any, d_output: Any) -> Any:
        right = original.backward(self, x, mask, output, d_output)
        return right._replace(d_weight=original.backward(self, x, None, output, d_output).d_weight)

    return type("TanhLayer", (original,), {"backward": backward})


def masks_in_half_precision(original: Any) -> Any:
    """Dropout masks are kept as float16."""

    def transformer_layer(*given: Any, **named: Any) -> Any:
        output, tape = original(*given, **named)
        for name, array in tape.saved.items():
            if array.dtype == bool:
                tape.saved[name] = array.astype(np.float16)
        return output, tape

    return transformer_layer


def maps_kept_in_flash(original: Any) -> Any:
    return lambda x, heads, rng, *, flash=False: original(x, heads, rng, flash=False)


def peak_forgets(original: type[ActivationMemory]) -> Any:
    """The memory reports what is held last, not the most that was held."""

    def hold(self: ActivationMemory, layer: int, size: int) -> None:
        original.hold(self, layer, size)
        self.peak, self.peak_bytes = len(self.held), self.bytes

    return type("ActivationMemory", (original,), {"hold": hold})


RUN = "engine.nn.checkpointing:_Run"

MUTANTS = (
    Mutant("segment-activations-not-released", RUN, never_released, ("peak-checkpointed", "nothing-left")),
    Mutant(
        "forward-keeps-everything",
        RUN,
        inner_activations_kept,
        ("peak-checkpointed", "peak-best", "bytes-segments"),
    ),
    Mutant(
        "checkpoints-drag-their-masks-along",
        RUN,
        masks_kept_with_checkpoints,
        ("peak-bytes", "bytes-segments"),
    ),
    Mutant("generator-not-restored", "backpropagate_checkpointed", fresh_masks, "gradients-equal"),
    Mutant("last-segment-not-replayed", "backpropagate_checkpointed", last_segment_kept, "work-overhead"),
    Mutant("one-product-backwards", "TanhLayer", only_weight_gradient, ("flops-backward", "work-overhead")),
    Mutant("slope-of-the-state", "TanhLayer", slope_of_the_state, "gradients-are-the-slope"),
    Mutant("mask-forgotten-backwards", "TanhLayer", mask_forgotten_backwards, "gradients-are-the-slope"),
    Mutant("peak-is-the-end", "ActivationMemory", peak_forgets, "peak-checkpointed"),
    Mutant(
        "masks-in-half-precision",
        "transformer_layer",
        masks_in_half_precision,
        ("kept-with-maps", "kept-with-flash"),
    ),
    Mutant("maps-kept-in-flash", "transformer_layer", maps_kept_in_flash, "kept-with-flash"),
    Mutant(
        "peak-without-the-segment",
        "checkpointed_peak",
        lambda _: lambda n, k, quotient: quotient(n, k),
        ("peak-even", "whole-optimum", "peak-checkpointed"),
    ),
    Mutant(
        "peak-rounded-up",
        "checkpointed_peak",
        lambda _: lambda n, k, quotient: k - quotient(-n, k),
        "peak-checkpointed",
    ),
    Mutant(
        "overhead-of-a-backward",
        "overhead",
        lambda _: lambda forward, backward: backward / (forward + backward),
        ("overhead", "work-overhead"),
    ),
    Mutant(
        "maps-forgotten",
        "layer_bytes",
        lambda _: lambda s, b, h, a: 34 * s * b * h,
        ("layer-bytes", "maps-vanish", "kept-with-maps"),
    ),
)
