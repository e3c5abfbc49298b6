"""tokenize, detokenize and render, on engines and on model folders."""

import json
import unittest

import legato

SOURCES = (legato.MODELS / "tiny-tales", legato.engine("tiny-tales.fp32"))
SPECIAL = "<|endoftext|>"


class Text(legato.TestCase):
    def test_engine_and_folder_agree_and_text_comes_back(self):
        text = 'Once upon a time, "Zoë" met 3 \U0001f98a.\n  Then\ttabs.'
        path = legato.scratch("text") / "t.txt"
        path.write_text(text)
        results = [self.json("tokenize", source, "--text-file", path) for source in SOURCES]
        self.assertEqual(results[0], results[1])
        self.assertEqual(list(results[0]), ["ids"])
        ids = ",".join(map(str, results[0]["ids"]))
        for source in SOURCES:
            self.assertEqual(self.json("detokenize", source, "--ids", ids), {"text": text})
        self.assertEqual(self.ok("tokenize", SOURCES[1], stdin=text).stdout.strip(), ids)

    def test_ids_and_text_come_in_the_forms_that_people_have(self):
        tiny = SOURCES[1]
        plain = self.ok("tokenize", tiny, "A king").stdout
        self.assertEqual(plain, self.ok("tokenize", tiny, stdin="A king").stdout)
        path = legato.scratch("text-ids") / "ids.txt"
        path.write_text(plain)
        spaced = plain.strip().replace(",", ", ")
        for words, stdin in (
            (("--ids", spaced), ""),
            ((spaced,), ""),
            ((f"[{spaced}]",), ""),
            (("--ids-file", path), ""),
            ((), plain),
        ):
            self.assertEqual(self.json("detokenize", tiny, *words, stdin=stdin), {"text": "A king"})
        self.refused(legato.USAGE, "detokenize", tiny, "1", "--ids", "1")
        self.refused(legato.USAGE, "tokenize", tiny, "x", "--text-file", path)

    def test_special_tokens_are_parsed_unless_told_otherwise(self):
        parsed = self.json("tokenize", SOURCES[0], stdin=SPECIAL)["ids"]
        plain = self.json("tokenize", SOURCES[0], "--no-parse-special", stdin=SPECIAL)["ids"]
        self.assertEqual(len(parsed), 1)
        self.assertGreater(len(plain), 1)
        ids = str(parsed[0])
        self.assertEqual(self.json("detokenize", SOURCES[0], "--ids", ids)["text"], SPECIAL)
        skipped = self.json("detokenize", SOURCES[0], "--ids", ids, "--skip-special")
        self.assertEqual(skipped["text"], "")

    def test_post_processor_tokens_come_with_special(self):
        folder = legato.DATA / "tokenizers" / "llama2-style"
        plain = self.json("tokenize", folder, stdin="Hello")["ids"]
        full = self.json("tokenize", folder, "--special", stdin="Hello")["ids"]
        self.assertEqual(full[-len(plain) :], plain)
        self.assertGreater(len(full), len(plain))

    def test_render_applies_the_template(self):
        path = legato.scratch("text") / "m.json"
        path.write_text(json.dumps([{"role": "user", "content": "Who are you?"}]))
        open_end = self.json("render", SOURCES[0], "--messages", path)["text"]
        prompt = self.json("render", SOURCES[1], "--messages", path, "--add-generation-prompt")
        self.assertIn("Who are you?", open_end)
        self.assertTrue(prompt["text"].startswith(open_end))
        self.assertGreater(len(prompt["text"]), len(open_end))
        self.assertEqual(
            self.ok("render", SOURCES[0], "--messages", path).stdout, open_end
        )

    def test_bad_ids_and_messages_fail(self):
        for ids in ("", "x", "-1", "1,,2", "4096000", "99999999999"):
            self.refused(legato.FAILED, "detokenize", SOURCES[0], f"--ids={ids}")
        path = legato.scratch("text") / "m.json"
        for text in ("", "42", "[]", "null", '[{"role": 3}]', '[{"role":"user","content":"x"}'):
            path.write_text(text)
            self.refused(legato.FAILED, "render", SOURCES[0], "--messages", path)

    def test_a_megabyte_of_one_letter_is_quick(self):
        value = self.json("tokenize", SOURCES[1], stdin="a" * (1 << 20), timeout=20)
        self.assertGreater(len(value["ids"]), 1000)


if __name__ == "__main__":
    unittest.main()
