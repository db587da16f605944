"""Memory-mapped lines of a text file."""
