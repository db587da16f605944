import pytest
import torch

from fairseq_bytefusion.modules.embedders.word_table import WordTable


@pytest.mark.parametrize("hashes", [[], [3, 3]])
def test_a_table_needs_different_words(hashes):
    with pytest.raises(ValueError, match="each of them once"):
        WordTable(torch.tensor(hashes, dtype=torch.long), 4)
