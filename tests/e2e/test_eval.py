"""Perplexity of the bundled text against the value that PyTorch gave, and eval's own rules."""

import math
import unittest

import legato

IDS = legato.DATA / "eval" / "moby-dick.bin"
TEXT = legato.DATA / "eval" / "moby-dick.txt"
EXPECTED = 41.733
HALF_PRECISION = 0.002


class Eval(legato.TestCase):
    def evaluate(self, precision, *more):
        value = self.json("eval", legato.engine(f"tiny-tales.{precision}"), *more)
        self.assertKeys(value, ["tokens", "nll", "perplexity"])
        self.assertAlmostEqual(math.exp(value["nll"]), value["perplexity"], places=6)
        return value

    def test_moby_dick_in_all_precisions(self):
        full = self.evaluate("fp32", "--ids", IDS, "--window", "1024")
        windows = IDS.stat().st_size // 2 // 1024
        self.assertEqual(full["tokens"], windows * 1023)
        self.assertAlmostEqual(full["perplexity"], EXPECTED, delta=0.001)
        for precision in ("fp16", "bf16"):
            with self.subTest(precision=precision):
                half = self.evaluate(precision, "--ids", IDS, "--window", "1024")
                self.assertLess(
                    abs(half["perplexity"] / full["perplexity"] - 1), HALF_PRECISION, half
                )

    def test_a_text_gives_the_same_as_its_ids(self):
        folder = legato.scratch("eval")
        arguments = ("--window", "512", "--score-from", "256", "--max-windows", "4")
        by_ids = self.evaluate("fp16", "--ids", IDS, *arguments)
        by_text = self.evaluate("fp16", "--text", TEXT, "--dump-ids", folder / "ids", *arguments)
        self.assertEqual(by_ids, by_text)
        self.assertEqual(by_ids["tokens"], 4 * 256)
        self.assertEqual((folder / "ids").read_bytes(), IDS.read_bytes())

    def test_the_default_window_fits_a_short_context(self):
        short = legato.engine("zoo-more-gpt2-plain.fp32")
        path = legato.scratch("eval") / "short.bin"
        path.write_bytes(b"\x05\x00" * 300)
        value = self.json("eval", short, "--ids", path)
        self.assertEqual((value["windows"], value["tokens"]), (2, 2 * 127))
        value = self.json("eval", short, "--ids", path, "--max-len", "100")
        self.assertEqual((value["windows"], value["tokens"]), (3, 3 * 99))
        self.refused(legato.USAGE, "eval", short, "--ids", path, "--score-from", "128", says="128")

    def test_refusals(self):
        tiny = legato.engine("tiny-tales.fp16")
        path = legato.scratch("eval") / "ids.bin"
        path.write_bytes(b"\x01\x00\x02")
        self.refused(legato.FAILED, "eval", tiny, "--ids", path, says="3 bytes")
        path.write_bytes(b"\x01\x00" * 3)
        self.refused(legato.FAILED, "eval", tiny, "--ids", path, says=("3 tokens", "1024", "--window"))
        path.write_bytes(b"\xff\xff" * 8)
        self.refused(legato.FAILED, "eval", tiny, "--ids", path, "--window", "8", says="65535")
        self.refused(legato.USAGE, "eval", tiny, "--ids", IDS, "--window", "5000", says="4096")
        # Said before the weights are read, where a flipped bit would be noticed.
        damaged = legato.scratch("eval") / "damaged.engine"
        content = bytearray(tiny.read_bytes())
        content[-5000] ^= 1
        damaged.write_bytes(content)
        self.refused(legato.USAGE, "eval", damaged, "--ids", IDS, "--window", "5000", says="4096")
        self.refused(legato.FAILED, "eval", damaged, "--ids", IDS, "--window", "8", says="checksum")
        self.refused(
            legato.USAGE, "eval", tiny, "--ids", IDS, "--window", "8", "--score-from", "8"
        )


if __name__ == "__main__":
    unittest.main()
