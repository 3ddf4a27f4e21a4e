"""Answer sheets: what a person studied, set for paper and for other programs."""
