"""The interview date: which cards to see on which day, so that most is recalled on that day."""
