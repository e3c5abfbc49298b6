"""The benchmark's object, profile and curve."""

import json
import unittest

import legato

TINY = legato.engine("tiny-tales.fp16")
SHORT = ("--prompt-len", "32", "--gen-len", "8", "--runs", "2")


class Bench(legato.TestCase):
    def test_json_has_the_promised_keys(self):
        value = self.json("bench", TINY, *SHORT, "--batch", "3", "--depth", "16")
        self.assertKeys(
            value,
            "prefill decode output_tokens_per_s bytes_per_step bandwidth_bytes_per_s roofline "
            "peak_rss_bytes device commit".split(),
        )
        self.assertKeys(value["prefill"], ["tokens_per_s", "ms"])
        self.assertKeys(value["prefill"]["ms"], ["min", "median", "p99"])
        self.assertKeys(value["decode"], ["tokens_per_s", "itl_ms"])
        self.assertKeys(value["decode"]["itl_ms"], "min median p90 p99 max".split())
        self.assertKeys(value["roofline"], ["floor_ms", "ratio"])
        itl = value["decode"]["itl_ms"]
        self.assertLessEqual(itl["min"], itl["median"])
        self.assertLessEqual(itl["p99"], itl["max"])
        self.assertGreater(value["bytes_per_step"], 5e6)

    def test_profile_explains_the_step(self):
        path = legato.scratch("bench") / "profile.json"
        value = self.json("bench", TINY, *SHORT, "--dumpProfile", f"--exportProfile={path}")
        profile = value["profile"]
        self.assertEqual(json.loads(path.read_text())["layers"], profile["layers"])
        self.assertAlmostEqual(sum(layer["share"] for layer in profile["layers"]), 1, places=6)
        for layer in profile["layers"]:
            self.assertKeys(layer, "name op us share bytes bytes_per_s roofline_share".split())
        self.assertAlmostEqual(
            profile["kernels_us"], sum(layer["us"] for layer in profile["layers"]), places=3
        )
        text = self.ok("bench", TINY, *SHORT, "--dump-profile").stdout
        for words in ("% of roof", "p95", "floor", "step beside kernels"):
            self.assertIn(words, text)

    def test_curve_is_fitted(self):
        value = self.json("bench", "--loadEngine=" + str(TINY), *SHORT, "--itl-curve", "0,256,1024")
        self.assertKeys(value["itl_fit"], ["a_ms", "b_ms_per_token", "r2"])
        self.assertEqual(len(value["itl_curve"]["median_ms"]), 3)

    def test_each_step_is_exported(self):
        path = legato.scratch("bench") / "steps.json"
        self.json("bench", TINY, *SHORT, "--itl-curve", "64", "--export-steps", path)
        steps = json.loads(path.read_text())
        self.assertEqual(steps["context"], 2 * list(range(32, 40)) + list(range(64, 72)))
        for key in "ms preemptions waited_us steal_ticks".split():
            self.assertEqual(len(steps[key]), 24)
        self.assertGreater(min(steps["ms"]), 0)

    def test_the_machine(self):
        value = self.json("bench", "bandwidth")
        self.assertKeys(value["read_bytes_per_s"], ["one_thread", "all_threads", "huge_pages"])
        self.assertGreater(value["read_bytes_per_s"]["one_thread"], 1e8)
        value = self.json("bench", "flops")
        self.assertKeys(value, ["f32_flops", "int8_ops"])
        self.assertGreater(value["f32_flops"], 1e8)

    def test_default_lengths_fit_a_short_context(self):
        short = legato.engine("zoo-more-gpt2-plain.fp32")
        for more, lengths in (
            ((), (103, 25)),
            (("--gen-len", "100"), (28, 100)),
            (("--prompt-len", "100"), (100, 28)),
            (("--depth", "120"), (7, 1)),
        ):
            with self.subTest(more=more):
                workload = self.json("bench", short, "--runs", "1", *more)["workload"]
                self.assertEqual((workload["prompt_len"], workload["gen_len"]), lengths)

    def test_bad_usage(self):
        self.refused(legato.USAGE, "bench")
        self.refused(legato.USAGE, "bench", "flops", "--prompt-len", "5", says="--threads")
        self.refused(legato.USAGE, "bench", "flops", "--export-steps", "x", says="--threads")
        self.refused(legato.USAGE, "bench", "serve", says="not supported yet")
        self.refused(legato.USAGE, "bench", TINY, "--prompt-len", "5000", says="4096")
        self.refused(legato.USAGE, "bench", TINY, "--batch", "4", "--max-seqs", "2")
        self.refused(legato.USAGE, "bench", TINY, "--gen-len", "0")
        self.refused(
            legato.USAGE, "bench", TINY, "--batch", "65536", says=("--batch", "65536", "a step")
        )
        self.refused(legato.USAGE, "bench", TINY, "--itl-curve", "0,x")


if __name__ == "__main__":
    unittest.main()
