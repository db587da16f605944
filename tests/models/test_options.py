import pytest

from fairseq_bytefusion.models.byte_transformer import ByteTransformerModel

from ..helpers import DictionaryTask, build_model, model_args
from .systems import WIDE

WRONG = {
    "narrow encoder": (
        {"encoder_embedder": "one-hot"},
        "--encoder-embed-dim from 32 to at least 260",
    ),
    "narrow decoder": (
        {"decoder_embedder": "one-hot"},
        "--decoder-embed-dim from 32 to at least 260",
    ),
    "shared one-hot": (
        {**WIDE, "encoder_embedder": "one-hot", "share_all_embeddings": True},
        "drop --share-all-embeddings",
    ),
    "shared one-hot decoder": (
        {**WIDE, "decoder_embedder": "one-hot", "share_all_embeddings": True},
        "drop --share-all-embeddings",
    ),
    "tied one-hot": (
        {**WIDE, "decoder_embedder": "one-hot", "share_decoder_input_output_embed": True},
        "drop --share-decoder-input-output-embed",
    ),
    "idle one-hot output": (
        {**WIDE, "encoder_embedder": "one-hot", "one_hot_output": "learned"},
        "--one-hot-output learned does nothing without --decoder-embedder one-hot: add",
    ),
    "idle one-hot scale": (
        {"one_hot_output_scale": "sqrt-dim"},
        "--one-hot-output-scale sqrt-dim does nothing without --decoder-embedder one-hot",
    ),
    "scale of a learned output": (
        {
            **WIDE,
            "decoder_embedder": "one-hot",
            "one_hot_output": "learned",
            "one_hot_output_scale": "sqrt-dim",
        },
        "--one-hot-output-scale sqrt-dim scales a frozen output, and --one-hot-output",
    ),
    "shared widths": (
        {"share_all_embeddings": True, "decoder_embed_dim": 16},
        r"--encoder-embed-dim \(32\) equal to --decoder-embed-dim \(16\)",
    ),
    "too many fusion layers": (
        {"encoder_fusion": "ncf", "fusion_layers": 3},
        "--fusion-layers 3 must lie between 0 and --encoder-layers 2",
    ),
    "layerdrop": (
        {"encoder_fusion": "wsf", "encoder_layerdrop": 0.1},
        "drop --encoder-layerdrop 0.1",
    ),
    "short words": ({"encoder_fusion": "wsf", "wsf_max_word": 3}, "--wsf-max-word 3"),
    "kernels": ({"encoder_fusion": "ncf", "ncf_kernels": "1,x"}, "--ncf-kernels '1,x'"),
    "no kernel": ({"encoder_fusion": "ncf", "ncf_kernels": "0"}, "from 1 on"),
    "identity": (
        {"encoder_fusion": "ncf", "ncf_kernels": "2", "ncf_unigram": "identity"},
        "--ncf-kernels 2 lacks",
    ),
    "scales": (
        {"encoder_fusion": "msc", "msc_kernels": "1,2"},
        "--msc-kernels '1,2' must be a list .* fits --encoder-embed-dim 32: .* odd",
    ),
    "scales that are no numbers": (
        {"encoder_fusion": "msc", "msc_kernels": "3,,3"},
        "--msc-kernels '3,,3' must be a list .*embed-dim 32: '' is no whole number$",
    ),
    "window sizes that are no numbers": (
        {"encoder_fusion": "ncf", "ncf_kernels": "1.5"},
        "--ncf-kernels '1.5' must be a list such as 1,2,3,4: '1.5' is no whole number$",
    ),
    "scales that do not divide": (
        {"decoder_fusion": "msc", "decoder_embed_dim": 28},
        "fits --decoder-embed-dim 28: 8 kernels need .* a multiple of 8",
    ),
    "no layer with scales": (
        {"encoder_fusion": "msc", "fusion_layers": 0},
        "--fusion-layers 0 leaves no layer with msc",
    ),
    "idle scales": (
        {"encoder_fusion": "ncf", "msc_kernels": "3"},
        "--msc-kernels 3 does nothing without --encoder-fusion msc or --decoder-fusion msc",
    ),
    "idle layers of the decoder's": (
        {"decoder_fusion": "msc", "fusion_layers": 1},
        "--fusion-layers 1 does nothing without --encoder-fusion:",
    ),
    "no decoder": ({"decoder_layers": 0}, "--decoder-layers 0 must be at least 1"),
    "idle ncf flag": ({"ncf_weights": "softmax"}, "--ncf-weights softmax does nothing"),
    "idle wsf flag": (
        {"encoder_fusion": "ncf", "wsf_max_word": 9},
        "--wsf-max-word 9 does nothing without --encoder-fusion wsf",
    ),
    "idle layers": ({"fusion_layers": 1}, "--fusion-layers 1 does nothing"),
    "idle fused flag": (
        {"fused_gate": "scalar"},
        "--fused-gate scalar does nothing without fused attention: add --encoder-att",
    ),
    "fused attention of no layer": (
        {"encoder_attention": "fused", "encoder_layers": 0},
        "--encoder-attention fused does nothing with --encoder-layers 0",
    ),
    "heads": ({"encoder_attention_heads": 5}, "32 is not a multiple of --encoder-att"),
    "ncf of words": (
        {"encoder_embedder": "char-rnn", "encoder_fusion": "ncf"},
        "--encoder-fusion ncf .* --encoder-embedder char-rnn gives one a word: drop either",
    ),
    "wsf of words": (
        {"encoder_embedder": "char2subword", "encoder_fusion": "wsf"},
        "--encoder-fusion wsf .* --encoder-embedder char2subword gives one a word",
    ),
    "shared composer": (
        {"encoder_embedder": "char-cnn", "share_all_embeddings": True},
        "with --encoder-embedder char-cnn drop that flag",
    ),
    "idle option": (
        {"char_cnn_filters": "elmo", "encoder_embedder": "char-rnn"},
        r"--char-cnn-filters elmo \(set by that flag or by --arch\) does nothing with "
        "--encoder-embedder char-rnn: drop that flag, .* or choose char-cnn",
    ),
    "idle width": ({"char_embed_dim": 16}, "choose char2subword or char-cnn or char-rnn"),
    "idle limit": ({"max_word_chars": 20}, "--max-word-chars 20 .* does nothing"),
    "no characters": (
        {"encoder_embedder": "char-rnn", "max_word_chars": 0},
        "--max-word-chars 0 must be at least 1",
    ),
    "character heads": (
        {"encoder_embedder": "char2subword", "char_embed_dim": 18},
        "--char-embed-dim 18 must be even and a multiple of --char2subword-heads 4",
    ),
    "fused mixture": (
        {"encoder_embedder": "mixture", "encoder_fusion": "ncf"},
        "--encoder-embedder mixture gives one a word",
    ),
    "idle mixture": (
        {"encoder_embedder": "char-rnn", "mixture": "hybrid"},
        "--mixture hybrid .* does nothing with --encoder-embedder char-rnn: drop that "
        "flag, .* or choose mixture",
    ),
    "idle switch": (
        {"encoder_embedder": "dense", "freeze_composer": True},
        r"--freeze-composer \(set by .* does nothing with --encoder-embedder dense",
    ),
    "idle composer": (
        {"encoder_embedder": "mixture", "char_rnn_hidden_dim": 9},
        "does nothing with --encoder-embedder mixture --mixture-composer char2subword: "
        "drop that flag, .* or choose char-rnn",
    ),
    "words have no characters": (
        {"encoder_embedder": "words", "max_word_chars": 20},
        r"--max-word-chars 20 \(set .* does nothing with --encoder-embedder words",
    ),
    "words have no composer": (
        {"encoder_embedder": "words", "freeze_composer": True},
        r"--freeze-composer \(set .* does nothing with --encoder-embedder words",
    ),
    "nothing to start words from": (
        {"encoder_embedder": "words", "char2subword_from": "table.pt"},
        r"--char2subword-from table.pt \(set .* with --encoder-embedder words: drop",
    ),
    "fused words": (
        {"encoder_embedder": "words", "encoder_fusion": "ncf"},
        "--encoder-fusion ncf .* --encoder-embedder words gives one a word: drop either",
    ),
    "shared words": (
        {"encoder_embedder": "words", "share_all_embeddings": True},
        "with --encoder-embedder words drop that flag",
    ),
    "idle word dropout": (
        {"encoder_embedder": "mixture", "word_dropout": 0.2},
        "--word-dropout 0.2 .* does nothing with --encoder-embedder mixture",
    ),
    "all words dropped": (
        {"encoder_embedder": "words", "word_dropout": 1.0},
        "--word-dropout 1 must be at least 0 and below 1",
    ),
    "heads of hit": (
        {"encoder_embedder": "hit", "char_embed_dim": 12},
        "--char-embed-dim 12 must be even, at least 4 and a multiple of --hit-heads 8",
    ),
    "narrow hit": (
        {"encoder_embedder": "hit", "char_embed_dim": 2, "hit_heads": 1},
        "--char-embed-dim 2 must be even, at least 4",
    ),
    "no layers of hit": (
        {"encoder_embedder": "hit", "hit_layers": 0},
        "--hit-layers 0 must be at least 1",
    ),
    "idle fused flag of hit": (
        {"encoder_embedder": "hit", "hit_attention": "softmax", "fused_gate": "scalar"},
        "--fused-gate scalar does nothing without fused attention: .*the word composer hit",
    ),
    "idle hit": (
        {"encoder_embedder": "char-rnn", "hit_pooling": "max"},
        "--hit-pooling max .* does nothing with --encoder-embedder char-rnn: .*choose hit",
    ),
    "frozen and random": (
        {"encoder_embedder": "hit", "freeze_composer": True},
        "--freeze-composer would keep random weights: give --composer-from as well",
    ),
    "two starts": (
        {
            "encoder_embedder": "char2subword",
            "char2subword_from": "a.pt",
            "composer_from": "b.pt",
        },
        "--char2subword-from is another name of --composer-from: give one of them",
    ),
    "encoder and composer": (
        {"encoder_embedder": "hit", "composer_from": "a.pt", "encoder_from": "b.pt"},
        "--encoder-from brings a word composer along, which --composer-from would replace",
    ),
    "filters": (
        {"encoder_embedder": "char-cnn", "char_cnn_filters": "huge"},
        "--char-cnn-filters huge: .* nor a list",
    ),
    "highway layers": (
        {"encoder_embedder": "char-cnn", "char_cnn_highway_layers": -1},
        "--char-cnn-highway-layers -1 must not be negative",
    ),
    "idle highway layers": (
        {"encoder_embedder": "char-rnn", "char_cnn_highway_layers": 1},
        "--char-cnn-highway-layers 1 .* does nothing with --encoder-embedder char-rnn",
    ),
    "idle activation": (
        {"char_cnn_activation": "relu"},
        "--char-cnn-activation relu .* does nothing with --encoder-embedder dense",
    ),
    "wide filters": (
        {"encoder_embedder": "char-cnn", "char_cnn_style": "fairseq", "max_word_chars": 5},
        "--char-cnn-filters kim-large: no filter may be wider",
    ),
}


@pytest.mark.parametrize(("options", "message"), WRONG.values(), ids=WRONG)
def test_contradictions_name_the_flag_to_change(options, message):
    with pytest.raises(ValueError, match=message):
        build_model(**options)


def test_an_idle_option_may_be_that_of_a_preset():
    message = r"--char2subword-layers 6 \(set by that flag or by --arch\) does nothing"
    with pytest.raises(ValueError, match=message):
        build_model("byte_transformer_char2subword_paper", encoder_embedder="char-cnn")


def test_share_all_needs_one_dictionary():
    from fairseq.data import Dictionary

    task = DictionaryTask(source=Dictionary())
    with pytest.raises(ValueError, match="one dictionary"):
        ByteTransformerModel.build_model(model_args(share_all_embeddings=True), task)
