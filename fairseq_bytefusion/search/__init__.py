"""Beam search that can only emit valid UTF-8; greedy search that checks drafts."""

from .beam_generator import BeamGenerator
from .draft_generator import check_draft_options, draft_generator_class
from .utf8_generator import utf8_generator_class

__all__ = [
    "BeamGenerator",
    "check_draft_options",
    "draft_generator_class",
    "utf8_generator_class",
]
