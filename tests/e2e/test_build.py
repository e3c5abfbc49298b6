"""Building engines: what is reported, that it repeats, and that failures leave nothing behind."""

import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import time
import unittest

import legato

TINY = legato.MODELS / "tiny-tales"


def copy_model(source, name):
    """A copy that a test may damage."""
    target = legato.WORK / "scratch" / "models" / name
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)
    for path in [target, *target.iterdir()]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    return target


class Build(legato.TestCase):
    def test_json_has_the_promised_keys(self):
        output = legato.scratch("build") / "tiny.engine"
        value = self.json("build", TINY, "-o", output, "--precision", "bf16")
        self.assertKeys(value, "engine bytes build_s kv_cache device precision passes".split())
        self.assertKeys(value["kv_cache"], "bound layers bytes_per_token reason".split())
        self.assertEqual(value["bytes"], output.stat().st_size)
        self.assertEqual((value["device"], value["precision"]), ("cpu", "bf16"))
        self.assertTrue(value["kv_cache"]["bound"])
        self.assertEqual(value["kv_cache"]["layers"], 6)
        # Six layers of four key and value heads of 32, two bytes each.
        self.assertEqual(value["kv_cache"]["bytes_per_token"], 6 * 2 * 4 * 32 * 2)
        for entry in value["passes"]:
            self.assertKeys(entry, ["name", "rewrites", "ms"])
        self.assertGreater(sum(entry["rewrites"] for entry in value["passes"]), 0)

    def test_equal_inputs_give_equal_bytes(self):
        folder = legato.scratch("build")
        for name in ("a", "b"):
            self.ok("build", TINY, "-o", folder / name, "--fp16")
        self.assertEqual((folder / "a").read_bytes(), (folder / "b").read_bytes())

    def test_the_folder_that_it_runs_in_does_not_matter(self):
        folder = legato.scratch("build")
        self.ok("build", TINY, "-o", folder / "a")
        relative = os.path.relpath(TINY, "/")
        self.ok("build", relative, "--saveEngine=" + str(folder / "b"), cwd="/")
        self.assertEqual((folder / "a").read_bytes(), (folder / "b").read_bytes())

    def test_known_names_of_flags(self):
        output = legato.scratch("build") / "x.engine"
        value = self.json(
            "build", TINY, f"--saveEngine={output}", "--bf16", "--minShapes=input_ids:1x1",
            "--optShapes=input_ids:1x64", "--maxShapes=input_ids:1x128", "--dumpLayerInfo",
        )  # fmt: skip
        self.assertGreater(len(value["layers"]), 6)
        profiles = self.json("inspect", output)["profiles"]
        tokens = [profile for profile in profiles if profile["symbol"] == "tokens"]
        self.assertEqual(tokens[0]["max"], 128)
        self.refused(
            legato.USAGE, "build", TINY, "-o", output, "--minShapes=input_ids:1x9",
            "--maxShapes=input_ids:1x8",
        )  # fmt: skip

    def test_a_folder_without_weights_of_a_known_kind_is_refused_by_name(self):
        model = copy_model(legato.MODELS / "nano-llama", "bin-only")
        (model / "model.safetensors").rename(model / "pytorch_model.bin")
        output = legato.scratch("build") / "x.engine"
        self.refused(legato.FAILED, "build", model, "-o", output, says="pytorch_model.bin")
        self.assertFalse(output.exists())

    def test_an_unknown_model_type_is_refused_with_the_known_ones(self):
        model = copy_model(legato.MODELS / "nano-llama", "unknown-type")
        config = json.loads((model / "config.json").read_text())
        config["model_type"] = "mamba9"
        (model / "config.json").write_text(json.dumps(config))
        output = legato.scratch("build") / "x.engine"
        self.refused(
            legato.FAILED, "build", model, "-o", output, says=("mamba9", "llama", "gpt2", "opt")
        )

    def test_a_failed_build_leaves_nothing_and_keeps_what_was_there(self):
        model = copy_model(legato.MODELS / "nano-llama", "short-weights")
        weights = model / "model.safetensors"
        weights.write_bytes(weights.read_bytes()[:-1000])
        folder = legato.scratch("build")
        (folder / "old.engine").write_bytes(b"precious")
        self.refused(legato.FAILED, "build", model, "-o", folder / "old.engine", says="safetensors")
        self.assertEqual((folder / "old.engine").read_bytes(), b"precious")
        self.assertEqual([path.name for path in folder.iterdir()], ["old.engine"])

    def test_a_disk_that_takes_no_more_is_one_line_and_leaves_nothing(self):
        folder = legato.scratch("build")

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))

        done = subprocess.run(
            [legato.BIN, "build", TINY, "-o", folder / "x.engine"],
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=limit,
            # Python ignores SIGXFSZ; the program then sees the error instead of the signal.
            restore_signals=False,
        )
        self.assertEqual(done.returncode, legato.FAILED, done.stderr)
        self.assertIn("x.engine", done.stderr)
        self.assertEqual(list(folder.iterdir()), [])

    def test_a_killed_build_leaves_no_engine(self):
        output = legato.scratch("build") / "x.engine"
        process = subprocess.Popen(
            [legato.BIN, "build", "--random-weights", "smollm2-135m", "-o", output],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        written = 0
        while written < 1 << 20:
            self.assertIsNone(process.poll(), "it ended before it was killed")
            counters = pathlib.Path(f"/proc/{process.pid}/io").read_text()
            written = int(re.search(r"wchar: (\d+)", counters)[1])
            time.sleep(0.001)
        process.kill()
        process.wait()
        self.assertEqual(list(output.parent.iterdir()), [])

    def test_a_device_is_no_place_for_an_engine(self):
        self.refused(legato.FAILED, "build", TINY, "-o", "/dev/null", says="/dev/null")
        self.assertTrue(pathlib.Path("/dev/null").is_char_device())

    def test_an_output_folder_that_is_missing_is_named(self):
        folder = legato.scratch("build") / "missing"
        self.refused(legato.FAILED, "build", TINY, "-o", folder / "x.engine", says=str(folder))
        self.assertFalse(folder.exists())

    def test_an_engine_by_another_kinds_name_is_refused(self):
        folder = legato.scratch("build")
        for name in ("x.gguf", "x.onnx", "x.safetensors", "x.bin", "x.json"):
            for source in ((TINY,), ("--random-weights", "smollm2-135m")):
                self.refused(
                    legato.USAGE, "build", *source, "-o", folder / name,
                    says=(name, "expected one like X.engine"),
                )  # fmt: skip
        self.assertEqual(list(folder.iterdir()), [])

    def test_nothing_but_the_results_is_told_where_no_terminal_is(self):
        done = self.ok("build", TINY, "-o", legato.scratch("build") / "x.engine")
        self.assertEqual(done.stderr, "")
        env = legato.environment(LEGATO_CACHE=legato.scratch("build-cache"))
        done = self.ok("run", TINY, "x", "-n", "1", env=env)
        self.assertRegex(done.stderr, r"\Alegato: building tiny-tales once into [^\n]*\n\Z")

    def test_random_weights_of_a_shape_repeat_and_need_no_files(self):
        folder = legato.scratch("build")
        config = legato.DATA / "zoo" / "llama" / "config.json"
        for name in ("a", "b"):
            value = self.json("build", "--random-weights", config, "-o", folder / name, "--fp16")
            self.assertTrue(value["kv_cache"]["bound"])
        self.assertEqual((folder / "a").read_bytes(), (folder / "b").read_bytes())
        self.assertIsNone(self.json("inspect", folder / "a")["tokenizer"])
        self.refused(
            legato.FAILED, "build", "--random-weights", "llama-9", "-o", folder / "c",
            says=("llama-9", "llama-3.2-1b"),
        )  # fmt: skip

    def test_inspect_tells_sections_cache_and_layers(self):
        value = self.json("inspect", legato.engine("tiny-tales.fp32"), "--layers")
        self.assertKeys(
            value,
            "format_version fingerprint device precision sections inputs outputs kv profiles "
            "tokenizer layers".split(),
        )
        for section in value["sections"]:
            self.assertKeys(section, ["name", "bytes", "checksum"])
        for layer in value["layers"]:
            self.assertKeys(layer, "name op tactic config bytes operations".split())
        self.assertEqual(len(value["kv"]["bindings"]), 12)
        self.assertEqual([tensor["name"] for tensor in value["outputs"]], ["logits"])
        # A decode step reads about all weights once.
        weights = next(s["bytes"] for s in value["sections"] if s["name"] == "weights")
        moved = sum(layer["bytes"] for layer in value["layers"])
        self.assertGreater(moved, 0.8 * weights)
        self.assertIn("layers", self.ok("inspect", legato.engine("tiny-tales.fp32")).stdout)


if __name__ == "__main__":
    unittest.main()
