"""Questions and answers that a person has elsewhere, as a deck of plain cards. What is read is never trusted."""
