"""What plan predicts is what a run then takes."""

import unittest

import legato

SHARE = 0.02
SMALL_ENGINE_SLACK = 4 << 20


class Plan(legato.TestCase):
    def compare(self, source, engine, slack, *more):
        plan = self.json("plan", source, *more)
        self.assertKeys(
            plan,
            "weights_bytes kv_bytes_per_token kv_bytes workspace_bytes process_bytes total_bytes "
            "max_tokens".split(),
        )
        parts = ("weights_bytes", "kv_bytes", "workspace_bytes", "process_bytes")
        self.assertEqual(plan["total_bytes"], sum(plan[part] for part in parts))
        bench = self.json(
            "bench", engine, "--prompt-len", "64", "--gen-len", "8", "--runs", "1", *more
        )
        difference = plan["total_bytes"] - bench["peak_rss_bytes"]
        self.assertLessEqual(
            abs(difference),
            SHARE * bench["peak_rss_bytes"] + slack,
            f"planned {plan}, took {bench['peak_rss_bytes']}",
        )
        return plan

    def test_small_engines(self):
        for more in (
            ("--max-seqs", "1", "--max-len", "128"),
            ("--max-seqs", "16", "--max-len", "4096"),
            ("--max-seqs", "4", "--max-len", "2048", "--kv-dtype", "f32", "--threads", "1"),
        ):
            with self.subTest(more=more):
                engine = legato.engine("tiny-tales.fp16")
                plan = self.compare(engine, engine, SMALL_ENGINE_SLACK, *more)
                self.assertGreaterEqual(plan["max_tokens"], int(more[1]) * int(more[3]))

    def test_a_folder_that_was_not_built(self):
        self.compare(
            legato.MODELS / "tiny-tales", legato.engine("tiny-tales.fp16"), SMALL_ENGINE_SLACK,
            "--max-seqs", "4", "--max-len", "1024",
        )  # fmt: skip

    def test_a_larger_shape(self):
        path = legato.scratch("plan") / "smollm2.engine"
        self.ok("build", "--random-weights", "smollm2-135m", "--precision", "fp16", "-o", path)
        self.compare(path, path, 0, "--max-seqs", "2", "--max-len", "1024")
        path.unlink()

    def test_bad_usage(self):
        engine = legato.engine("tiny-tales.fp16")
        self.refused(legato.USAGE, "plan")
        self.refused(legato.USAGE, "plan", engine, "--precision", "fp16")
        self.refused(legato.USAGE, "plan", engine, "--max-len", "100000", says="4096")


if __name__ == "__main__":
    unittest.main()
