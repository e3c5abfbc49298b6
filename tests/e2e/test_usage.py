"""Exit codes, help, and what is refused before anything is done."""

import subprocess
import unittest

import legato

COMMANDS = "bench build chat detokenize eval inspect plan render run tokenize verify".split()
TINY = legato.engine("tiny-tales.fp32")


class Usage(legato.TestCase):
    def test_help_lists_every_command_and_each_explains_itself_with_examples(self):
        text = self.ok("--help").stdout
        for command in COMMANDS:
            self.assertIn(f"  {command} ", text)
            own = self.ok(command, "--help").stdout
            self.assertIn(f"usage: legato {command}", own)
            self.assertIn(f"legato {command}", own[own.index("examples:") :])
            self.assertEqual(self.ok("help", command).stdout, own)

    def test_version_is_one_line(self):
        self.assertRegex(self.ok("--version").stdout, r"^legato \d+\.\d+\.\d+\n$")

    def test_no_command_or_an_unknown_one_is_bad_usage(self):
        self.assertEqual(legato.run().returncode, legato.USAGE)
        self.refused(legato.USAGE, "frobnicate", says="frobnicate")

    def test_what_comes_later_is_named(self):
        for command in ("serve", "calibrate", "simulate"):
            self.refused(legato.USAGE, command, says=(command, "not supported yet"))
        for flag in ("--int8", "--fp8", "--best"):
            self.refused(
                legato.USAGE, "build", "x", "-o", "y", flag, says=(flag, "not supported yet")
            )
        self.refused(
            legato.USAGE, "build", "x", "-o", "y", "--precision", "w4", says="not supported yet"
        )
        self.refused(
            legato.USAGE, "build", "x", "-o", "y", "--device", "cuda:0", says="not supported yet"
        )
        for name in ("m.onnx", "m.gguf"):
            path = legato.scratch("usage") / name
            path.write_bytes(b"x")
            self.refused(legato.FAILED, "run", path, "hello", says=(name, "not supported yet"))

    def test_missing_and_contradictory_arguments(self):
        self.refused(legato.USAGE, "run")
        self.refused(legato.USAGE, "build")
        self.refused(legato.USAGE, "build", "x")
        self.refused(legato.USAGE, "build", "x", "-o", "y", "--random-weights", "llama-3-8b")
        self.refused(legato.USAGE, "build", "x", "-o", "y", "--fp16", "--bf16")
        self.refused(legato.USAGE, "run", TINY, "hello", "--ids", "1,2")
        self.refused(legato.USAGE, "run", TINY, "hello", "--nonsense")
        self.refused(legato.USAGE, "eval", TINY)
        self.refused(legato.USAGE, "verify", TINY)

    def test_numbers_out_of_range_nan_and_overflow(self):
        for flag, values in {
            "--max-tokens": ("0", "-5", "9223372036854775808", "1e3", "x", ""),
            "--temperature": ("-1", "nan", "inf", "999999", "1e999"),
            "--top-p": ("0", "-1", "1.5", "nan"),
            "--min-p": ("-0.1", "2"),
            "--top-k": ("-2", "1.5"),
            "--repetition-penalty": ("0", "-1", "nan"),
            "--threads": ("0", "-1", "100000"),
            "--seed": ("-1", "99999999999999999999"),
            "--max-len": ("0", "-1"),
            "--kv-dtype": ("f64", "", "int8"),
            "--cpu-level": ("avx3", ""),
            "--logit-bias": ("1", "1:", "x:1", "1:nan", "1:1000"),
            "--logprobs": ("-1", "1000000"),
        }.items():
            for value in values:
                with self.subTest(flag=flag, value=value):
                    self.refused(
                        legato.USAGE, "run", TINY, "hello", f"{flag}={value}", says=(flag, "got")
                        if value not in ("int8",)
                        else (flag,),
                    )

    def test_a_length_above_the_models_context_names_both(self):
        self.refused(
            legato.USAGE, "run", TINY, "hello", "--max-len", "5000", says=("5000", "4096")
        )

    def test_a_missing_file_fails(self):
        for command in (
            ("run", "/nonexistent.engine", "x"),
            ("inspect", "/nonexistent.engine"),
            ("plan", "/nonexistent"),
            ("tokenize", "/nonexistent"),
            ("eval", TINY, "--ids", "/nonexistent.bin"),
            ("verify", TINY, "--golden", "/nonexistent.safetensors"),
            ("run", TINY, "-f", "/nonexistent.txt"),
            ("render", TINY, "--messages", "/nonexistent.json"),
        ):
            with self.subTest(command=command):
                self.refused(legato.FAILED, *command, says="/nonexistent")

    def test_closed_standard_streams_are_errors_and_never_other_files(self):
        folder = legato.scratch("usage")
        model, good, bad = legato.MODELS / "nano-llama", folder / "a.engine", folder / "b.engine"
        self.ok("build", model, "-o", good)
        for closed, code in ((">&-", 1), ("2>&-", 0), (">&- 2>&- <&-", 1)):
            command = f'"{legato.BIN}" build "{model}" -o "{bad}" {closed}'
            done = subprocess.run(["sh", "-c", command], timeout=60, check=False)
            with self.subTest(closed=closed):
                self.assertEqual(done.returncode, code)
                self.assertEqual(bad.read_bytes(), good.read_bytes())
        for command in ("run", "tokenize"):
            line = f'"{legato.BIN}" {command} "{good}" <&-'
            done = subprocess.run(["sh", "-c", line], timeout=20, capture_output=True, check=False)
            self.assertEqual(done.returncode, legato.FAILED)
            self.assertIn(b"standard input: can't be read", done.stderr)
        # Ends as at the end of its input instead of waiting for ever.
        line = f'"{legato.BIN}" chat "{legato.engine("tiny-tales.fp16")}" <&-'
        subprocess.run(["sh", "-c", line], timeout=20, capture_output=True, check=True)

    def test_camel_case_is_understood(self):
        value = self.json("run", TINY, "--ids=5", "--maxTokens=2", "--ignoreEos")
        self.assertEqual(len(value["token_ids"]), 2)


if __name__ == "__main__":
    unittest.main()
