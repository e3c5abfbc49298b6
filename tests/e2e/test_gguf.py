"""GGUF files: what is built from them, that other commands read them, and what is refused."""

import shutil
import struct
import subprocess
import time
import unittest

import legato

GGUF = legato.DATA / "gguf"
ZOO = legato.DATA / "zoo"
LLAMA = GGUF / "llama-00001-of-00002.gguf"


class Models(legato.TestCase):
    def test_each_family_gives_the_tokens_of_its_folder(self):
        pairs = {
            LLAMA: "llama",
            GGUF / "mistral.gguf": "mistral",
            GGUF / "llama3.gguf": "llama-rope-llama3",
            GGUF / "qwen2.gguf": "qwen2",
            GGUF / "qwen3.gguf": "more-qwen3",
            GGUF / "gpt2.gguf": "gpt2",
        }
        folder = legato.scratch("gguf")
        for path, name in pairs.items():
            with self.subTest(path=path.name):
                self.ok("build", path, "-o", folder / "x.engine")
                golden = ZOO / name / "golden.safetensors"
                value = self.json("verify", folder / "x.engine", "--golden", golden)
                self.assertTrue(value["ok"])

    def test_blocks_stay_as_they_are_unless_a_precision_is_named(self):
        output = legato.scratch("gguf") / "x.engine"
        source = GGUF / "llama-mixed.gguf"
        blocks = self.json("build", source, "-o", output)
        plain = self.json("build", source, "-o", output, "--precision", "fp32")
        self.assertLess(blocks["bytes"], plain["bytes"] / 2)
        self.assertEqual(plain["precision"], "fp32")

    def test_every_type_of_a_mix_is_named(self):
        output = legato.scratch("gguf") / "x.engine"
        built = self.json("build", GGUF / "llama-mixed.gguf", "-o", output)
        told = self.json("inspect", output)
        self.assertEqual(built["weights"], told["weights"])
        types = [each["precision"] for each in told["weights"]]
        mixed = {"q8_0", "q4_0", "q4_1", "q5_0", "q5_1", "fp16", "bf16", "fp32"}
        self.assertEqual(set(types), mixed)
        self.assertEqual(len(types), len(mixed))
        sizes = [each["bytes"] for each in told["weights"]]
        self.assertEqual(sizes, sorted(sizes, reverse=True))
        section = next(s["bytes"] for s in told["sections"] if s["name"] == "weights")
        self.assertLessEqual(sum(sizes), section)
        self.assertGreater(sum(sizes), 0.9 * section)
        for text in (
            self.ok("build", GGUF / "llama-mixed.gguf", "-o", output).stdout,
            self.ok("inspect", output).stdout,
        ):
            for each in told["weights"]:
                count = each["tensors"]
                words = f"{each['precision']} {count} tensor{'' if count == 1 else 's'} ("
                self.assertIn(words, text)

    def test_run_builds_once_into_the_cache(self):
        arguments = ("run", LLAMA, "Once", "--max-tokens", "4", "--temperature", "0")
        env = legato.environment(LEGATO_CACHE=legato.scratch("gguf-cache"))
        first = self.ok(*arguments, env=env)
        second = self.ok(*arguments, env=env)
        self.assertIn("building llama-00001-of-00002.gguf once", first.stderr)
        self.assertIn("using ", second.stderr)
        self.assertEqual(first.stdout, second.stdout)

    def test_tokenizer_and_plan_need_no_engine(self):
        text = "Hello  don't 123 caf\u00e9"
        mine = self.json("tokenize", LLAMA, stdin=text)
        self.assertEqual(mine, self.json("tokenize", ZOO / "llama", stdin=text))
        ids = ",".join(map(str, mine["ids"]))
        self.assertEqual(self.json("detokenize", LLAMA, "--ids", ids)["text"], text)
        plan = self.json("plan", LLAMA, "--max-seqs", "2", "--max-len", "64")
        self.assertGreater(plan["weights_bytes"], 0)


class Refused(legato.TestCase):
    def refuse(self, content, says):
        path = legato.scratch("gguf-bad") / "bad.gguf"
        path.write_bytes(content)
        for command in (("run", path, "x"), ("build", path, "-o", path.with_suffix(".engine"))):
            start = time.monotonic()
            self.refused(legato.FAILED, *command, says=("bad.gguf", says))
            self.assertLess(time.monotonic() - start, 5)
        self.assertFalse(path.with_suffix(".engine").exists())

    def test_other_versions_and_damage(self):
        good = (GGUF / "qwen3.gguf").read_bytes()
        self.refuse(good[:4] + struct.pack("<I", 1) + good[8:], "version 1")
        self.refuse(good[:4] + struct.pack(">I", 3) + good[8:], "big-endian")
        self.refuse(b"ggml" + good[4:], "expected \"GGUF\"")
        self.refuse(good[:-2000], "truncated or damaged")
        self.refuse(good[:100], "the file has 100")
        self.refuse(b"", "0 bytes")
        head = struct.pack("<4sIQQ", b"GGUF", 3, 0, 1) + struct.pack("<Q", 1) + b"a"
        self.refuse(head + struct.pack("<IIQ", 9, 4, 1 << 63), "key \"a\"")

    def test_a_scale_that_is_no_number_is_named(self):
        content = bytearray((GGUF / "llama-mixed.gguf").read_bytes())
        content[-4096:] = b"\xff" * 4096
        self.refuse(bytes(content), "has a NaN at row")

    def test_what_is_no_model_is_called_so(self):
        path = legato.scratch("gguf-bad") / "notes.txt"
        path.write_text("no model at all")
        output = path.with_suffix(".engine")
        self.refused(legato.FAILED, "build", path, "-o", output, says="notes.txt: is no model")

    def test_a_missing_part_is_named(self):
        folder = legato.scratch("gguf-parts")
        first = folder / LLAMA.name
        shutil.copy(LLAMA, first)
        env = legato.environment(LEGATO_CACHE=folder / "cache")
        for command in (("build", first, "-o", folder / "x.engine"), ("run", first, "Once")):
            self.refused(
                legato.FAILED, *command, env=env,
                says="llama-00002-of-00002.gguf: part 2 of 2 is missing",
            )  # fmt: skip
        second = GGUF / "llama-00002-of-00002.gguf"
        self.refused(
            legato.FAILED, "build", second, "-o", folder / "x.engine", says="expected the first"
        )

    def test_a_whole_file_may_bear_the_name_of_a_part(self):
        folder = legato.scratch("gguf-named-as-part")
        first = folder / "m-00001-of-00002.gguf"
        shutil.copy(GGUF / "qwen3.gguf", first)
        env = legato.environment(LEGATO_CACHE=folder / "cache")
        self.ok("run", first, "--ids", "1,2", "--max-tokens", "1", "--json", env=env)

    def test_inspect_says_what_it_was_given(self):
        for path, kind in ((GGUF / "qwen3.gguf", "GGUF file"), (ZOO / "llama", "folder")):
            self.refused(legato.FAILED, "inspect", path, says=f"is a {kind}, expected an engine")

    def test_a_part_is_not_overwritten_by_the_engine(self):
        folder = legato.scratch("gguf-parts")
        for name in ("llama-00001-of-00002.gguf", "llama-00002-of-00002.gguf"):
            shutil.copy(GGUF / name, folder / name)
        second = folder / "llama-00002-of-00002.gguf"
        self.refused(legato.FAILED, "build", folder / LLAMA.name, "-o", second, says="is the input")


class PublicFile(legato.TestCase):
    """SmolLM2-135M-Instruct as its authors' users have it: q4_1 with a q8_0 embedding."""

    @classmethod
    def setUpClass(cls):
        fetched = subprocess.run(
            [legato.SOURCE / "scripts" / "fetch-model"], capture_output=True, text=True, check=False
        )
        if fetched.returncode != 0:
            raise unittest.SkipTest(fetched.stderr.strip().splitlines()[-1])
        cls.model = fetched.stdout.strip()

    def test_it_answers_and_ends(self):
        messages = legato.scratch("gguf-public") / "m.json"
        messages.write_text('[{"role": "user", "content": "What is the capital of France?"}]')
        value = self.json(
            "run", self.model, "--messages", messages, "--temperature", "0", "--max-tokens", "100"
        )
        self.assertIn("Paris", value["text"])
        self.assertEqual(value["finish_reason"], "stop")
        self.assertNotIn("<|im", value["text"])

    def test_any_level_writes_the_same_kind_of_text(self):
        for level in ("sse2", "avx2"):
            text = self.ok(
                "run", self.model, "The capital of France is", "--temperature", "0",
                "--max-tokens", "3", "--cpu-level", level,
            ).stdout  # fmt: skip
            self.assertIn("Paris", text)


if __name__ == "__main__":
    unittest.main()
