"""What the end-to-end tests share: paths, running the program, skipping."""

import json
import os
import pathlib
import subprocess
import sys
import unittest

BIN = os.environ["LEGATO_BIN"]
SOURCE = pathlib.Path(os.environ["LEGATO_SOURCE"])
BUILD = pathlib.Path(os.environ["LEGATO_BUILD"])
WORK = pathlib.Path(os.environ["LEGATO_WORK"])
TEST_DATA = pathlib.Path(os.environ["LEGATO_TEST_DATA"])
MODELS = SOURCE / "models"
DATA = SOURCE / "tests" / "data"
SKIPPED = 77

FAILED = 1
USAGE = 2


def environment(**extra):
    env = dict(os.environ, LEGATO_CACHE=str(WORK / "cache"), NO_COLOR="1")
    env.update({key: str(value) for key, value in extra.items()})
    return env


def run(*arguments, stdin=None, env=None, timeout=300, cwd=None):
    """Runs the program; the result has returncode, stdout and stderr (text)."""
    if isinstance(stdin, str):
        stdin = stdin.encode()
    done = subprocess.run(
        [BIN, *map(str, arguments)],
        input=stdin if stdin is not None else b"",
        capture_output=True,
        env=env or environment(),
        timeout=timeout,
        cwd=cwd,
        check=False,
    )
    done.stdout = done.stdout.decode("utf-8")
    done.stderr = done.stderr.decode("utf-8", "replace")
    return done


def engine(name):
    """An engine that build_engines.py made: tiny-tales.fp32, zoo-gpt2.fp32 ..."""
    return WORK / "engines" / f"{name}.engine"


def scratch(name):
    """An empty folder of this test's own."""
    path = WORK / "scratch" / name
    path.mkdir(parents=True, exist_ok=True)
    for entry in path.iterdir():
        if entry.is_file() or entry.is_symlink():
            entry.unlink()
    return path


def skip_all(reason):
    print(f"SKIPPED: {reason}")
    sys.exit(SKIPPED)


class TestCase(unittest.TestCase):
    maxDiff = 4000

    def ok(self, *arguments, **options):
        done = run(*arguments, **options)
        self.assertEqual(done.returncode, 0, f"{arguments}\n{done.stderr}")
        return done

    def json(self, *arguments, code=0, **options):
        """The one object that a --json run prints on standard output."""
        done = run(*arguments, "--json", **options)
        self.assertEqual(done.returncode, code, f"{arguments}\n{done.stderr}")
        value = json.loads(done.stdout)
        self.assertIsInstance(value, dict)
        return value

    def refused(self, code, *arguments, says=(), **options):
        """Exit code, empty standard output and one line of error that says these words."""
        done = run(*arguments, **options)
        self.assertEqual(done.returncode, code, f"{arguments}\n{done.stdout}\n{done.stderr}")
        self.assertEqual(done.stdout, "", arguments)
        lines = [line for line in done.stderr.splitlines() if line.startswith("legato: error: ")]
        self.assertEqual(len(lines), 1, f"{arguments}\n{done.stderr}")
        for words in [says] if isinstance(says, str) else says:
            self.assertIn(words, lines[0])
        return lines[0]

    def assertKeys(self, value, keys):
        self.assertLessEqual(set(keys), set(value), f"missing: {set(keys) - set(value)}")
