"""Translation from Python: text in, text out."""

from argparse import Namespace
from dataclasses import dataclass
from typing import Tuple

import torch
from fairseq import checkpoint_utils, utils

from .batching import batches_by_length
from .checkpoint_task import task_overrides
from .loading import checkpoint_files, choose_device
from .sentences import check_count, read_sentences_of_list


@dataclass(frozen=True)
class Translation:
    """A translation, its score and what else the beam holds."""

    text: str
    #: log-probability a symbol (fairseq's ``score``): natural logarithm, length-normalised
    score: float
    #: the other hypotheses, best first; they have no alternatives themselves
    alternatives: Tuple["Translation", ...] = ()


class ByteTranslator:
    """A trained model, or an ensemble of some, ready to translate.

    Args:
        models (list of FairseqModel)
        task (ByteTranslationTask): the task they were trained on.
        device (str or torch.device)
    """

    def __init__(self, models, task, device="cpu"):
        self.models = [model.to(device) for model in models]
        for model in models:
            model.eval()  # returns nothing once fairseq has prepared it for inference
        self.task = task
        self.device = torch.device(device)

    @classmethod
    def from_pretrained(cls, path_or_dir, device=None, data=None, source_lang=None):
        """Load a checkpoint; the data it was trained on need not be there any more.

        Vocabularies of other units than the byte are read from ``data``; without it
        from the data directory of training where that is still there, or else from
        beside the checkpoint.

        Args:
            path_or_dir (str or Path): a checkpoint, several joined by colons (an
                ensemble; a file that exists wins), or a directory with
                ``checkpoint_best.pt`` or else ``checkpoint_last.pt``.
            device (str or torch.device, optional): by default a GPU where there is one.
            data (str or Path, optional): a directory with the vocabularies.
            source_lang (str, optional): which of several sources the sentences are in;
                a model with ``--source-tag`` must know.

        Raises:
            OSError: no such file.
            RuntimeError: not a complete fairseq checkpoint, or another vocabulary than
                that of training.
            ValueError: a checkpoint of another task, or no such device.
        """
        device = choose_device(device)
        paths = checkpoint_files(path_or_dir)
        overrides = task_overrides(paths[0], data, source_lang)
        # What a model was trained with says nothing of how it should translate.
        overrides["bf16"] = False
        models, cfg, task = checkpoint_utils.load_model_ensemble_and_task(
            paths, arg_overrides=overrides
        )
        for model in models:
            model.prepare_for_inference_(cfg)
        return cls(models, task, device)

    def translate(self, sentences, beam=5, batch_size=32, progress=True):
        """Translate sentences as ``fairseq-generate`` does.

        An empty sentence has an empty translation. One of more symbols than the model's
        ``--max-source-positions`` allows is cut there, at the start of a character,
        with a warning. Half a surrogate pair is read as U+FFFD, with a warning.

        Args:
            sentences (list of str): one sentence each; a line end behind it is dropped.
            beam (int): hypotheses kept a sentence.
            batch_size (int): sentences translated together.
            progress (bool): show a progress bar on standard error.

        Returns:
            list of Translation: in the order of ``sentences``.

        Raises:
            TypeError: ``sentences`` is not a list of str; beam or batch size no whole
                number.
            ValueError: a line end within a sentence; beam or batch size below one; a
                model with ``--source-tag`` of several languages, none of them chosen.
        """
        for name, value in (("beam", beam), ("batch_size", batch_size)):
            check_count(name, value)
        lines = read_sentences_of_list(sentences)
        tokens, lengths = self.task.get_interactive_tokens_and_lengths(lines, lambda x: x)
        dataset = self.task.build_dataset_for_inference(tokens, lengths)
        generator = self.task.build_generator(self.models, Namespace(beam=beam))
        found = [None] * len(lines)
        for chosen in batches_by_length(lengths, batch_size, progress):
            for index, hypotheses in self._translate_batch(generator, dataset, chosen):
                found[index] = self._translation(hypotheses)
        return found

    def _translate_batch(self, generator, dataset, indices):
        """Pairs of an index of ``indices`` and its hypotheses."""
        batch = dataset.collater([dataset[i] for i in indices])
        batch = utils.apply_to_sample(lambda x: x.to(self.device), batch)
        found = self.task.inference_step(generator, self.models, batch)
        return zip(batch["id"].tolist(), found)

    def _translation(self, hypotheses):
        best, *others = [
            Translation(
                self.task.target_dictionary.string(hypothesis["tokens"]),
                float(hypothesis["score"]),
            )
            for hypothesis in hypotheses
        ]
        return Translation(best.text, best.score, tuple(others))
