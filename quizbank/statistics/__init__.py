"""Statistics of study: what the review log and the self-tests say of a person's progress. No screen in it."""
