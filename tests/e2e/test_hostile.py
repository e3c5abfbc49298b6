"""Damaged and hostile files: exit code 1, one line, within a second, nothing left behind."""

import json
import os
import struct
import subprocess
import time
import unittest

import legato
from test_build import copy_model

SECONDS = 1.0
#: A start of Python's subprocess and the program itself on a busy machine.
SLACK = 1.5
RESIDENT_KIB = 64 << 10


class DamagedEngines(legato.TestCase):
    def setUp(self):
        self.good = legato.engine("nano-llama.fp16").read_bytes()
        self.path = legato.scratch("hostile") / "bad.engine"

    def refuse(self, content):
        self.path.write_bytes(content)
        start = time.monotonic()
        line = self.refused(legato.FAILED, "run", self.path, "x", says="bad.engine")
        self.assertLess(time.monotonic() - start, SECONDS + SLACK)
        return line

    def test_a_flipped_bit_anywhere(self):
        size = len(self.good)
        places = [0, 5, 8, 13, 40, 100, 1000, size // 3, size // 2, size - 4096, size - 64, size - 1]
        for place in places:
            content = bytearray(self.good)
            content[place] ^= 0x10
            with self.subTest(place=place):
                self.refuse(content)

    def test_a_truncation_anywhere(self):
        for keep in (0, 1, 7, 16, 100, 4096, len(self.good) // 2, len(self.good) - 1):
            with self.subTest(keep=keep):
                self.refuse(self.good[:keep])
        self.refuse(self.good + b"\0")

    def test_another_version_is_named_with_both_numbers(self):
        content = bytearray(self.good)
        content[8] = 99
        line = self.refuse(content)
        self.assertIn("99", line)
        self.assertIn("version", line)

    def test_another_format_is_named(self):
        self.refuse(b"GGUF" + b"\0" * 5000)
        self.refuse(b"\x08\x07" * 3000)
        self.refused(legato.FAILED, "run", legato.MODELS / "tiny-tales" / "config.json", "x")
        self.refused(legato.FAILED, "inspect", legato.MODELS, says="folder")


class HostileWeights(legato.TestCase):
    def refuse(self, header, data=b"", says=()):
        model = copy_model(legato.MODELS / "nano-llama", "hostile")
        text = header if isinstance(header, bytes) else json.dumps(header).encode()
        size = struct.pack("<Q", len(text))
        (model / "model.safetensors").write_bytes(size + text + data)
        self.refuse_model(model, says)

    def refuse_model(self, model, says=()):
        output = legato.scratch("hostile") / "x.engine"
        start = time.monotonic()
        self.refused(legato.FAILED, "build", model, "-o", output, says=says)
        self.assertLess(time.monotonic() - start, SECONDS + SLACK)
        self.assertFalse(output.exists())
        process = subprocess.Popen(
            [legato.BIN, "build", model, "-o", output], stderr=subprocess.DEVNULL
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, legato.FAILED)
        self.assertLess(usage.ru_maxrss, RESIDENT_KIB)

    def test_headers(self):
        entry = {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}
        self.refuse({}, says="safetensors")
        self.refuse(b"{" * 1000)
        self.refuse({"a": dict(entry, shape=[2**40, 2**40])}, b"\0" * 4, says="a")
        self.refuse({"a": dict(entry, data_offsets=[0, 2**63])}, b"\0" * 4)
        self.refuse({"a": entry, "b": dict(entry, data_offsets=[2, 6])}, b"\0" * 6)
        self.refuse({"a": entry, "b": dict(entry, data_offsets=[8, 12])}, b"\0" * 12)
        model = copy_model(legato.MODELS / "nano-llama", "hostile")
        weights = model / "model.safetensors"
        weights.write_bytes(struct.pack("<Q", 2**63) + weights.read_bytes()[8:])
        self.refuse_model(model, "safetensors")

    def test_shards_outside_the_folder_or_missing(self):
        for name in ("../model.safetensors", "/etc/passwd", "absent.safetensors", "", "."):
            model = copy_model(legato.MODELS / "nano-llama", "shards")
            (model / "model.safetensors").rename(model / "other.safetensors")
            index = {"weight_map": {"model.embed_tokens.weight": name}}
            (model / "model.safetensors.index.json").write_text(json.dumps(index))
            with self.subTest(name=name):
                self.refuse_model(model)

    def test_links_out_of_the_folder(self):
        outside = legato.scratch("hostile-outside") / "model.safetensors"
        outside.write_bytes((legato.MODELS / "nano-llama" / "model.safetensors").read_bytes())
        model = copy_model(legato.MODELS / "nano-llama", "linked")
        (model / "model.safetensors").unlink()
        (model / "model.safetensors").symlink_to(outside)
        self.refuse_model(model, "model.safetensors")

    def test_a_tokenizer_that_links_to_nothing_is_no_absent_tokenizer(self):
        for name in ("tokenizer.json", "tokenizer_config.json"):
            model = copy_model(legato.MODELS / "nano-llama", "dangling")
            (model / name).unlink()
            (model / name).symlink_to("absent")
            with self.subTest(name=name):
                self.refuse_model(model, name)

    def test_a_tokenizer_that_links_out_of_the_folder(self):
        outside = legato.scratch("hostile-outside")
        for name in ("tokenizer.json", "tokenizer_config.json"):
            model = copy_model(legato.MODELS / "nano-llama", "linked-tokenizer")
            (outside / name).write_bytes((model / name).read_bytes())
            (model / name).unlink()
            (model / name).symlink_to(outside / name)
            with self.subTest(name=name):
                self.refuse_model(model, (name, "outside the model's folder"))
                self.refused(legato.FAILED, "tokenize", model, says=(name, "outside"))

    def test_a_folder_without_a_config_is_refused_before_anything_is_read(self):
        folder = legato.scratch("no-config")
        with open(folder / "large.safetensors", "wb") as file:
            file.truncate(8 << 30)
        start = time.monotonic()
        done = legato.run("run", folder, "x")
        self.assertLess(time.monotonic() - start, SECONDS + SLACK)
        self.assertEqual(done.returncode, legato.FAILED)
        self.assertRegex(done.stderr, r"^legato: error: .*no-config/config.json: .*not found.*\n$")

    def test_an_output_never_replaces_an_input(self):
        model = copy_model(legato.MODELS / "nano-llama", "own-output")
        for name in ("model.safetensors", "config.json"):
            before = (model / name).read_bytes()
            self.refused(legato.FAILED, "build", model, "-o", model / name, says=name)
            self.assertEqual((model / name).read_bytes(), before)

    def test_a_hub_cache_with_links_into_its_blobs_works(self):
        source = legato.MODELS / "nano-llama"
        root = legato.scratch("hub") / "hub" / "models--someone--nano"
        snapshot = root / "snapshots" / "abc123"
        for folder in (snapshot, root / "blobs", root / "refs"):
            folder.mkdir(parents=True, exist_ok=True)
        (root / "refs" / "main").write_text("abc123")
        for name in ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"):
            (root / "blobs" / name).write_bytes((source / name).read_bytes())
            link = snapshot / name
            link.unlink(missing_ok=True)
            link.symlink_to(f"../../blobs/{name}")
        folder = legato.scratch("hostile")
        output, by_name = folder / "hub.engine", folder / "name.engine"
        self.ok("build", snapshot, "-o", output)
        env = legato.environment(HF_HOME=legato.WORK / "scratch" / "hub")
        self.ok("build", "someone/nano", "-o", by_name, env=env)
        self.assertEqual(output.read_bytes(), by_name.read_bytes())

    def test_configs(self):
        good = json.loads((legato.MODELS / "nano-llama" / "config.json").read_text())
        for change in (
            {"hidden_size": 0},
            {"hidden_size": -1},
            {"hidden_size": 2**62},
            {"num_hidden_layers": 10**9},
            {"num_attention_heads": 3},
            {"vocab_size": "x"},
            {"rms_norm_eps": "small"},
            {"hidden_act": "mystery"},
        ):
            model = copy_model(legato.MODELS / "nano-llama", "bad-config")
            (model / "config.json").write_text(json.dumps({**good, **change}))
            with self.subTest(change=change):
                self.refuse_model(model)
        for text in ("", "[]", "42", "[" * 200 + "]" * 200, "{" + '"a":1,' * 10):
            (model / "config.json").write_text(text)
            with self.subTest(text=text[:10]):
                self.refuse_model(model, "config.json")


class HostileTexts(legato.TestCase):
    #: The text, its symbols as they become ids, and the list that is printed.
    BYTES_A_BYTE = 16

    def test_a_text_of_zero_bytes_takes_bounded_memory(self):
        path = legato.scratch("hostile") / "zeros.txt"
        path.write_bytes(b"\0" * (40 << 20))
        process = subprocess.Popen(
            [legato.BIN, "tokenize", legato.MODELS / "tiny-tales", "--text-file", path],
            stdout=subprocess.DEVNULL,
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        self.assertLess(usage.ru_maxrss << 10, self.BYTES_A_BYTE * (40 << 20))


class HostileTemplates(legato.TestCase):
    def test_bounded_and_refused(self):
        messages = legato.scratch("hostile") / "m.json"
        messages.write_text('[{"role": "user", "content": "x"}]')
        for template in (
            "{% for a in range(100000000) %}{{ 'x' * 1000 }}{% endfor %}",
            "{{ 'x' * 1000000000000 }}",
            "{{ messages.__class__.__mro__ }}",
            "{{ raise_exception('refused on purpose') }}",
            "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
            "{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}",
            "{% if %}",
        ):
            model = copy_model(legato.MODELS / "nano-llama", "template")
            config = json.loads((model / "tokenizer_config.json").read_text())
            config["chat_template"] = template
            (model / "tokenizer_config.json").write_text(json.dumps(config))
            start = time.monotonic()
            with self.subTest(template=template[:40]):
                done = legato.run("render", model, "--messages", messages)
                # Undefined attributes render as nothing; all else is an error.
                if "__class__" in template:
                    self.assertNotIn("class", done.stdout)
                else:
                    self.assertEqual(done.returncode, legato.FAILED, template)
                    self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertLess(time.monotonic() - start, SECONDS + SLACK)


if __name__ == "__main__":
    unittest.main()
