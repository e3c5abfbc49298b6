"""Section targets: what was aimed at, what the other sections reached. Reads their records only."""

from sections.tools import table

SHARE = "share_of_bandwidth"


class Reached:
    """Looks figures up in docs/benchmarks.json; what a section has not measured raises KeyError."""

    def __init__(self, record):
        self.record = record

    def figures(self, section):
        return self.record[section]["figures"]

    def fastest(self, size, kind, what):
        """(the least of the median ratios to all peers, that peer, the comparison with llama.cpp)."""
        main = self.figures("gguf" if size == "small" else "gguf_1b")[kind][what]
        others = self.figures("peers_small" if size == "small" else "peers_1b")[kind][what]["peers"]
        peers = main["peers"] | others
        name = min(peers, key=lambda peer: peers[peer]["ratio"]["median"])
        return peers[name]["ratio"]["median"], name, main


def rate_target(size, kind, what, goal, share=None):
    """At least `goal` times the fastest peer, or (share's key, its bound) instead. As all targets: the goal in words, and
    the function that judges it."""

    def judge(reached):
        ratio, name, main = reached.fastest(size, kind, what)
        words, met = f"{ratio:.2f} x {name}", ratio >= goal
        if share:
            key, bound = share
            words += f"; {100 * main[key]:.0f} %"
            met = met or main[key] >= bound
        return words, met

    words = f">= {goal:g} x the fastest peer"
    if share:
        words += f", or {100 * share[1]:.0f} % of {'bandwidth' if share[0] == SHARE else 'FMA peak'}"
    return words, judge


def prefill_1b_f16(reached):
    ratio, name, main = reached.fastest("1b", "f16", "prefill")
    share = main["share_of_fma_peak"]
    return f"{ratio:.2f} x {name}; {100 * share:.0f} %", ratio >= 1.4 and share >= 0.75


def peer_target(section, key, what, peer, goal):
    def judge(reached):
        ratio = reached.figures(section)[key][what]["peers"][peer]["ratio"]["median"]
        return f"{ratio:.2f} x {peer}", ratio >= goal

    return f">= {goal:g} x {peer}", judge


def growth(key, most=None, above=None):
    """A figure of the section context: at most `most`, or above `above`."""

    def judge(reached):
        value = reached.figures("context")[key]["median"]
        return f"{value:.3f}", value > above if most is None else value <= most

    return f"> {above:g}" if most is None else f"<= {most:g}", judge


def slow_steps(reached):
    figures = reached.figures("context")
    taken = figures["slow_steps_core_taken"]
    unexplained = figures["slow_steps"] - taken
    per_2000 = unexplained * 2000 / figures["steps"]
    return (
        f"{unexplained} of {figures['steps']} ({per_2000:.1f} of 2,000), and {taken} with a core "
        "taken away"
    ), unexplained == 0


def load_target(kind):
    def judge(reached):
        entry = next(e for e in reached.figures("load") if e["file"] == kind)
        ratio = entry["ratio_llama_bench"]["median"]
        return f"{ratio:.2f}", ratio <= 0.8

    return "<= 0.8 x llama-bench", judge


def memory_plan(reached):
    entry = reached.figures("memory_peer")
    ratio = entry["legato_bytes"] / entry["planned_bytes"]
    return f"{ratio:.3f}", ratio <= 1.05


def memory_peer(reached):
    entry = reached.figures("memory_peer")
    ratio = entry["legato_bytes"] / entry["llama_cpp_bytes"]
    return f"{ratio:.3f}", ratio <= 1


def tiny_perplexity(text, precision, percent):
    def judge(reached):
        entry = next(e for e in reached.figures("perplexity") if e["text"] == text)
        above = 100 * (entry[precision] / entry["fp32"] - 1)
        return f"{above:+.2f} %", above <= percent

    return f"<= {percent:g} % above fp32", judge


def gguf_perplexity(kind, precision, percent):
    def judge(reached):
        entry = next(e for e in reached.figures("perplexity_gguf") if e["file"] == kind and e["precision"] == precision)
        above = 100 * (entry["legato"] / entry["llama_cpp"] - 1)
        return f"{above:+.2f} %", above <= percent

    return f"<= {percent:g} % above llama.cpp", judge


def greedy(reached):
    prompts = reached.figures("greedy")
    equal = sum(one["equal_up_to_near_ties"] for one in prompts)
    least = min(one["tokens"] for one in prompts)
    return f"{equal} of {len(prompts)}, {least} tokens each", equal == len(prompts) == 10 and least >= 16


def targets():
    """(measure, goal in words, function of Reached that gives what was reached and whether that is enough)."""
    for size, model, ratios, bounds in (
        ("1b", "1B", (1.1, 1.2, 1.35), (0.9, 0.85, 0.85)),
        ("small", "SmolLM2", (1.3, 1.6, 1.5), (0.8, 0.8, 0.8)),
    ):
        for kind, ratio, bound in zip(("f16", "q8_0", "q4_0"), ratios, bounds):
            yield f"decode, {model}, {kind}, context 128", *rate_target(size, kind, "decode", ratio, (SHARE, bound))
    for kind in ("f16", "q8_0", "q4_0"):
        yield f"decode, SmolLM2, {kind}, context 1024", *rate_target("small", kind, "decode1024", 1.6, (SHARE, 0.8))
    yield "prefill 512, 1B, f16", ">= 1.4 x the fastest peer and >= 75 % of FMA peak", prefill_1b_f16
    yield "prefill 512, SmolLM2, f16", *rate_target("small", "f16", "prefill", 1.12, ("share_of_fma_peak", 0.75))
    for stem, model in (("llama-1b", "1B"), ("smollm2-135m", "SmolLM2")):
        yield f"prefill 512, {model}, w8", *peer_target("w8", stem, "prefill", "ctranslate2", 1.1)
    for section, model in (("gguf_1b", "1B"), ("gguf", "SmolLM2")):
        yield f"prefill 512, {model}, q8_0", *peer_target(section, "q8_0", "prefill", "llama.cpp", 1.8)
    for size, model in (("1b", "1B"), ("small", "SmolLM2")):
        yield f"prefill 512, {model}, q4_0", *rate_target(size, "q4_0", "prefill", 1.4)
    for stem, model in (("llama-1b", "1B"), ("smollm2-135m", "SmolLM2")):
        for key, peer, goal in (("w8", "ctranslate2", 1.1), ("q8_0", "llama.cpp", 1.8), ("q4_0", "llama.cpp", 1.4)):
            target = peer_target("avx2", f"{stem}-{key}", "prefill", peer, goal)
            yield f"prefill 512 without AVX-512, {model}, {key}", *target
    for kind in ("f16", "q8_0"):
        yield f"16 sequences together, SmolLM2, {kind}", *peer_target("gguf", kind, "batch16", "llama.cpp", 1.4)
    yield "step growth b over the cache's bytes at read bandwidth", *growth("b_over_bytes", most=2.1)
    yield "step growth b over llama.cpp's", *growth("b_over_llama_cpp", most=0.25)
    yield "step growth, R2", *growth("legato_r2", above=0.99)
    yield "steps above 1.5 (a + bL), no core taken away", "none in 2,000", slow_steps
    for kind in ("q8_0", "f16"):
        yield f"load to first token, 1B, {kind}", *load_target(kind)
    for text, bound in (("tales-val", 6), ("moby-dick", 7)):
        yield f"perplexity, tiny-tales, {text}, w8", *tiny_perplexity(text, "w8", 0.3)
        yield f"perplexity, tiny-tales, {text}, w4", *tiny_perplexity(text, "w4", bound)
    for kind in ("f16", "q8_0", "q4_1"):
        yield f"perplexity, SmolLM2, moby-dick, w8 of the {kind} file", *gguf_perplexity(kind, "w8", 0.3)
    yield "perplexity, SmolLM2, moby-dick, w4 of the q4_1 file", *gguf_perplexity("q4_1", "w4", 2)
    for kind in ("f16", "q8_0", "q4_1", "q4_0"):
        yield f"perplexity, SmolLM2, moby-dick, {kind} file", *gguf_perplexity(kind, "source", 0.5)
    yield "resident peak, 1B, q8_0, 2k context, over the plan", "<= 1.05", memory_plan
    yield "resident peak, 1B, q8_0, 2k context, over llama.cpp's", "<= 1", memory_peer
    yield "greedy tokens equal llama.cpp's up to near-ties", "10 prompts, >= 16 tokens each", greedy


def summary(record):
    """The table, and the same as data."""
    reached, rows, found = Reached(record), [], []
    for measure, goal, judge in targets():
        try:
            words, met = judge(reached)
        except KeyError:
            words, met = "not measured", None
        rows.append([measure, goal, words, {True: "yes", False: "no", None: ""}[met]])
        found.append({"measure": measure, "goal": goal, "reached": words, "met": met})
    return table(["measure", "target", "reached", "met"], rows), found
