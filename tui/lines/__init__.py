"""Study and self-test line by line: nothing is drawn or moved, for screen readers, dumb terminals and pipes."""
