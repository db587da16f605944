"""Word composers: one vector a word, made of its symbols."""
