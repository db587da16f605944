#!/usr/bin/env python3
"""Put what a command printed between two marks of README.md, so that no figure is typed.

    python scripts/update_readme.py NAME FILE

replaces what stands between ``<!-- NAME -->`` and ``<!-- /NAME -->`` by FILE, as code, or
as it is where its name ends in .md.
"""

import sys
from pathlib import Path

README = Path(__file__).resolve().parents[1] / "README.md"


def replaced(text, name, content):
    """``text`` with ``content`` between the marks called ``name``.

    Raises:
        SystemExit: a mark is missing.
    """
    begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
    if text.count(begin) != 1 or text.count(end) != 1:
        raise SystemExit(f"README.md must hold {begin.strip()} and {end} once each")
    head, rest = text.split(begin)
    return head + begin + content + end + rest.split(end)[1]


def main():
    name, path = sys.argv[1], Path(sys.argv[2])
    content = path.read_text("utf-8").rstrip("\n") + "\n"
    if path.suffix != ".md":
        content = f"\n```\n{content}```\n\n"
    README.write_text(replaced(README.read_text("utf-8"), name, content), "utf-8")


if __name__ == "__main__":
    main()
