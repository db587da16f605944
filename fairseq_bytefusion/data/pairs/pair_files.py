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


def search_pair(data_dir, split, src, tgt):
    """The files of a split, named ``split.src-tgt`` or ``split.tgt-src``.

    Args:
        data_dir (str or Path): a raw-text directory.
        split (str): ``train``, ``valid``, ``test`` ...
        src, tgt (str): language codes.

    Returns:
        tuple: paths (str) of the source and the target side, the latter None where it is
        not there; None where there is no source.
    """
    found = []
    for pair in (f"{src}-{tgt}", f"{tgt}-{src}"):
        source, target = (
            os.path.join(data_dir, f"{split}.{pair}.{lang}") for lang in (src, tgt)
        )
        if os.path.isfile(source):
            found.append((source, target if os.path.isfile(target) else None))
    return min(found, key=lambda files: files[1] is None, default=None)


def find_pair(data_dir, split, src, tgt, target_required=True):
    """As :func:`search_pair`, but there must be files.

    Raises:
        FileNotFoundError: says which file was sought and what is there instead.
    """
    found = search_pair(data_dir, split, src, tgt)
    if found is None:
        raise _missing_split(data_dir, split, src, tgt, target_required)
    source, target = found
    if target is None and target_required:
        tried = f"{source[: -len(src)]}{tgt}"
        raise FileNotFoundError(
            f"no such file: {tried}, the target side of {source}{unusable([tried])}"
        )
    return found


def _missing_split(data_dir, split, src, tgt, target_required):
    there = ", ".join(pair_files(data_dir)) or "no language pair"
    name = f"{split}.{src}-{tgt}.{src}"
    tried = [os.path.join(data_dir, n) for n in (name, f"{split}.{tgt}-{src}.{src}")]
    sides = f"{name} with its target side" if target_required else name
    return FileNotFoundError(
        f"no such file: {tried[0]} (nor its twin named {tgt}-{src}). "
        f"{data_dir} has no {sides}; it holds: {there}{unusable(tried)}"
    )


def unusable(paths):
    """str: what bears the name of a file that is sought, or nearly, and why it will not do.

    Args:
        paths (list of str): the names sought.
    """
    for path in paths:
        if os.path.lexists(path):
            return f" ({path} is a folder, a pipe or a link to nothing)"
        for ending in (".gz", ".bz2", ".xz", ".zst"):
            if os.path.exists(path + ending):
                return f" ({path}{ending} is compressed: unpack it)"
    return ""
