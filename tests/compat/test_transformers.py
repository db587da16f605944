import functools
import importlib.util
import sys
import types
from unittest import mock

import pytest

from fairseq_bytefusion.compat.transformers import (
    hide_broken_torchaudio,
    import_transformers,
)


@pytest.fixture
def no_torchaudio():
    """Modules as they are before anybody has asked for torchaudio."""
    kept = {n: m for n, m in sys.modules.items() if n.partition(".")[0] != "torchaudio"}
    with mock.patch.dict(sys.modules, kept, clear=True):
        yield


@pytest.mark.parametrize("error", ["OSError('no library')", "RuntimeError('no op')"])
def test_a_torchaudio_that_cannot_be_loaded_is_hidden(
    no_torchaudio, tmp_path, monkeypatch, error
):
    (tmp_path / "torchaudio").mkdir()
    (tmp_path / "torchaudio/part.py").write_text("")
    (tmp_path / "torchaudio/__init__.py").write_text(f"from . import part\nraise {error}\n")
    monkeypatch.syspath_prepend(tmp_path)
    hide_broken_torchaudio()
    assert "torchaudio.part" not in sys.modules
    with pytest.raises(ImportError):
        import torchaudio  # noqa: F401


def test_a_torchaudio_that_works_is_left_alone(no_torchaudio, tmp_path, monkeypatch):
    (tmp_path / "torchaudio.py").write_text("works = True\n")
    monkeypatch.syspath_prepend(tmp_path)
    hide_broken_torchaudio()
    assert sys.modules["torchaudio"].works


def test_an_extra_that_is_missing_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "transformers", None)
    message = (
        r"--pretrained x needs the package transformers .*: pip install "
        r"'fairseq_bytefusion\[huggingface\]'"
    )
    with pytest.raises(ValueError, match=message):
        import_transformers("--pretrained x")


def test_a_transformers_that_was_there_first_looks_again(
    no_torchaudio, tmp_path, monkeypatch
):
    (tmp_path / "torchaudio.py").write_text("raise OSError('no library')\n")
    monkeypatch.syspath_prepend(tmp_path)
    utils = types.ModuleType("transformers.utils.import_utils")
    utils.is_torchaudio_available = functools.lru_cache(
        lambda: importlib.util.find_spec("torchaudio") is not None
    )
    monkeypatch.setitem(sys.modules, "transformers.utils.import_utils", utils)
    assert utils.is_torchaudio_available()
    hide_broken_torchaudio()
    assert not utils.is_torchaudio_available()
    assert not utils._torchaudio_available
