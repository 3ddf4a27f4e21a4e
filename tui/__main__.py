"""`python -m tui` is `proofdeck`."""

from tui.cli import console

console()
