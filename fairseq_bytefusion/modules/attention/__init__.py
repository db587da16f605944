"""Attention: projections and kernels."""
