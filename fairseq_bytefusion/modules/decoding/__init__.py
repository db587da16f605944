"""What a decoder remembers between the steps of a search."""
