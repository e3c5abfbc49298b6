#!/usr/bin/env python3
"""Compiles each header alone: a header that leans on what its users include first is refused.

usage: check_headers.py BUILD_DIR    (its compile_commands.json names the include paths)
"""

import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def include_flags(build):
    """The -I, -isystem and -D of all units together."""
    flags = []
    for entry in json.loads((build / "compile_commands.json").read_text()):
        words = shlex.split(entry["command"])
        for index, word in enumerate(words):
            pair = None
            if word == "-isystem":
                pair = (word, words[index + 1])
            elif word.startswith("-I"):
                pair = (word,)
            if pair and pair not in flags:
                flags.append(pair)
    return [word for pair in flags for word in pair]


def check(header, flags):
    command = ["g++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror"]
    # Headers of tests may use the paths that test programs are given.
    paths = ['-DLEGATO_SOURCE_DIR=""', '-DLEGATO_BINARY_DIR=""']
    command += ["-Wno-missing-field-initializers", *paths, *flags, "-x", "c++", "-"]
    source = f'#include "{header}"\n'
    done = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
    return (header, done.stderr) if done.returncode else None


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    build = pathlib.Path(sys.argv[1])
    flags = include_flags(build)
    headers = sorted((ROOT / "src").rglob("*.h")) + sorted((ROOT / "include").rglob("*.h"))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        failures = [f for f in pool.map(lambda header: check(header, flags), headers) if f]
    for header, message in failures:
        print(f"{header.relative_to(ROOT)} does not compile alone:\n{message}")
    if not failures:
        print(f"check_headers: {len(headers)} headers compile alone")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
