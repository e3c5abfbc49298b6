"""chat: piped, and on a terminal with Ctrl-C."""

import json
import subprocess
import time
import unittest

import legato
from terminal import Terminal

TINY = legato.engine("tiny-tales.fp16")
GREEDY = ("--temperature", "0", "--max-tokens", "30")


class Chat(legato.TestCase):
    def test_piped_lines_are_answered_in_order(self):
        done = self.ok("chat", TINY, *GREEDY, stdin="Tell me a story.\nGo on.\n")
        self.assertGreater(len(done.stdout.strip()), 20)
        again = self.ok("chat", TINY, *GREEDY, stdin="Tell me a story.\nGo on.\n")
        self.assertEqual(done.stdout, again.stdout)

    def test_history_reuses_the_cache(self):
        done = self.ok("chat", TINY, *GREEDY, "--stats", stdin="Tell me a story.\nGo on.\n")
        reused = [int(line.split()[1]) for line in done.stderr.splitlines() if "reused" in line]
        self.assertEqual(reused[0], 0)
        self.assertGreater(reused[1], 10)

    def test_a_reused_cache_gives_the_tokens_of_a_fresh_one(self):
        both = self.ok("chat", TINY, *GREEDY, stdin="Hello.\n/reset\nTell me of a fox.\n").stdout
        alone = self.ok("chat", TINY, *GREEDY, stdin="Tell me of a fox.\n").stdout
        self.assertTrue(both.endswith(alone))

    def test_oldest_turns_are_dropped_and_it_says_so(self):
        lines = "".join(f"Tell me story number {i}, please.\n" for i in range(8))
        done = self.ok("chat", TINY, *GREEDY, "--max-len", "128", stdin=lines)
        self.assertIn("the context of 128 tokens is full: the oldest", done.stderr)

    def test_a_question_that_does_not_fit_is_an_error_and_the_next_one_works(self):
        lines = "fox " * 500 + "\nHello.\n"
        done = self.ok("chat", TINY, *GREEDY, "--max-len", "128", stdin=lines)
        self.assertIn("legato: error: prompt: has", done.stderr)
        self.assertGreater(len(done.stdout.strip()), 3)

    def test_the_default_length_is_8192_or_the_models_context(self):
        folder = legato.scratch("chat-long")
        config = json.loads((legato.MODELS / "nano-llama" / "config.json").read_text())
        for source in (legato.MODELS / "nano-llama").iterdir():
            (folder / source.name).write_bytes(source.read_bytes())
        config["max_position_embeddings"] = 1 << 24
        (folder / "config.json").write_text(json.dumps(config))
        engine = folder / "long.engine"
        self.ok("build", folder, "-o", engine)
        whole = self.json("plan", engine)
        self.assertEqual(whole["max_len"], 1 << 24)
        # The memory that the process may take is well below what the whole context needs.
        limit = whole["kv_bytes"] // 2 // 1024
        self.assertGreater(limit, 1 << 20)
        command = f'ulimit -v {limit}; exec "{legato.BIN}" chat "{engine}" --temperature 0 -n 4'
        done = subprocess.run(
            ["sh", "-c", command], input=b"Hello.\n", timeout=60, capture_output=True, check=False
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        command += f" --max-len {1 << 24}"
        done = subprocess.run(
            ["sh", "-c", command], input=b"Hello.\n", timeout=60, capture_output=True, check=False
        )
        self.assertEqual(done.returncode, legato.FAILED)
        self.assertRegex(done.stderr, rb"cannot get \d+ bytes.*a smaller --max-len needs less")
        sequences = ("--max-len", 1 << 24, "--max-seqs", 4096)
        self.refused(legato.FAILED, "chat", engine, *sequences, says="--max-len or --max-seqs")

    def test_questions_of_which_none_is_answered_fail(self):
        lines = "fox " * 500 + "\n"
        done = legato.run("chat", TINY, *GREEDY, "--max-len", "128", stdin=lines * 2)
        self.assertEqual(done.returncode, legato.FAILED)
        self.assertEqual(done.stderr.count("legato: error: prompt: has"), 2)

    def test_models_without_template_or_tokenizer_are_refused(self):
        engine = legato.engine("zoo-more-gpt2-plain.fp32")
        self.refused(legato.FAILED, "chat", engine, says="tokenizer")

    def test_ctrl_c_stops_the_answer_and_not_the_program(self):
        terminal = Terminal("chat", TINY, "--temperature", "0", "--ignore-eos", "--max-tokens", "4000")
        try:
            terminal.wait_for("> ")
            terminal.send("Tell me a story.\n")
            terminal.wait_for("story.")
            time.sleep(0.3)
            terminal.send("\x03")
            terminal.wait_for("stopped")
            terminal.wait_for("> ")
            # At the prompt it does nothing but begin a new line.
            terminal.send("\x03")
            terminal.wait_for("> ")
            terminal.send("And now?\n")
            time.sleep(0.3)
            terminal.send("\x03")
            terminal.wait_for("stopped")
            terminal.wait_for("> ")
            terminal.send("/exit\n")
            self.assertEqual(terminal.end(), 0)
        except BaseException:
            terminal.kill()
            raise

    def test_end_of_input_leaves(self):
        terminal = Terminal("chat", TINY, *GREEDY)
        try:
            terminal.wait_for("> ")
            terminal.send("\x04")
            self.assertEqual(terminal.end(), 0)
        except BaseException:
            terminal.kill()
            raise


if __name__ == "__main__":
    unittest.main()
