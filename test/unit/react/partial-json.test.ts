import { describe, expect, it } from 'vitest';
import { parsePartialJson } from '../../../src/react/partial-json.ts';

describe('parsePartialJson', () => {
  it.each([
    ['', undefined],
    ['{', {}],
    ['{"file_pa', {}],
    ['{"file_path"', {}],
    ['{"file_path":', {}],
    ['{"file_path":"src/a', { file_path: 'src/a' }],
    ['{"file_path":"src/app.ts","limit":4', { file_path: 'src/app.ts' }],
    ['{"limit":42,', { limit: 42 }],
    ['{"all":tr', {}],
    ['{"all":true}', { all: true }],
    ['{"list":["a","b', { list: ['a', 'b'] }],
    ['{"a":{"b":[1,2', { a: { b: [1] } }],
    ['{"text":"line\\n', { text: 'line\n' }],
    ['{"text":"line\\', { text: 'line' }],
    ['{"text":"line\\\\', { text: 'line\\' }],
    ['{"text":"\\u00e', { text: '' }],
    ['{"text":"\\u00e4', { text: 'ä' }],
    ['{"text":"she said \\"hi\\""', { text: 'she said "hi"' }],
  ])('reads %j as %j', (text, value) => {
    expect(parsePartialJson(text)).toEqual(value);
  });

  it('reads what is complete as JSON.parse does, at every length on the way without a throw', () => {
    const value = {
      code: 'const a = "b\\n";\n\t// ü 🌊',
      n: [-1.5e3, null, { deep: [[]] }],
      yes: false,
    };
    const text = JSON.stringify(value, null, 1);
    for (let length = 0; length < text.length; length += 1) parsePartialJson(text.slice(0, length));
    expect(parsePartialJson(text)).toEqual(value);
  });

  it('shows nothing of what is no JSON', () => {
    expect(parsePartialJson('{"a": nonsense }')).toBeUndefined();
    expect(parsePartialJson('{"a": "raw\nline"}')).toBeUndefined();
  });

  it('survives nesting that would overflow the stack', () => {
    expect(parsePartialJson('['.repeat(100_000))).toBeUndefined();
  });

  it('takes no time that grows with the square of backslashes', () => {
    // One that took the square of their number would outlast the test's own time.
    const text = '\\\\'.repeat(100_000);
    expect(parsePartialJson(`{"a":"${text}b`)).toEqual({ a: `${'\\'.repeat(100_000)}b` });
    expect(parsePartialJson(`{"a":"${text}\\`)).toEqual({ a: '\\'.repeat(100_000) });
  }, 15_000);

  it('keeps a key named __proto__ an own property', () => {
    const value = parsePartialJson('{"__proto__":{"polluted":true}}') as object;
    expect(Object.hasOwn(value, '__proto__')).toBe(true);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});
