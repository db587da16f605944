"""The command lines of experiments with labels: data, labelling test sets."""

import os

from ..grid.commands import Commands

SPLITS = ("train", "valid", "test")
DONE = "labelled.done"
MISSPELT = "misspelt"


class LabelCommands(Commands):
    """Command lines for the experiments with labels of a plan, each a list of str.

    Args:
        plan (Plan)
    """

    def data_dir(self, name):
        """Path of a data directory."""
        return f"{self.grid.work}/data/{name}"

    def files(self, experiment):
        """Split -> its file as it came, of an experiment (Labelling)."""
        folder = os.path.join(
            self.grid.data_root, self.grid.datasets[experiment.dataset].folder
        )
        return {s: os.path.join(folder, experiment.files.format(split=s)) for s in SPLITS}

    def data_steps(self, experiment):
        """Commands that make the data directory of an experiment (Labelling), in order."""
        out, kind = self.data_dir(experiment.name), experiment.extension
        steps = [
            [
                *("python", "scripts/experiments/steps/plain_file.py", path),
                *("--out", f"{out}/{split}.{kind}"),
            ]
            for split, path in self.files(experiment).items()
        ]
        steps.append(
            [
                *("python", "scripts/experiments/steps/misspell_labelled.py"),
                *(f"{out}/test.{kind}", "--share", experiment.misspelt),
                *(["--text-column", experiment.text_column] if kind == "tsv" else []),
                *("--out", f"{out}/{MISSPELT}.{kind}"),
            ]
        )
        steps.append(
            [
                *("python", "data_prep/build_word_dict.py", out, "--labels"),
                *("--min-count", experiment.word_min_count),
            ]
        )
        return steps

    def scores(self, run, test):
        """Path of the scores of a run's model on a LabelTest."""
        return f"{self.run_dir(run)}/{test.name}.scores.json"

    def evaluate(self, run, test):
        """bytefusion evaluate of a LabelTest."""
        data = self.data_dir(run.setting.data)
        return [
            *("bytefusion", "evaluate", f"{self.model_dir(run)}/average.pt"),
            *(f"{data}/{test.file}", "--json"),
        ]
