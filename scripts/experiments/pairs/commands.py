"""The command lines of translation: data, translating, scoring."""

import os
import shlex

from data_prep.readers import Languages, read_folder

from ..grid.commands import USER_DIR, Commands
from .plan import Pairs

TASK = (*USER_DIR, "--task", "byte_translation")


class PairCommands(Commands):
    """Command lines for the translation experiments of a plan, each a list of str.

    Args:
        plan (Plan)
    """

    def __init__(self, plan):
        super().__init__(plan)
        self.pairs = plan.part(Pairs)

    def data_dir(self, name):
        """Path of a data directory."""
        return f"{self.grid.work}/data/{name}"

    def reference_dir(self, name):
        """Where the untouched references of a data directory's test sets are."""
        return (
            f"{self.grid.work}/references/{name}"
            if self.grid.moses
            else self.data_dir(name)
        )

    def files(self, dataset, source, target):
        """Split -> (source file, target file) of a pair of a dataset.

        Raises:
            FileNotFoundError, ValueError: the folder or the language is not there; the
                message lists what is.
        """
        spec = self.grid.datasets[dataset]
        folder = os.path.join(self.grid.data_root, spec.folder)
        if self.grid.sample_pairs and not os.path.isdir(folder):
            names = {
                s: f"{folder}/{s}.{source}-{target}." for s in ("train", "valid", "test")
            }
            return {s: (name + source, name + target) for s, name in names.items()}
        codes = spec.codes.get(source, ""), spec.codes.get(target, "")
        try:
            corpora = read_folder((folder,), Languages(source, target, *codes))
        except OSError as error:
            raise FileNotFoundError(
                f"dataset {dataset}: {error}: set data_root ({self.grid.data_root}) to the "
                "folder that holds it, or make it with data_prep/prepare.py"
            ) from error
        return {corpus.split: corpus.paths for corpus in corpora}

    def prepare(self, job, out, moses):
        """prepare.py for a PrepareJob; without ``moses`` for the references."""
        spec = self.grid.datasets[job.dataset]
        command = ["python", "data_prep/prepare.py", "-s", job.source, "-t", job.target]
        command += ["--out", out]
        if job.max_bytes:
            command += ["--max-bytes", job.max_bytes]
        files = self.files(job.dataset, job.source, job.target)
        if job.misspelt:
            command += ["--test-pair", self.misspelt_file(job), files["test"][1]]
        elif job.splits == ("test",):
            command += ["--test-pair", *files["test"]]
        elif self.is_cut(job):
            command += ["--folder", self.cut_dir(job)]
        else:
            command += ["--folder", os.path.join(self.grid.data_root, spec.folder)]
            command += self._codes(job)
        tests = [self.files(d, source, job.target)["test"] for d, source in job.exclude]
        if tests:
            command += [
                "--exclude",
                *dict.fromkeys(path for pair in tests for path in pair),
            ]
        return command + ["--moses"] * moses

    def _codes(self, job):
        codes = self.grid.datasets[job.dataset].codes
        sides = (("source", job.source), ("target", job.target))
        found = [(f"--{side}-code", codes[lang]) for side, lang in sides if lang in codes]
        return [word for flag in found for word in flag]

    def is_cut(self, job):
        """Whether a PrepareJob reads files that cut_to_shorter.py made."""
        return self.grid.datasets[job.dataset].cut_to_shorter and "train" in job.splits

    def cut_dir(self, job):
        """Where the cut files of a PrepareJob are, of a dataset with cut_to_shorter."""
        return f"{self.grid.work}/cut/{job.data}/{job.source}"

    def cut(self, job):
        """cut_to_shorter.py for a PrepareJob."""
        folder = os.path.join(self.grid.data_root, self.grid.datasets[job.dataset].folder)
        return [
            *("python", "scripts/experiments/steps/cut_to_shorter.py", folder),
            *("-s", job.source, "-t", job.target, *self._codes(job)),
            *("--out", self.cut_dir(job)),
        ]

    def misspelt_file(self, job):
        """Path of the misspelt sources of a PrepareJob."""
        return f"{self.grid.work}/misspelt/{job.data}/{job.source}.txt"

    def misspell(self, job):
        """misspell_text.py for a PrepareJob."""
        clean = self.files(job.dataset, job.source, job.target)["test"][0]
        return [
            *("python", "scripts/experiments/steps/misspell_text.py", clean),
            *("--share", job.misspelt, "--out", self.misspelt_file(job)),
        ]

    def inputs_of(self, job):
        """Files of the dataset that a job depends on."""
        files = self.files(job.dataset, job.source, job.target)
        paths = [path for split in job.splits for path in files.get(split, ())]
        for dataset, source in job.exclude:
            paths += self.files(dataset, source, job.target)["test"]
        return list(dict.fromkeys(paths))

    def sample(self, sample):
        """few_shot.py for a Sample."""
        return [
            *("python", "data_prep/few_shot.py", self.data_dir(sample.data)),
            *("-s", sample.source, "-t", sample.target, "--sizes", *sample.sizes),
            *("--out", self.data_dir(sample.folder)),
        ]

    def vocabulary(self, data):
        """Commands that make the vocabularies of a data directory, or copy them there.

        They are made of the training side of the directory that they are of, and copied,
        under the name of the language there, to where they are only used.
        """
        setting, source = self.pairs.user_of(data)
        here, there = self.data_dir(data), self.data_dir(setting.vocabulary)
        first = self.pairs.trained_on(setting.vocabulary)
        has_words = self._has_words(setting.vocabulary)
        if here == there:
            spec = self.plan.spec_of(first)
            of = (here, "-s", ",".join(first.sources), "-t", first.target)
            sizes = ("--source-size", spec.source_subwords)
            sizes += ("--target-size", spec.target_subwords)
            script = "data_prep/build_word_dict.py"
            words = ["python", script, *of, "--min-count", spec.word_min_count]
            return [
                ["python", "data_prep/build_vocab.py", *of, *sizes],
                *[words] * has_words,
            ]
        kinds = ("spm.{}.model", "dict.char.{}.txt")
        names = [(kind, setting.target, setting.target) for kind in kinds]
        names += [
            (kind, first.sources[0], source)
            for kind in (*kinds, *["dict.word.{}.txt"] * has_words)
        ]
        return [
            ["cp", f"{there}/{kind.format(old)}", f"{here}/{kind.format(new)}"]
            for kind, old, new in names
        ]

    def _has_words(self, vocabulary):
        """Whether a system of a setting with this vocabulary needs a list of words."""
        return any(
            self.grid.systems[system].word_list
            for setting in self.pairs.settings
            if setting.vocabulary == vocabulary
            for system in self.plan.spec_of(setting).systems
        )

    def measure(self, data):
        """measure_units.py for the training data of a directory."""
        setting = self.pairs.trained_on(data)
        return [
            *("python", "scripts/experiments/steps/measure_units.py", self.data_dir(data)),
            *("-s", ",".join(setting.sources), "-t", setting.target),
            *("--temperature", setting.temperature or 1),
            *("--out", f"{self.data_dir(data)}/tokens.json"),
        ]

    def words_file(self, setting):
        """Path of the words of the target side of a setting's training data."""
        return f"{self.data_dir(setting.data)}/words.{setting.target}.txt"

    def training_words(self, data):
        """training_words.py for the training data of a directory."""
        setting = self.pairs.trained_on(data)
        return [
            *("python", "scripts/experiments/steps/training_words.py", self.data_dir(data)),
            *("-s", ",".join(setting.sources), "-t", setting.target),
            *(["--detokenize"] if self.grid.moses else []),
            *("--out", self.words_file(setting)),
        ]

    def data_steps(self, setting):
        """Commands that make all data of a setting, in order."""
        names = [setting.vocabulary, *(test.data for test in setting.tests), setting.data]
        names = list(dict.fromkeys(names))  # a sample comes after what it is drawn from
        steps = []
        for data in names:
            if data in self.pairs.samples:
                steps.append(self.sample(self.pairs.samples[data]))
            for job in self.pairs.pairs_in(data):
                if self.is_cut(job):
                    steps.append(self.cut(job))
                if job.misspelt:
                    steps.append(self.misspell(job))
                steps.append(self.prepare(job, self.data_dir(data), self.grid.moses))
        for data in names:
            steps += self.vocabulary(data)
        return [*steps, self.measure(setting.data), self.training_words(setting.data)]

    def units_of(self, run):
        """Flags of the unit of a run's system."""
        unit = self.grid.systems[run.system].unit
        return ["--source-unit", unit, "--target-unit", unit] if unit != "byte" else []

    def generate(self, run, test):
        """fairseq-generate of a test set."""
        return [
            "fairseq-generate", self.data_dir(test.data), *TASK, "--gen-subset", "test",
            "-s", test.source, "-t", run.setting.target, *self.units_of(run),
            "--path", f"{self.model_dir(run)}/average.pt",
            *shlex.split(self.grid.generate_flags),
        ]  # fmt: skip

    def log(self, run, test):
        """Path of the translations of a test set."""
        return f"{self.run_dir(run)}/{test.name}.log"

    def generate_step(self, run, test):
        """steps/generate.py and, after --, what it runs."""
        sources = f"test.{test.source}-{run.setting.target}.{test.source}"
        return [
            *("python", "scripts/experiments/steps/generate.py"),
            *("--log", self.log(run, test)),
            *("--tokens", f"{self.data_dir(run.setting.data)}/tokens.json"),
            *("--unit", self.grid.systems[run.system].unit),
            *("--sources", f"{self.data_dir(test.data)}/{sources}"),
            *("--", *self.generate(run, test)),
        ]

    def score_log(self, run, test):
        """Path of what a model says of the references of a test set."""
        return f"{self.run_dir(run)}/references/{test.name}.log"

    def score_references(self, run, test):
        """fairseq-generate that scores the references of a test set."""
        return [*self.generate(run, test), "--score-reference"]

    def reference(self, setting, test):
        """Path of the untouched references of a test set."""
        name = f"test.{test.source}-{setting.target}.{setting.target}"
        return f"{self.reference_dir(test.data)}/{name}"

    def scores(self, setting, seed):
        """Path of the scores of a setting's runs of one seed."""
        return (
            f"{self.grid.work}/{setting.experiment}/{setting.name}/scores.seed{seed}.json"
        )

    def score(self, setting, seed):
        """bytefusion score of all systems of a setting and seed, the baseline first."""
        runs = self.plan.runs_of(setting, seed)
        target = setting.target
        references = [self.reference(setting, test) for test in setting.tests]
        return [
            *("bytefusion", "score", "--json", "--num-bootstrap", self.grid.bootstrap),
            *("--each", ",".join(t.name for t in setting.tests)),
            *("--average", ",".join(t.name for t in setting.tests if t.averaged)),
            *("--ref", *references),
            *(["--detokenize", target] if self.grid.moses else []),
            *("--hyp", *(f"{self.run_dir(run)}/{{}}.log" for run in runs)),
        ]
