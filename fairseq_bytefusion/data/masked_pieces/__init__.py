"""Sentences as pieces of a pre-trained tokenizer, some of them to be predicted."""
