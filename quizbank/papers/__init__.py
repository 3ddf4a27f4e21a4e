"""Self-test papers: drawn, sat, graded, kept; nothing here touches the review schedule."""
