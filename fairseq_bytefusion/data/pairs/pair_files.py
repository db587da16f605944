"""The files of a raw-text directory and the languages in their names."""

import os
import re

_PAIR_FILE = re.compile(r"[^.]+\.(?P<pair>[^.]+-[^.]+)\.(?P<lang>[^.]+)")


def require_directory(data_dir):
    """Raise FileNotFoundError where ``data_dir`` is none."""
    if not os.path.isdir(data_dir):
        raise FileNotFoundError(f"no such data directory: {data_dir}")


def pair_files(data_dir):
    """Names of the ``split.src-tgt.lang`` files in ``data_dir`` -> (src, tgt)."""
    require_directory(data_dir)
    files = {}
    for match in map(_PAIR_FILE.fullmatch, sorted(os.listdir(data_dir))):
        if match is None:
            continue
        pair, lang = match["pair"], match["lang"]
        # A code may hold a hyphen itself: train.zh-CN-en.zh-CN.
        if pair.startswith(f"{lang}-"):
            files[match.string] = (lang, pair[len(lang) + 1 :])
        elif pair.endswith(f"-{lang}"):
            files[match.string] = (pair[: -len(lang) - 1], lang)
    return files


def infer_language_pair(data_dir, src=None, tgt=None):
    """The one language pair of a raw-text directory that has the given sides.

    Args:
        data_dir (str): holds files named ``split.src-tgt.lang``.
        src, tgt (str, optional): what is known of the pair.

    Returns:
        tuple of str: source and target language.

    Raises:
        FileNotFoundError: no such directory, or no such files in it.
        ValueError: files of several pairs, or of none with these sides.
    """
    there = sorted(set(pair_files(data_dir).values()))
    if not there:
        raise FileNotFoundError(
            f"{data_dir} holds no files named like train.de-en.de and train.de-en.en"
        )
    either_way = there + [(b, a) for a, b in there] if src or tgt else there
    pairs = [p for p in either_way if src in (None, p[0]) and tgt in (None, p[1])]
    if not pairs:
        listed = ", ".join("-".join(pair) for pair in there)
        raise ValueError(
            f"{data_dir} holds the pairs {listed}: none of them fits --source-lang {src} "
            f"--target-lang {tgt}"
        )
    if len(pairs) > 1:
        listed = ", ".join("-".join(pair) for pair in pairs)
        raise ValueError(
            f"{data_dir} holds several language pairs ({listed}): choose one, or several "
            "sources joined by commas, with --source-lang and --target-lang"
        )
    return pairs[0]


def find_prefix(data_dir, split, src, tgt):
    """str: ``DIR/split.a-b.`` where ``DIR/split.a-b.src`` exists, else None."""
    for pair in (f"{src}-{tgt}", f"{tgt}-{src}"):
        prefix = os.path.join(data_dir, f"{split}.{pair}.")
        if os.path.exists(prefix + src):
            return prefix
    return None


def missing_split(data_dir, split, src, tgt):
    """FileNotFoundError that says what was tried and what is there."""
    there = list(pair_files(data_dir))
    tried = os.path.join(data_dir, f"{split}.{src}-{tgt}.{src}")
    return FileNotFoundError(
        f"no such file: {tried} (nor its twin named {tgt}-{src}). "
        f"{data_dir} holds: {', '.join(there) if there else 'no language pair'}"
    )
