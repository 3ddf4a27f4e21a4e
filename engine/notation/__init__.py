"""One notation pipeline: LaTeX to one tree, and from it terminal boxes, one line of text, MathML, Typst."""
