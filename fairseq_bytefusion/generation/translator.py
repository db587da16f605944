"""Translation from Python: text in, text out."""

import contextlib
import logging
from argparse import Namespace
from dataclasses import replace

import torch
from fairseq import checkpoint_utils

from .batch_runner import BatchRunner
from .batching import batches_by_length
from .checkpoint_task import task_overrides
from .loading import checkpoint_files, choose_device
from .prefixes import Prefixes
from .search_options import SearchOptions
from .sentences import check_count, read_sentences_of_list
from .sources import Sources

logger = logging.getLogger(__name__)


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
        self._runner = BatchRunner(self.models, task, self.device)

    @classmethod
    def from_pretrained(
        cls, path_or_dir, device=None, data=None, source_lang=None, target_lang=None
    ):
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
            target_lang (str, optional): which of the model's targets to translate into;
                one with ``--target-tag`` of several must know.

        Raises:
            OSError: no such file.
            RuntimeError: not a complete fairseq checkpoint, or another vocabulary than
                that of training.
            ValueError: a checkpoint of another task, no such device, or a language that
                the model has no tag for.
        """
        device = choose_device(device)
        paths = checkpoint_files(path_or_dir)
        overrides = task_overrides(paths[0], data, source_lang, target_lang)
        # What a model was trained with says nothing of how it should translate.
        overrides["bf16"] = False
        models, cfg, task = checkpoint_utils.load_model_ensemble_and_task(
            paths, arg_overrides=overrides
        )
        for model in models:
            model.prepare_for_inference_(cfg)
        return cls(models, task, device)

    def translate(
        self,
        sentences,
        beam=5,
        batch_size=32,
        progress=True,
        *,
        prefix=None,
        split_long=False,
        alignments=False,
        **search,
    ):
        """Translate sentences as ``fairseq-generate`` does.

        An empty sentence has an empty translation. One of more symbols than the model's
        ``--max-source-positions`` allows is cut there, at the start of a character,
        with a warning. Half a surrogate pair is read as U+FFFD, with a warning.

        Args:
            sentences (list of str): one sentence each; a line end behind it is dropped.
            beam (int): hypotheses kept a sentence.
            batch_size (int): sentences translated together.
            progress (bool or tqdm): show a progress bar on standard error, or move this
                one.
            prefix (list of str, optional): what each translation begins with.
            split_long (bool): translate what is too long in parts instead of cutting it:
                at ends of sentences, else at white space, else between characters.
            alignments (bool): find which source word each target word comes from.
            **search: ``nbest``, ``lenpen``, ``sampling``, ``sampling_topp``,
                ``temperature``, ``seed``, ``max_len_a``, ``max_len_b``, ``draft``,
                ``draft_file``, ``draft_length``: see
                :class:`~.search_options.SearchOptions`.

        Returns:
            list of Translation: in the order of ``sentences``.

        Raises:
            TypeError: ``sentences`` or ``prefix`` is not a list of str; what shall be a
                number is none.
            ValueError: a line end within a sentence; a number out of its range; a
                model with ``--source-tag`` or ``--target-tag`` of several languages, none
                of them chosen; a prefix too few, or longer than a translation may be.
        """
        options = SearchOptions(beam=beam, **search)
        check_count("batch_size", batch_size)
        sources = Sources(self.task, read_sentences_of_list(sentences), split_long)
        prefixes = Prefixes(prefix, sources, self.task.target_dictionary)
        dataset = self.task.build_dataset_for_inference(sources.tokens, sources.lengths)
        generator = self.task.build_generator(self.models, options.for_generator())
        prefixes.check(sources, generator)
        if not isinstance(progress, bool):
            progress.total += len(sources.parts) - len(sources.of_line)
        batches = batches_by_length(
            sources.lengths, batch_size, progress, prefixes.are_there
        )
        with _drawing(options.seed):
            found = self._runner.run(generator, dataset, batches, prefixes, options.count)
        if alignments:
            self._runner.attend(sources, dataset, found, batch_size)
        return self._runner.translations(sources, found, options.lenpen)

    def score(self, sources, targets, batch_size=32, progress=True, *, alignments=False):
        """Score translations as ``fairseq-generate --score-reference`` does.

        What is too long for the model is cut, with a warning.

        Args:
            sources (list of str), targets (list of str): as long as each other.
            batch_size (int), progress (bool or tqdm), alignments (bool): as of
                :meth:`translate`.

        Returns:
            list of Translation: of each target, ``score`` its log-probability a symbol,
            ``</s>`` included, ``log_probability`` that of all of it, and ``words`` those
            of its words.

        Raises:
            TypeError, ValueError: as of :meth:`translate`; ``targets`` of another length.
        """
        check_count("batch_size", batch_size)
        lines, texts = map(read_sentences_of_list, (sources, targets))
        if len(lines) != len(texts):
            raise ValueError(
                f"{len(lines)} sources and {len(texts)} targets: give a target a source"
            )
        read = Sources(self.task, lines)
        encoded, is_cut = self._encode_targets(texts)
        dataset = self.task.build_dataset_for_inference(
            read.tokens, read.lengths, targets=encoded
        )
        scorer = self.task.build_generator(self.models, Namespace(score_reference=True))
        batches = batches_by_length(read.lengths, batch_size, progress)
        found = self._runner.run(scorer, dataset, batches)
        if alignments:
            self._runner.attend(read, dataset, found, batch_size)
        found = self._runner.translations(read, found)
        return [replace(t, cut=t.cut or cut) for t, cut in zip(found, is_cut)]

    def _encode_targets(self, texts):
        """Ids of each text, and whether it was cut."""
        dictionary, limit = self.task.target_dictionary, self.task.target_side.limit
        tokens = [dictionary.encode_line(text).long() for text in texts]
        if limit is None:
            return tokens, [False] * len(texts)
        is_cut = [len(ids) > limit for ids in tokens]
        if any(is_cut):
            logger.warning(
                "%d of %d targets have more than %d %s and are cut there: the model has "
                "learned no more positions",
                sum(is_cut),
                len(texts),
                limit - 1,
                dictionary.plural,
            )
        return [dictionary.truncate(ids, limit) for ids in tokens], is_cut


@contextlib.contextmanager
def _drawing(seed):
    """Draw by a seed (int, or None: as it comes), and leave torch's generators alone."""
    if seed is None:
        yield
        return
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        yield
