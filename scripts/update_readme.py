#!/usr/bin/env python3
"""Put what a command printed between two marks of a page, so that no figure is typed.

    python scripts/update_readme.py NAME FILE

replaces what stands between ``<!-- NAME -->`` and ``<!-- /NAME -->`` in README.md or a page
of docs/ by FILE, as code, or as it is where its name ends in .md.
"""

import sys
from pathlib import Path

REPO = Path(__file__).resolve().parents[1]


def read_pages(repo):
    """README.md and the pages of docs/ in a folder, as a dict from Path to text."""
    paths = [repo / "README.md", *sorted((repo / "docs").glob("*.md"))]
    return {path: path.read_text("utf-8") for path in paths}


def replaced(pages, name, content):
    """The page with the marks called ``name``, with ``content`` between them.

    Args:
        pages (dict of Path to str): what the marks must stand in once.
        name (str)
        content (str): ends with a line break.

    Returns:
        (Path, str): the page, and its new text.

    Raises:
        SystemExit: a mark is missing, or stands there twice.
    """
    begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
    holders = [path for path, text in pages.items() if begin in text or end in text]
    counts = [sum(text.count(mark) for text in pages.values()) for mark in (begin, end)]
    if counts != [1, 1] or len(holders) != 1:
        found = ", ".join(str(path) for path in holders) or "none"
        raise SystemExit(
            f"{begin.strip()} and {end} must stand once in one of README.md and docs/*.md "
            f"({counts[0]} and {counts[1]} times in {found}): mend the pages"
        )
    (path,) = holders
    head, rest = pages[path].split(begin)
    if end not in rest:
        raise SystemExit(f"{path}: {end} stands before {begin.strip()}: swap them")
    return path, head + begin + content + end + rest.split(end)[1]


def main():
    name, source = sys.argv[1], Path(sys.argv[2])
    content = source.read_text("utf-8").rstrip("\n") + "\n"
    if source.suffix != ".md":
        content = f"\n```\n{content}```\n\n"
    path, text = replaced(read_pages(REPO), name, content)
    path.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
