"""Guesses before the outcome is known: what was guessed, what came out, and how far off one tends to be."""
