"""Validation logs what the modules of a model say is worth logging."""

from fairseq.logging import metrics

from ...modules.named_scalars import collect_scalars

# Keys of the logging outputs of validation.
SCALAR, NUM_STEPS = "_scalar:", "_num_steps"


class ScalarLogging:
    """For any task: numbers that modules name are logged beside the loss."""

    def valid_step(self, sample, model, criterion):
        """As in fairseq, with the numbers of the model's modules."""
        loss, sample_size, logging_output = super().valid_step(sample, model, criterion)
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
        keys = {k for log in logging_outputs for k in log if k.startswith(SCALAR)}
        for key in sorted(keys):
            total = float(sum(log.get(key, 0) for log in logging_outputs))
            metrics.log_scalar(key[len(SCALAR) :], total / num_steps, round=4)
