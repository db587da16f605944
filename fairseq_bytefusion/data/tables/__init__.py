"""Tables of embeddings, and what their rows spell."""
