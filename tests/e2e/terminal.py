"""The program on a pseudo-terminal."""

import os
import pty
import select
import signal
import time

import legato


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
