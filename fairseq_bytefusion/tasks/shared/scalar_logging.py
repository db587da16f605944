"""Validation logs what the modules of a model say is worth logging."""

from collections import Counter
from functools import partial

from fairseq.logging import metrics

from ...modules.named_scalars import collect_scalars
from ...modules.term_shares import SUMS, measured_terms, term_shares

# Keys of the logging outputs of validation.
SCALAR, NUM_STEPS, TERM = "_scalar:", "_num_steps", "_term:"
# Between the path of a module, the name of a term, and which of its sums it is.
_SEPARATOR = ":"


class ScalarLogging:
    """For any task: numbers that modules name, and shares of what they add up on the
    validation set, are logged beside the loss."""

    def valid_step(self, sample, model, criterion):
        """As in fairseq, with the numbers of the model's modules."""
        with measured_terms(model) as terms:
            loss, sample_size, logging_output = super().valid_step(sample, model, criterion)
        for path, term_sums in terms.items():
            for name, sums in term_sums.items():
                for kind, value in zip(SUMS, sums):
                    logging_output[_term_key(path, name, kind)] = value
        scalars = collect_scalars(model)
        logging_output.update((f"{SCALAR}{s.name}", s.value) for s in scalars)
        if scalars:
            logging_output[NUM_STEPS] = 1
        return loss, sample_size, logging_output

    def reduce_metrics(self, logging_outputs, criterion):
        """As in fairseq, and the named numbers."""
        super().reduce_metrics(logging_outputs, criterion)
        # fairseq sums the outputs of workers; every one of them holds the same numbers.
        num_steps = sum(log.get(NUM_STEPS, 0) for log in logging_outputs)
        for key in _keys(logging_outputs, SCALAR):
            value = _total(logging_outputs, key) / num_steps
            metrics.log_scalar(key[len(SCALAR) :], value, round=4)
        _log_shares(logging_outputs)


def _keys(logging_outputs, prefix):
    return sorted({k for log in logging_outputs for k in log if k.startswith(prefix)})


def _total(logging_outputs, key):
    return float(sum(log.get(key, 0) for log in logging_outputs))


def _term_key(path, name, kind):
    return TERM + _SEPARATOR.join((path, name, kind))


def _log_shares(logging_outputs):
    """Log the share of each term, of the sums of a whole validation."""
    keys = _keys(logging_outputs, TERM)
    for key in keys:
        metrics.log_scalar(key, _total(logging_outputs, key))
    modules = {}
    for key in keys:
        path, name, _ = key[len(TERM) :].split(_SEPARATOR)
        modules.setdefault(path, {})[name] = None
    counts = Counter(name for names in modules.values() for name in names)
    for path, names in modules.items():
        for name in names:
            public = name if counts[name] == 1 else f"{path}.{name}"
            share = partial(_share, path=path, names=list(names), name=name)
            metrics.log_derived(public, share, priority=10)  # beside named numbers


def _share(meters, path, names, name):
    """float: the share of a term of a module, of the sums so far."""
    term_sums = {n: [meters[_term_key(path, n, k)].sum for k in SUMS] for n in names}
    return round(term_shares(term_sums)[name], 4)
