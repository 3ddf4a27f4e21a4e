"""Records PyTorch's LSTM cell, step by step, into lstm.npz: python tests/golden/make_lstm.py"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

# name: (steps, batch, inputs, hidden)
CASES = {"many": (7, 3, 4, 5), "one": (1, 1, 1, 1), "long": (40, 1, 2, 6), "wide": (3, 2, 6, 1)}


def arrays() -> dict[str, np.ndarray]:
    """Inputs, every gate, state and gradient of each case, float64; ``version`` says whose they are."""
    made: dict[str, np.ndarray] = {"version": np.array(torch.__version__)}
    for seed, (name, (steps, batch, inputs, hidden)) in enumerate(CASES.items()):
        torch.manual_seed(seed)
        cell = torch.nn.LSTMCell(inputs, hidden, dtype=torch.float64)
        x, h_0, c_0 = (
            torch.randn(*shape, dtype=torch.float64, requires_grad=True)
            for shape in ((steps, batch, inputs), (batch, hidden), (batch, hidden))
        )
        states, cells, pre_activations = [h_0], [c_0], []
        for t in range(steps):
            pre_activations.append(
                x[t] @ cell.weight_ih.T + cell.bias_ih + states[-1] @ cell.weight_hh.T + cell.bias_hh
            )
            h, c = cell(x[t], (states[-1], cells[-1]))
            h.retain_grad()
            c.retain_grad()
            states.append(h)
            cells.append(c)
        d_hidden, d_cell = torch.randn(2, steps + 1, batch, hidden, dtype=torch.float64)
        loss = sum((d * h).sum() for d, h in zip(d_hidden, states, strict=True))
        (loss + sum((d * c).sum() for d, c in zip(d_cell, cells, strict=True))).backward()
        a_i, a_f, a_g, a_o = torch.stack(pre_activations).chunk(4, dim=-1)
        fields = {
            "x": x,
            "h_0": h_0,
            "c_0": c_0,
            "recurrent": cell.weight_hh,
            "inputs": cell.weight_ih,
            "bias_inputs": cell.bias_ih,
            "bias_recurrent": cell.bias_hh,
            "d_hidden": d_hidden,
            "d_cell": d_cell,
            "pre_activations": torch.stack(pre_activations),
            "input_gate": a_i.sigmoid(),
            "forget_gate": a_f.sigmoid(),
            "candidate": a_g.tanh(),
            "output_gate": a_o.sigmoid(),
            "hidden": torch.stack(states),
            "cell": torch.stack(cells),
            "grad_hidden": torch.stack([h.grad for h in states]),
            "grad_cell": torch.stack([c.grad for c in cells]),
            "grad_x": x.grad,
            "grad_recurrent": cell.weight_hh.grad,
            "grad_inputs": cell.weight_ih.grad,
            "grad_bias_inputs": cell.bias_ih.grad,
            "grad_bias_recurrent": cell.bias_hh.grad,
        }
        made |= {f"{name}.{field}": value.detach().numpy() for field, value in fields.items()}
    return made


if __name__ == "__main__":
    np.savez_compressed(Path(__file__).with_name("lstm.npz"), **arrays())
