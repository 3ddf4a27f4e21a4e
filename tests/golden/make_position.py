"""Records position encodings written in PyTorch into position.npz: python tests/golden/make_position.py

PyTorch has no layer for these, so the references are written here in its own terms: complex numbers for
the interleaved rotation, a matrix exponential for the one in halves, gather for DeBERTa's terms.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import torch

# name: (positions, width, base)
SINUSOIDAL = {
    "default": (20, 64, 10_000.0),
    "small-base": (7, 6, 10.0),
    "one-pair": (5, 2, 10_000.0),
    "one-position": (1, 8, 500.0),
}

# name: (batch, positions, d_k, rotated features, base)
ROTARY = {
    "full": ((2, 3), 7, 8, 8, 10_000.0),
    "partial": ((2,), 5, 12, 4, 10_000.0),
    "one-pair": ((), 4, 2, 2, 100.0),
    "one-position": ((1,), 1, 6, 6, 500_000.0),
}

HEADS = (1, 2, 3, 8, 12, 16)

# name: (buckets, max_distance, bidirectional)
BUCKETS = {"encoder": (32, 128, True), "decoder": (32, 128, False), "few": (8, 20, True)}

# name: (batch, length, d_k, reach)
DEBERTA = {"within": ((2, 2), 5, 4, 6), "cut-off": ((3,), 9, 4, 3), "one": ((), 1, 2, 1)}


def arrays() -> dict[str, np.ndarray]:
    """Inputs, outputs and gradients of each case, float64; ``version`` says whose they are."""
    made: dict[str, np.ndarray] = {"version": np.array(torch.__version__)}
    for name, case in SINUSOIDAL.items():
        made |= _named(f"sinusoidal-{name}", _sinusoidal(*case))
    for seed, (name, case) in enumerate(ROTARY.items()):
        torch.manual_seed(seed)
        made |= _named(f"rotary-{name}", _rotary(*case))
    for heads in HEADS:
        made |= _named(f"alibi-{heads}", {"slopes": _slopes(heads), "bias": _alibi(heads, 3, 5)})
    for name, case in BUCKETS.items():
        made |= _named(f"buckets-{name}", _buckets(*case))
    for seed, (name, case) in enumerate(DEBERTA.items()):
        torch.manual_seed(100 + seed)
        made |= _named(f"deberta-{name}", _deberta(*case))
    torch.manual_seed(200)
    return made | _named("learned-table", _learned())


def _named(case: str, fields: dict[str, torch.Tensor]) -> dict[str, np.ndarray]:
    return {f"{case}.{key}": value.detach().numpy() for key, value in fields.items()}


def _randn(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, dtype=torch.float64, requires_grad=True)


def _sinusoidal(n: int, d: int, base: float) -> dict[str, torch.Tensor]:
    positions = torch.arange(n, dtype=torch.float64)
    # the exponential form of the tutorials, against our power
    rates = torch.exp(torch.arange(0, d, 2, dtype=torch.float64) * (-math.log(base) / d))
    table = torch.zeros(n, d, dtype=torch.float64)
    table[:, 0::2] = torch.sin(positions[:, None] * rates)
    table[:, 1::2] = torch.cos(positions[:, None] * rates)
    halves = torch.cat((table[:, 0::2], table[:, 1::2]), dim=1)
    return {"positions": positions, "base": torch.tensor(base), "interleaved": table, "halves": halves}


def _rotary(batch: tuple[int, ...], n: int, d: int, rotated: int, base: float) -> dict[str, torch.Tensor]:
    x = _randn(*batch, n, d)
    positions = torch.arange(n, dtype=torch.float64) * 3 + 2
    rates = base ** (-torch.arange(0, rotated, 2, dtype=torch.float64) / rotated)
    angles = torch.outer(positions, rates)
    d_output = torch.randn(*batch, n, d, dtype=torch.float64)
    fields = {
        "x": x,
        "angles": angles,
        "positions": positions,
        "base": torch.tensor(base),
        "d_output": d_output,
    }
    fields["rotated"] = torch.tensor(rotated)

    complex_x = torch.view_as_complex(x[..., :rotated].reshape(*batch, n, rotated // 2, 2))
    turned = torch.view_as_real(complex_x * torch.polar(torch.ones_like(angles), angles)).flatten(-2)
    fields["interleaved"] = torch.cat((turned, x[..., rotated:]), dim=-1)

    # exp of the generator [[0, -t], [t, 0]] acting on features i and r/2 + i
    half = rotated // 2
    generator = torch.zeros(n, rotated, rotated, dtype=torch.float64)
    pair = torch.arange(half)
    generator[:, pair, half + pair], generator[:, half + pair, pair] = -angles, angles
    rotation = torch.linalg.matrix_exp(generator)
    turned = torch.einsum("nij,...nj->...ni", rotation, x[..., :rotated])
    fields["halves"] = torch.cat((turned, x[..., rotated:]), dim=-1)

    for layout in ("interleaved", "halves"):
        (fields[f"grad_{layout}"],) = torch.autograd.grad(fields[layout], x, d_output, retain_graph=True)
    return fields


def _slopes(heads: int) -> torch.Tensor:
    def geometric(count: int) -> list[float]:
        ratio = 2 ** (-8 / count)
        return [ratio ** (k + 1) for k in range(count)]

    below = 2 ** math.floor(math.log2(heads))
    return torch.tensor(geometric(below) + geometric(2 * below)[0::2][: heads - below], dtype=torch.float64)


def _alibi(heads: int, queries: int, keys: int) -> torch.Tensor:
    at_query = torch.arange(keys - queries, keys)
    gap = (at_query[:, None] - torch.arange(keys)[None, :]).abs()
    return -_slopes(heads)[:, None, None] * gap


def _buckets(buckets: int, max_distance: int, bidirectional: bool) -> dict[str, torch.Tensor]:
    distance = torch.arange(-140, 141).reshape(1, -1)
    side = buckets // 2 if bidirectional else buckets
    far = distance.abs() if bidirectional else distance.clamp(min=0)
    exact = side // 2
    # float32 logarithms, as in the released code
    grown = exact + (torch.log(far.float() / exact) / math.log(max_distance / exact) * (side - exact)).clamp(
        min=0
    ).to(torch.long)
    bucket = torch.where(far < exact, far, grown.clamp(max=side - 1))
    if bidirectional:
        bucket = bucket + (distance < 0).long() * side
    torch.manual_seed(buckets + max_distance)
    table = torch.nn.Embedding(buckets, 2, dtype=torch.float64)
    bias = table(bucket).permute(2, 0, 1)
    d_bias = torch.randn_like(bias)
    bias.backward(d_bias)
    return {
        "distance": distance,
        "bucket": bucket,
        "table": table.weight,
        "bias": bias,
        "d_bias": d_bias,
        "grad_table": table.weight.grad,
    }


def _deberta(batch: tuple[int, ...], length: int, d_k: int, reach: int) -> dict[str, torch.Tensor]:
    query, key = _randn(*batch, length, d_k), _randn(*batch, length, d_k)
    position_query, position_key = _randn(2 * reach, d_k), _randn(2 * reach, d_k)
    at = torch.arange(length)
    row = (at[:, None] - at[None, :] + reach).clamp(0, 2 * reach - 1)
    index = row.expand(*batch, length, length)
    to_position = torch.gather(query @ position_key.T, -1, index)
    from_position = torch.gather(key @ position_query.T, -1, index).transpose(-1, -2)
    content = query @ key.transpose(-1, -2)
    return {
        "query": query,
        "key": key,
        "position_query": position_query,
        "position_key": position_key,
        "content_to_content": content,
        "content_to_position": to_position,
        "position_to_content": from_position,
        "scores": (content + to_position + from_position) / math.sqrt(3 * d_k),
    }


def _learned() -> dict[str, torch.Tensor]:
    table = torch.nn.Embedding(6, 3, dtype=torch.float64)
    positions = torch.tensor([[0, 1, 2, 3], [2, 2, 5, 0]])
    encoding = table(positions)
    d_encoding = torch.randn_like(encoding)
    encoding.backward(d_encoding)
    return {
        "table": table.weight,
        "positions": positions,
        "encoding": encoding,
        "d_encoding": d_encoding,
        "grad_table": table.weight.grad,
    }


if __name__ == "__main__":
    np.savez_compressed(Path(__file__).with_name("position.npz"), **arrays())
