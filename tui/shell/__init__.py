"""The calls of the shell, one file a family; none of them imports Textual unless it opens the app."""
