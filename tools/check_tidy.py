#!/usr/bin/env python3
"""Runs clang-tidy-14 with the checks of .clang-tidy over the sources of a build tree.

usage: check_tidy.py BUILD_DIR [--all | FILE]...

By default the folders of FOLDERS: those that own memory or share it, and the public API. A file
takes about ten seconds, so all of src/ (--all) takes half an hour on two cores.

A file whose text, and the text of all project headers, did not change since it passed is not
looked at again: BUILD_DIR/tidy_passed holds a digest a file.
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import subprocess
import sys

FOLDERS = ("base", "device", "kvcache", "sampling", "api")
ROOT = pathlib.Path(__file__).resolve().parent.parent


def digest(paths):
    state = hashlib.sha256()
    for path in paths:
        state.update(str(path).encode())
        state.update(path.read_bytes())
    return state.hexdigest()


def sources_of(build, chosen):
    entries = json.loads((build / "compile_commands.json").read_text())
    files = {pathlib.Path(entry["file"]).resolve() for entry in entries}
    if chosen and chosen != ["--all"]:
        wanted = {pathlib.Path(name).resolve() for name in chosen}
        return sorted(files & wanted)
    folders = [ROOT / "src"] if chosen else [ROOT / "src" / name for name in FOLDERS]
    return sorted(
        f
        for f in files
        if not f.stem.endswith("_test") and any(folder in f.parents for folder in folders)
    )


def tidy(build, path):
    command = ["clang-tidy-14", "--quiet", "--warnings-as-errors=*", "-p", str(build), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return path, done.returncode, done.stdout + (done.stderr if done.returncode else "")


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    build = pathlib.Path(sys.argv[1])
    passed_path = build / "tidy_passed"
    passed = json.loads(passed_path.read_text()) if passed_path.exists() else {}
    headers = sorted((ROOT / "src").rglob("*.h")) + sorted((ROOT / "include").rglob("*.h"))
    shared = digest([ROOT / ".clang-tidy", *headers])
    keys = {f: shared + digest([f]) for f in sources_of(build, sys.argv[2:])}
    waiting = [f for f, key in keys.items() if passed.get(str(f)) != key]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, code, text in pool.map(lambda f: tidy(build, f), waiting):
            if code == 0:
                passed[str(path)] = keys[path]
                passed_path.write_text(json.dumps(passed))
            else:
                failed += 1
                print(text, flush=True)
    print(f"check_tidy: {len(keys)} files, {len(waiting)} looked at, {failed} with findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
