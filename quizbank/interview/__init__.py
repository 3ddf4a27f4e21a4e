"""An interviewer: one core card, then deeper. What is asked is drawn by hashing; answers are spoken and self-marked."""
