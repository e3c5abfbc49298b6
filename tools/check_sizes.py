#!/usr/bin/env python3
"""Reports how long files and functions are; fails when a file has more than 800 lines.

The aim: median file at most 120 lines, nine in ten at most 350, functions at most 60.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("src", "include", "tests", "tools", "bench", "examples", "scripts")
SUFFIXES = {".cc", ".h", ".py", ".sh", ""}
MAX_FILE_LINES = 800
AIM_FUNCTION_LINES = 60
NOT_A_FUNCTION = re.compile(
    r"^\s*(?:inline\s+)?(namespace|class|struct|enum|union|extern|if|for|while|switch|do|else|try|catch)\b"
)
NOISE = re.compile(
    r'^[ \t]*#(?:[^\n]*\\\n)*[^\n]*|//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S | re.M
)


def percentile(values, fraction):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(fraction * len(ordered)))]


def source_files():
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            relative = path.relative_to(ROOT)
            if path.is_file() and path.suffix in SUFFIXES and relative.parts[:2] != ("tests", "data"):
                if "corpus" not in relative.parts and "seeds" not in relative.parts:
                    yield path


def blank(match):
    """Keeps the lines of a comment or literal and drops its text, braces included."""
    return "\n" * match[0].count("\n")


def cpp_functions(text):
    """(first line, lines) of each function body, found by counting braces."""
    text = NOISE.sub(blank, text)
    functions = []
    stack = []  # (is a function, first line)
    statement_start = 0
    line = 1
    for position, char in enumerate(text):
        if char == "\n":
            line += 1
        elif char == "{":
            head = text[statement_start:position]
            inside = any(is_function for is_function, _ in stack)
            is_function = not inside and "(" in head and not NOT_A_FUNCTION.match(head.strip())
            stripped = head.lstrip()
            stack.append((is_function, line - stripped.count("\n")))
            statement_start = position + 1
        elif char == "}":
            if stack:
                is_function, first = stack.pop()
                if is_function:
                    functions.append((first, line - first + 1))
            statement_start = position + 1
        elif char == ";":
            statement_start = position + 1
    return functions


def report(what, values):
    print(
        f"{what}: {len(values)}, lines: median {percentile(values, 0.5)}, "
        f"p90 {percentile(values, 0.9)}, max {max(values)}"
    )


def main():
    sizes = {}
    functions = []
    for path in source_files():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        name = str(path.relative_to(ROOT))
        sizes[name] = text.count("\n")
        if path.suffix in {".cc", ".h"}:
            functions += [(size, f"{name}:{line}") for line, size in cpp_functions(text)]
    report("files", list(sizes.values()))
    report("functions", [size for size, _ in functions])
    for size, place in sorted(functions, reverse=True):
        if size > AIM_FUNCTION_LINES:
            print(f"  longer than {AIM_FUNCTION_LINES} lines: {place} ({size})")
    too_long = {name: size for name, size in sizes.items() if size > MAX_FILE_LINES}
    for name, size in sorted(too_long.items()):
        print(f"{name}: {size} lines, at most {MAX_FILE_LINES} are allowed")
    return 1 if too_long else 0


if __name__ == "__main__":
    sys.exit(main())
