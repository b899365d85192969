"""The original, doing the same work: a name of a case a line comes in, milliseconds go out."""

import asyncio
import gc
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

from pydantic_ai_harness.tool_output_limits import (
    Band, LocalFileStore, Spill, ToolOutputLimits, Truncate, indented_json, json_lines,
)


def log(chars):
    lines, length, i = [], 0, 0
    while length < chars:
        line = f'2026-03-01T12:{i % 60:02d}:00Z worker-{i % 17} handled request {i} in {(i * 7919) % 1000} ms\n'
        lines.append(line)
        length += len(line)
        i += 1
    return ''.join(lines)[:chars]


def rows(chars):
    return [
        {
            'id': i, 'name': f'customer {i}', 'email': f'c{i}@example.com', 'active': i % 3 == 0,
            'balance': ((i * 7919) % 100_000) / 100, 'tags': ['a', 'b', f't{i % 10}'], 'note': None,
        }
        for i in range(round(chars / 130))
    ]


def hangul(chars):
    return ''.join(
        '\n' if i % 61 == 60 else ' ' if i % 7 == 6 else chr(0xAC00 + (i * 7919) % 11_000) for i in range(chars)
    )


store = LocalFileStore(Path(tempfile.mkdtemp(prefix='tool-output-limits-bench-')))
calls = 0


async def reduce(limits, value):
    global calls
    calls += 1
    ctx = SimpleNamespace(run_id='bench', retry=0, tool_name='bench')
    call = SimpleNamespace(tool_name='bench', tool_call_id=f'c{calls}')
    unit = limits._make_unit(value, tool_name='bench', suffix='')
    text, handle = await limits._reduce(ctx, call, limits._bands, unit)
    assert text is not None and len(text) < 10_000, 'nothing was reduced'


def limits(action, **options):
    made = ToolOutputLimits(bands=[Band(over=10_000, action=action)], store=store, **options)
    made._store_for = lambda ctx: store
    made._read_hint = lambda ctx, handle: ''
    return made


def one(action, value, **options):
    made = limits(action, **options)
    return lambda: reduce(made, value)


async def many(made, value):
    await asyncio.gather(*(reduce(made, value) for _ in range(1_000)))


CASES = {
    'spill a 50 MB string, ASCII': lambda: one(Spill(), log(50_000_000)),
    'spill a string of 15 M Hangul chars': lambda: one(Spill(), hangul(15_000_000)),
    'spill a 50 MB array of rows': lambda: one(Spill(), rows(50_000_000)),
    'spill a 10 MB string, ASCII': lambda: one(Spill(), log(10_000_000)),
    'spill a string of 10 MB in UTF-8, Hangul': lambda: one(Spill(), hangul(3_400_000)),
    '10 MB of rows as `json-lines`': lambda: one(Spill(), rows(10_000_000), serializer=json_lines),
    '10 MB of rows as `indented-json`': lambda: one(Spill(), rows(10_000_000), serializer=indented_json),
    '1,000 spills of 100 KB at once': lambda: (lambda made, text: lambda: many(made, text))(limits(Spill()), log(100_000)),
}


async def main():
    name, work = None, None
    print('ready', flush=True)
    for line in sys.stdin:
        if line.rstrip('\n') != name:
            name = line.rstrip('\n')
            work = CASES[name]() if name in CASES else None
        if work is None:
            print('none', flush=True)
            continue
        gc.collect()
        start = time.perf_counter()
        await work()
        print((time.perf_counter() - start) * 1e3, flush=True)


asyncio.run(main())
