import pytest
import torch

from fairseq_bytefusion import cli
from fairseq_bytefusion.models.byte_transformer import ByteTransformerModel
from fairseq_bytefusion.modules.embedders import DenseEmbedder
from fairseq_bytefusion.text import CharDictionary

from ..helpers import DictionaryTask, model_args


def save(path, arch="byte_transformer_tiny", updates=7, dictionary=None, **options):
    """A checkpoint as fairseq writes it, of a model with random weights."""
    args, task = model_args(**options), DictionaryTask(dictionary, dictionary)
    model = ByteTransformerModel.build_model(args, task)
    if options.get("encoder_fusion") == "ncf":
        with torch.no_grad():
            model.encoder.fusion.weights.copy_(torch.tensor([0.5, -0.25, 0.0, 0.125]))
    task = {"source_unit": "char", "source_lang": "xx", "target_lang": "en"}
    cfg = {"model": {**vars(args), "_name": arch}, "task": task}
    history = [{"num_updates": updates, "criterion_name": "x", "best_loss": 1.0}]
    state = {"args": None, "cfg": cfg, "model": model.state_dict()}
    extra = {"train_iterator": {"epoch": 1}, "epoch": 1}
    torch.save({**state, "optimizer_history": history, "extra_state": extra}, path)
    return sum(p.numel() for p in model.parameters())


def test_tokens_are_those_of_a_pretrained_encoder(tmp_path, capsys):
    save(tmp_path / "a.pt")
    args = ["inspect", str(tmp_path / "a.pt"), "--text", "t"]
    assert cli.main(args) == 1
    assert "a.pt has no pre-trained encoder (--enc" in capsys.readouterr().err


def test_inspect_prints_size_and_ngram_weights(tmp_path, capsys):
    path = tmp_path / "a.pt"
    size = save(path, encoder_fusion="ncf")
    assert cli.main(["inspect", str(path)]) == 0
    lines = capsys.readouterr().out.split("\n")
    assert lines[1] == f"  byte_transformer_tiny, {size:,} parameters, 7 updates"
    assert lines[2] == "  embedders dense / dense, fusion ncf"
    assert lines[3] == "  units char / byte, xx into en"
    assert lines[4] == f"  lambda of 1-grams   0.5000 {'█' * 40}"
    assert lines[5] == f"  lambda of 2-grams  -0.2500 {'█' * 20}"
    assert lines[6] == "  lambda of 3-grams   0.0000 "


def test_attention_is_shown_where_it_is_not_the_ordinary_one(tmp_path, capsys):
    save(tmp_path / "a.pt", encoder_attention="fused", cross_attention="fused")
    assert cli.main(["inspect", str(tmp_path / "a.pt")]) == 0
    line = capsys.readouterr().out.split("\n")[2]
    assert line.endswith("fusion none, attention encoder fused, cross fused")


def test_softmax_weights_are_shown_as_they_act(tmp_path, capsys):
    save(tmp_path / "a.pt", encoder_fusion="ncf", ncf_weights="softmax")
    assert cli.main(["inspect", str(tmp_path / "a.pt")]) == 0
    expected = torch.tensor([0.5, -0.25, 0.0, 0.125]).softmax(0)[0]
    assert f"1-grams   {expected:.4f}" in capsys.readouterr().out


@pytest.mark.parametrize(
    "options",
    [
        {"encoder_embedder": "mixture", "mixture": "hybrid"},
        {"encoder_embedder": "char-cnn", "char_embed_dim": 8},
        {"encoder_fusion": "wsf", "wsf_max_word": 8},
        {"encoder_learned_pos": True, "max_source_positions": 50},
        {
            "encoder_embedder": "one-hot",
            "decoder_embedder": "one-hot",
            "encoder_embed_dim": 264,
            "decoder_embed_dim": 264,
        },
    ],
    ids=lambda options: " ".join(map(str, options.values())),
)
def test_no_vocabulary_is_needed(tmp_path, capsys, options):
    size = save(tmp_path / "a.pt", **options)
    assert cli.main(["inspect", str(tmp_path / "a.pt")]) == 0
    assert f", {size:,} parameters" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ({"decoder_fusion": "msc"}, "none / msc"),
        ({"encoder_fusion": "msc"}, "msc"),
        ({"encoder_fusion": "wsf", "decoder_fusion": "msc"}, "wsf / msc"),
    ],
)
def test_a_decoder_with_a_fusion_is_told(tmp_path, capsys, options, shown):
    save(tmp_path / "a.pt", **options)
    assert cli.main(["inspect", str(tmp_path / "a.pt")]) == 0
    assert f"embedders dense / dense, fusion {shown}\n" in capsys.readouterr().out


def test_one_hot_symbols_may_be_few(tmp_path, capsys):
    (tmp_path / "dict.char.xx.txt").write_text("a 2\nb 1\n")
    dictionary = CharDictionary.from_file(str(tmp_path / "dict.char.xx.txt"))
    names = ("encoder_embedder", "decoder_embedder")
    save(tmp_path / "a.pt", dictionary=dictionary, **dict.fromkeys(names, "one-hot"))
    assert cli.main(["inspect", str(tmp_path / "a.pt")]) == 0
    assert "embedders one-hot / one-hot" in capsys.readouterr().out


def test_numbers_of_any_module_are_printed(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(
        *(DenseEmbedder, "named_scalars"),
        lambda self: {"width": self.embedding_dim / 8},
        raising=False,
    )
    save(tmp_path / "a.pt", encoder_embed_dim=16)
    assert cli.main(["inspect", str(tmp_path / "a.pt")]) == 0
    lines = capsys.readouterr().out.split("\n")
    assert lines[4] == f"  encoder.embed_tokens: width   2.0000 {'█' * 20}"
    assert lines[5] == f"  decoder.embed_tokens: width   4.0000 {'█' * 40}"


def test_weights_that_are_not_finite_are_named(tmp_path, capsys):
    path = tmp_path / "a.pt"
    save(path, encoder_fusion="ncf")
    state = torch.load(path)
    for name in ("encoder.fusion.weights", "decoder.layers.1.fc2.bias"):
        state["model"][name][0] = float("nan")
    torch.save(state, path)
    assert cli.main(["inspect", str(path)]) == 0
    out = capsys.readouterr().out
    assert "\n  NaN or infinity in encoder.fusion.weights, decoder.layers.1.fc2.bias" in out
    assert "lambda of 1-grams      nan \n" in out
    assert f"lambda of 2-grams  -0.2500 {'█' * 40}" in out


def test_a_preset_that_is_registered_elsewhere(tmp_path, capsys):
    save(tmp_path / "a.pt", arch="byte_transformer_of_another", encoder_fusion="ncf")
    assert cli.main(["inspect", str(tmp_path / "a.pt")]) == 0
    assert "lambda of 1-grams   0.5000" in capsys.readouterr().out


def test_plots(tmp_path):
    for number, name in ((1, "a"), (20, "b")):
        save(tmp_path / f"{name}.pt", updates=number, encoder_fusion="ncf")
    for names in ("a", "ab"):
        paths = [str(tmp_path / f"{name}.pt") for name in names]
        image = tmp_path / f"{names}.png"
        assert cli.main(["inspect", *paths, "--plot", str(image)]) == 0
        assert image.read_bytes().startswith(b"\x89PNG")


def test_shared_tables_count_once(tmp_path, capsys):
    size = save(tmp_path / "a.pt", share_all_embeddings=True)
    assert cli.main(["inspect", str(tmp_path / "a.pt")]) == 0
    assert f"{size:,} parameters" in capsys.readouterr().out


def test_other_window_sizes_are_not_drawn_together(tmp_path, capsys):
    save(tmp_path / "a.pt", encoder_fusion="ncf")
    save(tmp_path / "b.pt", encoder_fusion="ncf", ncf_kernels="1,2,3,7")
    paths = [str(tmp_path / f"{name}.pt") for name in "ab"]
    assert cli.main(["inspect", *paths, "--plot", str(tmp_path / "x.png")]) == 1
    assert "b.pt has other window sizes than" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "args", "message"),
    [
        ({}, ["--plot", "x.png"], "its fusion is not ncf"),
        ({"encoder_fusion": "ncf"}, ["--plot", "none/x.png"], "x.png: No such file"),
        ({"encoder_fusion": "ncf"}, ["--plot", "x.nothing"], "'nothing' is not supported"),
        ({"arch": "transformer"}, [], "holds a transformer, not a byte_transformer"),
    ],
)
def test_what_cannot_be_inspected(tmp_path, capsys, options, args, message):
    path = tmp_path / "a.pt"
    save(path, **options)
    assert cli.main(["inspect", str(path), *args]) == 1
    assert message in capsys.readouterr().err


def test_a_file_that_is_no_checkpoint(tmp_path, capsys):
    (tmp_path / "a.pt").write_bytes(b"no checkpoint")
    assert cli.main(["inspect", str(tmp_path / "a.pt")]) == 1
    assert "a.pt cannot be read as a fairseq checkpoint" in capsys.readouterr().err
