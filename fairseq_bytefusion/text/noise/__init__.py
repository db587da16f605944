"""What goes wrong when people write."""
