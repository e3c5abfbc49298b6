"""What is measured of a program and its peers, and how the values of several rounds are summed up."""

import statistics

PROMPT, OUTPUT = 512, 32  # tokens of a prefill, and of a decode
DEPTHS = {"decode": 128, "decode1024": 1024}  # tokens that stand before those of a decode


def spread(values):
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}
