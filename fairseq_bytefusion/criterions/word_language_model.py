"""``--criterion word_language_model``: cross-entropies of both directions."""

import functools
import math

import torch.nn.functional as F
from fairseq.criterions import FairseqCriterion, register_criterion
from fairseq.dataclass import FairseqDataclass
from fairseq.logging import metrics

from ..modules.heads.word_softmax import UNKNOWN


@register_criterion("word_language_model", dataclass=FairseqDataclass)
class WordLanguageModelCriterion(FairseqCriterion):
    """The mean of the cross-entropies of both directions, a told word; of one alone, that.

    Forward tells all words and ``</s>``, backward all words and ``<s>``: as many. Logged
    beside it: the perplexity of each direction, ``ppl_forward`` and ``ppl_backward``, and
    how many of the told words are none of the list, ``unk``, in percent.

    Source: Peters et al. 2018, section 3.1.
    """

    def forward(self, model, sample, reduce=True):
        """The loss of a batch.

        Args:
            model (BiLMModel)
            sample (dict): see ``data.SentenceDataset``.
            reduce (bool): sum over the words.

        Returns:
            tuple: loss Float[] (Float[N] without ``reduce``, the words of each direction in
            its own order), N told words, sums to log.
        """
        told = model(**sample["net_input"])
        losses, log = 0, {}
        for name, (states, rows, _) in told.items():
            own = F.cross_entropy(model.output(states).float(), rows, reduction="none")
            log[f"loss_{name}"] = own.detach().sum()
            losses = losses + own / len(told)
        _, rows, _ = told["forward"]
        log.update(
            loss=losses.detach().sum(),
            unk=rows.eq(UNKNOWN).sum(),
            ntokens=sample["ntokens"],
            nsentences=len(sample["id"]),
            sample_size=len(rows),
        )
        return (losses.sum() if reduce else losses), len(rows), log

    @classmethod
    def reduce_metrics(cls, logging_outputs):
        """Means over the words of all batches and workers."""

        def total(name):
            return float(sum(log.get(name, 0) for log in logging_outputs))

        size = total("sample_size")
        if not size:
            return
        for name in sorted({n for log in logging_outputs for n in log}):
            if name.startswith("loss"):  # in bits, as fairseq's criterions log it
                bits = total(name) / size / math.log(2)
                metrics.log_scalar(name, bits, size, round=3)
            if name.startswith("loss_"):
                direction = name[len("loss_") :]
                metrics.log_derived(
                    f"ppl_{direction}", functools.partial(_perplexity, name)
                )
        metrics.log_scalar("unk", 100 * total("unk") / size, size, round=2)

    @staticmethod
    def logging_outputs_can_be_summed():
        """bool: they are sums."""
        return True


def _perplexity(name, meters):
    """float: 2 to the power of a cross-entropy in bits."""
    return round(2 ** min(meters[name].avg, 100), 2)
