"""What taggers and classifiers have in common from Python: loading, and batches."""

import torch
from fairseq import checkpoint_utils, utils

from ..checkpoints.reading import open_checkpoint
from .batching import batches_by_length
from .checkpoint_task import labelling_overrides
from .loading import checkpoint_files, choose_device


class Labeller:
    """A trained model that labels sentences or their words.

    A subclass has ``NAME``, that of its task, and ``PURPOSE``.

    Args:
        model (LabellingModel)
        task (LabellingTask): the task it was trained on.
        device (str or torch.device)
    """

    NAME = PURPOSE = None

    def __init__(self, model, task, device="cpu"):
        self.model = model.to(device).eval()
        self.task = task
        self.device = torch.device(device)

    @classmethod
    def from_pretrained(cls, path_or_dir, device=None, data=None):
        """Load a checkpoint; the data it was trained on need not be there any more.

        Args:
            path_or_dir (str or Path): a checkpoint, or a directory with
                ``checkpoint_best.pt`` or else ``checkpoint_last.pt``.
            device (str or torch.device, optional): by default a GPU where there is one.
            data (str or Path, optional): a directory with the vocabulary, which the byte
                unit does not need; by default that of training, or else that of the
                checkpoint.

        Raises:
            OSError: no such file.
            RuntimeError: not a complete fairseq checkpoint, or another vocabulary than
                that of training.
            ValueError: a checkpoint of another task, several checkpoints, or no such
                device.
        """
        device = choose_device(device)
        path = single_checkpoint(path_or_dir)
        overrides = labelling_overrides(path, cls.NAME, cls.PURPOSE, data)
        models, _, task = checkpoint_utils.load_model_ensemble_and_task(
            [path], arg_overrides=overrides
        )
        return cls(models[0], task, device)

    @property
    def labels(self):
        """list of str: what the model can say."""
        return self.task.labels

    def run(self, texts, batch_size, progress, name="the text"):
        """What the model says of each sentence.

        Args:
            texts (list of str): none without a word.
            batch_size (int)
            progress (bool): show a progress bar on standard error.
            name (str): of the texts, for messages.

        Returns:
            list of (Long[...], Float[..., L]): labels, and log-probabilities of all
            labels, of each sentence.
        """
        dataset = self.task.dataset_of(texts, name)
        lengths = [dataset.num_tokens(i) for i in range(len(texts))]
        found = [None] * len(texts)
        for chosen in batches_by_length(lengths, batch_size, progress):
            batch = dataset.collater([dataset[i] for i in chosen])
            batch = utils.apply_to_sample(lambda x: x.to(self.device), batch)
            for row, result in zip(batch["id"].tolist(), self._run_batch(batch)):
                found[row] = result
        return found

    @torch.no_grad()
    def _run_batch(self, batch):
        output = self.model(**batch["net_input"])
        labels = self.model.decode(output).cpu()
        log_probabilities = self.model.log_probabilities(output).cpu()
        return list(zip(labels, log_probabilities))


def single_checkpoint(path_or_dir):
    """The one checkpoint that a path names.

    Raises:
        FileNotFoundError: see :func:`~.loading.checkpoint_files`.
        ValueError: it names several.
    """
    paths = checkpoint_files(path_or_dir)
    if len(paths) > 1:
        raise ValueError(
            f"{path_or_dir}: labels come from one model, not from an ensemble; bytefusion "
            "average makes one of several checkpoints"
        )
    return paths[0]


def load_labeller(path_or_dir, kinds, device=None, data=None):
    """The labeller that a checkpoint is of.

    Args:
        path_or_dir, device, data: as of :meth:`Labeller.from_pretrained`.
        kinds (iterable of type): the labellers that it may be of.

    Returns:
        Labeller

    Raises:
        OSError, RuntimeError, ValueError: see :meth:`Labeller.from_pretrained`.
    """
    by_task = {kind.NAME: kind for kind in kinds}
    path = single_checkpoint(path_or_dir)
    task = open_checkpoint(path).task
    if task not in by_task:
        raise ValueError(
            f"{path} is of the task {task}: only models of the tasks "
            f"{' and '.join(by_task)} label text"
        )
    return by_task[task].from_pretrained(path, device, data)
