"""Answer sheets as an Anki package: :mod:`quizbank.sheets.anki.package` writes it."""
