"""Experiments with labels: their data directories and command lines."""
