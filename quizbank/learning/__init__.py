"""What the person did and when to ask again: the review log, FSRS scheduling, the study session."""
