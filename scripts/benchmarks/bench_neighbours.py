"""Memory of finding the nearest rows of every row of a table, as training does.

    python scripts/benchmarks/bench_neighbours.py --rows 30000 120000

``table`` is the memory of the table itself, ``peak`` the most that the process ever held,
libraries included.
"""

import argparse
import subprocess
import sys

import torch
from process_memory import megabytes

from fairseq_bytefusion.modules.nearest_rows import nearest_rows

NEIGHBOURS = 15


def measure(rows, dim):
    """Print a row of the result, about a random table Float[rows, dim]."""
    torch.manual_seed(1)
    table = torch.randn(rows, dim)
    nearest_rows(table, table, NEIGHBOURS, torch.arange(rows))
    size = table.numel() * table.element_size() / 2**20
    peak = megabytes("VmHWM")
    print(f"| {rows} | {dim} | {size:.0f} | {peak:.0f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[30000, 120000])
    parser.add_argument("--dim", type=int, default=768)
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        measure(args.rows[0], args.dim)
        return
    print("| rows | dimensions | table MB | peak MB |\n|---|---|---|---|")
    sys.stdout.flush()
    for rows in args.rows:  # each in a process of its own: a peak is for good
        flags = ["--rows", str(rows), "--dim", str(args.dim), "--one"]
        subprocess.run([sys.executable, __file__, *flags], check=True)


if __name__ == "__main__":
    main()
