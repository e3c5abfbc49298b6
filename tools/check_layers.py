#!/usr/bin/env python3
"""Checks the includes of src/ against the table of folders in ARCHITECTURE.md.

A folder may include itself, what its row names, and what those may include. Tests are exempt.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]')
# The public headers: implemented by api, used by programs; base shares their Status.
PUBLIC_USERS = {"base", "api", "cli"}
# Slow to compile: one unit sees it, so that editing a sub-command stays cheap.
SINGLE_UNIT = {"CLI/": "src/cli/parser.cc"}


def read_table(text):
    """Rows of the folder table, in order: {folder: text of its third column}."""
    rows = {}
    in_table = False
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if cells == ["folder", "holds", "may include"]:
            in_table = True
        elif in_table and not line.startswith("|"):
            break
        elif in_table and len(cells) == 3 and not set(cells[0]) <= {"-", " "}:
            rows[cells[0]] = cells[2]
    return rows


def direct_rules(rows):
    rules = {}
    for folder, allowed in rows.items():
        above = list(rows)[: list(rows).index(folder)]
        if allowed == "all":
            rules[folder] = set(rows)
        elif allowed.startswith("all above"):
            _, _, excepted = allowed.partition("but")
            rules[folder] = set(above) - set(excepted.split())
        elif allowed == "-":
            rules[folder] = set()
        else:
            rules[folder] = set(allowed.split())
    return rules


def closure(rules, folder):
    seen = set()
    waiting = [folder]
    while waiting:
        current = waiting.pop()
        if current not in seen:
            seen.add(current)
            waiting.extend(rules[current])
    return seen


def is_project_header(target):
    return any((ROOT / top / target).is_file() for top in ("src", "include"))


def check_file(path, rules):
    """Yields one line for each include that breaks a rule."""
    relative = path.relative_to(ROOT)
    folder = relative.parts[1]
    allowed = closure(rules, folder)
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        target = match[2]
        for prefix, only in SINGLE_UNIT.items():
            if target.startswith(prefix) and str(relative) != only:
                yield f"{relative}:{number}: only {only} may include {target}"
        if match[1] == "<":
            if is_project_header(target):
                yield f"{relative}:{number}: {target} is ours: include it in quotes"
            continue
        top = target.split("/")[0]
        if top == "legato":
            if folder not in PUBLIC_USERS:
                yield f"{relative}:{number}: {folder} may not include the public {target}"
        elif not (ROOT / "src" / target).exists():
            # A generated header has no file in src/; anything else would not compile.
            continue
        elif top not in allowed:
            yield f"{relative}:{number}: {folder} may not include {top} ({target})"


def main():
    rows = read_table((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8"))
    if not rows:
        sys.exit("check_layers: ARCHITECTURE.md has no table of folders")
    rules = direct_rules(rows)
    problems = [
        f"ARCHITECTURE.md: {folder} names {name}, which has no row"
        for folder, names in rules.items()
        for name in sorted(names - set(rows))
    ]
    if problems:
        sys.exit("\n".join(problems))
    for directory in sorted(p for p in (ROOT / "src").iterdir() if p.is_dir()):
        if directory.name not in rules:
            problems.append(f"src/{directory.name}: no row in ARCHITECTURE.md's table")
            continue
        for path in sorted(directory.rglob("*")):
            if path.suffix in {".h", ".cc"} and not path.stem.endswith("_test"):
                problems.extend(check_file(path, rules))
    for folder in rows:
        if not (ROOT / "src" / folder).is_dir():
            problems.append(f"ARCHITECTURE.md: the table names {folder}, which src/ lacks")
    for path in sorted((ROOT / "include").rglob("*.h")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            match = INCLUDE.match(line)
            if not match or match[2].startswith("legato/"):
                continue
            if match[1] == '"' or is_project_header(match[2]):
                problems.append(
                    f"{path.relative_to(ROOT)}:{number}: a public header includes {match[2]}"
                )
    print("\n".join(problems) if problems else "check_layers: every include fits the table")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
