import json

import pytest

from fairseq_bytefusion.modules.pretrained import PretrainedParts

CONFIG = {"model_type": "bert", "hidden_size": 8, "nested": {"a": 1}}
TOKENIZER = {"normalizer": None, "model": {"type": "WordPiece", "vocab": {"a": 0}}}


def parts(config=(), tokenizer=TOKENIZER, cls=2):
    return PretrainedParts(
        json.dumps({**CONFIG, **dict(config)}), json.dumps(tokenizer), {"cls": cls}
    )


def with_vocab(vocab):
    return {**TOKENIZER, "model": {**TOKENIZER["model"], "vocab": vocab}}


@pytest.mark.parametrize(
    ("other", "is_like"),
    [
        ({}, True),
        ({"config": {"new_option": True}}, True),
        ({"config": {"nested": {"a": 1, "b": 2}}}, True),
        ({"config": {"hidden_size": 16}}, False),
        ({"config": {"nested": {"a": 2}}}, False),
        ({"cls": 3}, False),
        ({"tokenizer": {**TOKENIZER, "normalizer": {"type": "Lowercase"}}}, False),
        ({"tokenizer": {**TOKENIZER, "version": "2.0"}}, True),
        ({"tokenizer": with_vocab({"a": 0, "b": 1})}, False),
    ],
)
def test_what_another_version_adds_makes_no_difference(other, is_like):
    assert parts().is_like(parts(**other)) == is_like
    assert parts(**other).is_like(parts()) == is_like
