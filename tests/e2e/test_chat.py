"""chat: piped, and on a terminal with Ctrl-C."""

import os
import pty
import select
import signal
import time
import unittest

import legato

TINY = legato.engine("tiny-tales.fp16")
GREEDY = ("--temperature", "0", "--max-tokens", "30")


class Terminal:
    """The program on a pseudo-terminal."""

    def __init__(self, *arguments):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execve(legato.BIN, [legato.BIN, *map(str, arguments)], legato.environment())
        self.text = ""

    def wait_for(self, words, seconds=60):
        """Reads until the words have come; returns what came before them and them."""
        end = time.monotonic() + seconds
        while words not in self.text:
            ready, _, _ = select.select([self.fd], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise AssertionError(f"no {words!r} in {self.text!r}")
            try:
                data = os.read(self.fd, 4096)
            except OSError:
                data = b""
            if not data:
                raise AssertionError(f"ended without {words!r}: {self.text!r}")
            self.text += data.decode("utf-8", "replace")
        place = self.text.index(words) + len(words)
        before, self.text = self.text[:place], self.text[place:]
        return before

    def send(self, text):
        os.write(self.fd, text.encode())

    def end(self):
        _, status = os.waitpid(self.pid, 0)
        os.close(self.fd)
        return os.waitstatus_to_exitcode(status)

    def kill(self):
        os.kill(self.pid, signal.SIGKILL)
        self.end()


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
