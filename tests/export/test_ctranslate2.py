"""CTranslate2 translates with an exported model as we do with our own."""

import json
import re
import sys
import textwrap
from argparse import Namespace

import pytest
import torch

from fairseq_bytefusion.export import export_to_ctranslate2
from fairseq_bytefusion.export.ctranslate2_model import check_expressible

from ..generation.kinds import translator_of
from ..helpers import REPO, build_model, bytefusion
from ..models.systems import SYSTEMS, WIDE
from ..search.test_utf8_search import DICTIONARY, sample_of, task

ctranslate2 = pytest.importorskip("ctranslate2")

SOURCES = ["kal subah", "alarm laga do", "x", "नमस्ते"]
ONE_HOT = {**WIDE, "encoder_embedder": "one-hot", "decoder_embedder": "one-hot"}
PRE_NORM = {"encoder_normalize_before": True, "decoder_normalize_before": True}
KINDS = {
    "dense": {},
    "pre-norm": PRE_NORM,
    "mixed norms": {"encoder_normalize_before": True, "layernorm_embedding": True},
    "learned positions": {"encoder_learned_pos": True, "decoder_learned_pos": True},
    "shared tables": {"share_all_embeddings": True, "no_scale_embedding": True},
    "one-hot": ONE_HOT,
    "one-hot, pre-norm": {**ONE_HOT, **PRE_NORM},
    "one-hot, learned output": {**ONE_HOT, "one_hot_output": "learned"},
    "other sizes": {"encoder_embed_dim": 16, "decoder_layers": 1, "activation_fn": "gelu"},
    "lookahead heads": {"lookahead_heads": 2},
}


def sharp(**options):
    """A model that is sure of its nonsense, and with this seed never of padding."""
    built = build_model(seed=12, **options)
    projection = built.decoder.output_projection
    with torch.no_grad():
        for parameter in projection.parameters():
            parameter *= 6.0
    return built


def a_task(**options):
    options = {"source_lang": "xx", "target_lang": "en", **options}
    return task(allow_invalid_utf8=True, **options)


def symbols(line):
    return [DICTIONARY[i] for i in DICTIONARY.encode_line(line, append_eos=False).tolist()]


def opened(folder):
    return ctranslate2.Translator(str(folder), "cpu", intra_threads=1)


def translations(engine, beam, length):
    """Symbols and log-probability of each source's best translation."""
    found = engine.translate_batch(
        [symbols(line) for line in SOURCES],
        **{"beam_size": beam, "max_decoding_length": length, "length_penalty": 0},
        min_decoding_length=0,
        return_scores=True,
    )
    return [(result.hypotheses[0], result.scores[0]) for result in found]


def searched(built, of, beam, length):
    args = Namespace(beam=beam, max_len_a=0, max_len_b=length, unnormalized=True, min_len=0)
    return of.build_generator([built], args).generate([built], sample_of(SOURCES))


@pytest.mark.parametrize("kind", KINDS)
def test_probabilities_and_greedy_search_are_the_same(kind, tmp_path):
    built, of = sharp(**KINDS[kind]), a_task()
    expected = searched(built, of, 1, 20)
    export_to_ctranslate2(built, of, str(tmp_path / "model"))
    engine = opened(tmp_path / "model")
    found = translations(engine, 1, 20)
    for source, (best,), (text, _) in zip(SOURCES, expected, found):
        names = [DICTIONARY[i] for i in best["tokens"].tolist()[:-1]]
        assert text == names
        (scored,) = engine.score_batch([symbols(source)], [names])
        assert scored.log_probs == pytest.approx(
            best["positional_scores"].tolist(), abs=1e-4
        )


@pytest.mark.parametrize("beam", [2, 5])
def test_beam_search_is_the_same_where_all_hypotheses_end(beam, tmp_path):
    """At its limit the engine counts no ``</s>``."""
    built, of = build_model(seed=7, **PRE_NORM), a_task()
    norm, weight = built.decoder.layer_norm, built.decoder.output_projection.weight
    with torch.no_grad():  # </s> is likely everywhere, padding nowhere
        norm.weight[0], norm.bias[0] = 0.0, 1.0
        weight *= 2
        weight[DICTIONARY.eos(), 0], weight[DICTIONARY.pad(), 0] = 3.0, -30.0
    expected = searched(built, of, beam, 60)
    assert all(len(h["tokens"]) < 60 for hypotheses in expected for h in hypotheses)
    export_to_ctranslate2(built, of, str(tmp_path / "model"))
    found = translations(opened(tmp_path / "model"), beam, 60)
    for (best, *_), (text, score) in zip(expected, found):
        assert [DICTIONARY.index(symbol) for symbol in text] == best["tokens"].tolist()[:-1]
        assert score == pytest.approx(float(best["score"]), abs=1e-4)
    assert len({len(h["tokens"]) for hypotheses in expected for h in hypotheses}) > 3


REFUSED = {
    "--encoder-embedder char-cnn": SYSTEMS["char-cnn"],
    "--encoder-fusion wsf": {"encoder_fusion": "wsf"},
    "--encoder-fusion msc": {"encoder_fusion": "msc"},
    "--decoder-fusion msc": {"decoder_fusion": "msc"},
    "--encoder-attention fused": {"encoder_attention": "fused"},
    "--cross-attention fused": {"cross_attention": "fused"},
    "--activation-fn tanh": {"activation_fn": "tanh"},
    "--no-token-positional-embeddings": {"no_token_positional_embeddings": True},
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_it_cannot_express_is_refused_by_name(what, tmp_path):
    with pytest.raises(ValueError, match=f"cannot express a model with {what}[:,]"):
        export_to_ctranslate2(
            build_model(**REFUSED[what]), a_task(), str(tmp_path / "model")
        )
    assert not list(tmp_path.iterdir())


def test_the_model_stays_as_it_is(tmp_path):
    built = build_model().half()
    export_to_ctranslate2(built, a_task(), str(tmp_path / "model"))
    assert {parameter.dtype for parameter in built.parameters()} == {torch.half}


def test_what_does_not_translate():
    with pytest.raises(ValueError, match="translates, and a Linear does not"):
        check_expressible(torch.nn.Linear(2, 2))


def test_a_missing_package(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "ctranslate2.converters.fairseq", None)
    with pytest.raises(
        ValueError, match=r"needs the package ctranslate2 .*\[ctranslate2\]"
    ):
        export_to_ctranslate2(build_model(), a_task(), str(tmp_path / "model"))


@pytest.mark.long
class TestTheCommand:
    @pytest.fixture(scope="class")
    def checkpoint(self, toy_data, tmp_path_factory):
        return translator_of("dense", toy_data, tmp_path_factory.mktemp("model"))[0]

    def export(self, checkpoint, folder, *flags, **kwargs):
        command = ("export", checkpoint, folder, "--to", "ctranslate2", *flags)
        return bytefusion(*command, **kwargs)

    def test_docs_way_to_read_the_model(self, checkpoint, tmp_path):
        """What docs/decoding.md shows, word for word."""
        self.export(checkpoint, tmp_path / "exported", "--quantization", "int8")
        text = (REPO / "docs" / "decoding.md").read_text("utf-8")
        (code,) = re.findall(r"(    import ctranslate2\n(?:.*\n)+?)\n(?=\S)", text)
        names = {}
        path = str(tmp_path / "exported")
        exec(textwrap.dedent(code).replace("exported", path), names)
        assert isinstance(names["translation"], str)
        said = json.loads((tmp_path / "exported" / "bytefusion.json").read_text("utf-8"))
        assert said == {
            "source_unit": "byte",
            "target_unit": "byte",
            "source_begins_with": None,
            "target_begins_with": "</s>",
            "max_source_symbols": 40,
        }

    def test_what_is_there_is_kept_or_replaced(self, checkpoint, tmp_path):
        folder = tmp_path / "exported"
        self.export(checkpoint, folder)
        before = (folder / "model.bin").read_bytes()
        (folder / "note").write_text("")
        result = self.export(checkpoint, folder, check=False)
        assert b"exists and is kept: add --overwrite" in result.stderr
        self.export(checkpoint, folder, "--overwrite", "--quantization", "int8")
        assert len((folder / "model.bin").read_bytes()) < len(before)
        assert not (folder / "note").exists()
        assert [path.name for path in tmp_path.iterdir()] == ["exported"]
        (tmp_path / "other").mkdir()
        (tmp_path / "other" / "precious").write_text("")
        result = self.export(checkpoint, tmp_path / "other", "--overwrite", check=False)
        assert b"is no exported model: give a new name" in result.stderr
        assert (tmp_path / "other" / "precious").exists()

    def test_mistakes(self, checkpoint, tmp_path):
        result = self.export(f"{checkpoint}:{checkpoint}", tmp_path / "x", check=False)
        assert b"names 2 checkpoints, and CTranslate2 has no ensembles" in result.stderr
        result = self.export(checkpoint, tmp_path / "no" / "x", check=False)
        assert b"No such file or directory" in result.stderr
