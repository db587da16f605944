"""Trained models for other engines."""

from .ctranslate2_model import QUANTIZATIONS, export_to_ctranslate2

__all__ = ["QUANTIZATIONS", "export_to_ctranslate2"]
