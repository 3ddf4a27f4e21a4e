"""Sheets as PDF: a document becomes a Typst source, and the compiler sets it with the fonts at hand."""
