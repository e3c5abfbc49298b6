"""Where a model may come from: the hub's cache, folders that lack something, the cache of engines."""

import json
import shutil
import unittest

import legato

NANO = legato.MODELS / "nano-llama"
TINY = legato.MODELS / "tiny-tales"
SHORT = ("--max-tokens", "4", "--temperature", "0")


def empty(name):
    path = legato.WORK / "scratch" / name
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    return path


def copy_model(name, source=NANO, without=()):
    path = legato.WORK / "scratch" / name
    shutil.rmtree(path, ignore_errors=True)
    shutil.copytree(source, path, ignore=shutil.ignore_patterns(*without))
    return path


class Hub(legato.TestCase):
    def setUp(self):
        self.hub = empty("hub-cache")
        self.cache = empty("hub-engines")
        self.repository = self.hub / "models--someone--nano"
        self.env = legato.environment(
            HF_HUB_CACHE=self.hub, HF_HOME="/nonexistent", LEGATO_CACHE=self.cache
        )

    def add_snapshot(self, revision):
        shutil.copytree(NANO, self.repository / "snapshots" / revision)

    def run_ok(self, source):
        return self.ok("run", source, "A king", *SHORT, env=self.env)

    def test_the_only_snapshot_needs_no_refs_and_engines_bear_the_models_name(self):
        self.add_snapshot("0123abc")
        first = self.run_ok("someone/nano")
        self.assertIn("building someone--nano once", first.stderr)
        engines = [path.name for path in self.cache.glob("*.engine")]
        self.assertEqual(len(engines), 1)
        self.assertRegex(engines[0], r"^someone--nano-[0-9a-f]{16}\.engine$")
        # The repository's folder is the same model.
        self.assertEqual(self.run_ok(self.repository).stdout, first.stdout)
        self.assertEqual(len(list(self.cache.glob("*.engine"))), 1)

    def test_several_snapshots_need_refs_main(self):
        self.add_snapshot("0123abc")
        self.add_snapshot("4567def")
        self.refused(
            legato.FAILED, "run", "someone/nano", "x", env=self.env, says=("2 snapshots", "refs/main")
        )
        (self.repository / "refs").mkdir()
        (self.repository / "refs" / "main").write_text("4567def")
        self.run_ok("someone/nano")

    def test_an_unknown_name_says_where_it_was_looked_for(self):
        self.refused(
            legato.FAILED, "run", "someone/else", "x", env=self.env,
            says=(str(self.hub / "models--someone--else"), "nothing is downloaded"),
        )  # fmt: skip
        self.refused(legato.FAILED, "run", "./someone/else", "x", env=self.env, says="no such file")

    def test_a_missing_file_is_no_matter_of_the_hub(self):
        folder = legato.scratch("missing")
        for source in ("nothere.gguf", "some/nothere.gguf", "x.engine", "x.onnx", "missing/model"):
            for command in (("run", source, "x"), ("tokenize", source, "x"), ("plan", source)):
                error = self.refused(
                    legato.FAILED, *command, env=self.env, cwd=folder.parent,
                    says=f"{source}: no such file or folder",
                )  # fmt: skip
                self.assertNotIn("hub", error)


class EngineCache(legato.TestCase):
    def test_a_read_only_cache_serves_what_it_holds(self):
        cache = empty("read-only-cache")
        env = legato.environment(LEGATO_CACHE=cache)
        arguments = ("run", NANO, "A king", *SHORT)
        first = self.ok(*arguments, env=env)
        for path in cache.glob("*.lock"):
            path.unlink()
        cache.chmod(0o555)
        try:
            self.assertEqual(self.ok(*arguments, env=env).stdout, first.stdout)
            self.assertEqual(list(cache.glob("*.lock")), [])
        finally:
            cache.chmod(0o755)

    def test_a_cache_that_cannot_be_written_names_its_variable(self):
        path = empty("no-cache") / "file"
        path.write_text("")
        for cache in (path, path / "below"):
            env = legato.environment(LEGATO_CACHE=cache)
            self.refused(legato.FAILED, "run", NANO, "x", env=env, says=(str(path), "LEGATO_CACHE"))

    def test_building_is_announced_only_when_the_model_was_judged(self):
        model = copy_model("judged")
        config = json.loads((model / "config.json").read_text())
        config["hidden_act"] = "no such thing"
        (model / "config.json").write_text(json.dumps(config))
        done = legato.run("run", model, "x", env=legato.environment(LEGATO_CACHE=empty("judged-cache")))
        self.assertEqual(done.returncode, legato.FAILED)
        self.assertNotIn("building", done.stderr)

    def test_precision_of_a_folder_is_part_of_its_engine(self):
        cache = empty("precision-cache")
        env = legato.environment(LEGATO_CACHE=cache)
        for precision in ("fp32", "bf16"):
            self.ok("run", NANO, "A king", *SHORT, "--precision", precision, env=env)
        engines = sorted(cache.glob("*.engine"))
        self.assertEqual(len(engines), 2)
        precisions = {self.json("inspect", engine)["precision"] for engine in engines}
        self.assertEqual(precisions, {"fp32", "bf16"})
        golden = legato.DATA / "golden" / "nano-llama" / "verify.safetensors"
        value = self.json("verify", NANO, "--precision", "bf16", "--golden", golden, env=env)
        self.assertTrue(value["ok"])
        self.assertEqual(len(list(cache.glob("*.engine"))), 2)
        engine = legato.engine("nano-llama.fp32")
        self.refused(legato.USAGE, "run", engine, "x", "--precision", "bf16", says="--precision")


class Folders(legato.TestCase):
    def test_a_tokenizer_that_cannot_be_read_is_named_at_build_and_at_run(self):
        model = copy_model("no-tokenizer", without=("tokenizer*", "special_tokens_map.json"))
        env = legato.environment(LEGATO_CACHE=empty("no-tokenizer-cache"))
        for name, reason in (("tokenizer.model", "tokenizer.model only"), ("tokenizer_config.json", "no tokenizer")):
            (model / name).write_text("{}")
            with self.subTest(name=name):
                engine = legato.scratch("no-tokenizer-engine") / "x.engine"
                done = self.ok("build", model, "-o", engine)
                self.assertRegex(done.stderr, f"legato: warning: {model}: .*{reason}.*token ids only")
                self.refused(legato.FAILED, "run", engine, "x", says=(str(engine), "--ids"))
                for command in ("run", "chat"):
                    error = self.refused(legato.FAILED, command, model, env=env, says=(str(model), reason))
                    self.assertNotIn("no-tokenizer-cache", error)
                self.ok("run", model, "--ids", "1,2", *SHORT, env=env)
            (model / name).unlink()

    def test_a_broken_chat_template_is_said_at_build(self):
        model = copy_model("broken-template")
        engine = legato.scratch("broken-template-engine") / "x.engine"
        for text, reason in (("{% if %}", "chat_template"), ("{{ messages | nosuchfilter }}", "nosuchfilter")):
            (model / "chat_template.jinja").write_text(text)
            done = self.ok("build", model, "-o", engine)
            self.assertRegex(done.stderr, f"legato: warning: {model}: .*{reason}.*chats with this model will fail")
        done = legato.run("chat", engine, stdin="Hello.\n")
        self.assertEqual(done.returncode, legato.FAILED)
        self.assertIn("nosuchfilter", done.stderr)

    def test_templates_beside_the_default_one(self):
        model = copy_model("more-templates")
        (model / "chat_template.jinja").write_text("plain")
        (model / "additional_chat_templates").mkdir()
        (model / "additional_chat_templates" / "tool_use.jinja").write_text("tools: {{ tools | length }}")
        folder = legato.scratch("more-templates-files")
        (folder / "m.json").write_text('[{"role": "user", "content": "x"}]')
        (folder / "t.json").write_text('[{"type": "function", "function": {"name": "f"}}]')
        render = ("render", model, "--messages", folder / "m.json")
        self.assertEqual(self.json(*render)["text"], "plain")
        self.assertEqual(self.json(*render, "--tools", folder / "t.json")["text"], "tools: 1")

    def test_settings_that_no_sampler_can_follow_do_not_refuse_a_model(self):
        model = copy_model("generation")
        (model / "generation_config.json").write_text(
            '{"do_sample": true, "top_k": -1, "top_p": 0.0, "temperature": 0.7}'
        )
        engine = legato.scratch("generation-engine") / "x.engine"
        done = self.ok("build", model, "-o", engine)
        self.assertIn('"top_p" is 0', done.stderr)
        self.ok("run", engine, "A king", "--max-tokens", "4")

    def test_what_is_no_model_says_what_to_give(self):
        folder = empty("foreign")
        (folder / "m.gguf").write_bytes(b"GGUF")
        for command in (("run", folder, "x"), ("build", folder, "-o", folder / "x.engine"), ("plan", folder)):
            self.refused(legato.FAILED, *command, says=("config.json", "it has m.gguf: give that file"))
        for command in (("run", NANO / "model.safetensors", "x"), ("build", NANO / "config.json", "-o", "x")):
            self.refused(legato.FAILED, *command, says="give")

    def test_an_output_without_a_folder_is_refused_before_any_work(self):
        path = empty("output") / "nodir" / "x.engine"
        error = self.refused(legato.FAILED, "build", TINY, "-o", path, says=(str(path), "no folder"))
        self.assertIn(str(path.parent), error)


if __name__ == "__main__":
    unittest.main()
