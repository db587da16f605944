"""Installs fairseq_bytefusion. README.md says which versions go together and why."""

from pathlib import Path

from setuptools import find_packages, setup

REQUIREMENTS = [
    # The official release, which Python 3.11 cannot import and which reads
    # aliases that numpy 1.24 removed; and its build for newer Pythons.
    'fairseq>=0.12.2,<0.13; python_version < "3.11"',
    'numpy>=1.21,<1.24; python_version < "3.11"',
    'fairseq-fixed>=0.12.3.1,<0.13; python_version >= "3.11"',
    'numpy>=1.23.5,<3; python_version >= "3.11"',
    "torch>=2.0,<3",
    "sacrebleu>=2.3.1,<3",
    "sacremoses>=0.1,<0.3",
    "sentencepiece>=0.1.99,<0.3",
    "matplotlib>=3.5,<4",
    "tqdm>=4.62,<5",
]

# Snakemake 8 and newer need Python 3.11.
EXPERIMENTS = [
    'snakemake>=8.4,<10; python_version >= "3.11"',
    "jinja2>=3,<4",
    "pyyaml>=5.4,<7",
    "rouge-score>=0.1.2,<0.2",
]

HUGGINGFACE = ["safetensors>=0.3,<1", "transformers>=4.57,<6"]

CTRANSLATE2 = ["ctranslate2>=4.5,<5"]

LABELS = ["pytorch-crf>=0.7.2,<0.8", "scikit-learn>=1.0,<2"]

setup(
    name="fairseq_bytefusion",
    version="0.1.0",
    description="Byte- and character-level machine translation for fairseq",
    long_description=Path(__file__).with_name("README.md").read_text("utf-8"),
    long_description_content_type="text/markdown",
    license="MIT",
    python_requires=">=3.9,<3.14",
    packages=find_packages(include=["fairseq_bytefusion", "fairseq_bytefusion.*"]),
    install_requires=REQUIREMENTS,
    extras_require={
        "experiments": EXPERIMENTS,
        "labels": LABELS,
        "huggingface": HUGGINGFACE,
        "ctranslate2": CTRANSLATE2,
        "zstd": ["zstandard>=0.19,<1"],
        "dev": [
            *EXPERIMENTS,
            *HUGGINGFACE,
            *LABELS,
            *CTRANSLATE2,
            "pytest>=7,<10",
            "pytest-xdist>=3,<4",
            "hypothesis>=6.80,<7",
            "ruff>=0.4,<1",
            "zstandard>=0.19,<1",
        ],
    },
    entry_points={"console_scripts": ["bytefusion = fairseq_bytefusion.cli:main"]},
    classifiers=[
        "License :: OSI Approved :: MIT License",
        "Programming Language :: Python :: 3",
        "Topic :: Scientific/Engineering :: Artificial Intelligence",
    ],
)
