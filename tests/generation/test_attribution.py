"""What a label comes from."""

import json
import random

import pytest
import torch
import torch.nn.functional as F

from fairseq_bytefusion.generation.attribution import _first_marked, explain, log_odds
from fairseq_bytefusion.generation.attribution_page import attribution_page

from ..conftest import WORDS
from ..helpers import script, write_labels
from ..models.systems import COMPOSER_OPTIONS
from .labellers import labeller

SYSTEMS = {
    "dense": {},
    "char lstm": {"encoder_embedder": "char-rnn", "encoder_type": "lstm"},
    **{
        name: {"encoder_embedder": name, **options}
        for name, options in COMPOSER_OPTIONS.items()
        if name != "elmo"  # needs a file: tests/test_language_model_end_to_end.py
    },
}


@pytest.fixture(scope="module")
def alarms(tmp_path_factory):
    """Sentences of three to six words; the label says whether "alarm" is one of them."""
    folder, draw = tmp_path_factory.mktemp("alarms"), random.Random(1)
    for split in ("train", "valid"):
        sentences = []
        for i in range(320):
            words = draw.sample([w for w in WORDS if w != "alarm"], draw.randint(3, 6))
            if i % 2:
                words[draw.randrange(len(words))] = "alarm"
            tagged = [(word, "O") for word in words]
            sentences.append((tagged, "yes" if i % 2 else "no"))
        write_labels(folder, split, sentences)
    script("data_prep/build_word_dict.py", folder, "--labels")
    return folder


def learn(model, task, updates=120):
    """Train; returns the last loss."""
    dataset, draw = task.dataset("train"), random.Random(1)
    optimizer = torch.optim.Adam(model.parameters(), 0.003)
    model.train()
    for _ in range(updates):
        samples = [dataset[i] for i in draw.sample(range(len(dataset)), 32)]
        batch = dataset.collater(samples)
        optimizer.zero_grad()
        scores = model(**batch["net_input"])["scores"]
        loss = F.cross_entropy(scores, batch["target"])
        loss.backward()
        optimizer.step()
    model.eval()
    return loss.item()


DECIDED = ["dense", "char-cnn", "char-rnn", "char2subword", "hit", "mixture"]


@pytest.mark.parametrize("system", DECIDED)
def test_the_word_that_decides_has_the_largest_value(alarms, system):
    classifier = labeller("classification", alarms, dropout=0.0, **SYSTEMS[system])
    classifier.task.load_dataset("train")
    assert learn(classifier.model, classifier.task) < 0.1
    lines = (alarms / "valid.tsv").read_text().splitlines()
    texts = [line.split("\t")[0] for line in lines if line.endswith("yes")][:20]
    of_words = of_characters = 0
    for text in texts:
        found = explain(classifier, text)
        assert found.label == "yes"
        of_words += largest(found.words, found.word_values) == "alarm"
        spelled = [sum(value for _, value in word) for word in found.characters]
        of_characters += largest(found.words, spelled) == "alarm"
    assert of_words >= 18
    # States of characters say less than those of words: by chance it would be 4 of 20.
    assert of_characters >= 11


def test_what_all_labels_have_in_common_counts_for_none():
    scores = torch.tensor([1.0, -2.0, 0.5], requires_grad=True)
    found = log_odds(scores, 0)
    probability = scores.softmax(0)[0]
    odds = probability / (1 - probability)
    assert found.item() == pytest.approx(odds.log().item())
    assert torch.autograd.grad(found, scores)[0].sum().abs() < 1e-6


def largest(words, values):
    return words[max(range(len(words)), key=values.__getitem__)]


@pytest.mark.parametrize("kind", ["tagging", "classification"])
@pytest.mark.parametrize("system", SYSTEMS)
def test_every_word_and_character_has_a_value(label_data, kind, system):
    found = explain(labeller(kind, label_data, **SYSTEMS[system]), " do  café xyz do ")
    assert found.words == ["do", "café", "xyz", "do"]
    assert len(found.word_values) == 4 and min(found.word_values) >= 0
    assert 0 < found.score < 1
    assert ["".join(c for c, _ in word) for word in found.characters] == found.words
    values = [value for word in found.characters for _, value in word]
    # "do" has a row and is not composed by hybrid; words alone compose none.
    has_row, none_composed = system in ("hybrid", "hybrid hit", "words"), system == "words"
    expected = [has_row] * 2 + [none_composed] * 7 + [has_row] * 2
    assert [v is None for v in values] == expected
    assert all(v is None or v >= 0 for v in values)
    assert (found.of_word is None) == (kind == "classification")
    json.dumps(found.characters)


def test_characters_behind_the_longest_word_are_not_read(label_data):
    options = {**SYSTEMS["char-cnn"], "max_word_chars": 4}
    found = explain(labeller("classification", label_data, **options), "ab éé éabc")
    read = [[value is not None for _, value in word] for word in found.characters]
    assert read == [[True] * 2, [True] * 2, [True, True, True, False]]


def test_bytes_of_a_symbol_embedder_are_added_up(label_data):
    found = explain(labeller("classification", label_data), "kal é")
    for word, value in zip(found.characters, found.word_values):
        assert sum(v for _, v in word) == pytest.approx(value)


def test_the_label_and_the_word_can_be_chosen(label_data):
    tagger = labeller("tagging", label_data)
    first = explain(tagger, "kal alarm laga", label="O", word=2)
    assert (first.label, first.of_word) == ("O", 2)
    tagged = tagger.tag(["kal alarm laga"], progress=False)[0]
    for word in range(3):
        found = explain(tagger, "kal alarm laga", word=word)
        assert found.label == tagged.labels[word]
        assert found.score == pytest.approx(tagged.scores[word], abs=1e-5)
    bias = tagger.model.head.bias.data
    bias[tagger.labels.index("O")] += 100
    assert explain(tagger, "kal alarm").of_word == 0  # where all are O
    assert _first_marked(["O", "O", "B-X", "O"]) == 2


@pytest.mark.parametrize(
    ("kind", "text", "options", "message"),
    [
        ("tagging", " ", {}, "the text has no word: there is nothing to explain"),
        ("tagging", "a" * 3000, {}, "the text has 3000 bytes, and the model reads 2047"),
        ("tagging", "a b", {"word": 2}, "--word 3: the text has 2 words"),
        ("tagging", "a", {"label": "X"}, "no label X: choose from B-THING, I-THING, O"),
        ("classification", "a", {"word": 0}, "this model labels sentences: drop that fl"),
    ],
)
def test_mistakes_are_told(label_data, kind, text, options, message):
    with pytest.raises(ValueError, match=message):
        explain(labeller(kind, label_data), text, **options)


def test_the_page_shows_both_strips_of_each_text(label_data):
    options = SYSTEMS["hybrid"]
    tagger = labeller("tagging", label_data, **options)
    found = [explain(tagger, text) for text in ("kal <b>&", "kla do")]
    page = attribution_page(found, "A <title>")
    assert "<title>A &lt;title&gt;</title>" in page
    assert page.count('<div class="strip words"') == 2
    assert page.count('<div class="strip characters"') == 2
    assert page.index("&lt;b&gt;&amp;") < page.index(">kla<")
    assert "<b>" not in page and "src=" not in page and "href=" not in page
    assert 'class="unread" title="not read">k</span>' in page  # of the known "kal"
    assert page.count("0.750)") >= 2  # the darkest of each strip that has a value
