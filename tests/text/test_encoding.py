"""Text of 16 or 32 bits a symbol is told from all other text, whatever its language."""

import pytest

from fairseq_bytefusion.text.encoding import encoding_of

WIDE = ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
# Half of some symbols is a line end: of U+4E0A, U+0E0A, U+090A, all of the last two.
OF_LINE_ENDS = {
    "Chinese": "今天上海的天气很好。\r\n一个上午\r\n上",
    "Japanese": "今日は上野公園へ行きました。\n東京の上\nの空\n",
    "Thai": "ช่วยด้วย ครับ\nฉันชอบกิน ข้าว\n",
    "Hindi": "मैं ऊपर जा रहा हूँ\nनमस्ते दुनिया\n",
    "Gujarati": "હું ગુજરાતી બોલું છું\nકેમ છો\n",
    "Punjabi": "ਸਤ ਸ੍ਰੀ ਅਕਾਲ\nਮੈਂ ਪੰਜਾਬੀ ਬੋਲਦਾ ਹਾਂ\n",
}


@pytest.mark.parametrize("encoding", WIDE)
@pytest.mark.parametrize("language", OF_LINE_ENDS)
def test_a_line_end_may_be_half_of_a_symbol(encoding, language):
    raw = OF_LINE_ENDS[language].encode(encoding)
    assert encoding_of(raw) == (encoding.upper(), 0)
    assert encoding_of(raw[:-1]) == (encoding.upper(), 0)
    assert encoding_of(OF_LINE_ENDS[language].encode()) is None


@pytest.mark.parametrize("eight_bits", ["latin-1", "utf-8"])
def test_eight_bits_with_nuls_and_controls(eight_bits):
    lines = ["größer als ä\0", "zwei \0ü", "\x1b[1mhäuser\0", "so\0", "\0\0", "ende\0 "]
    assert encoding_of("\n".join([*lines, *lines]).encode(eight_bits)) is None
