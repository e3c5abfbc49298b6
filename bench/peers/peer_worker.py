"""What the Python peers share: `serve MODEL THREADS` loads a model and then answers a line with a measure's name by a
line {"tokens_per_s": X}, as often as it is asked. A line {"ready": true} comes when the model is loaded.

Measures: prefill (512 tokens), decode and decode1024 (32 tokens after 128 and 1024 others). The first of a kind comes
after a warm-up of the same kind, later ones after a few tokens, which wake the process. A peer's `open_model(model,
threads)` returns `generate(prompt ids, output tokens)`, which returns the seconds to the first token and those from
there to the last, and reads past end tokens.
"""

import json
import sys

import numpy as np

from measures import DEPTHS, OUTPUT, PROMPT


FIRST_ID, END_ID = 10, 49000  # ids of prompts: text in SmolLM2's vocabulary, neither special nor spare


class Measures:
    def __init__(self, generate):
        self.generate, self.random = generate, np.random.default_rng(1)
        self.warm = set()

    def prompt(self, length):
        """Always other tokens: some peers remember prompts that they have read."""
        return self.random.integers(FIRST_ID, END_ID, length)

    def once(self, what):
        """Tokens a second."""
        if what == "prefill":
            first, _ = self.generate(self.prompt(PROMPT), 1)
            return PROMPT / first
        _, rest = self.generate(self.prompt(DEPTHS[what]), OUTPUT + 1)
        return OUTPUT / rest

    def answer(self, lines, out):
        print(json.dumps({"ready": True}), file=out, flush=True)
        for what in map(str.strip, lines):
            if what in self.warm:
                self.generate(self.prompt(16), 4)
            else:
                self.once(what)
            self.warm.add(what)
            print(json.dumps({"tokens_per_s": self.once(what)}), file=out, flush=True)


def main(open_model, make=None):
    """`make SOURCE TARGET TYPE` or `serve MODEL THREADS [more for open_model]` of one peer's file."""
    command, *rest = sys.argv[1:]
    if command == "make":
        make(*rest)
    else:
        model, threads, *more = rest
        Measures(open_model(model, int(threads), *more)).answer(sys.stdin, sys.stdout)
