"""Records PyTorch's attention into attention.npz: python tests/golden/make_attention.py"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812

# name: (batch axes, queries, keys, d_k, d_v, mask)
SDPA = {
    "plain": ((2, 3), 4, 4, 8, 8, "none"),
    "rectangular": ((2,), 5, 7, 4, 6, "none"),
    "boolean": ((2, 2), 5, 7, 4, 6, "boolean"),
    "causal": ((3,), 6, 6, 4, 4, "causal"),
    "causal-wide": ((1,), 2, 5, 4, 4, "causal"),
    "causal-decode": ((), 1, 5, 4, 3, "causal"),
    "bias": ((2,), 4, 5, 3, 3, "bias"),
    "empty-row": ((2,), 3, 4, 4, 4, "empty-row"),
    "one": ((1,), 1, 1, 1, 1, "none"),
}

# name: (batch, queries, keys, d_model, d_source, heads, mask); d_source None is self-attention
MULTI_HEAD = {
    "self": (2, 5, 5, 8, None, 2, "none"),
    "self-causal": (2, 6, 6, 12, None, 3, "causal"),
    "cross": (3, 4, 7, 8, 10, 4, "none"),
    "cross-padding": (3, 4, 7, 8, 10, 4, "padding"),
    "one-token": (1, 1, 1, 4, None, 1, "none"),
}


def arrays() -> dict[str, np.ndarray]:
    """Inputs, weights, context, outputs and gradients of each case, float64; ``version`` says whose they are."""
    made: dict[str, np.ndarray] = {"version": np.array(torch.__version__)}
    for seed, name in enumerate(SDPA):
        torch.manual_seed(seed)
        made |= {f"sdpa-{name}.{k}": v.detach().numpy() for k, v in _sdpa(*SDPA[name]).items()}
    for seed, name in enumerate(MULTI_HEAD):
        torch.manual_seed(100 + seed)
        made |= {f"multi-{name}.{k}": v.detach().numpy() for k, v in _multi_head(*MULTI_HEAD[name]).items()}
    return made


def _randn(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, dtype=torch.float64, requires_grad=True)


def _sdpa(
    batch: tuple[int, ...], queries: int, keys: int, d_k: int, d_v: int, kind: str
) -> dict[str, torch.Tensor]:
    query, key, value = _randn(*batch, queries, d_k), _randn(*batch, keys, d_k), _randn(*batch, keys, d_v)
    mask, is_causal = None, kind == "causal"
    if kind == "boolean":
        mask = torch.rand(*batch, queries, keys) < 0.6
        mask[..., 0] = True
    elif kind == "empty-row":
        mask = torch.rand(*batch, queries, keys) < 0.6
        mask[..., 0] = True
        mask[..., 1, :] = False
    elif kind == "bias":
        mask = torch.randn(*batch, queries, keys, dtype=torch.float64)
    added = mask
    if mask is not None and mask.dtype == torch.bool:
        added = torch.zeros(mask.shape, dtype=torch.float64).masked_fill(~mask, -math.inf)
    # the reference path of F.scaled_dot_product_attention also gives the weights; it wants masks to add
    context, weights = torch.ops.aten._scaled_dot_product_attention_math(
        query, key, value, added, 0.0, is_causal
    )
    assert torch.allclose(
        context, F.scaled_dot_product_attention(query, key, value, mask, 0.0, is_causal), rtol=1e-12
    )
    d_context = torch.randn_like(context)
    context.backward(d_context)
    fields = {
        "query": query,
        "key": key,
        "value": value,
        "d_context": d_context,
        "scores": query @ key.transpose(-1, -2) / math.sqrt(d_k),
        "weights": weights,
        "context": context,
        "grad_query": query.grad,
        "grad_key": key.grad,
        "grad_value": value.grad,
    }
    return fields if mask is None else fields | {"mask": mask}


def _multi_head(
    batch: int, queries: int, keys: int, d_model: int, d_source: int | None, heads: int, kind: str
) -> dict[str, torch.Tensor]:
    width = d_source or d_model
    layer = torch.nn.MultiheadAttention(
        d_model, heads, bias=False, batch_first=True, kdim=width, vdim=width, dtype=torch.float64
    )
    x = _randn(batch, queries, d_model)
    source = x if d_source is None else _randn(batch, keys, d_source)
    mask = torch.triu(torch.ones(queries, keys, dtype=torch.bool), diagonal=1) if kind == "causal" else None
    lengths = torch.tensor([keys, keys - 2, 1])
    padding = torch.arange(keys)[None, :] >= lengths[:, None] if kind == "padding" else None
    output, weights = layer(
        x, source, source, attn_mask=mask, key_padding_mask=padding, average_attn_weights=False
    )
    d_output = torch.randn_like(output)
    output.backward(d_output)
    if layer.in_proj_weight is not None:
        projections = layer.in_proj_weight.chunk(3)
        gradients = layer.in_proj_weight.grad.chunk(3)
    else:
        parts = (layer.q_proj_weight, layer.k_proj_weight, layer.v_proj_weight)
        projections, gradients = parts, tuple(part.grad for part in parts)
    fields = {"x": x, "source": source, "d_output": d_output, "weights": weights, "output": output}
    fields |= {"grad_x": x.grad, "grad_source": source.grad}
    fields |= {f"W_{n}": w.T for n, w in zip("QKV", projections, strict=True)}
    fields |= {f"grad_W_{n}": w.T for n, w in zip("QKV", gradients, strict=True)}
    fields |= {"W_O": layer.out_proj.weight.T, "grad_W_O": layer.out_proj.weight.grad.T}
    if mask is not None:
        fields["blocked"] = mask
    if padding is not None:
        fields["blocked"] = padding[:, None, None, :]
        fields["lengths"] = lengths
    return fields


if __name__ == "__main__":
    np.savez_compressed(Path(__file__).with_name("attention.npz"), **arrays())
