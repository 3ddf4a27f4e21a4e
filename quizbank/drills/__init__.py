"""The kinds of question: how a variant is drawn and how an answer is graded."""
