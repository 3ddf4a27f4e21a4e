"""How a person meets it: the command and the app."""
