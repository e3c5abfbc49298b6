"""What the Python peers share: a command line `bench MODEL MEASURE THREADS` that prints {"tokens_per_s": X}.

Measures: prefill (512 tokens), decode and decode1024 (32 tokens after 128 and 1024 others). One warm-up of the same kind
comes first. A peer gives `generate(prompt ids, output tokens)`, which returns the seconds to the first token and those
from there to the end, without reading the end token.
"""

import json
import sys

import numpy as np

PROMPT, OUTPUT = 512, 32
DEPTHS = {"decode": 128, "decode1024": 1024}


def prompt_ids(count, vocab=49000):
    return np.random.default_rng(count).integers(10, vocab, count)


def measure(generate, what):
    if what == "prefill":
        first, _ = generate(prompt_ids(PROMPT), 1)
        return PROMPT / first
    _, rest = generate(prompt_ids(DEPTHS[what]), OUTPUT + 1)
    return OUTPUT / rest


def serve(make, open_model):
    """`make SOURCE TARGET TYPE` or `bench MODEL MEASURE THREADS` of one peer's file."""
    command, *rest = sys.argv[1:]
    if command == "make":
        make(*rest)
        return
    model, what, threads = rest
    generate = open_model(model, int(threads))
    measure(generate, what)
    print(json.dumps({"tokens_per_s": measure(generate, what)}))
