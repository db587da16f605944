import pytest

from data_prep.moses import FALLBACK, moses_language, moses_tokenizer

from .helpers import lines_of, run_pair


@pytest.mark.parametrize(
    "language, expected",
    [
        ("de", "de"),
        ("nds", "de"),
        ("BE", "ru"),
        ("pt-BR", "pt"),
        ("xx", "en"),
        ("gl", "pt"),
    ],
)
def test_language(language, expected):
    assert moses_language(language) == expected


def test_every_fallback_has_a_tokenizer_of_its_own():
    for language, relative in FALLBACK.items():
        assert moses_language(relative) == relative
        assert moses_language(language) in (relative, language)


@pytest.mark.parametrize(
    "text, expected",
    [
        ("", ""),
        ("Hello, world!", "Hello , world !"),
        ('"A & B" <c>', '" A & B " <c>'.replace("<c>", "< c >")),
        ("Mr. Smith", "Mr. Smith"),
    ],
)
def test_tokenizer(text, expected):
    assert moses_tokenizer("en")(text) == expected


def test_prepare_tokenises_both_sides_and_what_is_excluded(tmp_path):
    exclude = tmp_path / "exclude"
    exclude.write_text("Geh weg!\n")
    flags = "--moses", "--exclude", exclude
    out, stats = run_pair(tmp_path, ["Ja, gut.", "Geh weg!"], ["Yes, good.", "Go!"], *flags)
    assert lines_of(out) == [(b"Ja , gut .", b"Yes , good .")]
    assert stats["reasons"]["excluded"] == 1
    assert stats["options"]["moses"] == {"xx": "en", "en": "en"}


@pytest.mark.parametrize(
    "sentence, tokens, is_kept",
    [
        ("wait, what?!", "wait , what ? !", True),  # 12 bytes become 15
        ("a      b     c", "a b c", False),  # 14 become 5
        ("wait,what", "wait , what", True),
    ],
)
def test_the_limit_is_that_of_the_text_before_it_is_tokenised(
    tmp_path, sentence, tokens, is_kept
):
    assert moses_tokenizer("en")(sentence) == tokens
    pairs = ["ja", sentence], ["yes", "so it is"]
    out, stats = run_pair(tmp_path, *pairs, "--moses", "--max-bytes", 12)
    kept = [source.decode() for source, _ in lines_of(out)]
    assert kept == ["ja", *[tokens] * is_kept]
    assert stats["reasons"]["too_long"] == (not is_kept)
