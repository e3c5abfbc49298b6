"""Builds the engines that the other end-to-end tests use."""

import sys

import legato

TYPES = ("fp32", "fp16", "bf16")


def build(source, name, precision):
    output = legato.engine(f"{name}.{precision}")
    output.parent.mkdir(parents=True, exist_ok=True)
    done = legato.run("build", source, "-o", output, "--precision", precision)
    if done.returncode != 0:
        sys.exit(f"build {source}: {done.stderr}")


def main():
    for name in ("tiny-tales", "nano-llama", "nano-gpt2"):
        for precision in TYPES:
            build(legato.MODELS / name, name, precision)
    for folder in sorted((legato.DATA / "zoo").iterdir()):
        if (folder / "config.json").exists():
            for precision in TYPES:
                build(folder, f"zoo-{folder.name}", precision)


if __name__ == "__main__":
    main()
