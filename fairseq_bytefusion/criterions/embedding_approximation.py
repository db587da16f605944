"""``--criterion embedding_approximation``: learn the rows of a table."""

from dataclasses import dataclass, field

import torch
from fairseq.criterions import FairseqCriterion, register_criterion
from fairseq.dataclass import FairseqDataclass
from fairseq.logging import metrics

from ..modules.approximation_loss import TERMS, Comparison
from ..modules.nearest_rows import cosine_ranking, nearest_rows, ranking_quality


def _weight(help):
    return field(default=1.0, metadata={"help": f"weight of {help}; 0 leaves it out"})


@dataclass
class EmbeddingApproximationConfig(FairseqDataclass):
    """A weight for each term of the loss."""

    ce_weight: float = _weight("the cross-entropy over all rows")
    cos_weight: float = _weight("the cosine distance to the row")
    l2_weight: float = _weight("the Euclidean distance to the row")
    nbr_weight: float = _weight("the difference of distances to the row's neighbours")
    num_neighbours: int = field(
        default=15, metadata={"help": "neighbours k of a row, in the loss and in metrics"}
    )


@register_criterion("embedding_approximation", dataclass=EmbeddingApproximationConfig)
class EmbeddingApproximationCriterion(FairseqCriterion):
    """``w_ce CE + w_cos (1 - cos) + w_l2 ||e - ê|| + w_nbr MSE of neighbour distances``.

    The loss is that of an entry, on average. Logged beside it: each term, of weight 0
    in validation only; in validation also

    - ``accuracy``: how often the row of the entry is the most probable one in
      ``softmax(ê Eᵀ)``;
    - ``precision@1``, ``precision@k``, ``mean_precision`` (the paper's "average
      precision"), ``average_precision`` (that of information retrieval): of the ranking
      of all rows by cosine to ê. Relevant are the k rows nearest to e, the entry's own
      first. See :func:`~..modules.nearest_rows.ranking_quality`.

    The table is a buffer that no checkpoint holds: it is the teacher's.

    Args:
        task (EmbeddingApproximationTask): gives ``teacher``.
        ce_weight, cos_weight, l2_weight, nbr_weight (float)
        num_neighbours (int): k.

    Raises:
        ValueError: a negative weight, all weights 0, or a table of k rows or fewer.

    Source: Aguilar et al. 2021, *Char2Subword*, section 3.1.
    """

    def __init__(self, task, ce_weight, cos_weight, l2_weight, nbr_weight, num_neighbours):
        super().__init__(task)
        self.weights = dict(zip(TERMS, (ce_weight, cos_weight, l2_weight, nbr_weight)))
        for name, weight in self.weights.items():
            if weight < 0:
                raise ValueError(f"--{name}-weight {weight} must not be negative")
        if not any(self.weights.values()):
            flags = ", ".join(f"--{name}-weight" for name in self.weights)
            raise ValueError(f"nothing to learn: one of {flags} must be above 0")
        table = task.teacher.table
        if not 1 <= num_neighbours < len(table):
            raise ValueError(
                f"--num-neighbours {num_neighbours} must lie between 1 and "
                f"{len(table) - 1}, one less than the rows of {task.teacher.path}"
            )
        self.num_neighbours = num_neighbours
        self.register_buffer("table", table, persistent=False)
        self._neighbours = None

    def forward(self, model, sample, reduce=True):
        """The loss of a batch.

        Args:
            model (EmbeddingApproximationModel)
            sample (dict): see ``data.PieceDataset``.
            reduce (bool): sum over the entries.

        Returns:
            tuple: loss Float[] (Float[U] without ``reduce``), number of entries, sums to
            log.
        """
        vectors, rows = model(**sample["net_input"]), sample["target"]
        if self.table.device != vectors.device:  # fairseq-validate moves the model only
            self.to(vectors.device)
        names = [name for name in TERMS if self.weights[name] or not self.training]
        comparison = self._compare(vectors, rows, "nbr" in names)
        terms = {name: TERMS[name](comparison) for name in names}
        loss = sum(self.weights[name] * term for name, term in terms.items())
        log = {name: term.sum().detach() for name, term in terms.items()}
        if not self.training:
            log.update(self._quality(comparison))
        if reduce:
            loss = loss.sum()
        log["loss"] = loss.sum().detach()
        log["ntokens"], log["nsentences"] = sample["ntokens"], len(rows)
        log["sample_size"] = len(rows)
        return loss, len(rows), log

    def _compare(self, vectors, rows, with_neighbours):
        neighbours = self.neighbours[rows] if with_neighbours else None
        return Comparison(vectors, self.table, rows, neighbours)

    def _quality(self, comparison):
        """dict of str to Float[]: sums over the batch."""
        rows, logits = comparison.rows, comparison.logits
        own_first = torch.cat([rows.unsqueeze(1), comparison.neighbours[:, :-1]], 1)
        quality = ranking_quality(cosine_ranking(logits, self.table), own_first)
        quality["accuracy"] = logits.argmax(1).eq(rows).float()
        return {name: values.sum() for name, values in quality.items()}

    @property
    def neighbours(self):
        """Long[V, k]: the rows nearest to each row, itself left out; computed once."""
        if self._neighbours is None:
            own = torch.arange(len(self.table), device=self.table.device)
            table = self.table.float()
            _, self._neighbours = nearest_rows(table, table, self.num_neighbours, own)
        return self._neighbours.to(self.table.device)

    @classmethod
    def reduce_metrics(cls, logging_outputs):
        """Means over the entries of all batches and workers."""
        count = sum(log["sample_size"] for log in logging_outputs)
        names = dict.fromkeys(name for log in logging_outputs for name in log)
        for name in names:
            is_count = name in ("ntokens", "nsentences", "sample_size")
            if not (is_count or name.startswith("_")):  # the latter are the task's
                total = sum(log.get(name, 0) for log in logging_outputs)
                metrics.log_scalar(name, total / count, count, round=4)

    @staticmethod
    def logging_outputs_can_be_summed():
        """bool: they are sums."""
        return True
