import pytest

from fairseq_bytefusion.evaluation import System, score_systems
from fairseq_bytefusion.evaluation.detokenizer import detokenize
from fairseq_bytefusion.evaluation.macro_average import score_test_sets
from fairseq_bytefusion.evaluation.report import format_test_sets
from fairseq_bytefusion.evaluation.score_files import read_test_set, read_test_sets

from .test_scoring import BAD, GOOD, REFERENCES

HALF = [REFERENCES[:30], REFERENCES[30:]]


def systems(start, end, *texts):
    return [System(name, text[start:end]) for name, text in zip("abc", texts)]


def test_the_average_of_one_set_is_that_set():
    sets = {"de": (systems(0, 60, GOOD, BAD), REFERENCES)}
    scores = score_test_sets(sets, ["de"], 100)
    expected = score_systems(systems(0, 60, GOOD, BAD), REFERENCES, 100)
    assert scores["sets"]["de"] == expected
    for row, wanted in zip(scores["average"], expected):
        for metric in ("BLEU", "chrF2"):
            for key in ("score", "mean", "ci", "p_value"):
                assert row[metric].get(key) == pytest.approx(wanted[metric].get(key))


def test_the_average_is_the_mean_of_the_sets_that_count():
    sets = {
        "de": (systems(0, 30, GOOD, BAD), HALF[0]),
        "fr": (systems(30, 60, GOOD, BAD), HALF[1]),
        "ru": (systems(0, 60, BAD, GOOD), REFERENCES),
    }
    scores = score_test_sets(sets, ["de", "fr"], 50)
    for k in (0, 1):
        parts = [scores["sets"][name][k]["BLEU"]["score"] for name in ("de", "fr")]
        assert scores["average"][k]["BLEU"]["score"] == pytest.approx(sum(parts) / 2)
    assert scores["average"][1]["BLEU"]["p_value"] < 0.05
    assert "p_value" not in scores["average"][0]["BLEU"]
    text = format_test_sets(scores)
    assert [line for line in text.split("\n") if line.startswith("==")] == [
        "== de", "== fr", "== ru", "== average of de, fr"
    ]  # fmt: skip
    with pytest.raises(ValueError, match="no test set 'es' to average: choose from de, fr"):
        score_test_sets(sets, ["es"])


def test_equal_systems_do_not_differ_on_average():
    # The same text with a few sentences of two swapped is better here and worse there.
    other = [BAD[i] if i in (3, 40) else GOOD[i] for i in range(60)]
    base = [BAD[i] if i in (4, 41) else GOOD[i] for i in range(60)]
    sets = {
        "de": (systems(0, 30, base, other), HALF[0]),
        "fr": (systems(30, 60, base, other), HALF[1]),
    }
    average = score_test_sets(sets, ["de", "fr"], 200)["average"]
    assert average[1]["BLEU"]["p_value"] > 0.05


def write(path, lines):
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return str(path)


def test_a_name_stands_in_for_braces(tmp_path):
    for name in ("de", "fr"):
        write(tmp_path / f"hyp.{name}", [name])
        write(tmp_path / f"ref.{name}", [name.upper()])
    hyp, ref = str(tmp_path / "hyp.{}"), str(tmp_path / "ref.{}")
    both = [ref.replace("{}", "de"), ref.replace("{}", "fr")]
    for references in ([ref], both):
        sets = read_test_sets(["de", "fr"], [hyp], references)
        assert {k: (s[0].name, s[0].hypotheses, r) for k, (s, r) in sets.items()} == {
            "de": (hyp, ["de"], ["DE"]),
            "fr": (hyp, ["fr"], ["FR"]),
        }


@pytest.mark.parametrize(
    ("names", "hyp", "ref", "message"),
    [
        (["de"], "hyp", None, "--each needs {} in --hyp, in place of the test set: "),
        (["de", "fr"], "{}", ["one"], "names 2 test sets and --ref gives 1 files"),
        (["de"], "{}", ["long"], "de has 1 sentences, the reference .*long has 2"),
    ],
)
def test_files_that_do_not_fit(tmp_path, names, hyp, ref, message):
    write(tmp_path / "de", ["a"])
    write(tmp_path / "long", ["a", "b"])
    ref = ref and [str(tmp_path / name) for name in ref]
    with pytest.raises(ValueError, match=message):
        read_test_sets(names, [str(tmp_path / hyp)], ref)


TOKENS = ['I don \'t know , " he " said .', "Fish & chips ( 2 ) &amp;", ""]
TEXTS = ['I don\'t know, "he" said.', "Fish & chips (2) &amp;", ""]


def test_moses_tokens_become_text():
    assert detokenize(TOKENS, "en") == TEXTS


def test_tokens_are_joined_before_scoring_and_need_untouched_references(tmp_path):
    hyp, ref = write(tmp_path / "hyp", TOKENS), write(tmp_path / "ref", TEXTS)
    read, references = read_test_set([hyp], ref, "en")
    assert read[0].texts == references == TEXTS
    with pytest.raises(ValueError, match="--detokenize needs --ref"):
        read_test_set([hyp], None, "en")
