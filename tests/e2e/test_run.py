"""Generating text: the JSON object, determinism, limits, and what a prompt may not be."""

import json
import os
import subprocess
import threading
import unittest

import legato
from terminal import Terminal

TINY = legato.engine("tiny-tales.fp16")
GREEDY = ("--temperature", "0")


class Run(legato.TestCase):
    def test_json_has_the_promised_keys(self):
        value = self.json("run", TINY, "Once upon a time", "--max-tokens", "12", *GREEDY)
        self.assertKeys(value, ["prompt_ids", "token_ids", "text", "finish_reason", "stats"])
        self.assertKeys(
            value["stats"],
            "load_ms prefill_ms decode_ms prompt_tokens generated_tokens kv_bytes".split(),
        )
        self.assertEqual(value["stats"]["prompt_tokens"], len(value["prompt_ids"]))
        self.assertEqual(value["stats"]["generated_tokens"], len(value["token_ids"]))
        self.assertGreater(value["stats"]["kv_bytes"], 0)

    def test_plain_output_is_the_text_of_the_json(self):
        arguments = ("run", TINY, "Once upon a time", "--max-tokens", "40", *GREEDY)
        value = self.json(*arguments)
        self.assertEqual(self.ok(*arguments).stdout.rstrip("\n"), value["text"].rstrip("\n"))

    def test_prompt_may_come_from_a_file_or_standard_input(self):
        arguments = ("run", TINY, "--max-tokens", "8", *GREEDY)
        expected = self.json(*arguments, "The old fox")
        path = legato.scratch("run") / "prompt.txt"
        path.write_text("The old fox")
        for value in (self.json(*arguments, "-f", path), self.json(*arguments, stdin="The old fox")):
            self.assertEqual(value["prompt_ids"], expected["prompt_ids"])
            self.assertEqual(value["token_ids"], expected["token_ids"])

    def test_a_line_end_and_a_byte_order_mark_are_no_part_of_a_prompt(self):
        arguments = ("run", TINY, "--max-tokens", "1", *GREEDY)
        expected = self.json(*arguments, "The old fox")["prompt_ids"]
        for text in ("The old fox\n", "The old fox\r\n", "\ufeffThe old fox"):
            self.assertEqual(self.json(*arguments, stdin=text)["prompt_ids"], expected)
        self.assertNotEqual(self.json(*arguments, stdin="The old fox\n\n")["prompt_ids"], expected)
        self.refused(legato.FAILED, "run", TINY, stdin="\n", says="empty")

    def test_a_prompt_and_messages_may_come_through_a_pipe(self):
        fifo = legato.scratch("run-pipe") / "pipe"
        fifo.unlink(missing_ok=True)
        os.mkfifo(fifo)
        text = "The old fox"
        messages = json.dumps([{"role": "user", "content": text}])
        for flag, content in (("-f", text), ("--messages", messages)):
            writer = threading.Thread(target=fifo.write_text, args=(content,))
            writer.start()
            value = self.json("run", TINY, flag, fifo, "--max-tokens", "1", *GREEDY)
            writer.join()
            self.assertGreater(len(value["prompt_ids"]), 2)
        self.refused(legato.FAILED, "run", TINY, "-f", fifo.parent, says=str(fifo.parent))

    def test_what_is_typed_ends_with_one_ctrl_d(self):
        for arguments in (("run", TINY, "--max-tokens", "3", *GREEDY), ("tokenize", TINY)):
            terminal = Terminal(*arguments)
            try:
                terminal.wait_for("end it with Ctrl-D")
                terminal.send("A king\n\x04")
                self.assertEqual(terminal.end(), 0)
            except BaseException:
                terminal.kill()
                raise

    def test_messages_take_tools_variables_and_a_template(self):
        folder = legato.scratch("run-template")
        (folder / "m.json").write_text('[{"role": "user", "content": "hi"}]')
        (folder / "t.json").write_text('[{"name": "f"}]')
        (folder / "x.jinja").write_text("{{ messages[0].content }} {{ tools[0].name }} {{ mood }}")
        arguments = (
            "--messages", folder / "m.json", "--tools", folder / "t.json",
            "--chat-template", folder / "x.jinja", "--template-vars", '{"mood": "glad"}',
        )  # fmt: skip
        self.assertEqual(self.json("render", TINY, *arguments)["text"], "hi f glad")
        value = self.json("run", TINY, *arguments, "--max-tokens", "1", *GREEDY)
        plain = self.json("run", TINY, "hi f glad", "--max-tokens", "1", "--no-add-special", *GREEDY)
        self.assertEqual(value["prompt_ids"], plain["prompt_ids"])

    def test_greedy_does_not_depend_on_threads_or_room(self):
        texts = {
            json.dumps(self.json("run", TINY, "A king", "--max-tokens", "60", *GREEDY, *more)["token_ids"])
            for more in ((), ("--threads", "1"), ("--threads", "2"), ("--max-len", "2048"))
        }
        self.assertEqual(len(texts), 1)

    def test_equal_seeds_equal_texts(self):
        arguments = ("run", TINY, "A king", "--max-tokens", "40", "--temperature", "1")
        first = self.json(*arguments, "--seed", "7")["token_ids"]
        self.assertEqual(first, self.json(*arguments, "--seed", "7")["token_ids"])
        self.assertNotEqual(first, self.json(*arguments, "--seed", "8")["token_ids"])

    def test_seed_is_told_when_it_was_drawn(self):
        done = self.ok("run", TINY, "A king", "--max-tokens", "20", "--temperature", "1", "--stats")
        seed = done.stderr.split("seed")[1].split()[0]
        again = self.ok(
            "run", TINY, "A king", "--max-tokens", "20", "--temperature", "1", "--seed", seed
        )
        self.assertEqual(again.stdout, done.stdout)

    def test_stop_string_ends_the_text_before_it(self):
        full = self.json("run", TINY, "Once upon a time", "--max-tokens", "60", *GREEDY, "--ignore-eos")
        stop = full["text"][10:16]
        value = self.json(
            "run", TINY, "Once upon a time", "--max-tokens", "60", *GREEDY, "--ignore-eos", "--stop", stop
        )
        self.assertEqual(value["finish_reason"], "stop")
        self.assertEqual(value["text"], full["text"][: full["text"].index(stop)])

    def test_end_token_ends_and_min_tokens_delays_it(self):
        eos = self.json("inspect", TINY)["model"]["eos_ids"][0]
        bias = ("--logit-bias", f"{eos}:100", *GREEDY, "--max-tokens", "10")
        value = self.json("run", TINY, "A king", *bias)
        self.assertEqual((value["token_ids"], value["finish_reason"]), ([eos], "stop"))
        value = self.json("run", TINY, "A king", *bias, "--min-tokens", "4")
        self.assertEqual(len(value["token_ids"]), 5)
        value = self.json("run", TINY, "A king", *bias, "--ignore-eos")
        self.assertEqual((len(value["token_ids"]), value["finish_reason"]), (10, "length"))

    def test_logprobs_are_of_each_token_and_sorted(self):
        value = self.json("run", TINY, "A king", "--max-tokens", "5", *GREEDY, "--logprobs", "3")
        self.assertEqual(len(value["logprobs"]), len(value["token_ids"]))
        for entry, token in zip(value["logprobs"], value["token_ids"]):
            self.assertEqual(entry["id"], token)
            self.assertEqual(entry["top"][0]["id"], token)
            tops = [top["logprob"] for top in entry["top"]]
            self.assertEqual(tops, sorted(tops, reverse=True))
            self.assertLess(entry["logprob"], 0)

    def test_ids_replace_the_prompt(self):
        value = self.json("run", TINY, "--ids", "5,6,7", "--max-tokens", "3", *GREEDY)
        self.assertEqual(value["prompt_ids"], [5, 6, 7])

    def test_messages_are_rendered_and_what_users_write_stays_text(self):
        path = legato.scratch("run") / "messages.json"
        special = "<|endoftext|>"
        path.write_text(json.dumps([{"role": "user", "content": f"Hi {special}"}]))
        value = self.json("run", TINY, "--messages", path, "--max-tokens", "3", *GREEDY)
        special_id = self.json("tokenize", TINY, stdin=special)["ids"]
        self.assertEqual(len(special_id), 1)
        plain = [{"role": "user", "content": "Hi "}]
        path.write_text(json.dumps(plain))
        base = self.json("run", TINY, "--messages", path, "--max-tokens", "3", *GREEDY)
        count = lambda ids: ids.count(special_id[0])
        self.assertEqual(count(value["prompt_ids"]), count(base["prompt_ids"]))

    def test_a_special_token_in_a_prompt_is_text_unless_asked(self):
        text = "<|endoftext|>"
        plain = self.json("run", TINY, text, "--max-tokens", "1", "--no-add-special")["prompt_ids"]
        parsed = self.json(
            "run", TINY, text, "--max-tokens", "1", "--no-add-special", "--parse-special"
        )["prompt_ids"]
        self.assertGreater(len(plain), 1)
        self.assertEqual(len(parsed), 1)

    def test_bad_prompts_fail(self):
        vocab = self.json("inspect", TINY)["model"]["vocab_size"]
        self.refused(legato.FAILED, "run", TINY, "", says="empty")
        self.refused(legato.FAILED, "run", TINY, stdin="", says="empty")
        self.refused(legato.FAILED, "run", TINY, "--ids", "")
        self.refused(legato.FAILED, "run", TINY, "--ids", "1,,2")
        self.refused(legato.FAILED, "run", TINY, "--ids", "-1")
        self.refused(legato.FAILED, "run", TINY, "--ids", f"1,{vocab}", says=str(vocab))
        self.refused(legato.FAILED, "run", TINY, "--ids", "99999999999")
        self.refused(legato.FAILED, "run", TINY, "x", "--logit-bias", f"{vocab}:1", says=str(vocab))
        folder = legato.scratch("run")
        for text in ("42", "[]", '{"a": 1}', '[{"content": "x"}]', "[" * 200 + "]" * 200, "nonsense"):
            (folder / "m.json").write_text(text)
            with self.subTest(text=text[:20]):
                self.refused(legato.FAILED, "run", TINY, "--messages", folder / "m.json")

    def test_a_nul_byte_and_broken_utf8_are_taken(self):
        for text in (b"a\x00b", b"\xff\xfe", "\U0001f98a".encode()[:3]):
            self.ok("run", TINY, "--max-tokens", "2", stdin=text)

    def test_a_full_context_is_an_error_that_names_it(self):
        done = legato.run("run", TINY, "A king", *GREEDY, "--ignore-eos", "--max-len", "32", "--max-tokens", "100")
        self.assertEqual(done.returncode, legato.FAILED)
        self.assertIn("context: is full: it holds 32 positions", done.stderr)
        self.assertGreater(len(done.stdout), 10)
        for count, more in ((40, ("--max-len", "32")), (4097, ())):
            ids = ",".join(["5"] * count)
            limit = more[1] if more else "4096"
            self.refused(legato.FAILED, "run", TINY, "--ids", ids, *more, says=(str(count), limit))

    def test_the_default_length_ends_where_the_context_does(self):
        value = self.json("run", TINY, "A king", *GREEDY, "--ignore-eos", "--max-len", "32")
        self.assertEqual(value["finish_reason"], "length")
        self.assertEqual(len(value["prompt_ids"]) + len(value["token_ids"]), 33)

    def test_every_type_of_cache_and_level_writes_text(self):
        for more in (("--kv-dtype", "f32"), ("--kv-dtype", "bf16"), ("--cpu-level", "sse2")):
            value = self.json("run", TINY, "A king", "--max-tokens", "10", *GREEDY, *more)
            self.assertGreater(len(value["text"]), 5)

    def test_an_engine_without_tokenizer_takes_ids(self):
        config = legato.DATA / "zoo" / "llama" / "config.json"
        path = legato.scratch("run") / "random.engine"
        self.ok("build", "--random-weights", config, "-o", path)
        value = self.json("run", path, "--ids", "1,2,3", "--max-tokens", "4", *GREEDY)
        self.assertEqual(len(value["token_ids"]), 4)
        self.refused(legato.FAILED, "run", path, "hello", says="--ids")


class ModelFolders(legato.TestCase):
    def test_a_folder_is_built_once_and_reused(self):
        cache = legato.scratch("cache")
        env = legato.environment(LEGATO_CACHE=cache)
        arguments = ("run", legato.MODELS / "nano-llama", "A king", "--max-tokens", "8", *GREEDY)
        first = self.ok(*arguments, env=env)
        self.assertIn("building nano-llama once", first.stderr)
        engines = list(cache.glob("*.engine"))
        self.assertEqual(len(engines), 1)
        before = engines[0].stat().st_mtime_ns
        second = self.ok(*arguments, env=env)
        self.assertNotIn("building", second.stderr)
        self.assertEqual(second.stdout, first.stdout)
        self.assertEqual(engines[0].stat().st_mtime_ns, before)

    def test_two_processes_build_once(self):
        cache = legato.scratch("cache-shared")
        env = legato.environment(LEGATO_CACHE=cache)
        command = [legato.BIN, "run", legato.MODELS / "tiny-tales", "A king", "--max-tokens", "8", *GREEDY]
        both = [
            subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            for _ in range(2)
        ]
        outputs = [process.communicate() for process in both]
        self.assertEqual([process.returncode for process in both], [0, 0], outputs)
        self.assertEqual(outputs[0][0], outputs[1][0])
        messages = b"".join(error for _, error in outputs)
        self.assertEqual(messages.count(b"building tiny-tales once"), 1)

    def test_a_damaged_engine_in_the_cache_is_rebuilt(self):
        cache = legato.scratch("cache-damaged")
        env = legato.environment(LEGATO_CACHE=cache)
        arguments = ("run", legato.MODELS / "nano-llama", "A king", "--max-tokens", "8", *GREEDY)
        first = self.ok(*arguments, env=env)
        path = next(cache.glob("*.engine"))
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes(content)
        second = self.ok(*arguments, env=env)
        self.assertIn("stale", second.stderr)
        self.assertEqual(second.stdout, first.stdout)


if __name__ == "__main__":
    unittest.main()
