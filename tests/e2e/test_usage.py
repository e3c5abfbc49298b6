"""Exit codes, help, and what is refused before anything is done."""

import json
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
            legato.USAGE, "build", "x", "-o", "y", "--precision", "fp8", says="not supported yet"
        )
        self.refused(
            legato.USAGE, "build", "x", "-o", "y", "--device", "cuda:0", says="not supported yet"
        )
        for name in ("m.onnx",):
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
        self.refused(legato.USAGE, "run", TINY, "--seed", "1", "--seed", "2", says="given 2 times")
        self.refused(legato.USAGE, "run", TINY, "--seed", says="--seed needs a value")
        self.refused(legato.USAGE, "build", legato.MODELS / "nano-llama", "-o", "-", says='got "-"')
        self.refused(legato.USAGE, "eval", TINY)
        self.refused(legato.USAGE, "verify", TINY)

    def test_numbers_out_of_range_nan_and_overflow(self):
        for flag, values in {
            "--max-tokens": ("0", "-5", "9223372036854775808", "1e3", "x", ""),
            "--temperature": ("-1", "nan", "inf", "999999", "1e999"),
            "--top-p": ("0", "-1", "1.5", "nan"),
            "--min-p": ("-0.1", "2"),
            "--top-k": ("-2", "1.5"),
            "--template-vars": ("{", "[1]", "x", ""),
            "--repetition-penalty": ("0", "-1", "nan"),
            "--threads": ("0", "-1", "100000"),
            "--seed": ("-2", "99999999999999999999"),
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

    def test_words_too_many_are_told_in_order_with_what_to_do(self):
        self.refused(
            legato.USAGE, "run", TINY, "Once", "upon", "a", "time",
            says=("unexpected words: upon a time", "quote"),
        )  # fmt: skip
        error = self.refused(legato.USAGE, "inspect", TINY, "x", says="unexpected word: x")
        self.assertNotIn("quote", error)

    def test_a_misspelt_flag_or_command_is_told_what_was_meant(self):
        for flag, meant in (("--max-token", "--max-tokens"), ("--temprature=1", "--temperature")):
            error = self.refused(
                legato.USAGE, "run", TINY, flag, "7", "hello", says=f"did you mean {meant}?"
            )
            self.assertIn(f"unknown flag {flag.split('=')[0]};", error)
        error = self.refused(legato.USAGE, "run", TINY, "--nonsense", "5", says="unknown flag --nonsense")
        self.assertNotIn("did you mean", error)
        self.refused(legato.USAGE, "rnu", TINY, says="did you mean run?")

    def test_flags_of_other_programs_are_hinted_at_ours(self):
        for words, meant in (
            (("run", TINY, "x", "-t", "4"), "-t; did you mean --threads?"),
            (("run", TINY, "x", "-c", "2048"), "-c; did you mean --max-len?"),
            (("run", TINY, "x", "--ctx-size=2048"), "--ctx-size; did you mean --max-len?"),
            (("run", TINY, "x", "--n-predict", "9"), "--n-predict; did you mean --max-tokens?"),
            (("run", TINY, "x", "-np", "2"), "-np; did you mean --max-seqs?"),
            (("run", "-m", TINY, "-p", "x"), "-m; MODEL stands without a flag"),
            (("chat", TINY, "-c", "2048"), "-c; did you mean --max-len?"),
            (("chat", TINY, "--repeat-penalty", "1"), "did you mean --repetition-penalty?"),
            (("bench", TINY, "-n", "9"), "-n; did you mean --gen-len?"),
            (("bench", TINY, "-p", "9"), "-p; did you mean --prompt-len?"),
            (("bench", TINY, "-r", "9"), "-r; did you mean --runs?"),
            (("eval", TINY, "-f", "x.txt"), "-f; did you mean --text?"),
            (("eval", TINY, "--text", "x", "-c", "512"), "-c; did you mean --window?"),
            (("eval", TINY, "--text", "x", "--chunks", "2"), "did you mean --max-windows?"),
            (("verify", TINY, "--golden", "x", "-t", "4"), "-t; did you mean --threads?"),
            (("plan", TINY, "-c", "2048"), "-c; did you mean --max-len?"),
            (("plan", TINY, "-ctk", "f16"), "-ctk; did you mean --kv-dtype?"),
            (("tokenize", "-m", TINY, "x"), "-m; MODEL stands without a flag"),
            (("tokenize", TINY, "-f", "x"), "-f; did you mean --text-file?"),
            (("build", TINY, "-o", "x", "--ubatch-size", "9"), "did you mean --max-step-tokens?"),
        ):
            with self.subTest(words=words):
                self.refused(legato.USAGE, *words, says=("unknown flag ", meant))
        for flag in ("-ngl", "-fa", "-no-cnv", "-hf"):
            self.refused(legato.USAGE, "run", TINY, flag, "9", says=f"unknown flag {flag}")
        for words in (("detokenize", TINY, "-t", "4"), ("inspect", TINY, "-c", "2048")):
            self.assertNotIn("did you mean", self.refused(legato.USAGE, *words, says="unknown flag"))

    def test_one_of_a_kind_is_singular(self):
        done = self.ok("run", TINY, "--ids=5", "-n", "1", "--stats", "--ignore-eos")
        self.assertRegex(done.stderr, r"(?s)prefill .* 1 token, .*decode .* 1 token, ")
        ids = legato.scratch("usage-one") / "ids.bin"
        ids.write_bytes(bytes(4))
        done = self.ok("eval", TINY, "--ids", ids, "--window", "2")
        self.assertTrue(done.stdout.startswith("1 token in 1 window, "), done.stdout)
        for suffix in ("engine", "gguf"):
            short = ids.with_name(f"short.{suffix}")
            short.write_bytes(b"G")
            error = self.refused(legato.FAILED, "run", short, "x")
            self.assertNotIn("1 bytes", error)
        self.assertIn("the file has 1 byte,", error)
        plan = self.ok("plan", TINY, "--max-seqs", "1", "--max-len", "17")
        self.assertRegex(plan.stdout, r"\d tokens of ")

    def test_help_for_an_unknown_command_is_bad_usage(self):
        self.refused(legato.USAGE, "help", "nosuch", says="nosuch")
        self.refused(legato.USAGE, "help", "serve", says="not supported yet")
        self.assertEqual(self.ok("help").stdout, self.ok("--help").stdout)

    def test_two_dashes_end_the_flags_wherever_they_stand(self):
        expected = self.json("run", TINY, "--max-tokens=2", "--prompt=-5 degrees")["prompt_ids"]
        for words in (
            ("run", "--max-tokens", "2", "--json", TINY, "--", "-5 degrees"),
            ("run", TINY, "--json", "--max-tokens", "2", "--", "-5 degrees"),
            ("run", TINY, "--json", "-n", "2", "--stop", "zzz", "--", "-5 degrees"),
            ("run", TINY, "-n", "2", "--stop", "zzz", "--json", "--", "-5 degrees"),
            ("run", "--json", "-n", "2", "--", TINY, "-5 degrees"),
        ):
            with self.subTest(words=words):
                self.assertEqual(json.loads(self.ok(*words).stdout)["prompt_ids"], expected)
        value = json.loads(self.ok("run", TINY, "-n", "2", "--json", "--", "--json").stdout)
        self.assertEqual(
            value["prompt_ids"], self.json("run", TINY, "-n", "2", "--prompt=--json")["prompt_ids"]
        )

    def test_spellings_known_from_elsewhere(self):
        greedy = self.json("run", TINY, "A king", "--max-tokens", "6", "--temperature", "0")
        same = self.json("run", TINY, "-p", "A king", "-n", "6", "--temp", "0", "--top-k", "-1")
        self.assertEqual(same["token_ids"], greedy["token_ids"])
        seeds = {
            self.json("run", TINY, "A king", "-n", "1", "--seed", "-1")["seed"] for _ in range(3)
        }
        self.assertGreater(len(seeds), 1)
        self.refused(legato.USAGE, "run", TINY, "x", "-p", "y")

    def test_flags_that_would_have_no_effect_are_refused(self):
        folder = legato.scratch("usage-effect")
        (folder / "m.json").write_text('[{"role": "user", "content": "x"}]')
        (folder / "ids.bin").write_bytes(bytes(64))
        messages = ("--messages", folder / "m.json")
        for words in (
            ("run", TINY, "x", "--logprobs", "2"),
            ("chat", TINY, "--logprobs", "2"),
            ("run", TINY, *messages, "--parse-special"),
            ("run", TINY, *messages, "--no-add-special"),
            ("run", TINY, "--ids", "1", "--parse-special"),
            ("run", TINY, "x", "--tools", folder / "m.json"),
            ("run", TINY, "x", "--template-vars", "{}"),
            ("run", TINY, "x", "--chat-template", folder / "m.json"),
            ("eval", TINY, "--ids", folder / "ids.bin", "--window", "8", "--no-special"),
            ("eval", TINY, "--ids", folder / "ids.bin", "--dump-ids", folder / "d.bin"),
        ):
            with self.subTest(words=words):
                self.refused(legato.USAGE, *words)

    def test_a_length_above_the_models_context_names_both(self):
        self.refused(
            legato.USAGE, "run", TINY, "hello", "--max-len", "5000", says=("5000", "4096")
        )

    def test_a_missing_file_fails(self):
        missing = str(legato.scratch("usage") / "missing")
        for command in (
            ("run", missing + ".engine", "x"),
            ("inspect", missing + ".engine"),
            ("plan", missing),
            ("tokenize", missing),
            ("eval", TINY, "--ids", missing + ".bin"),
            ("verify", TINY, "--golden", missing + ".safetensors"),
            ("run", TINY, "-f", missing + ".txt"),
            ("render", TINY, "--messages", missing + ".json"),
        ):
            with self.subTest(command=command):
                self.refused(legato.FAILED, *command, says=missing)

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
        chat = ("chat", legato.engine("tiny-tales.fp16"))
        for command, engine in (("run", good), ("tokenize", good), chat):
            line = f'"{legato.BIN}" {command} "{engine}" <&-'
            done = subprocess.run(["sh", "-c", line], timeout=20, capture_output=True, check=False)
            self.assertEqual(done.returncode, legato.FAILED)
            self.assertIn(b"standard input: can't be read", done.stderr)

    def test_camel_case_is_understood(self):
        value = self.json("run", TINY, "--ids=5", "--maxTokens=2", "--ignoreEos")
        self.assertEqual(len(value["token_ids"]), 2)


if __name__ == "__main__":
    unittest.main()
