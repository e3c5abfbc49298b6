"""Values over collected texts, which don't come with the source: LEGATO_TEST_DATA has them."""

import unittest

import legato

IDS = legato.TEST_DATA / "golden" / "eval" / "tales-val.bin"
EXPECTED = 22.891
HALF_PRECISION = 0.002


class CollectedData(legato.TestCase):
    def test_perplexity_of_held_out_tales(self):
        values = {
            precision: self.json(
                "eval", legato.engine(f"tiny-tales.{precision}"), "--ids", IDS, "--window", "1024"
            )["perplexity"]
            for precision in ("fp32", "fp16", "bf16")
        }
        self.assertAlmostEqual(values["fp32"], EXPECTED, delta=0.001)
        for precision in ("fp16", "bf16"):
            self.assertLess(abs(values[precision] / values["fp32"] - 1), HALF_PRECISION, values)

    def test_long_prompts(self):
        for name in ("tiny-tales", "nano-llama", "nano-gpt2"):
            golden = legato.TEST_DATA / "golden" / name / "verify-long.safetensors"
            with self.subTest(name=name):
                value = self.json("verify", legato.engine(f"{name}.fp32"), "--golden", golden)
                self.assertTrue(value["ok"], value)

    def test_golden_values_of_a_general_net_are_not_supported_yet(self):
        golden = legato.TEST_DATA / "zoo" / "mlp" / "golden.safetensors"
        self.refused(
            legato.FAILED, "verify", legato.engine("zoo-llama.fp32"), "--golden", golden,
            says="not supported yet",
        )  # fmt: skip


if __name__ == "__main__":
    if not IDS.exists():
        legato.skip_all(f"{IDS} is absent; set LEGATO_TEST_DATA")
    unittest.main()
