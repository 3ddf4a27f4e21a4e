"""Records PyTorch's encoder and decoder layers, feed-forward networks and a small ViT: python tests/golden/make_transformer.py"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

# name: (batch, n, m, d, heads, d_ff, activation, norm_first, masked)
LAYERS = {
    "post-relu": (2, 5, 4, 8, 2, 16, "relu", False, False),
    "pre-relu": (2, 5, 4, 8, 2, 16, "relu", True, False),
    "post-gelu": (2, 4, 6, 12, 3, 20, "gelu", False, True),
    "pre-gelu": (2, 4, 6, 12, 3, 20, "gelu", True, True),
    "post-one": (1, 1, 1, 2, 1, 1, "gelu", False, True),
    "pre-one": (1, 1, 1, 2, 1, 1, "relu", True, False),
}
# name: (batch, channels, height, width, patch, d, heads, d_ff, depth, classes)
VITS = {
    "square": (2, 3, 8, 8, 4, 8, 2, 16, 2, 5),
    "left-over": (1, 1, 7, 10, 3, 6, 3, 12, 1, 2),
    "one": (1, 1, 1, 1, 1, 2, 1, 2, 1, 1),
}


def _redrawn(module: nn.Module, rng: np.random.Generator) -> nn.Module:
    """Every weight drawn anew, so that biases and norms are not the 0 and 1 they begin with."""
    with torch.no_grad():
        for weight in module.parameters():
            weight.copy_(torch.tensor(rng.standard_normal(weight.shape)) * 0.7 + 0.1)
    return module.double().eval()


def _attention(module: nn.MultiheadAttention, name: str, part: str = "value") -> dict[str, Tensor]:
    """The projections as in x @ W; ``part`` grad gives their gradients."""

    def of(weight: Tensor) -> Tensor:
        return weight.grad if part == "grad" else weight.detach()

    projections = zip(("query", "key", "value"), of(module.in_proj_weight).chunk(3), of(module.in_proj_bias).chunk(3), strict=True)  # fmt: skip
    found = {}
    for which, weight, bias in projections:
        found |= {f"{name}_{which}_weight": weight.T, f"{name}_{which}_bias": bias}
    out = module.out_proj
    return {**found, f"{name}_output_weight": of(out.weight).T, f"{name}_output_bias": of(out.bias)}


def _linear(module: nn.Linear, name: str, part: str = "value") -> dict[str, Tensor]:
    weight, bias = (w.grad if part == "grad" else w.detach() for w in (module.weight, module.bias))
    return {f"{name}_weight": weight.T, f"{name}_bias": bias}


def _norm(module: nn.LayerNorm, name: str, part: str = "value") -> dict[str, Tensor]:
    gamma, beta = (w.grad if part == "grad" else w.detach() for w in (module.weight, module.bias))
    return {f"{name}_gamma": gamma, f"{name}_beta": beta}


def _layer(layer: nn.Module, part: str = "value") -> dict[str, Tensor]:
    decoder = isinstance(layer, nn.TransformerDecoderLayer)
    found = _attention(layer.self_attn, "attention", part) | _norm(layer.norm1, "attention_norm", part)
    if decoder:
        found |= _attention(layer.multihead_attn, "cross", part) | _norm(layer.norm2, "cross_norm", part)
    last = layer.norm3 if decoder else layer.norm2
    return {
        **found,
        **_linear(layer.linear1, "inner", part),
        **_linear(layer.linear2, "outer", part),
        **_norm(last, "feed_forward_norm", part),
    }


def _layers(rng: np.random.Generator) -> dict[str, object]:
    made: dict[str, object] = {}
    for name, (batch, n, m, d, heads, d_ff, activation, first, masked) in LAYERS.items():
        named = {"activation": activation, "norm_first": first, "batch_first": True, "dropout": 0.0}
        x = torch.tensor(rng.standard_normal((batch, n, d)), requires_grad=True)
        memory = torch.tensor(rng.standard_normal((batch, m, d)), requires_grad=True)
        d_y = torch.tensor(rng.standard_normal((batch, n, d)))
        causal = torch.ones(n, n).tril().bool() if masked else torch.ones(n, n).bool()
        encoder = _redrawn(nn.TransformerEncoderLayer(d, heads, d_ff, **named), rng)
        y = encoder(x, src_mask=~causal)
        y.backward(d_y)
        case = {"x": x, "keep": causal, "y": y, "d_y": d_y, "d_x": x.grad, **_layer(encoder)}
        case |= {f"d_{key}": value for key, value in _layer(encoder, "grad").items()}
        made |= {f"encoder-{name}.{key}": value for key, value in case.items()}
        decoder = _redrawn(nn.TransformerDecoderLayer(d, heads, d_ff, **named), rng)
        x.grad = None
        y = decoder(x, memory, tgt_mask=~causal)
        y.backward(d_y)
        case = {"x": x, "memory": memory, "keep": causal, "y": y, **_layer(decoder)}
        case |= {"d_y": d_y, "d_x": x.grad, "d_memory": memory.grad}
        case |= {f"d_{key}": value for key, value in _layer(decoder, "grad").items()}
        made |= {f"decoder-{name}.{key}": value for key, value in case.items()}
    return made


def _networks(rng: np.random.Generator) -> dict[str, object]:
    made: dict[str, object] = {}
    for activation in ("relu", "gelu", "swiglu"):
        for shape, d, d_ff in (((3, 4), 4, 7), ((1,), 1, 1)):
            inner, gate, outer = (
                _redrawn(nn.Linear(*pair), rng) for pair in ((d, d_ff), (d, d_ff), (d_ff, d))
            )
            x = torch.tensor(rng.standard_normal((*shape, d)), requires_grad=True)
            d_y = torch.tensor(rng.standard_normal((*shape, d)))
            z = inner(x)
            hidden = F.silu(gate(x)) * z if activation == "swiglu" else getattr(F, activation)(z)
            y = outer(hidden)
            y.backward(d_y)
            case = {"x": x, "hidden": hidden, "y": y, "d_y": d_y, "d_x": x.grad}
            named = {"inner": inner, "outer": outer} | ({"gate": gate} if activation == "swiglu" else {})
            for name, module in named.items():
                case |= _linear(module, name)
                case |= {f"d_{key}": value for key, value in _linear(module, name, "grad").items()}
            made |= {f"network-{activation}-{d}.{key}": value for key, value in case.items()}
    return made


def _vits(rng: np.random.Generator) -> dict[str, object]:
    made: dict[str, object] = {}
    for name, (batch, channels, height, width, patch, d, heads, d_ff, depth, classes) in VITS.items():
        kernel = _redrawn(nn.Conv2d(channels, d, patch, stride=patch), rng)
        layers = [
            _redrawn(
                nn.TransformerEncoderLayer(
                    d, heads, d_ff, 0.0, "gelu", layer_norm_eps=1e-6, batch_first=True, norm_first=True
                ),
                rng,
            )
            for _ in range(depth)
        ]
        norm, head = _redrawn(nn.LayerNorm(d, eps=1e-6), rng), _redrawn(nn.Linear(d, classes), rng)
        images = torch.tensor(rng.standard_normal((batch, channels, height, width)))
        embedded = kernel(images).flatten(2).transpose(1, 2)
        class_token = torch.tensor(rng.standard_normal(d))
        positions = torch.tensor(rng.standard_normal((embedded.shape[1] + 1, d)))
        tokens = torch.cat([class_token.expand(batch, 1, d), embedded], dim=1) + positions
        state = tokens
        case = {"images": images, "embedded": embedded, "class_token": class_token, "positions": positions}
        for index, layer in enumerate(layers):
            state = layer(state)
            case |= {
                f"layer{index}": state,
                **{f"{index}_{key}": value for key, value in _layer(layer).items()},
            }
        hidden = norm(state)
        case |= {
            "kernel": kernel.weight, "kernel_bias": kernel.bias, "tokens": tokens, "hidden": hidden,
            "logits": head(hidden[:, 0]), "heads": np.array(heads), "depth": np.array(depth),
            **_norm(norm, "norm"), **_linear(head, "head"),
        }  # fmt: skip
        made |= {f"vit-{name}.{key}": value for key, value in case.items()}
    return made


def arrays() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(34)
    made = {**_layers(rng), **_networks(rng), **_vits(rng)}
    plain = {key: np.asarray(v.detach() if isinstance(v, Tensor) else v) for key, v in made.items()}
    return {"version": np.array(torch.__version__), **plain}


if __name__ == "__main__":
    np.savez_compressed(Path(__file__).with_name("transformer.npz"), **arrays())
