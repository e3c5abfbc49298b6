#!/usr/bin/env python3
"""Renders the templates beside this script with Jinja itself and writes cases.json, which chat_template_test.cc reads.

Needs PyPI's jinja2. Usage: make_cases.py  (writes cases.json into its own folder)
"""

import datetime
import json
import pathlib

from jinja2 import nodes
from jinja2.exceptions import TemplateError
from jinja2.ext import Extension
from jinja2.sandbox import ImmutableSandboxedEnvironment

from case_expressions import EXPRESSIONS, STATEMENTS
from case_inputs import INPUTS
from case_templates import TEMPLATES

FOLDER = pathlib.Path(__file__).parent
NOW = datetime.datetime(2024, 7, 6, 15, 4, 5)


class Raised(TemplateError):
    """What raise_exception throws."""


class Generation(Extension):
    """{% generation %} prints its body, in a scope of its own."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.Scope(body).set_lineno(line)


def raise_exception(message):
    raise Raised(message)


def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def environment():
    env = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, "jinja2.ext.loopcontrols"]
    )
    env.filters["tojson"] = tojson
    env.globals["raise_exception"] = raise_exception
    env.globals["strftime_now"] = lambda form: NOW.strftime(form)
    for name in ("lipsum", "cycler", "joiner"):
        del env.globals[name]
    return env


def variables(given):
    named = dict(given.get("special_tokens", {}))
    named.update(given.get("variables", {}))
    return dict(
        messages=given["messages"],
        tools=given.get("tools"),
        documents=given.get("documents"),
        add_generation_prompt=given.get("add_generation_prompt", False),
        **named,
    )


def render(env, source, given):
    try:
        return {"text": env.from_string(source).render(**variables(given))}
    except Raised as error:
        return {"raises": str(error)}
    except Exception as error:  # whatever Python says, Legato must refuse as well
        return {"fails": type(error).__name__}


def main():
    env = environment()
    cases = []
    for name, source in TEMPLATES.items():
        renders = [{"input": key, **render(env, source, given)} for key, given in INPUTS.items()]
        cases.append({"name": name, "source": source, "renders": renders})
    for index, expression in enumerate(EXPRESSIONS):
        source = "{{ " + expression + " }}"
        cases.append({"name": f"expression {index}", "source": source,
                      "renders": [{"input": "expressions", **render(env, source, INPUTS["expressions"])}]})
    for index, source in enumerate(STATEMENTS):
        cases.append({"name": f"statement {index}", "source": source,
                      "renders": [{"input": "expressions", **render(env, source, INPUTS["expressions"])}]})
    text = json.dumps({"inputs": INPUTS, "cases": cases}, ensure_ascii=False, indent=1)
    (FOLDER / "cases.json").write_text(text + "\n", encoding="utf-8")
    count = sum(len(case["renders"]) for case in cases)
    print(f"{len(cases)} templates, {count} renderings")


if __name__ == "__main__":
    main()
