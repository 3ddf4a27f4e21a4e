"""Why an answer is true: layers, demonstrations, proofs, and the notation they are written in.

Knows nothing of cards, of the person's files or of any screen. Texts are carried in both
languages as :class:`engine.text.Text`; nothing here chooses one.
"""
