"""Derivations: steps, and the ladder of methods that decides them."""
