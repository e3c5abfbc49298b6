"""Single expressions and small templates, rendered with the input "expressions" of case_inputs.py."""

EXPRESSIONS = r"""
1 + 2 * 3 - 4 / 2
7 // 2, -7 // 2, 7 % 3, -7 % 3, 7 % -3, 2 ** 10, 2 ** -1, -2 ** 2, 2 ** 3 ** 2
7.5 // 2, -7.5 % 2, 1e3, 1.5e-7, 1e16, 123456789012345.0, 1e15, 0.1 + 0.2, big, small, third, f * 2
1 / 3, 10 / 5, 1e100, -0.0, 5 // 0.3
1 / 0
n // 0
f % 0
n ~ f ~ nil ~ yes ~ undefined_name ~ l ~ d
s + 1
undefined_name + 's'
undefined_name
undefined_name.attribute
undefined_name['x']
s.nothing
s.nothing.more
d.nothing is defined, d.a is defined, d['a'][0], d.a[-1], d.a[9] is defined
'a' 'b' "c"
'\n\t\\\'\"\x41\u00e9\U0001F600\101\q'
true, false, none, True, False, None
not yes, not no, yes and no, yes or no, nil or 'x', empty or l, s and n
1 < 2 < 3, 1 < 3 < 2, 1 == 1.0, 1 == true, 'a' < 'b', [1, 2] < [1, 3], s == 'Hello World', s != s
1 < 'a'
nil < 1
'Hello' in s, 'x' not in s, 3 in l, 9 in l, 'b' in d, 'z' in d, none in mixed
1 in s
'a' in undefined_name
s is string, n is string, d is mapping, l is mapping, l is iterable, s is iterable, n is iterable, l is sequence
n is number, yes is number, yes is integer, n is integer, f is float, n is float, yes is boolean, yes is true, no is false
1 is true, nil is none, nil is not none, undefined_name is defined, undefined_name is undefined, s is not defined
n is odd, n is even, neg is odd, n is divisibleby 7, n is divisibleby(2), n is eq 7, n is equalto(8), n is ne 7
n is lt 8, n is gt 8, n is ge 7, n is le 6, n is lessthan 8, n is sameas 7, nil is sameas none, n is in l, 3 is in(l)
'ABC' is upper, 'abc' is lower, 'aB' is upper, s is callable, s.upper is callable, range is callable
s is defined and n is defined, n is number or false
'x' if yes else 'y', 'x' if no else 'y', 'x' if no, ('x' if no) is defined
'a' if no else 'b' if no else 'c'
[1, 2, 3][::-1], l[1:], l[:-1], l[::2], l[-2:], l[5:], l[2:0:-1], l[:100], (1, 2, 3)[1:]
s[0], s[-1], s[1:4], s[::-1], s[::2], s[5:1:-2], emoji[1], emoji[::-1], emoji[1:4], emoji[-2:], emoji[9:]
s[100]
l[100]
l[::0]
l['a']
[], (), {}, [1], (1,), (1, 'a'), {'a': 1, 2: 'b', none: [1]}, {'a': 1, 'a': 2}
[1, 'it\'s', "q\"", 'b"\'', none, true, 1.0, [2, (3,)], {'k': {}}]
quote, [quote], mixed, d
[undefined_name]
d.items() | list
d.keys() | list, d.values() | list, d.get('b'), d.get('z'), d.get('z', 5)
d.get('z', default=1)
d.update({'x': 1})
l.append(4)
l.count(1), l.index(2), (1, 1).count(1)
l.index(99)
l + [4], (1,) + (2,), [0] * 3, 2 * 'ab', 'ab' * 0, 'ab' * -1
l + (1,)
l + s
s.__class__.__mro__
''.__class__.__base__.__subclasses__()
l.__len__()
s.upper(), s.lower(), s.title(), s.capitalize(), u.upper(), u.lower(), u.title(), u.capitalize()
'ǆ ŉ ﬁ İ'.upper(), 'ǆ ŉ ﬁ İ'.lower(), 'ǆ ŉ ﬁ İ'.title(), 'ﬁx'.capitalize(), 'ΑΣ ΑΣΑ Σ ΑΣ.'.lower()
s | upper, s | lower, 'foo bar-baz (qux) x_y' | title, "it's ABC" | title, 'hELLO' | capitalize, u | title, n | upper
t.strip() ~ '|', t.lstrip() ~ '|', t.rstrip() ~ '|', 'xxaxx'.strip('x'), 'abcba'.strip('ab'), t | trim ~ '|', 'xax' | trim('x')
'\u00a0\u2003a\u3000'.strip(), '\x1fa\x1c' | trim
csv.split(','), csv.split(',', 1), csv.rsplit(',', 1), csv.rsplit(','), t.split(), ' a  b c '.split(none, 1), ' a  b c '.rsplit(none, 1), ''.split(), ''.split(',')
'a--b--c'.split('--', maxsplit=1), 'aaa'.split('aa'), 'aaa'.rsplit('aa')
csv.split('')
lines.splitlines(), lines.splitlines(true), 'a\x0bb\x1cc\u2028d\x85e'.splitlines(), ''.splitlines()
s.startswith('Hell'), s.endswith('d'), s.startswith(('x', 'H')), s.endswith(('x', 'y')), s.startswith('')
s.startswith(1)
s.replace('l', 'L'), s.replace('l', 'L', 1), 'abc'.replace('', '-'), 'aaa'.replace('aa', 'b'), ''.replace('', 'x'), 'é漢'.replace('', '.', 2)
s | replace('l', ''), s | replace('o', '0', 1), n | replace(7, 8), s | replace('World', count=1, new='X')
s.find('o'), s.find('zz'), s.rfind('o'), s.find('o', 5), emoji.find('b'), emoji.rfind('c'), s.index('W'), s.find('o', 5, 6), s.find(''), s.rfind('')
s.index('zz')
s.count('l'), s.count('zz'), 'aaaa'.count('aa'), 'abc'.count('')
', '.join(words), ''.join([]), '-'.join(('a', 'b')), '.'.join('abc')
','.join(l)
'{} {}'.format(1, 'a'), '{0}{1}{0}'.format('x', 'y'), '{a!r} {b}'.format(a='q', b=none), '{{}}'.format()
'{:>5}|{:<5}|{:^5}|{:*^6}|{:05d}|{:+d}|{:,}|{:.2f}|{:x}|{:%}|{:8.3f}|{:s}'.format(1, 2, 3, 'ab', 42, 7, 1234567, 3.14159, 255, 0.25, 2.5, 'x')
'%s %d %.2f %5s|%-5s|%05d %x %% %r %+d' | format('a', 3.9, 2.345, 'r', 'l', 42, 255, 'q', 5)
'%s-%s' % ('a', 1), '%s' % n, '%(x)s' % {'x': 1}, '%s' % [1]
'{:,}|{:,}|{:,}|{:,.1f}|{:,}'.format(1, 123, -1234, 9876543.21, 1000000)
'%s %s' % ('a',)
'%d' % 'a'
'123'.isdigit(), '12a'.isdigit(), ''.isdigit(), '²'.isdigit(), '٣'.isdigit(), 'abc'.isalpha(), 'é漢'.isalpha(), 'a1'.isalpha(), ' \t'.isspace(), ''.isspace(), 'a1'.isalnum(), 'AB'.isupper(), 'ab1'.islower()
'a.b.c'.partition('.'), 'a.b.c'.rpartition('.'), 'abc'.partition('x'), 'prefix-x'.removeprefix('prefix-'), 'x.py'.removesuffix('.py')
'ab'.center(7, '*'), 'ab'.center(6) ~ '|', 'a'.center(4, '-'), 'ab'.ljust(4) ~ '|', 'ab'.rjust(4, '.'), 'ab' | center(7) ~ '|'
s.foo()
s | length, l | length, d | count, emoji | length, undefined_name | length, '' | length
n | length
l | join, l | join(', '), people | join(', ', attribute='name'), s | join('.'), d | join(','), undefined_name | join, mixed | join('/')
undefined_name | default('x'), empty | default('x'), empty | default('x', true), nil | d('x'), nil | d('x', boolean=true), undefined_name | d ~ '|'
l | first, l | last, [] | first, ([] | last) is defined, s | first, d | first, d | last
'42' | int, '4x' | int, '4x' | int(5), '3.9' | int, 3.9 | int, -3.9 | int, nil | int, yes | int, 'ff' | int(0, 16), '0xff' | int(base=16), ' 12 ' | int, '1_000' | int, '' | int, '-5' | int, '+5' | int
'4.5' | float, 'x' | float, 'x' | float(1.5), 3 | float, '1e3' | float, nil | float, '-1e999x' | float
n | string, l | string, nil | string, f | string ~ '|', s | string | length, undefined_name | string ~ '|'
l | list, s | list, d | list, (1, 2) | list, undefined_name | list, range(3) | list
range(5) | list, range(2, 8, 3) | list, range(5, 0, -2) | list, range(0) | list, 3 in range(5), range(4)[1], range(4) | length, range(-3) | list
range(1000000)
range(10, 1000000000000)
range(1, 5, 0)
l | sort, l | sort(reverse=true), words | sort, words | sort(case_sensitive=true), people | map(attribute='name') | sort, people | sort(attribute='age,name') | map(attribute='name') | list
people | sort(attribute='pet.kind') | list
people | sort(attribute='age') | map(attribute='name') | list, people | sort(true, attribute='age') | map(attribute='name') | list
mixed | sort
words | unique | list, words | unique(true) | list, people | unique(attribute='age') | map(attribute='name') | list, [1, 1.0, true, 2] | unique | list
l | min, l | max, words | min, words | max, words | max(case_sensitive=true), (people | min(attribute='age')).name, ([] | min) is defined
l | sum, l | sum(start=10), people | sum(attribute='age'), [] | sum, [1.5, 2] | sum
l | reverse | list, s | reverse, emoji | reverse, (1, 2) | reverse | list
d | items | list, {} | items | list, undefined_name | items | list
d | dictsort, d | dictsort(true), {'b': 1, 'a': 2} | dictsort(by='value'), {'b': 1, 'a': 2} | dictsort(reverse=true)
people | map(attribute='name') | list, people | map(attribute='pet.kind', default='none') | join(','), words | map('upper') | join, words | map('replace', 'A', 'x') | list, [[1, 2], [3]] | map('first') | list, [[1, 2]] | map(attribute=1) | list, [[1, 2]] | map(attribute='0') | list
people | selectattr('age', 'equalto', 1) | map(attribute='name') | list, people | rejectattr('age', 'gt', 1) | map(attribute='name') | list, people | selectattr('pet') | list | length, people | selectattr('pet', 'defined') | list | length
people | selectattr('pet.kind', 'eq', 'cat') | map(attribute='name') | list
l | select('odd') | list, l | reject('odd') | list, mixed | select | list, mixed | reject('string') | list, words | select('in', ['A', 'B']) | list, words | reject('equalto', 'A') | join
people | groupby('age') | list, people | groupby('age') | map(attribute='grouper') | list
l | batch(2) | list, l | batch(2, 0) | list, [1, 2, 3, 4, 5] | slice(2) | list, [1, 2, 3, 4, 5] | slice(3, 'x') | list
(people | map(attribute='name')) | length
'yes' if [] | map('upper') else 'no', 'yes' if [] | map('upper') | list else 'no', 'yes' if {}.items() else 'no'
2.5 | round, 3.5 | round, 2.675 | round(2), 2.7 | round | int, 2.1 | round(0, 'ceil'), 2.19 | round(1, 'floor'), 7 | round, -2.5 | round, 1234.5678 | round(3)
neg | abs, -2.5 | abs, n | abs
'5' | abs
lines | indent, lines | indent(2, true), lines | indent(1, blank=true), 'a' | indent('>> ', first=true), '' | indent(4) ~ '|'
(html | e) ~ (html | escape) ~ (s | safe) ~ (s | e | upper)
'a b  c-d' | wordcount, s | wordcount, s | truncate(8), s | truncate(5), s | truncate(5, true), 'foo bar baz qux' | truncate(9, false, '', 0), 'foo bar baz qux' | truncate(9)
d | tojson, mixed | tojson, quote | tojson, u | tojson, emoji | tojson(ensure_ascii=true), [] | tojson, {} | tojson, nil | tojson, big | tojson, f | tojson, huge | tojson, huge, html | tojson
d | tojson(indent=2), mixed | tojson(indent=1), [] | tojson(indent=4), {'a': {}} | tojson(indent=0), [1] | tojson(indent='--')
d | tojson(sort_keys=true), d | tojson(separators=(',', ':')), {1: 2, none: 3, true: 4, 1.5: 5} | tojson, (1, (2,)) | tojson, people | tojson(indent=2, sort_keys=true)
undefined_name | tojson
range(3) | tojson
{'a': undefined_name} | tojson
l | map('string') | tojson
{(1, 2): 3} | tojson
{(1, 2): 3}[(1, 2)], {1: 'a'}[true], {1: 'a'}[1.0], {'1': 'a'}[1] is defined
{[1]: 2}
dict(a=1, b='x'), dict(d, z=1) | length, dict([('a', 1), ('b', 2)]), dict()
namespace(a=1).a, namespace({'x': 2}).x, namespace(a=1).b is defined
namespace(a=1)['a']
strftime_now('%d %b %Y'), strftime_now('%Y-%m-%d %H:%M:%S'), strftime_now('%A %B %j %I %p %y %-d %e %% %F %T'), strftime_now('')
raise_exception('own ' ~ 'words: ' ~ s)
raise_exception()
lipsum()
s()
n.x.y
nil.x is defined, nil.x, n.x is defined
nil.x.y
nil[0] is defined, n[0] is defined, n['x'] is defined
s | nofilter
s is notest
d.b, d['b'], d.C, d.c is defined
messages[0].content | trim, messages | length, messages[1].role, messages[-1]['content'], messages[0].get('name', 'none')
messages | map(attribute='content') | map('trim') | map('length') | list
messages[1:] | selectattr('role', 'in', ['user']) | map(attribute='content') | join(' / ')
bos_token ~ eos_token ~ pad_token, unk_token is defined
1 if 2 > 1 and not 3 < 2 or 4 else 5
-n, +n, -f, - -n, -n | abs, (-n) | abs, -yes, +yes
(1, 2) == [1, 2], {'a': 1} == {'a': 1}, [1, [2]] == [1.0, [2]], 'a' == none, undefined_name == undefined_other, undefined_name == none
9223372036854775807, -9223372036854775807, 9223372036854775806 + 1
(n | string) ~ (f | string | upper) ~ (yes | string | lower) ~ [yes] | string
n | default(1) + 1, l | length + 1, l | length > 2 and s
1.0 | int, 1.0, 100000.0, 1e5, 1e-4, 0.00001, 12345678.9, 1.1e-5
'a' ~ 1 + 2
1 + 2 ~ 'a'
1 ~ 2 * 3
'x' * 3 ~ 'y'
s.upper().lower().title()[0:5] | lower
{'a': {'b': [10, {'c': 'deep'}]}}.a.b[1].c
[l, words][0][1], (l | sort)[0], (s.split(' '))[1], s.split(' ')[-1][::-1]
'%s' | format(s) | length, 'abc' | first | upper
loop
caller
s is not string, s is not number, not s is string
n is divisibleby 7 and true
l is sequence, d is sequence, d.items() is sequence, (l | map('string')) is iterable, (l | map('string')) is sequence
[1, 2,], (1, 2,), {'a': 1,}, 'abc'.replace('a', 'b',)
1_000, 1_0.5
.5
01
0x1F, 0o17, 0b101
0x
'unclosed
(1, 2
[1 2]
{'a' 1}
1 +
a b
s | 
s is
is
if
not
""".strip("\n").split("\n")

STATEMENTS = [
    "  {% if yes %}  \n  a\n  {% endif %}  \nb\n",
    "a\n\n",
    "a\r\nb\rc\r\n",
    "{{ s }}\n",
    "{{ s }}\n\n",
    "  {{ s }}  \n x",
    "  {%- if yes -%}  \n  a  \n {%- endif -%}  \nb",
    "  {%+ if yes +%}  \n  a  \n {%+ endif +%}  \nb",
    "a {#- comment -#} b",
    "a {# comment #} b\n  {# alone #}\nc",
    "  {# x #} {% if yes %} y {% endif %}\n",
    "x  {% if yes %}\ny{% endif %}\n",
    "{{- s -}}   z",
    "a {{- 1 }} {{ 2 -}} b {{+ 3 }}",
    "{% raw %}{{ x }}{% if %}{% endraw %}|",
    "  {% raw %}\n a {%- endraw %}\n b",
    "{% raw -%}  \n a  {%- endraw -%}  \n b",
    "{%- raw -%} x {% endraw %}",
    "{% for x in l %}{{ x }}{% endfor %}",
    "{% for x in [] %}{{ x }}{% else %}none{% endfor %}",
    "{% for x in l %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.revindex0 }}{{ loop.first }}{{ loop.last }}{{ loop.length }}{{ loop.depth }}{{ loop.depth0 }} {% endfor %}",
    "{% for x in l %}{{ loop.previtem }}<{{ x }}>{{ loop.nextitem }} {% endfor %}",
    "{% for x in l %}{{ loop.cycle('a', 'b') }}{{ loop.changed(x > 1) }}{% endfor %}",
    "{% for x in l if x > 1 %}{{ loop.index }}:{{ x }}/{{ loop.length }} {% else %}none{% endfor %}",
    "{% for x in l if x > 9 %}{{ x }}{% else %}none{% endfor %}",
    "{% for k, v in d.items() %}{{ k }}={{ v }};{% endfor %}",
    "{% for k, v in d | dictsort %}{{ k }}={{ v }};{% endfor %}",
    "{% for k in d %}{{ k }};{% endfor %}",
    "{% for a, (b, c) in [(1, (2, 3))] %}{{ a }}{{ b }}{{ c }}{% endfor %}",
    "{% for a, b in [(1, 2, 3)] %}{{ a }}{% endfor %}",
    "{% for c in emoji %}[{{ c }}]{% endfor %}",
    "{% for x in n %}{{ x }}{% endfor %}",
    "{% for x in undefined_name %}{{ x }}{% else %}empty{% endfor %}",
    "{% for x in range(10) %}{% if x == 2 %}{% continue %}{% endif %}{% if x == 5 %}{% break %}{% endif %}{{ x }}{% endfor %}",
    "{% for x in l %}{% for y in l %}{{ loop.index }}{% if y == x %}{% break %}{% endif %}{% endfor %};{% endfor %}",
    "{% for x in l %}{% set outer = loop %}{% for y in [1, 2] %}{{ outer.index }}{{ loop.index }} {% endfor %}{% endfor %}",
    "{% break %}",
    "{% for x in 1, 2, 3 %}{{ x }}{% endfor %}",
    "{% for x in l %}{{ x }}{% endfor %}{{ x is defined }}{{ loop is defined }}",
    "{% set x = 1 %}{% for y in l %}{% set x = x + 1 %}{{ x }}{% endfor %}{{ x }}",
    "{% set ns = namespace(x=1) %}{% for y in l %}{% set ns.x = ns.x + y %}{% endfor %}{{ ns.x }}",
    "{% for y in l %}{{ seen is defined }}{% set seen = 1 %}{% endfor %}",
    "{% if no %}a{% elif nil %}b{% elif n %}c{% else %}d{% endif %}",
    "{% if no %}a{% else %}d{% endif %}",
    "{% if yes %}{% set inner = 5 %}{% endif %}{{ inner }}",
    "{% set a, b = 1, 2 %}{{ a }}{{ b }}",
    "{% set a = 1, 2 %}{{ a }}",
    "{% set (a, b) = l[:2] %}{{ a }}{{ b }}",
    "{% set a, b = l %}{{ a }}",
    "{% set x %}  block {{ s }}\n{% endset %}[{{ x }}]{{ x | length }}",
    "{% set x | upper | trim %} block {{ s }} {% endset %}[{{ x }}]",
    "{% set d.x = 1 %}",
    "{% set nope.x = 1 %}",
    "{% set ns = namespace() %}{% set ns.a = [1] %}{% set ns.a = ns.a + [2] %}{{ ns.a }}{{ ns.zz is defined }}",
    "{% macro m(a, b=2, c='x') %}{{ a }}{{ b }}{{ c }};{% endmacro %}{{ m(1) }}{{ m(1, 3) }}{{ m(1, c='y') }}{{ m(a=1, b=5) }}{{ m() }}",
    "{% macro m(a) %}{{ a }}{% endmacro %}{{ m(1, 2) }}",
    "{% macro m(a) %}{{ a }}{% endmacro %}{{ m(1, x=2) }}",
    "{% macro m(a) %}{{ a }}{% endmacro %}{{ m(1, a=2) }}",
    "{% macro m() %}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m(1, 2, x=3) }}",
    "{% macro m(x) %}{% if x > 0 %}{{ x }}{{ m(x - 1) }}{% endif %}{% endmacro %}{{ m(3) }}",
    "{% macro m(a, b=a ~ '!') %}{{ b }}{% endmacro %}{{ m('x') }}",
    "{% set v = 1 %}{% macro m() %}{{ v }}{% endmacro %}{% set v = 2 %}{{ m() }}",
    "{% macro m() %}{{ later }}{% endmacro %}{% set later = 2 %}{{ m() }}",
    "{% macro m() %}{% set inside = 1 %}{% endmacro %}{{ m() }}{{ inside is defined }}",
    "{% for x in l %}{% macro m() %}{{ x }}{% endmacro %}{{ m() }}{% endfor %}",
    "{% macro m(t) %}<{{ caller() }}|{{ t }}>{% endmacro %}{% call m('x') %}body {{ n }}{% endcall %}",
    "{% macro m(t) %}{% for x in t %}{{ caller(x, loop.index) }}{% endfor %}{% endmacro %}{% call(a, b=0) m(l) %}{{ a }}-{{ b }} {% endcall %}",
    "{% macro m(t) %}{{ t }}{% endmacro %}{% call m('x') %}body{% endcall %}",
    "{% macro m() %}x{% endmacro %}{{ m() | upper ~ m().upper() }}{{ m is callable }}{{ m.name }}",
    "{% macro m() %}{{ s }}{% endmacro %}{{ (m() ~ 'a') | length }}",
    "{% call s() %}x{% endcall %}",
    "{% filter upper %}a{{ s }}{% endfilter %}",
    "{% filter replace('a', 'b') | upper %}aa{% endfilter %}",
    "{% with %}{% set z = 1 %}{{ z }}{% endwith %}{{ z is defined }}",
    "{% with a = 1, b = n %}{{ a }}{{ b }}{% endwith %}",
    "{% generation %}a{{ s }}{% set g = 1 %}{% endgeneration %}{{ g is defined }}",
    "{% if yes %}\n{% generation %}\nline\n{% endgeneration %}\n{% endif %}\nend",
    "{{ [1, 2, 3] | map('string') | join('-') }}{% set it = [1, 2] | map('string') %}{{ it | list }}{{ it | list }}",
    "{{ s }}{# {{ x }} {% if %} #}{{ n }}",
    "{{ {'a': {'b': 1}} }}{{ {'a': {}}}}",
    "{{ '}}' }}{{ \"%}\" }}{% set x = '%}' %}{{ x }}",
    "{{ 'multi\nline' }}",
    "{ { } } {x} { % %} #} }}",
    "日本 {{ emoji }} {% if yes %}é{% endif %}",
    "{% set ÿ = 1 %}{{ ÿ }}",
    "{% unknown %}",
    "{% include 'x' %}",
    "{% extends 'x' %}",
    "{% import 'x' as y %}",
    "{% do 1 %}",
    "{% if yes %}",
    "{% for x in l %}",
    "{% endif %}",
    "{% if %}a{% endif %}",
    "{% if yes %}{% endfor %}",
    "{% set = 1 %}",
    "{% set true = 1 %}",
    "{% for true in l %}{% endfor %}",
    "{% macro m(a=1, b) %}{% endmacro %}",
    "{{",
    "{{ }}",
    "{{ s",
    "{% ",
    "{# x",
    "{% raw %}x",
    "{{ s }",
    "{%- set x = 1 -%}\n\n{{- x -}}\n",
    "{{ s if yes }}{{ s if no }}|",
    "{% for m in messages %}{{ m.role }}{{ ',' if not loop.last else '.' }}{% endfor %}",
    "{% set ns = namespace(found=false) %}{% for m in messages[::-1] %}{% if not ns.found and m.role == 'user' %}{% set ns.found = true %}{{ m.content }}{% endif %}{% endfor %}",
]
