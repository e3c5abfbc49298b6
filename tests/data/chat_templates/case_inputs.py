"""Conversations that every template of case_templates.py is rendered with."""

SPECIAL = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>"}

WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Reads the weather of a \"city\" <now>.",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "Name, e.g. Zürich"},
                "days": {"type": "integer", "minimum": 1, "maximum": 18446744073709551615},
                "unit": {"type": "string", "enum": ["C", "F"]},
            },
            "required": ["city"],
        },
    },
}

CALL = {
    "id": "call12345",
    "type": "function",
    "function": {"name": "get_weather", "arguments": {"city": "Zürich", "days": 2, "hot": None, "x": 1.5, "y": True}},
}


def text(role, content, **more):
    return {"role": role, "content": content, **more}


def case(messages, **more):
    return {"messages": messages, "special_tokens": SPECIAL, **more}


SIMPLE = [text("user", "Hi")]
SYSTEM = [text("system", "  Be brief. \n"), text("user", "What is 2+2?"), text("assistant", "4"),
          text("user", "And 3+3? <|im_end|> </s>")]
TOOLS = [
    text("system", "Use tools."),
    text("user", "Weather in Zürich?"),
    text("assistant", None, tool_calls=[CALL]),
    text("tool", "{\"temp\": 21}", name="get_weather", tool_call_id="call12345"),
    text("tool", "[1, 2]", name="get_weather", tool_call_id="call67890"),
    text("assistant", "It is 21 °C."),
    text("user", "Thanks 🙂"),
]
REASONING = [
    text("user", "Why?"),
    text("assistant", "<think>\nFirst, look.\n</think>\n\nBecause."),
    text("user", "Really?"),
    text("assistant", "Yes.", reasoning_content="\nIt is so.\n"),
]
PARTS = [
    text("user", [{"type": "text", "text": "Look: "}, {"type": "image", "image": "a.png"},
                  {"type": "image"}, {"type": "text", "text": "日本語のテキスト"}]),
    text("assistant", [{"type": "text", "text": "A cat."}]),
]

INPUTS = {
    "empty": case([]),
    "simple": case(SIMPLE, add_generation_prompt=True),
    "simple, no tokens": {"messages": SIMPLE},
    "system": case(SYSTEM, add_generation_prompt=True),
    "system, closed": case(SYSTEM),
    "two users": case([text("user", "a"), text("user", "b")]),
    "unknown role": case([text("narrator", "a")], add_generation_prompt=True),
    "missing content": case([{"role": "user"}]),
    "unicode": case([text("user", "Ünïcödé ß ǆ 漢字 \u200b \u00a0 👩‍👩‍👧 \u202e"), text("assistant", "naïve\r\nline\u2028x")]),
    "tools": case(TOOLS, tools=[WEATHER], add_generation_prompt=True,
                  variables={"builtin_tools": ["brave_search", "code_interpreter"], "date_string": "1 Jan 2025"}),
    "tools, asked only": case(SIMPLE, tools=[WEATHER, WEATHER], add_generation_prompt=True),
    "reasoning": case(REASONING, add_generation_prompt=True, variables={"enable_thinking": False}),
    "reasoning, closed": case(REASONING),
    "parts": case(PARTS, add_generation_prompt=True),
    "documents": case(SIMPLE, documents=[{"title": "T1", "text": "One."}, {"title": "T2", "text": "Two\nlines."}],
                      add_generation_prompt=True),
    "expressions": case(
        SYSTEM,
        variables={
            "s": "Hello World", "t": "  padded\t\n", "u": "ßtraße ÀÉ σίσυφος ΣΊΣΥΦΟΣ", "empty": "", "n": 7, "neg": -7,
            "f": 2.5, "big": 1e22, "small": 1.5e-7, "third": 0.1, "yes": True, "no": False, "nil": None,
            "l": [3, 1, 2], "words": ["b", "A", "c", "B"], "mixed": [1, "a", None, True, 2.0, [1], {"k": "v"}],
            "d": {"b": 1, "a": [1, 2], "C": None, "items": "shadow"}, "lines": "a\nb\r\nc\n\nd",
            "people": [{"name": "Bo", "age": 3, "pet": {"kind": "cat"}}, {"name": "al", "age": 1},
                       {"name": "Cy", "age": 2, "pet": {"kind": "dog"}}, {"name": "Di", "age": 1}],
            "html": "<a href=\"x\">'&'</a>", "csv": "a,b,,c", "quote": "it's \"q\"\\ \n\t\x7f é \u200b",
            "huge": 18446744073709551615, "emoji": "a👍b漢c",
        }),
}
