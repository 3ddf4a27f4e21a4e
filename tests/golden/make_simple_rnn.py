"""Records the tutorial's recurrent cell and a textbook one from PyTorch into simple_rnn.npz: python tests/golden/make_simple_rnn.py"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

# name: (steps, batch, inputs, hidden, classes)
CASES = {"one_step": (1, 2, 4, 6, 3), "three_steps": (3, 2, 4, 6, 3), "smallest": (2, 1, 1, 1, 1)}


class Cell(torch.nn.Module):
    """``reads_combined``: the copied cell. Else a read-out of the new state."""

    def __init__(self, inputs: int, hidden: int, classes: int, reads_combined: bool) -> None:
        super().__init__()
        self.reads_combined = reads_combined
        self.i2h = torch.nn.Linear(inputs + hidden, hidden, dtype=torch.float64)
        self.i2o = torch.nn.Linear(
            inputs + hidden if reads_combined else hidden, classes, dtype=torch.float64
        )

    def forward(self, x: torch.Tensor, h: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        combined = torch.cat((x, h), dim=1)
        new = torch.tanh(self.i2h(combined))
        return self.i2o(combined if self.reads_combined else new), new


def arrays() -> dict[str, np.ndarray]:
    """Weights, inputs, logits, states and gradients of a loss on every logit, float64. A gradient that PyTorch leaves as
    None is recorded as ``<name>_is_none`` true and zeros; ``version`` says whose they are."""
    made: dict[str, np.ndarray] = {"version": np.array(torch.__version__)}
    for seed, (name, (steps, batch, inputs, hidden, classes)) in enumerate(CASES.items()):
        for read_out in ("combined", "state"):
            torch.manual_seed(seed)
            cell = Cell(inputs, hidden, classes, read_out == "combined")
            x = torch.randn(steps, batch, inputs, dtype=torch.float64)
            h = torch.randn(batch, hidden, dtype=torch.float64)
            case = f"{read_out}_{name}"
            made[f"{case}.h_0"] = h.numpy()
            states, logits = [h], []
            for x_t in x:
                out, h = cell(x_t, h)
                logits.append(out)
                states.append(h)
            d_logits = torch.randn(steps, batch, classes, dtype=torch.float64)
            (torch.stack(logits) * d_logits).sum().backward()
            fields = {
                "x": x,
                "d_logits": d_logits,
                "logits": torch.stack(logits),
                "hidden": torch.stack(states),
            }
            for parameter, value in cell.named_parameters():
                key = parameter.replace(".", "_")
                fields[key] = value
                made[f"{case}.grad_{key}_is_none"] = np.array(value.grad is None)
                fields[f"grad_{key}"] = torch.zeros_like(value) if value.grad is None else value.grad
            made |= {f"{case}.{field}": value.detach().numpy() for field, value in fields.items()}
    return made


if __name__ == "__main__":
    np.savez_compressed(Path(__file__).with_name("simple_rnn.npz"), **arrays())
