"""Records PyTorch's RNN, LSTM and GRU, stacked, bidirectional and packed, into stacked.npz: python tests/golden/make_stacked.py"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

MODULES = {"rnn": torch.nn.RNN, "lstm": torch.nn.LSTM, "gru": torch.nn.GRU}

# name: (kind, steps, batch, inputs, hidden, layers, bidirectional, batch_first, lengths or None)
CASES = {
    "rnn_2": ("rnn", 6, 3, 4, 5, 2, False, False, None),
    "lstm_2bi": ("lstm", 6, 3, 4, 5, 2, True, False, None),
    "lstm_2bi_padded": ("lstm", 6, 3, 4, 5, 2, True, True, (6, 4, 1)),
    "lstm_1": ("lstm", 5, 2, 3, 1, 1, False, True, None),
    "gru_2bi": ("gru", 6, 3, 4, 5, 2, True, True, None),
    "gru_3": ("gru", 4, 2, 3, 4, 3, False, False, (4, 2)),
    "rnn_1bi_padded": ("rnn", 5, 4, 2, 3, 1, True, False, (5, 5, 3, 2)),
    "one": ("gru", 1, 1, 1, 1, 1, True, False, None),
}

# kind, inputs, hidden, layers, bidirectional: only the number of parameters is recorded
COUNTED = (
    ("lstm", 128, 256, 2, True),
    ("gru", 128, 256, 2, True),
    ("lstm", 5, 7, 1, False),
    ("gru", 5, 7, 3, False),
)


def arrays() -> dict[str, np.ndarray]:
    """Inputs, weights, outputs, final states and gradients, float64; ``version`` says whose they are."""
    made: dict[str, np.ndarray] = {"version": np.array(torch.__version__)}
    for seed, (name, case) in enumerate(CASES.items()):
        kind, steps, batch, inputs, hidden, layers, bidirectional, batch_first, lengths = case
        torch.manual_seed(seed)
        net = MODULES[kind](
            inputs,
            hidden,
            layers,
            bidirectional=bidirectional,
            batch_first=batch_first,
            dtype=torch.float64,
        )
        directions = 2 if bidirectional else 1
        shape = (batch, steps, inputs) if batch_first else (steps, batch, inputs)
        x = torch.randn(*shape, dtype=torch.float64, requires_grad=True)
        h_0, c_0 = (
            torch.randn(layers * directions, batch, hidden, dtype=torch.float64, requires_grad=True)
            for _ in range(2)
        )
        state = (h_0, c_0) if kind == "lstm" else h_0
        if lengths is None:
            output, final = net(x, state)
        else:
            packed = pack_padded_sequence(x, torch.tensor(lengths), batch_first=batch_first)
            output, final = net(packed, state)
            output, _ = pad_packed_sequence(output, batch_first=batch_first, total_length=steps)
        h_n, c_n = final if kind == "lstm" else (final, torch.zeros_like(final))
        d_output, d_h_n, d_c_n = torch.randn_like(output), torch.randn_like(h_n), torch.randn_like(c_n)
        ((d_output * output).sum() + (d_h_n * h_n).sum() + (d_c_n * c_n).sum()).backward()
        fields = {
            "x": x,
            "h_0": h_0,
            "output": output,
            "h_n": h_n,
            "d_output": d_output,
            "d_h_n": d_h_n,
            "grad_x": x.grad,
            "grad_h_0": h_0.grad,
        }
        if kind == "lstm":
            fields |= {"c_0": c_0, "c_n": c_n, "d_c_n": d_c_n, "grad_c_0": c_0.grad}
        for layer in range(layers):
            for k, suffix in enumerate(["", "_reverse"][:directions]):
                for ours, theirs in (
                    ("recurrent", "weight_hh"),
                    ("inputs", "weight_ih"),
                    ("bias_inputs", "bias_ih"),
                    ("bias_recurrent", "bias_hh"),
                ):
                    value = getattr(net, f"{theirs}_l{layer}{suffix}")
                    fields |= {f"{ours}_{layer}_{k}": value, f"grad_{ours}_{layer}_{k}": value.grad}
        made |= {f"{name}.{field}": value.detach().numpy() for field, value in fields.items()}
        made[f"{name}.lengths"] = np.array(lengths or (steps,) * batch)
    for kind, inputs, hidden, layers, bidirectional in COUNTED:
        net = MODULES[kind](inputs, hidden, layers, bidirectional=bidirectional, device="meta")
        key = f"count_{kind}_{inputs}_{hidden}_{layers}_{2 if bidirectional else 1}"
        made[key] = np.array(sum(parameter.numel() for parameter in net.parameters()))
    return made


if __name__ == "__main__":
    np.savez_compressed(Path(__file__).with_name("stacked.npz"), **arrays())
