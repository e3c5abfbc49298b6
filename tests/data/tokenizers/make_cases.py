"""Makes cases.json beside this file: small tokenizers of many kinds, with the ids and texts that the reference
implementation (PyPI `tokenizers`) gives for difficult texts.

    pip install tokenizers==0.23.3 && python make_cases.py

The tokenizers are trained here on the text below; nothing is downloaded. The trainer breaks some ties at random, so a
new run gives other, equally good cases.
"""

import base64
import json
import pathlib
import random
import struct

import tokenizers
from tokenizers import (AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors,
                        trainers)

HERE = pathlib.Path(__file__).parent

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|"
          r"\s*[\r\n]+|\s+(?!\S)|\s+")
QWEN2 = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")
POSSESSIVE = (r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|"
              r"\s+(?!\S)|\s+")

# Words that end where the case changes, and symbols that cling to Latin words.
CASE_AWARE = (r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
              r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
              r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")
SYMBOLS = (r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|"
           r"\s*[\r\n]+|\s+(?!\S)|\s+")

CORPUS = """Once upon a time there was a small fox who lived near the river. She said: "I'll go, won't you?" They'd seen 12345 stars.
The quick brown fox jumps over the lazy dog; it's 3.14159 times faster, isn't it? HELLO World! foo_bar(x) = {a: 1, b: [2, 3]}
Der alte Mann ging über die Brücke. Les élèves étaient fatigués. El niño comió. Привет, как дела? Доброе утро.
日本語のテキストです。今日は天気がいいですね。 中文文本在这里。 한국어 문장입니다. 안녕하세요.
مرحبا بالعالم हिन्दी में लिखा हुआ ไทยภาษา Ελληνικά κείμενα שלום עולם
def main():\n    print("hello")\n\treturn 0\r\n  if x != y && z >= 1: pass  # comment
😀 😃 🎉 👍 ❤️ naïve café résumé Ångström ½ ¼ ² ³ € £ ¥ © ® ™ … — – “quotes” ‘single’
""".split("\n")

TEXTS = [
    "", " ", "  ", "   ", "a", " a", "a ", "  a  b  ", "Hello, world!", "Once upon a time there was a fox.",
    "I'll go, won't you? THEY'RE I'M It'S we'Ve 'tis 's", "don't DON'T Don'T 'LL 'll", "\n", "\n\n", "a\nb", "a \n b", "a\r\nb\r\n\r\n c",
    "\t\ttabs\tand  spaces \t mixed", "   leading", "trailing   ", "1 12 123 1234 12345 123456789 0x1F 3.14 1,000,000", "a1b2c3", "½¼² x³ Ⅷ ① ٣٤٥ १२३",
    "foo_bar.baz(qux)[0] += 1; // ok", "a.b,c;d:e!f?g-h_i", "...!!!??? ---", "(parentheses) [brackets] {braces} <angle>",
    "über Brücke naïve café résumé", "u\u0308ber Bru\u0308cke nai\u0308ve cafe\u0301", "A\u030a Å \u212b", "a\u0301\u0323 a\u0323\u0301 ạ́",
    "\u1112\u1161\u11ab\u1100\u1173\u11af 한글", "ﬁ ﬂ ﬀ ﬆ ① ㎏ Ａ１ｂ ｶﾞ", "İstanbul ıI ẞ ß Σας ΟΔΟΣ", "Привет, как дела?", "日本語のテキスト。中文", "日本語abc123テスト",
    "مرحبا بالعالم", "हिन्दी में", "ไทยภาษา", "עִבְרִית", "க்ஷி ശ്രീ", "😀", "😀😃🎉", "👨‍👩‍👧‍👦 family", "👍🏽 ❤️ 🏳️‍🌈 🇩🇪🇯🇵", "e\u0301\u0301\u0301\u0301", "a\u200bb\u200cc\u200dd\ufeffe",
    "nul\x00inside", "\x00", "\x01\x02\x1f\x7f\x80\x9f", "\u0085 \u00a0 \u1680 \u2003 \u2028 \u2029 \u202f \u3000 \u180e", "\ufffd", "\ud7ff\ue000\U0010ffff\U000e0001",
    "▁", "▁▁a", " ▁ a▁b", "Ġ Ċ ĠĠ", "<0x41> <0xE4>", "##ing ##", "</w>", "word" * 30, "a" * 120, " " * 40, "\n" * 17, "ab" * 50, "!" * 33, "あ" * 40, "   \n   \n   x",
    "x\n\n\n   y", "end with newline\n", "tab\tend\t", "MiXeD CaSe WoRdS", "e-mail@example.com https://example.org/a?b=c&d=%20", "\u0130\u0131 \u01c5 \ufb03", "a\u0300b\u0301c", "\u0344 \u0958 \u2126 \uf900",
    "zzzqqq xylophone Ω≈ç√∫", "∑∏√∞ ≠ ≤ → ⇒", "‘quotes’ “double” «guillemets» 'straight'", "no\u00a0break", "x²y³ ¹½", "١٢٣٤ abc", "𝒜𝓁𝓅𝒽𝒶 𐍈 𠀀", "Ａｂｃ　ｄｅｆ", "\u3000全角\u3000",
]

ADDED_TEXTS = [
    "<s>", "</s>", "a<s>b", "a <s> b", "  <s>  ", "<s><s>", "<s> </s>", "x<mask>y", "x <mask> y", "x  <mask>  y", "<mask>", " <mask> ", "<mask><mask>", "hello word hello", "helloword word wordy word", "word",
    "_word word_ 1word é́word word.", "<r>  x", "<r>\n\n y<r> ", "<r> <mask> <r>", "NORM norm Norm", "x NORM y norm z", "aNORMb", "<|end|>", "<|end|", "<|end|>x", "x<|end|><|end|>", "<S> <s>", "<unk>", "<<s>>", "é<s>é", "日<s>本",
    "\u0301<s>\u0301", "<mask> \u3000 <mask>", "word\u200dword word", "<s", "s>", "<s>\n<s>",
]


def corpus():
    return CORPUS * 3


def byte_level_base(vocab_size, pre, **model):
    tokenizer = Tokenizer(models.BPE(**model))
    tokenizer.pre_tokenizer = pre
    trainer = trainers.BpeTrainer(vocab_size=vocab_size, show_progress=False,
                                  initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()))
    tokenizer.train_from_iterator(corpus(), trainer)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def split_byte_level(pattern, normalizer=None, vocab_size=420):
    pre = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(pattern), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    ])
    tokenizer = byte_level_base(vocab_size, pre)
    if normalizer is not None:
        tokenizer.normalizer = normalizer
    return tokenizer


def darts(mapping):
    """A double-array trie of `mapping` (bytes -> bytes) in the layout of SentencePiece's character maps."""
    blob, offsets = b"", {}
    for value in sorted(set(mapping.values())):
        offsets[value] = len(blob)
        blob += value + b"\0"
    root = {}
    for key, value in mapping.items():
        node = root
        for byte in key:
            node = node.setdefault(byte, {})
        node[None] = offsets[value]
    units, used = {0: 0}, {0}

    def place(node, index):
        labels = [0 if label is None else label for label in node]
        base = 256
        # Below 2**21 an offset fits without the extension bit; children lie at index ^ offset ^ label.
        while any((index ^ base ^ label) in used for label in labels) or base in used_bases:
            base += 1
        used_bases.add(base)
        for label in labels:
            used.add(index ^ base ^ label)
        units[index] = units.get(index, 0) | base << 10 | (1 << 8 if None in node else 0)
        for label, child in node.items():
            at = index ^ base ^ (0 if label is None else label)
            if label is None:
                units[at] = child | 1 << 31
            else:
                units[at] = label
                place(child, at)

    used_bases = set()
    place(root, 0)
    size = (max(units) | 255) + 1
    raw = struct.pack(f"<{size}I", *(units.get(i, 0) for i in range(size)))
    return struct.pack("<I", len(raw)) + raw + blob


def charsmap():
    pairs = {"ﬁ": "fi", "Ａ": "A", "ｂ": "b", "①": "1", "㎏": "kg", "\u3000": " ", "\u00a0": " ", "\t": " ", "\n": " ", "é": "e\u0301".encode().decode()[:1],
             "e\u0301": "é", "\u200b": "", "\ufeff": "", "ß": "ss", "👍🏽": "👍", "İ": "i", "…": "...", "\u0308": "", "u\u0308": "ü"}
    return darts({k.encode(): v.encode() for k, v in pairs.items()})


def unigram(**options):
    pieces = {}
    rng = random.Random(7)
    for line in corpus():
        for word in line.replace(" ", " ▁").split(" "):
            for end in range(1, min(len(word), 8) + 1):
                pieces[word[:end]] = pieces.get(word[:end], 0) + 1
            for i in range(len(word)):
                pieces[word[i:i + 2]] = pieces.get(word[i:i + 2], 0) + 1
    ranked = sorted(pieces.items(), key=lambda item: (-item[1], item[0]))[:500]
    vocab = [("<unk>", 0.0), ("<s>", 0.0), ("</s>", 0.0)]
    if options.get("byte_fallback"):
        vocab += [(f"<0x{b:02X}>", -9.0) for b in range(256)]
    vocab += [(piece, round(-2.0 - 0.01 * i - rng.random(), 4)) for i, (piece, _) in enumerate(ranked)
              if piece not in ("<unk>", "<s>", "</s>")]
    return Tokenizer(models.Unigram(vocab, 0, byte_fallback=options.get("byte_fallback", False)))


def word_piece(normalizer):
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=400, show_progress=False,
                                        special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])
    tokenizer.train_from_iterator(corpus(), trainer)
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return tokenizer


def char_bpe(pre=None, normalizer=None, decoder=None, vocab_size=420, trainer_options=None, **model):
    tokenizer = Tokenizer(models.BPE(**model))
    if normalizer is not None:
        tokenizer.normalizer = normalizer
    if pre is not None:
        tokenizer.pre_tokenizer = pre
    if decoder is not None:
        tokenizer.decoder = decoder
    tokenizer.train_from_iterator(corpus(), trainers.BpeTrainer(vocab_size=vocab_size, show_progress=False,
                                                                **(trainer_options or {})))
    return tokenizer


def with_bytes(tokenizer, **changes):
    """Adds byte tokens to a trained BPE and sets its flags."""
    state = json.loads(tokenizer.to_str())
    vocab = state["model"]["vocab"]
    for byte in range(256):
        vocab.setdefault(f"<0x{byte:02X}>", len(vocab))
    vocab.setdefault("<unk>", len(vocab))
    state["model"].update(changes)
    return Tokenizer.from_str(json.dumps(state))


def added(tokenizer):
    tokenizer.add_special_tokens([
        AddedToken("<s>", normalized=False), AddedToken("</s>", normalized=False), AddedToken("<mask>", lstrip=True, normalized=False),
        AddedToken("<|end|>", normalized=False)])
    tokenizer.add_tokens([
        AddedToken("word", single_word=True, normalized=False), AddedToken("<r>", rstrip=True, normalized=False),
        AddedToken("NORM", normalized=True), AddedToken("  x", normalized=True)])
    return tokenizer


def template(tokenizer):
    tokenizer.post_processor = processors.Sequence([
        processors.ByteLevel(trim_offsets=False),
        processors.TemplateProcessing(single="<s> $A </s>", pair="<s> $A </s> $B </s>",
                                      special_tokens=[("<s>", tokenizer.token_to_id("<s>")), ("</s>", tokenizer.token_to_id("</s>"))])])
    return tokenizer


def llama_decoder():
    return decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])


def build():
    byte_level = pre_tokenizers.ByteLevel
    meta = pre_tokenizers.Metaspace
    made = {}
    made["gpt2-prefix-space"] = byte_level_base(400, byte_level(add_prefix_space=True))
    made["gpt2-split"] = split_byte_level(GPT2)
    made["llama3-ignore-merges"] = template(added(split_byte_level(LLAMA3)))
    state = json.loads(made["llama3-ignore-merges"].to_str())
    state["model"]["ignore_merges"] = True
    state["model"]["merges"] = state["model"]["merges"][:80]
    made["llama3-ignore-merges"] = Tokenizer.from_str(json.dumps(state))
    made["qwen2-nfc-added"] = added(split_byte_level(QWEN2, normalizers.NFC()))
    made["possessive"] = split_byte_level(POSSESSIVE)
    made["case-aware"] = split_byte_level(CASE_AWARE)
    made["three-splits"] = byte_level_base(400, pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(p), "isolated") for p in (r"\p{N}{1,3}", "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+", SYMBOLS)]
        + [byte_level(add_prefix_space=False, use_regex=False)]))
    made["regex-dialect"] = split_byte_level(r"\p{N}{1,3}+|\w+\b|\p{Hiragana}+|\H{,3}|$")
    made["bytes-in-normalizer"] = char_bpe(pre_tokenizers.Split(Regex(r"\s+"), "merged_with_next"), normalizers.ByteLevel(),
                                           decoders.ByteLevel(), trainer_options={"initial_alphabet": sorted(byte_level.alphabet())})
    made["digits-punctuation"] = byte_level_base(400, pre_tokenizers.Sequence([
        pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.Punctuation("contiguous"), byte_level(add_prefix_space=False)]))
    legacy = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    made["llama2-legacy-added"] = added(with_bytes(char_bpe(None, legacy, llama_decoder(), 350), byte_fallback=True, fuse_unk=True, unk_token="<unk>"))
    for scheme in ("always", "first", "never"):
        for split in (True, False):
            base = char_bpe(meta(prepend_scheme=scheme, split=split), None, decoders.Metaspace(prepend_scheme=scheme), 320)
            made[f"metaspace-{scheme}-{'split' if split else 'whole'}"] = added(with_bytes(base, byte_fallback=True))
    made["bpe-suffix-fuse-unk"] = with_bytes(char_bpe(pre_tokenizers.Whitespace(), normalizers.Lowercase(), decoders.BPEDecoder("</w>"),
                                                      trainer_options={"end_of_word_suffix": "</w>", "limit_alphabet": 60, "special_tokens": ["<unk>"]},
                                                      unk_token="<unk>", end_of_word_suffix="</w>"), fuse_unk=True)
    made["bpe-prefix-unk"] = char_bpe(pre_tokenizers.WhitespaceSplit(), normalizers.Strip(), decoders.WordPiece("##", cleanup=False),
                                      trainer_options={"continuing_subword_prefix": "##", "limit_alphabet": 50, "special_tokens": ["<unk>"]},
                                      unk_token="<unk>", continuing_subword_prefix="##")
    made["bpe-no-unk"] = char_bpe(pre_tokenizers.CharDelimiterSplit(" "), normalizers.StripAccents(), None, 200, {"limit_alphabet": 40})
    made["bert-uncased"] = word_piece(normalizers.BertNormalizer())
    made["bert-cased"] = word_piece(normalizers.BertNormalizer(lowercase=False))
    made["bert-keep-accents"] = word_piece(normalizers.BertNormalizer(lowercase=True, strip_accents=False, clean_text=False))
    t5 = unigram()
    t5.normalizer = normalizers.Sequence([normalizers.Precompiled(charsmap()), normalizers.Strip(left=False, right=True),
                                          normalizers.Replace(Regex(" {2,}"), "▁")])
    t5.pre_tokenizer = meta(prepend_scheme="always")
    t5.decoder = decoders.Metaspace(prepend_scheme="always")
    made["unigram-charsmap"] = added(t5)
    made["unigram-charsmap-template"] = template(Tokenizer.from_str(t5.to_str()))
    fallback = unigram(byte_fallback=True)
    fallback.normalizer = normalizers.Sequence([normalizers.Nmt(), normalizers.NFKC(), normalizers.Replace(" ", "▁")])
    fallback.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Metaspace()])
    made["unigram-byte-fallback"] = fallback
    level = Tokenizer(models.WordLevel({w: i for i, w in enumerate(["<unk>", "a", "b", "hello", "fox", "the", ",", "."])}, unk_token="<unk>"))
    level.normalizer = normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents(), normalizers.Lowercase()])
    level.pre_tokenizer = pre_tokenizers.Whitespace()
    made["word-level"] = level
    behaviors = ["removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous"]
    for i, behavior in enumerate(behaviors):
        pre = pre_tokenizers.Split(Regex(r"[aeiou.\s]"), behavior, invert=i % 2 == 1)
        made[f"split-{behavior}"] = char_bpe(pre, normalizers.NFKD(), decoders.Fuse(), 250)
        made[f"split-{behavior}-text"] = char_bpe(pre_tokenizers.Split("a", behavior), None, decoders.Sequence([decoders.Fuse(), decoders.Strip("a", 2, 2), decoders.Replace("an", "AN")]), 250)
    made["words-unicode-regex"] = char_bpe(pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(r"\b|(?m:x.y)|\p{Han}+|[[:punct:]]|\h{2}"), "isolated")]), normalizers.NFC(), None, 260)
    made["ctc"] = Tokenizer(models.WordLevel({c: i for i, c in enumerate(["<pad>", "|", "h", "e", "l", "o", "'", "s", "."])}, unk_token="<pad>"))
    made["ctc"].pre_tokenizer = pre_tokenizers.Split("", "isolated")
    made["ctc"].decoder = decoders.CTC()
    return made


def encode(tokenizer, text, special):
    try:
        return tokenizer.encode(text, add_special_tokens=special).ids
    except BaseException:  # the model has no unknown token, or the reference panics
        return None


def decode(tokenizer, ids, skip):
    try:
        return tokenizer.decode(ids, skip_special_tokens=skip)
    except BaseException:  # the reference panics where Strip meets a token that is shorter than what it strips
        return None


def cases(name, tokenizer):
    rng = random.Random(name)
    size = tokenizer.get_vocab_size()
    texts = TEXTS + (ADDED_TEXTS if "<mask>" in tokenizer.get_vocab() else [])
    result = {"tokenizer": json.loads(tokenizer.to_str()), "encode": [], "decode": []}
    for text in texts:
        ids = encode(tokenizer, text, False)
        entry = {"text": text, "ids": ids}
        full = encode(tokenizer, text, True)
        if full != ids:
            entry["with_special"] = full
        tokenizer.encode_special_tokens = True
        plain = encode(tokenizer, text, False)
        tokenizer.encode_special_tokens = False
        if plain != ids:
            entry["plain"] = plain
        result["encode"].append(entry)
    for _ in range(24):
        ids = [rng.randrange(size + 2) for _ in range(rng.randrange(1, 14))]
        entry = {"ids": ids}
        for key, skip in (("text", False), ("skipped", True)):
            entry[key] = decode(tokenizer, ids, skip)
        if entry["skipped"] == entry["text"]:
            del entry["skipped"]
        result["decode"].append(entry)
    return result


def main():
    out = {"made_with": f"tokenizers {tokenizers.__version__}", "cases": {}}
    for name, tokenizer in build().items():
        out["cases"][name] = cases(name, tokenizer)
    lines = [f"{json.dumps(name)}: {json.dumps(case, separators=(',', ':'))}" for name, case in out["cases"].items()]
    text = '{"made_with": %s, "cases": {\n%s\n}}\n' % (json.dumps(out["made_with"]), ",\n".join(lines))
    (HERE / "cases.json").write_text(text)
    print(len(out["cases"]), "tokenizers,", len(text), "bytes")


if __name__ == "__main__":
    main()
