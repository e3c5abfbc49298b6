"""Weights in 8 and 4 bits: what a build writes, what it loses, and what it refuses."""

import unittest

import legato

TINY = legato.MODELS / "tiny-tales"
IDS = legato.DATA / "eval" / "moby-dick.bin"
# How far perplexity may lie from fp32 on the bundled text.
LIMITS = {"w8": 0.003, "w4": 0.07}


class WeightFormats(legato.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = legato.scratch("weight-formats")
        for name, arguments in {
            "w8": ("--precision", "w8"),
            "w4": ("--precision", "w4", "--group", "32"),
            "w4.fp16": ("--precision", "w4", "--embed-precision", "fp16"),
        }.items():
            done = legato.run("build", TINY, "-o", cls.folder / name, *arguments)
            if done.returncode != 0:
                raise AssertionError(done.stderr)

    def test_files_are_as_small_as_promised_and_equal(self):
        # Matrices of tiny-tales: a tied table of 4096 rows, and what six layers have, 256 wide.
        table = 4096 * 256
        body = 6 * (256 * (256 + 2 * 128 + 256) + 3 * 256 * 768)
        for name, bits in {
            "w8": 8.2 * (table + body),
            "w4": 8.2 * table + 5 * body,
            "w4.fp16": 16 * table + 5 * body,
        }.items():
            info = self.json("inspect", self.folder / name)
            weights = next(s["bytes"] for s in info["sections"] if s["name"] == "weights")
            self.assertLess(weights, bits / 8 * 1.01, name)
            self.assertEqual(info["precision"], name[:2])
            self.assertEqual(info["kv"]["dtype"], "f16")
        again = self.folder / "again"
        self.ok("build", TINY, "-o", again, "--precision", "w4", "--group", "32")
        self.assertEqual(again.read_bytes(), (self.folder / "w4").read_bytes())

    def test_plan_knows_the_bytes_before_they_are_written(self):
        for name in ("w8", "w4"):
            planned = self.json("plan", TINY, "--precision", name)
            built = self.json("plan", self.folder / name)
            self.assertEqual(planned["weights_bytes"], built["weights_bytes"], name)

    def test_perplexity(self):
        arguments = ("--ids", IDS, "--window", "512", "--max-windows", "6")
        full = self.json("eval", legato.engine("tiny-tales.fp32"), *arguments)["perplexity"]
        for name, limit in LIMITS.items():
            value = self.json("eval", self.folder / name, *arguments)["perplexity"]
            self.assertLess(abs(value / full - 1), limit, name)

    def test_a_tied_table_has_one_precision(self):
        self.refused(
            legato.FAILED, "build", TINY, "-o", self.folder / "x", "--precision", "w4",
            "--embed-precision", "fp16", "--head-precision", "w8",
            says=("embedding and head", "f16", "w8"),
        )  # fmt: skip

    def test_refusals(self):
        def refused(code, *arguments, says):
            self.refused(code, "build", TINY, "-o", self.folder / "x", *arguments, says=says)
            self.assertFalse((self.folder / "x").exists())

        for group in ("64", "0", "all"):
            refused(
                legato.USAGE, "--precision", "w4", "--group", group,
                says=("--group", f'"{group}"', "expected 32"),
            )  # fmt: skip
        refused(legato.FAILED, "--precision", "w8", "--group", "32", says=("group", "w4"))
        refused(legato.FAILED, "--group", "32", says="group")
        refused(legato.USAGE, "--precision", "q4_0", says=("q4_0", "w8 or w4"))
        refused(legato.USAGE, "--precision", "int8", says="w8 or w4")
        refused(legato.USAGE, "--head-precision", "w3", says="w3")
        refused(legato.USAGE, "--fp16", "--precision", "w8", says="two different precisions")
        refused(legato.USAGE, "--kv-dtype", "w8", says="w8")


if __name__ == "__main__":
    unittest.main()
