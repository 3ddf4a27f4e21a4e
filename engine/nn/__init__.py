"""Reference layers in NumPy, one file a family; the equation stands above the line that computes it."""
