#!/usr/bin/env bash
# Train a small byte model on the sample data, translate its test set, score it.
# Run by `make quickstart`. What is there already is not made again; a training that
# was stopped goes on where it was. RUN=dir chooses where the results go.
set -euo pipefail
cd "$(dirname "$0")/.."

DATA=data_prep/sample
RUN=${RUN:-runs/quickstart}
USER_DIR=$(bytefusion path)
COMMON=("$DATA" --user-dir "$USER_DIR" --task byte_translation -s hinglish -t en)
export PYTHONWARNINGS=ignore
mkdir -p "$RUN"

if [[ ! -e $RUN/trained ]]; then
    echo "==> training on 8,300 Hinglish-English pairs (about 9 minutes on 2 cores;" \
        "log: $RUN/train.log)"
    # Goes on from the newest whole checkpoint; writes the seconds of all sessions.
    python scripts/experiments/steps/going_on.py "$RUN" "$RUN/train.log" -- \
        fairseq-train "${COMMON[@]}" \
        --arch byte_transformer_small \
        --encoder-normalize-before --decoder-normalize-before \
        --criterion label_smoothed_cross_entropy --label-smoothing 0.1 \
        --optimizer adam --adam-betas '(0.9, 0.98)' \
        --lr 4e-3 --lr-scheduler polynomial_decay --warmup-updates 300 \
        --max-update 1900 --total-num-update 1900 --max-tokens 4000 \
        --save-dir "$RUN" --no-epoch-checkpoints --num-workers 0 --log-format tqdm
fi

if [[ ! -e $RUN/test.log ]]; then
    echo "==> translating the 1,000 test sentences (log: $RUN/test.log)"
    fairseq-generate "${COMMON[@]}" --path "$RUN/checkpoint_best.pt" \
        --beam 4 --batch-size 100 --log-format tqdm \
        >"$RUN/test.log.part"
    mv "$RUN/test.log.part" "$RUN/test.log"
fi

{
    echo "trained for $(<"$RUN/trained") seconds; the test set's translations:"
    echo
    bytefusion score --hyp "$RUN/test.log" --ref "$DATA/test.hinglish-en.en" --examples 4
} | tee "$RUN/result.txt"
