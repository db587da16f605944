"""What is done with checkpoints: reading, averaging, inspection."""
