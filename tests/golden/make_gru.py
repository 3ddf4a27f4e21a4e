"""Records PyTorch's GRU cell, and its autograd through the published equations, into gru.npz: python tests/golden/make_gru.py

PyTorch has one convention; the other two are written out here with its tensors, so that their gradients are autograd's.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

# name: (convention, steps, batch, inputs, hidden)
CASES = {
    "many": ("PyTorch", 7, 3, 4, 5),
    "one": ("PyTorch", 1, 1, 1, 1),
    "long": ("PyTorch", 40, 1, 2, 6),
    "cho": ("Cho", 6, 2, 3, 4),
    "chung": ("Chung", 6, 2, 3, 4),
}


def step(
    convention: str, cell: torch.nn.GRUCell, x: torch.Tensor, h: torch.Tensor
) -> tuple[torch.Tensor, ...]:
    """r, z, n and the new state by the equations of the convention."""
    i_r, i_z, i_n = (x @ cell.weight_ih.T + cell.bias_ih).chunk(3, dim=-1)
    u_r, u_z, u_n = cell.weight_hh.chunk(3)
    b_r, b_z, b_n = cell.bias_hh.chunk(3)
    r, z = torch.sigmoid(i_r + h @ u_r.T + b_r), torch.sigmoid(i_z + h @ u_z.T + b_z)
    if convention == "PyTorch":
        return r, z, torch.tanh(i_n + r * (h @ u_n.T + b_n)), cell(x, h)
    n = torch.tanh(i_n + (r * h) @ u_n.T + b_n)
    return r, z, n, z * h + (1 - z) * n if convention == "Cho" else (1 - z) * h + z * n


def arrays() -> dict[str, np.ndarray]:
    """Inputs, every gate, state and gradient of each case, float64; ``version`` says whose they are."""
    made: dict[str, np.ndarray] = {"version": np.array(torch.__version__)}
    for seed, (name, (convention, steps, batch, inputs, hidden)) in enumerate(CASES.items()):
        torch.manual_seed(seed)
        cell = torch.nn.GRUCell(inputs, hidden, dtype=torch.float64)
        x = torch.randn(steps, batch, inputs, dtype=torch.float64, requires_grad=True)
        states = [torch.randn(batch, hidden, dtype=torch.float64, requires_grad=True)]
        gates = []
        for t in range(steps):
            *rest, h = step(convention, cell, x[t], states[-1])
            h.retain_grad()
            gates.append(rest)
            states.append(h)
        d_hidden = torch.randn(steps + 1, batch, hidden, dtype=torch.float64)
        sum((d * h).sum() for d, h in zip(d_hidden, states, strict=True)).backward()
        reset_gate, update_gate, candidate = (torch.stack([rest[k] for rest in gates]) for k in range(3))
        fields = {
            "x": x,
            "h_0": states[0],
            "recurrent": cell.weight_hh,
            "inputs": cell.weight_ih,
            "bias": torch.stack([cell.bias_ih, cell.bias_hh]),
            "d_hidden": d_hidden,
            "reset_gate": reset_gate,
            "update_gate": update_gate,
            "candidate": candidate,
            "hidden": torch.stack(states),
            "grad_hidden": torch.stack([h.grad for h in states]),
            "grad_x": x.grad,
            "grad_recurrent": cell.weight_hh.grad,
            "grad_inputs": cell.weight_ih.grad,
            "grad_bias": torch.stack([cell.bias_ih.grad, cell.bias_hh.grad]),
        }
        made |= {f"{name}.{field}": value.detach().numpy() for field, value in fields.items()}
        made[f"{name}.convention"] = np.array(convention)
    return made


if __name__ == "__main__":
    np.savez_compressed(Path(__file__).with_name("gru.npz"), **arrays())
