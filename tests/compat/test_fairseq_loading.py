import pytest
import torch
from fairseq import checkpoint_utils

from fairseq_bytefusion import compat
from fairseq_bytefusion.compat.fairseq_loading import tensors_not_finite

from ..checkpoints.test_averaging import poison
from ..checkpoints.test_inspection import save
from ..tasks.running import make_task


def test_errors_name_the_checkpoint(tmp_path):
    broken = tmp_path / "broken.pt"
    torch.save({"args": None, "cfg": None, "weights": torch.zeros(9999)}, broken)
    broken.write_bytes(broken.read_bytes()[:-5000])
    with pytest.raises(RuntimeError, match=r"broken\.pt cannot be read as a fairseq"):
        checkpoint_utils.load_checkpoint_to_cpu(str(broken))
    with pytest.raises(OSError, match="nothing.pt"):
        checkpoint_utils.load_checkpoint_to_cpu(str(tmp_path / "nothing.pt"))
    wrapped = checkpoint_utils.load_checkpoint_to_cpu
    compat.apply()
    assert checkpoint_utils.load_checkpoint_to_cpu is wrapped


def test_errors_name_the_architecture(tmp_path, toy_data):
    path = tmp_path / "other.pt"
    save(path, arch="no_such_arch")
    with pytest.raises(RuntimeError, match=r"other\.pt \(task None, arch no_such_arch\)"):
        checkpoint_utils.load_model_ensemble([str(path)], task=make_task(toy_data))


def test_weights_that_are_not_finite_are_named(tmp_path, toy_data):
    path = tmp_path / "a.pt"
    save(path)
    poison(path, "decoder.layers.1.fc2.bias", float("-inf"))
    message = r"a\.pt holds NaN or infinity in decoder\.layers\.1\.fc2\.bias: its training"
    with pytest.raises(RuntimeError, match=message):
        checkpoint_utils.load_model_ensemble([str(path)], task=make_task(toy_data))


def test_memory_that_fairseq_never_initialises_may_be_anything():
    tensors = {"a._float_tensor": torch.tensor([float("nan")]), "b": torch.tensor([1])}
    assert tensors_not_finite(tensors) == []
