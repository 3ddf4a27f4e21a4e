"""Records PyTorch's recurrent cell, step by step, into recurrent.npz: python tests/golden/make_recurrent.py"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

# name: (steps, batch, inputs, hidden, nonlinearity)
CASES = {
    "tanh": (7, 3, 4, 5, "tanh"),
    "relu": (6, 2, 3, 4, "relu"),
    "one": (1, 1, 1, 1, "tanh"),
    "long": (40, 1, 2, 6, "tanh"),
}


def arrays() -> dict[str, np.ndarray]:
    """Inputs, every state, pre-activation, step Jacobian and gradient of each case, float64; ``version`` says whose they are."""
    made: dict[str, np.ndarray] = {"version": np.array(torch.__version__)}
    for seed, (name, (steps, batch, inputs, hidden, nonlinearity)) in enumerate(CASES.items()):
        torch.manual_seed(seed)
        cell = torch.nn.RNNCell(inputs, hidden, nonlinearity=nonlinearity, dtype=torch.float64)
        x = torch.randn(steps, batch, inputs, dtype=torch.float64, requires_grad=True)
        states = [torch.randn(batch, hidden, dtype=torch.float64, requires_grad=True)]
        pre_activations, jacobians = [], []
        for t in range(steps):
            pre_activations.append(
                x[t] @ cell.weight_ih.T + cell.bias_ih + states[-1] @ cell.weight_hh.T + cell.bias_hh
            )
            full = torch.autograd.functional.jacobian(
                lambda h, step=cell, x_t=x[t]: step(x_t, h).sum(dim=0), states[-1].detach()
            )
            jacobians.append(full.permute(1, 0, 2))
            states.append(cell(x[t], states[-1]))
            states[-1].retain_grad()
        d_hidden = torch.randn(steps + 1, batch, hidden, dtype=torch.float64)
        sum((d * h).sum() for d, h in zip(d_hidden, states, strict=True)).backward()
        fields = {
            "x": x,
            "h_0": states[0],
            "recurrent": cell.weight_hh,
            "inputs": cell.weight_ih,
            "bias_inputs": cell.bias_ih,
            "bias_recurrent": cell.bias_hh,
            "d_hidden": d_hidden,
            "pre_activations": torch.stack(pre_activations),
            "hidden": torch.stack(states),
            "step_jacobian": torch.stack(jacobians),
            "grad_hidden": torch.stack([h.grad for h in states]),
            "grad_x": x.grad,
            "grad_recurrent": cell.weight_hh.grad,
            "grad_inputs": cell.weight_ih.grad,
            "grad_bias": cell.bias_ih.grad,
        }
        made |= {f"{name}.{field}": value.detach().numpy() for field, value in fields.items()}
    return made


if __name__ == "__main__":
    np.savez_compressed(Path(__file__).with_name("recurrent.npz"), **arrays())
