"""Records additive and multiplicative attention and a small encoder-decoder in PyTorch, with gradients:
python tests/golden/make_alignment.py"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

SHAPES = ((1, 1, 1, 1, 1), (2, 5, 3, 4, 6), (3, 2, 2, 3, 1))
"""B, T, S, H, A."""


def arrays() -> dict[str, np.ndarray]:
    made: dict[str, np.ndarray] = {"version": np.array(torch.__version__)}
    for index, (B, T, S, H, A) in enumerate(SHAPES):
        torch.manual_seed(index)
        new = lambda *shape: torch.randn(*shape, dtype=torch.float64, requires_grad=True)  # noqa: E731
        s, h, W_s, W_h, b, v = new(B, S), new(B, T, H), new(A, S), new(A, H), new(A), new(A)
        both, general = new(A, S + H), new(S, H)
        tanh = torch.tanh((s @ W_s.T)[:, None] + h @ W_h.T + b)
        scores = tanh @ v
        weights = torch.softmax(scores, -1)
        context = (weights[..., None] * h).sum(1)
        d_context = torch.randn(B, H, dtype=torch.float64)
        gradients = torch.autograd.grad(context, (s, h, W_s, W_h, b, v), d_context, allow_unused=True)
        gradients = [torch.zeros(1) if g is None else g for g in gradients]
        concat = torch.tanh(torch.cat([s[:, None].expand(B, T, S), h], -1) @ both.T) @ v
        keep = torch.arange(T)[None] < torch.randint(1, T + 1, (B, 1))
        masked = torch.softmax(scores.masked_fill(~keep, -torch.inf), -1)
        fields = {
            "s": s, "h": h, "W_s": W_s, "W_h": W_h, "b": b, "v": v, "both": both, "general": general, "tanh": tanh,
            "scores": scores, "weights": weights, "context": context, "d_context": d_context, "concat": concat,
            "general_scores": torch.einsum("bs,sh,bth->bt", s, general, h), "keep": keep, "masked": masked,
        }  # fmt: skip
        fields |= dict(zip(("ds", "dh", "dW_s", "dW_h", "db", "dv"), gradients, strict=True))
        made |= {f"case{index}.{name}": value.detach().numpy() for name, value in fields.items()}
    made |= _encoder_decoder()
    return made


def _encoder_decoder() -> dict[str, np.ndarray]:
    torch.manual_seed(7)
    T, B, D, H, A, out = 5, 2, 3, 4, 6, 3
    encoder = torch.nn.RNN(D, H, dtype=torch.float64)
    plain, looking = torch.nn.RNN(D, H, dtype=torch.float64), torch.nn.RNNCell(D + H, H, dtype=torch.float64)
    W_s, W_h, b, v = (torch.randn(*shape, dtype=torch.float64) for shape in ((A, H), (A, H), (A,), (A,)))
    x, y = torch.randn(T, B, D, dtype=torch.float64), torch.randn(out, B, D, dtype=torch.float64)
    annotations, last = encoder(x)
    backwards, _ = encoder(x.flip(0))
    fixed, _ = plain(y, last)
    s, attended, looked = last[0], [], []
    for t in range(out):
        h = annotations.transpose(0, 1)
        alpha = torch.softmax(torch.tanh((s @ W_s.T)[:, None] + h @ W_h.T + b) @ v, -1)
        s = looking(torch.cat([y[t], (alpha[..., None] * h).sum(1)], -1), s)
        attended.append(s)
        looked.append(alpha)
    fields = {"x": x, "y": y, "W_s": W_s, "W_h": W_h, "b": b, "v": v, "annotations": annotations, "backwards": backwards,
              "fixed": fixed, "attended": torch.stack(attended), "looked": torch.stack(looked)}  # fmt: skip
    for name, module in (("encoder", encoder), ("plain", plain), ("looking", looking)):
        suffix = "" if name == "looking" else "_l0"
        fields |= {
            f"{name}_{part}": getattr(module, part + suffix)
            for part in ("weight_hh", "weight_ih", "bias_hh", "bias_ih")
        }
    return {f"pair.{name}": value.detach().numpy() for name, value in fields.items()}


if __name__ == "__main__":
    np.savez_compressed(Path(__file__).with_name("alignment.npz"), **arrays())
