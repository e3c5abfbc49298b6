"""Engines against PyTorch's golden values, and that verify can fail."""

import json
import struct
import unittest

import legato

GOLDEN = legato.DATA / "golden"
ZOO = legato.DATA / "zoo"


def write_safetensors(path, tensors):
    """tensors: {name: (dtype, shape, bytes)}"""
    header, data = {}, b""
    for name, (dtype, shape, content) in tensors.items():
        header[name] = {
            "dtype": dtype,
            "shape": shape,
            "data_offsets": [len(data), len(data) + len(content)],
        }
        data += content
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def read_safetensors(path):
    content = path.read_bytes()
    (size,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8 : 8 + size])
    header.pop("__metadata__", None)
    data = content[8 + size :]
    return {
        name: (entry["dtype"], entry["shape"], data[slice(*entry["data_offsets"])])
        for name, entry in header.items()
    }


class Verify(legato.TestCase):
    def check(self, engine, golden, *more):
        value = self.json("verify", legato.engine(engine), "--golden", golden, *more)
        self.assertKeys(value, ["ok", "max_abs", "max_rel", "greedy_equal", "cases"])
        self.assertTrue(value["ok"], value)
        self.assertTrue(value["greedy_equal"])
        self.assertGreater(len(value["cases"]), 0)
        for case in value["cases"]:
            self.assertKeys(case, ["name", "max_abs", "max_rel", "greedy_equal", "ok"])
        return value

    def test_bundled_models_in_fp32_are_within_1e_4(self):
        for name in ("tiny-tales", "nano-llama", "nano-gpt2"):
            with self.subTest(name=name):
                value = self.check(f"{name}.fp32", GOLDEN / name / "verify.safetensors")
                self.assertLessEqual(value["max_rel"], 1e-4)

    def test_bundled_models_in_half_precision_are_within_their_bound(self):
        for name in ("tiny-tales", "nano-llama", "nano-gpt2"):
            for precision in ("fp16", "bf16"):
                with self.subTest(name=name, precision=precision):
                    self.check(f"{name}.{precision}", GOLDEN / name / "verify.safetensors")

    def test_every_family_of_the_zoo(self):
        folders = [folder for folder in sorted(ZOO.iterdir()) if (folder / "config.json").exists()]
        self.assertGreaterEqual(len(folders), 8)
        for folder in folders:
            with self.subTest(model=folder.name):
                self.check(f"zoo-{folder.name}.fp32", folder / "golden.safetensors")

    def test_every_model_in_every_precision_and_cache_is_within_its_bound(self):
        models = {f"zoo-{path.parent.name}": path for path in ZOO.glob("*/golden.safetensors")}
        for name in ("tiny-tales", "nano-llama", "nano-gpt2"):
            models[name] = GOLDEN / name / "verify.safetensors"
        self.assertGreaterEqual(len(models), 19)
        for name, golden in sorted(models.items()):
            for precision in ("fp32", "fp16", "bf16"):
                for cache in ("f32", "f16", "bf16"):
                    with self.subTest(name=name, precision=precision, cache=cache):
                        value = self.check(f"{name}.{precision}", golden, "--kv-dtype", cache)
                        for case in value["cases"]:
                            self.assertLess(case["rtol"], 0.2)

    def test_the_text_ends_with_a_summary(self):
        golden = GOLDEN / "nano-llama" / "verify.safetensors"
        lines = self.ok("verify", legato.engine("nano-llama.fp32"), "--golden", golden).stdout
        last = lines.splitlines()[-1]
        count = len(lines.splitlines()) - 1
        self.assertEqual(last, f"ok: {count} of {count} cases are within the bound")
        done = legato.run(
            "verify", legato.engine("nano-llama.bf16"), "--golden", golden, "--rtol", "1e-9"
        )
        self.assertEqual(done.returncode, legato.FAILED)
        self.assertRegex(done.stdout.splitlines()[-1], r"^FAIL: 0 of \d+ cases")

    def test_every_cpu_level_passes(self):
        done = legato.run("run", legato.engine("nano-llama.fp32"), "x", "--cpu-level", "avx512vnni")
        levels = ["sse2", "avx2", "avx512", "avx512vnni"]
        if done.returncode == legato.USAGE:
            best = done.stderr.split("this machine has ")[1].split()[0]
            levels = levels[: levels.index(best) + 1]
        golden = GOLDEN / "nano-llama" / "verify.safetensors"
        for level in levels:
            with self.subTest(level=level):
                self.check("nano-llama.fp32", golden, "--cpu-level", level)


class VerifyCanFail(legato.TestCase):
    def setUp(self):
        self.tensors = read_safetensors(ZOO / "llama" / "golden.safetensors")
        self.path = legato.scratch("verify") / "golden.safetensors"

    def run_on(self, tensors, code, *more):
        write_safetensors(self.path, tensors)
        return legato.run(
            "verify", legato.engine("zoo-llama.fp32"), "--golden", self.path, "--json", *more
        )

    def test_a_wrong_logit_fails(self):
        dtype, shape, data = self.tensors["p17.last_logits"]
        values = list(struct.unpack(f"<{len(data) // 4}f", data))
        values[3] += 0.01 * max(map(abs, values))
        self.tensors["p17.last_logits"] = (dtype, shape, struct.pack(f"<{len(values)}f", *values))
        done = self.run_on(self.tensors, legato.FAILED)
        self.assertEqual(done.returncode, legato.FAILED)
        value = json.loads(done.stdout)
        self.assertEqual([c["name"] for c in value["cases"] if not c["ok"]], ["p17"])
        self.assertEqual(self.run_on(self.tensors, 0, "--rtol", "0.1").returncode, 0)

    def test_a_wrong_greedy_id_fails(self):
        dtype, shape, data = self.tensors["one.greedy_ids"]
        ids = list(struct.unpack(f"<{len(data) // 8}q", data))
        ids[0] = (ids[0] + 1) % 512
        self.tensors["one.greedy_ids"] = (dtype, shape, struct.pack(f"<{len(ids)}q", *ids))
        done = self.run_on(self.tensors, legato.FAILED)
        self.assertEqual(done.returncode, legato.FAILED)
        self.assertFalse(json.loads(done.stdout)["greedy_equal"])

    def test_nan_in_the_golden_file_never_passes(self):
        dtype, shape, data = self.tensors["p17.last_logits"]
        nan = struct.pack("<f", float("nan"))
        self.tensors["p17.last_logits"] = (dtype, shape, nan + data[4:])
        for more in ((), ("--rtol", "1")):
            done = self.run_on(self.tensors, legato.FAILED, *more)
            self.assertEqual(done.returncode, legato.FAILED)

    def test_a_tensor_of_a_wrong_rank_or_without_numbers_is_refused_by_name(self):
        engine = legato.engine("zoo-llama.fp32")
        nan = struct.pack("<f", float("nan"))
        for name, change, says in (
            ("last_logits", lambda t, s, d: (t, [1, *s], d), "expected 1 axes, got shape [1,"),
            ("last_logits", lambda t, s, d: (t, [2, s[0] // 2], d), "expected 1 axes"),
            ("greedy_ids", lambda t, s, d: (t, [1, *s], d), "expected 1 axes"),
            ("input_ids", lambda t, s, d: (t, [1, *s], d), "expected 1 axes"),
            ("greedy_margins", lambda t, s, d: (t, s, nan + d[4:]), "finite numbers, got nan at 0"),
            ("last_logits", lambda t, s, d: (t, s, d[:-4] + nan), "finite numbers, got nan"),
            ("all_logits", lambda t, s, d: (t, [s[1], s[0]], d), "a row of logits for each id"),
        ):
            tensors = dict(self.tensors)
            tensor = f"p17.{name}"
            tensors[tensor] = change(*tensors[tensor])
            write_safetensors(self.path, tensors)
            with self.subTest(name=name, says=says):
                self.refused(
                    legato.FAILED, "verify", engine, "--golden", self.path,
                    says=("golden.safetensors", tensor, says),
                )  # fmt: skip

    def test_files_without_a_case_or_of_a_net_are_refused(self):
        engine = legato.engine("zoo-llama.fp32")
        one = struct.pack("<f", 1.0)
        for name, says in (("x", "no case"), ("case0.input.x", "net")):
            write_safetensors(self.path, {name: ("F32", [1], one)})
            self.refused(legato.FAILED, "verify", engine, "--golden", self.path, says=says)

    def test_a_case_of_another_vocabulary_is_refused(self):
        golden = GOLDEN / "tiny-tales" / "verify.safetensors"
        self.refused(
            legato.FAILED, "verify", legato.engine("zoo-llama.fp32"), "--golden", golden,
            says=("chat.input_ids", "511"),
        )  # fmt: skip


if __name__ == "__main__":
    unittest.main()
