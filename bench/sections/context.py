"""Section context: how a decode step grows with the context, SmolLM2-135M, 8-bit weights, f16 cache."""

import json
import statistics

from peers.measures import spread
from sections.plot import Plot
from sections.tools import ROOT, run_process, table

PICTURE = ROOT / "docs" / "step-time.svg"
STEPS, DEPTHS = 40, range(0, 8001, 160)  # 51 depths, 2040 steps a round
PEER_STEPS, PEER_DEPTHS = 8, range(0, 8001, 500)  # 17 depths
LONGEST = DEPTHS[-1] + STEPS
SLOW = 1.5  # times the line


def fit(points):
    """(a, b, R2) of y = a + b x by least squares."""
    x_mean, y_mean = (statistics.fmean(values) for values in zip(*points))
    xx = sum((x - x_mean) ** 2 for x, _ in points)
    xy = sum((x - x_mean) * (y - y_mean) for x, y in points)
    yy = sum((y - y_mean) ** 2 for _, y in points)
    b = xy / xx
    return y_mean - b * x_mean, b, xy * xy / (xx * yy)


def medians(steps, count):
    """The middle of each run of `count` steps: (mean context, median milliseconds)."""
    pairs = list(zip(steps["context"], steps["ms"]))
    runs = [pairs[begin : begin + count] for begin in range(0, len(pairs), count)]
    return [(statistics.fmean(x for x, _ in run), statistics.median(y for _, y in run)) for run in runs]


def own_steps(tools, engine):
    path = tools.work / "steps.json"
    tools.run(
        "bench",
        engine,
        "--prompt-len",
        0,
        "--gen-len",
        STEPS,
        "--runs",
        1,
        "--threads",
        tools.threads,
        "--kv-dtype",
        "f16",
        "--itl-curve",
        ",".join(map(str, DEPTHS)),
        "--export-steps",
        path,
    )
    steps = json.loads(path.read_text())
    # The steps before the curve were counted too.
    return {key: values[-STEPS * len(DEPTHS) :] for key, values in steps.items()}


def peer_steps(tools, file):
    output, _ = run_process([tools.program("llama_driver"), "steps", file, tools.threads, PEER_STEPS, *PEER_DEPTHS])
    return json.loads(output)


def slow_steps(steps, line):
    """(slow ones, those of them whose threads were kept from their cores for most of what they took too long)."""
    slow = taken = 0
    a, b, _ = line
    for length, ms, waited_us, steal in zip(*(steps[key] for key in ("context", "ms", "waited_us", "steal_ticks"))):
        expected = a + b * length
        if ms > SLOW * expected:
            slow += 1
            taken += steal > 0 or waited_us / 1e3 > (ms - expected) / 2
    return slow, taken


def draw(rounds, lines):
    """The medians of all rounds, and the lines."""
    highest = max(a + b * LONGEST for a, b, _ in lines.values())
    plot = Plot("tokens of context", "milliseconds a decode step", LONGEST, 1.15 * highest)
    for key, name, colour, count in (
        ("ours", "Legato", "#1f6fb4", STEPS),
        ("theirs", "llama.cpp", "#c4501b", PEER_STEPS),
    ):
        a, b, _ = lines[key]
        plot.points([point for r in rounds for point in medians(r[key], count)], colour, 2, 0.5)
        plot.segment((0, a), (LONGEST, a + b * LONGEST), colour, 1.5)
        plot.legend(colour, f"{name}: {a:.2f} ms + {1e3 * b:.2f} us a token")
    PICTURE.write_text(plot.svg())


def pooled(rounds, key, count):
    """The fit to each length's median over the rounds, which a slow minute of the machine doesn't bend."""
    by_length = zip(*(medians(r[key], count) for r in rounds))
    return fit([(points[0][0], statistics.median(ms for _, ms in points)) for points in by_length])


def median_line(lines):
    """The fit whose growth is the middle one of all rounds'."""
    return sorted(lines, key=lambda line: line[1])[len(lines) // 2]


def context(tools):
    file = tools.gguf("smollm2-135m-q8_0.gguf")
    engine = tools.engine(file, "source")
    plan, _ = tools.run("plan", engine, "--max-len", 8192, "--kv-dtype", "f16")
    cache_bytes = plan["kv_bytes_per_token"]
    rounds = []
    for _ in range(tools.rounds):
        one = {"ours": own_steps(tools, engine), "theirs": peer_steps(tools, file), "read": tools.read_bandwidth()}
        one["line"], one["peer_line"] = fit(medians(one["ours"], STEPS)), fit(medians(one["theirs"], PEER_STEPS))
        one["slow"], one["taken"] = slow_steps(one["ours"], one["line"])
        print(
            f"context: {one['line']}, llama.cpp {one['peer_line']}, {one['slow']} slow steps, {one['taken']} explained",
            flush=True,
        )
        rounds.append(one)
    lines = {"ours": median_line([r["line"] for r in rounds]), "theirs": median_line([r["peer_line"] for r in rounds])}
    draw(rounds, lines)
    record = summarise(rounds, cache_bytes)
    record["legato_pooled"] = pooled(rounds, "ours", STEPS)
    record["llama_cpp_pooled"] = pooled(rounds, "theirs", PEER_STEPS)
    return describe(record), record


def summarise(rounds, cache_bytes):
    record = {
        "rounds": len(rounds),
        "cache_bytes_per_token": cache_bytes,
        "steps": sum(len(r["ours"]["ms"]) for r in rounds),
        "slow_steps": sum(r["slow"] for r in rounds),
        "slow_steps_core_taken": sum(r["taken"] for r in rounds),
        "slow_steps_by_round": [[r["slow"], r["taken"]] for r in rounds],
    }
    for name, key in (("legato", "line"), ("llama_cpp", "peer_line")):
        for index, what in enumerate(("a_ms", "b_ms_per_token", "r2")):
            record[f"{name}_{what}"] = spread([r[key][index] for r in rounds])
    record["b_over_bytes"] = spread([r["line"][1] / (cache_bytes / r["read"] * 1e3) for r in rounds])
    record["b_over_llama_cpp"] = spread([r["line"][1] / r["peer_line"][1] for r in rounds])
    record["read_bytes_per_s"] = spread([r["read"] for r in rounds])
    return record


def describe(record):
    def cell(key, factor=1, digits=2):
        figures = record[key]
        return " / ".join(f"{figures[part] * factor:.{digits}f}" for part in ("median", "min", "max"))

    rows = []
    for name, words in (("legato", "Legato"), ("llama_cpp", "llama.cpp")):
        rows += [
            [f"{words}: a, ms", cell(f"{name}_a_ms")],
            [f"{words}: b, us a token of context", cell(f"{name}_b_ms_per_token", 1e3)],
            [f"{words}: R2", cell(f"{name}_r2", 1, 4)],
        ]
        a, b, r2 = record[f"{name}_pooled"]
        rows.append(
            [
                f"{words}: one line through each length's median over the rounds",
                f"{a:.2f} ms + {1e3 * b:.2f} us a token, R2 {r2:.4f}",
            ]
        )
    rows += [
        ["Legato's b over (cache bytes a token / read bandwidth)", cell("b_over_bytes")],
        ["Legato's b over llama.cpp's", cell("b_over_llama_cpp", 1, 3)],
        ["read bandwidth, GB/s", cell("read_bytes_per_s", 1e-9, 1)],
    ]
    text = table(["SmolLM2-135M, q8_0, f16 cache", "median / least / most of the rounds"], rows)
    slow, taken = record["slow_steps"], record["slow_steps_core_taken"]
    return (
        f"{text}\n\nOf Legato's {record['steps']} steps {slow} took more than {SLOW} (a + bL); in {taken} of these the "
        f"kernel took a core away, {slow - taken} have no such reason.\n\n![step time against context](step-time.svg)"
    )
