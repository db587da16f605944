"""``bytefusion export``: a trained model for another engine."""

from ..export import QUANTIZATIONS, export_to_ctranslate2
from ..generation import ByteTranslator


def add_parser(verbs):
    """Add the verb to ``verbs``, what ``add_subparsers`` returned."""
    parser = verbs.add_parser(
        "export",
        help="a model for CTranslate2, where it can express it",
        description="Write a model in the format of CTranslate2, an engine in C++. It has "
        "no fusion and no word composer: models with those are refused. It does not keep "
        "to valid UTF-8.",
    )
    parser.add_argument("checkpoint", metavar="CHECKPOINT")
    parser.add_argument("directory", metavar="DIR", help="to write, with model.bin in it")
    parser.add_argument(
        "--to", required=True, choices=("ctranslate2",), help="whose format"
    )
    parser.add_argument(
        "--quantization",
        choices=QUANTIZATIONS,
        metavar="TYPE",
        help=f"how weights are kept: {', '.join(QUANTIZATIONS)} (float32)",
    )
    parser.add_argument(
        "--overwrite", action="store_true", help="replace a model that is there"
    )
    parser.set_defaults(run=run)


def run(args):
    """Write the directory."""
    translator = ByteTranslator.from_pretrained(args.checkpoint, "cpu")
    if len(translator.models) > 1:
        raise ValueError(
            f"{args.checkpoint} names {len(translator.models)} checkpoints, and "
            "CTranslate2 has no ensembles: export one, or what bytefusion average makes "
            "of them"
        )
    export_to_ctranslate2(
        translator.models[0],
        translator.task,
        args.directory,
        args.quantization,
        args.overwrite,
    )
    print(f"{args.directory}: for ctranslate2.Translator; bytefusion.json says how to read")
