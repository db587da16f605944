"""The two sides of a pair."""
