"""Reading what a person typed, and deciding whether it is right."""
