#!/usr/bin/env bash
# Put real output into README.md and docs/*.md: `make readme`. Needs what `make quickstart`
# made and the tables under results/ (scripts/benchmarks, scripts/experiments).
set -euo pipefail
cd "$(dirname "$0")/.."

RUN=${RUN:-runs/quickstart}
shopt -s nullglob
insert() { python scripts/update_readme.py "$@"; }

insert quickstart "$RUN/result.txt"

echo 'kal subah 7 baje alarm laga do' |
    fairseq-interactive data_prep/sample --user-dir "$(bytefusion path)" \
        --task byte_translation -s hinglish -t en --path "$RUN/checkpoint_best.pt" \
        2>"$RUN/interactive.log" | grep -E '^[SHD]-' >"$RUN/interactive.txt"
insert interactive "$RUN/interactive.txt"

sed -n '/^    from fairseq_bytefusion.generation/,/^        print/s/^    //p' README.md |
    python - 2>/dev/null >"$RUN/python.txt"
insert python "$RUN/python.txt"

page_commands() { sed -n "/^    $2/,/[^\\\\]$/s/^    //p" "$1"; }
page_commands docs/char2subword.md TABLE= | bash >"$RUN/approximation.log" 2>&1
page_commands docs/char2subword.md 'bytefusion neighbours' |
    bash 2>>"$RUN/approximation.log" >"$RUN/neighbours.txt"
insert neighbours "$RUN/neighbours.txt"

for table in results/bench_*.md; do
    insert "$(basename "$table" .md)" "$table"
done

for table in results/*/table.md; do
    insert "$(basename "$(dirname "$table")")" "$table"
done

insert times results/times.md

# What README shows of them.
insert headline_decoding results/bench_decoder_text.md
# The first seed of each system: a mean has no mark that says whether it may be compared.
sed -n -e '/^BLEU/,/^chrF2/{/^chrF2/d;/^| [^|]* | \([2-9]\|mean\) |/d;p;}' \
    -e '/^Every system/p' results/many_to_one/table.md >"$RUN/headline_many_to_one.md"
insert headline_many_to_one "$RUN/headline_many_to_one.md"
