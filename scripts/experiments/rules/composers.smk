# Word composers: how long their encoders take.


def encoder_time(wildcards):
    return grid.experiments[wildcards.experiment].encoder_time(plan)


# One thread, so that what runs beside disturbs all systems alike.
rule encoder_time:
    input:
        lambda w: encoder_time(w)[1],
    output:
        f"{WORK}/{{experiment}}/encoder_time.json",
    params:
        command=lambda w: join(encoder_time(w)[0]),
    shell:
        "OMP_NUM_THREADS=1 {params.command}"
