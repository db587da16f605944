"""Options of a search: what is refused, and what fairseq is given."""

import pytest

from fairseq_bytefusion.generation.search_options import SearchOptions


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"nbest": 6},
            ValueError,
            "nbest 6 is more than beam 5, which is all that there is",
        ),
        ({"nbest": 0}, ValueError, "nbest must be at least 1, not 0"),
        ({"nbest": 1.0}, TypeError, "nbest must be a whole number"),
        ({"nbest": 2, "sampling": True}, ValueError, "beam = 5 translations, and nbest"),
        ({"lenpen": "1"}, TypeError, "lenpen must be a number, not '1'"),
        ({"lenpen": float("nan")}, ValueError, "lenpen must be a finite number"),
        ({"temperature": 0}, ValueError, "temperature must be above 0, not 0"),
        ({"temperature": None}, TypeError, "temperature must be a number, not None"),
        ({"seed": 1}, ValueError, "seed does nothing without sampling: add that"),
        ({"seed": -1, "sampling": True}, ValueError, "seed must be at least 0, not -1"),
        ({"sampling_topp": 0.9}, ValueError, "sampling_topp does nothing without"),
        ({"sampling_topp": 0, "sampling": True}, ValueError, "a probability above 0"),
        ({"sampling_topp": 1.1, "sampling": True}, ValueError, "not 1.1"),
        ({"max_len_a": -1}, ValueError, "max_len_a must be at least 0, not -1"),
        ({"max_len_b": -1}, ValueError, "max_len_b must be at least 0, not -1"),
        ({"max_len_b": 1.5}, TypeError, "max_len_b must be a whole number"),
        ({"max_len_a": 0.5, "max_len_b": 0}, ValueError, "leave no room"),
        ({"draft": "x"}, ValueError, "draft must be one of none, ngram, heads, both, not"),
        ({"draft": "heads"}, ValueError, "draft is for greedy search, and the beam is 5"),
        ({"draft_file": "d"}, ValueError, "draft-file is read for --draft ngram or both"),
        ({"draft": "heads", "beam": 1, "draft_length": 0}, ValueError, "from 1 on, or au"),
    ],
)
def test_what_cannot_be_is_refused(options, error, message):
    with pytest.raises(error, match=message):
        SearchOptions(**options)


def test_what_fairseq_is_given():
    assert vars(SearchOptions().for_generator()) == {
        "beam": 5, "lenpen": 1.0, "sampling": False, "temperature": 1.0,
        "draft": "none", "draft_length": "auto",
    }  # fmt: skip
    given = SearchOptions(
        3, sampling=True, sampling_topp=0.5, seed=1, max_len_a=0, max_len_b=5
    )
    assert vars(given.for_generator()) == {
        "beam": 3, "lenpen": 1.0, "sampling": True, "temperature": 1.0,
        "sampling_topp": 0.5, "max_len_a": 0, "max_len_b": 5,
        "draft": "none", "draft_length": "auto",
    }  # fmt: skip
    assert (SearchOptions(4).count, SearchOptions(4, nbest=2).count) == (4, 2)
