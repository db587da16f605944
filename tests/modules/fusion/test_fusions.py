from pathlib import Path

from fairseq_bytefusion.modules.fusion import FUSIONS


def test_every_fusion_is_tested():
    here = Path(__file__).parent
    for fusion in FUSIONS.values():
        assert (here / f"test_{fusion.__module__.split('.')[-1]}.py").exists()
