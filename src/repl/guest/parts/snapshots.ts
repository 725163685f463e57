// Test snapshots: values as text, in vitest's and jest's format, inline or in a file of
// `__snapshots__`. New snapshots are written. A difference fails the test, and existing snapshots
// are never updated.
import type { Kernel, Snapshots } from '../kernel-type.ts';

interface Serializer {
  test(value: unknown): boolean;
  serialize?(value, config, indentation: string, depth: number, refs, printer): string;
  print?(value, print: (value) => string, indent: (text: string) => string): string;
}

/** The snapshots of one test file. */
interface SnapshotFile {
  readonly path: string;
  readonly entries: Map<string, string>;
  readonly isJest: boolean;
  isChanged: boolean;
}

/** Returns the matchers, and the functions that the test runner calls. */
export function addSnapshots(kernel: Kernel): Snapshots {
  const serializers: Serializer[] = [];
  const call = Function.prototype.call;
  const toText = call.bind(Object.prototype.toString) as (value: unknown) => string;

  /**
   * Serializes like pretty-format for snapshots: sorted keys, one line for each entry, no escapes.
   */
  function serialize(value: unknown, indentation = '', above: unknown[] = []): string {
    const own = serializers.find((serializer) => serializer.test(value));
    if (own) return serializeBy(own, value, indentation, above);
    if (typeof value === 'string') return '"' + value + '"';
    if (typeof value === 'bigint') return value + 'n';
    if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value);
    if (typeof value === 'symbol') return value.toString();
    if (typeof value === 'function')
      return kernel.part('mocks').isMock(value)
        ? mockText(value, indentation, above)
        : '[Function]';
    if (typeof value !== 'object' || value === null) return String(value);
    const markup = kernel.part('markup');
    if (!above.includes(value) && markup.is(value))
      return markup.print(value, (item, at) => serialize(item, at, [...above, value]), indentation);
    return serializeObject(value, indentation, above);
  }
  function serializeBy(own: Serializer, value: unknown, indentation: string, above: unknown[]) {
    const print = (inner: unknown, given = indentation) =>
      serialize(inner, given, [...above, value]);
    return own.serialize
      ? own.serialize(
          value,
          { indent: '  ' },
          indentation,
          above.length,
          above,
          (inner, _config, at) => print(inner, at),
        )
      : (own.print?.(
          value,
          (inner) => print(inner),
          (text) => text.replace(/^/gm, indentation + '  '),
        ) ?? '');
  }

  function serializeObject(value: object, indentation: string, above: unknown[]): string {
    if (above.includes(value)) return '[Circular]';
    const inner = [...above, value];
    const at = indentation + '  ';
    const print = (item: unknown) => serialize(item, at, inner);
    const list = (open: string, items: string[], close: string) =>
      items.length === 0
        ? open + close
        : open + '\n' + items.map((item) => at + item + ',\n').join('') + indentation + close;
    const matcher = value as { asymmetricMatch?: unknown; name?: string; sample?: unknown };
    if (typeof matcher.asymmetricMatch === 'function') {
      if (matcher.name === 'Any') return 'Any<' + matcher.sample + '>';
      return (
        matcher.name +
        (matcher.sample === undefined ? '' : ' ' + serialize(matcher.sample, indentation, inner))
      );
    }
    if (value instanceof Error) return '[' + kernel.titleOf(value) + ']';
    if (value instanceof RegExp) return String(value).replace(/[$()*+.?[\\\]^{|}]/g, '\\$&');
    if (value instanceof Date)
      return Number.isNaN(value.getTime()) ? 'Date { NaN }' : value.toISOString();
    if (value instanceof Promise || value instanceof WeakMap || value instanceof WeakSet)
      return value.constructor.name + ' {}';
    if (value instanceof Map) {
      const entries = [...value].map(([key, item]) => print(key) + ' => ' + print(item));
      return list('Map {', entries, '}');
    }
    if (value instanceof Set) return list('Set {', [...value].map(print), '}');
    const { toJSON } = value as { toJSON?: unknown };
    if (typeof toJSON === 'function') return serialize(toJSON.call(value), indentation, inner);
    const name = value.constructor?.name || 'Object';
    const title = (usual: string) => (name === usual ? '' : name + ' ');
    if (value instanceof ArrayBuffer) return list(name + ' [', bytesOf(value, print), ']');
    if (value instanceof DataView) return list(name + ' [', bytesOf(value.buffer, print), ']');
    if (ArrayBuffer.isView(value))
      return list(name + ' [', Array.from(value as Uint8Array, print), ']');
    if (Array.isArray(value)) {
      const items = Array.from(value, (item, index) => (index in value ? print(item) : ''));
      return list(title('Array') + '[', items, ']');
    }
    if (toText(value) === '[object Arguments]')
      return list('Arguments [', Array.from(value as ArrayLike<unknown>, print), ']');
    const symbols = Object.getOwnPropertySymbols(value).filter(
      (key) => Object.getOwnPropertyDescriptor(value, key)?.enumerable,
    );
    const entries = [...Object.keys(value).sort(), ...symbols].map(
      (key) => print(key) + ': ' + print(value[key]),
    );
    return list(title('Object') + '{', entries, '}');
  }
  const bytesOf = (buffer: ArrayBufferLike, print: (byte: number) => string) =>
    Array.from(new Uint8Array(buffer), print);
  function mockText(value: Function, indentation: string, above: unknown[]): string {
    const { calls, results } = (
      value as unknown as { mock: { calls: unknown[]; results: unknown[] } }
    ).mock;
    return (
      '[MockFunction]' +
      (calls.length === 0 ? '' : ' ' + serialize({ calls, results }, indentation, above))
    );
  }

  /** A multi-line text begins and ends with a line break. */
  const inLines = (text: string) => (text.includes('\n') ? '\n' + text + '\n' : text);
  /** Returns the text without the indentation of its source. */
  function withoutIndentation(text: string): string {
    const [, indentation] = /^\n([ \t]*)\S/.exec(text) ?? [];
    if (indentation === undefined) return text;
    const lines = text.split('\n');
    const isIndented = lines
      .slice(1, -1)
      .every((line) => line.trim() === '' || line.startsWith(indentation));
    if (!isIndented) return text;
    return lines
      .map((line) => (line.startsWith(indentation) ? line.slice(indentation.length) : line.trim()))
      .join('\n');
  }

  const quote = (text: string) => '`' + text.replace(/`|\\|\$\{/g, '\\$&') + '`';
  const unquote = (text: string) => text.replace(/\\([^]?)/g, '$1');
  const quoted = '`((?:[^`\\\\]|\\\\[^])*)`';

  let file: SnapshotFile | undefined;
  let testPath: string | undefined;
  let names: readonly string[] = [];
  let counts = new Map<string, number>();
  let written = 0;

  function openFile(): SnapshotFile {
    if (testPath === undefined)
      throw new Error('A snapshot is kept beside a test file: call it from one, by runTests().');
    if (file !== undefined) return file;
    const { dirname, basename, join } = kernel.path;
    const path = join(dirname(testPath), '__snapshots__', basename(testPath) + '.snap');
    const text = kernel.host.exists(path) ? kernel.host.readText(path) : '';
    const entries = new Map<string, string>();
    for (const [, key, value] of text.matchAll(
      new RegExp('^exports\\[' + quoted + '\\] = ' + quoted + ';$', 'gm'),
    ))
      entries.set(unquote(key), unquote(value));
    file = { path, entries, isJest: text.startsWith('// Jest'), isChanged: false };
    return file;
  }
  function saveFile({ path, entries, isJest }: SnapshotFile) {
    const keys = [...entries.keys()].sort((one, other) =>
      one.localeCompare(other, undefined, { numeric: true }),
    );
    const head = isJest
      ? '// Jest Snapshot v1, https://jestjs.io/docs/snapshot-testing'
      : '// Vitest Snapshot v1, https://vitest.dev/guide/snapshot.html';
    const body = keys.map(
      (key) => '\n\nexports[' + quote(key) + '] = ' + quote(entries.get(key) as string) + ';',
    );
    kernel.host.mkdir(kernel.path.dirname(path), true, undefined);
    kernel.host.writeFile(path, head + body.join('') + '\n', 'w', undefined);
  }

  const fail = (message: string): never => {
    throw new kernel.AssertionError({ message });
  };
  const mismatch = (what: string, expected: string, actual: string): never =>
    fail(what + '\n\n- Expected\n+ Received\n\n' + kernel.diffText(expected.trim(), actual.trim()));
  const holds = { pass: true, text: 'to match the snapshot' };

  /** Returns the value with matchers in place of the parts that they match. */
  function withProperties(value: unknown, properties: unknown): unknown {
    if (typeof properties !== 'object' || properties === null) return value;
    if (!kernel.equals(value, properties, { matchers: true, subset: true }))
      mismatch('Snapshot properties mismatched', serialize(properties), serialize(value));
    return merged(value, properties);
  }
  function merged(value: unknown, properties: unknown): unknown {
    const isPlain = (one: unknown): one is object =>
      typeof one === 'object' && one !== null && !('asymmetricMatch' in one);
    if (!isPlain(value) || !isPlain(properties)) return properties;
    const result: object = Array.isArray(value) ? [...value] : { ...value };
    for (const key of Object.keys(properties)) result[key] = merged(value[key], properties[key]);
    return result;
  }

  function matchFile(text: string, hint: unknown) {
    const known = openFile();
    const parts = typeof hint === 'string' ? [...names, hint] : names;
    const name = parts.join(known.isJest ? ' ' : ' > ');
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    const key = name + ' ' + count;
    const expected = known.entries.get(key);
    if (expected === undefined) {
      known.entries.set(key, inLines(text));
      known.isChanged = true;
      written += 1;
    } else if (expected.trim() !== inLines(text).trim())
      mismatch(
        'Snapshot `' + key + '` mismatched. If it is right, take its entry out of ' + known.path,
        expected,
        text,
      );
    return holds;
  }
  function matchInline(text: string, expected: unknown, also = text) {
    if (typeof expected !== 'string')
      fail('There is no snapshot in the call yet. This is it:\n\n' + quote(inLines(text)));
    const wanted = withoutIndentation(String(expected)).trim();
    if (wanted !== text.trim() && wanted !== also.trim())
      mismatch('Snapshot mismatched', wanted, text);
    return holds;
  }
  function thrownBy(run: unknown): unknown {
    // With expect(…).rejects the value is already the error.
    if (typeof run !== 'function') return run;
    try {
      run();
    } catch (error) {
      return error;
    }
    return fail('expected function to throw an error, but it threw nothing');
  }
  // jest's snapshot of an error has only the message.
  const messageOf = (error: unknown) => serialize(error instanceof Error ? error.message : error);

  return {
    matchers: {
      toMatchSnapshot: (value, properties, hint) =>
        typeof properties === 'string'
          ? matchFile(serialize(value), properties)
          : matchFile(serialize(withProperties(value, properties)), hint),
      toMatchInlineSnapshot: (value, ...given) => {
        const [properties, expected] = typeof given[0] === 'object' ? given : [undefined, given[0]];
        return matchInline(serialize(withProperties(value, properties)), expected);
      },
      toThrowErrorMatchingSnapshot: (run, hint) => matchFile(serialize(thrownBy(run)), hint),
      toThrowErrorMatchingInlineSnapshot: (run, expected) => {
        const error = thrownBy(run);
        return matchInline(serialize(error), expected, messageOf(error));
      },
      toMatchFileSnapshot: (value, path) => {
        if (testPath === undefined) openFile();
        const at = kernel.path.resolve(kernel.path.dirname(testPath as string), String(path));
        const text = typeof value === 'string' ? value : serialize(value);
        if (!kernel.host.exists(at)) {
          kernel.host.mkdir(kernel.path.dirname(at), true, undefined);
          kernel.host.writeFile(at, text, 'w', undefined);
          written += 1;
        } else {
          const expected = kernel.host.readText(at);
          if (expected !== text) mismatch('Snapshot ' + path + ' mismatched', expected, text);
        }
        return holds;
      },
    },
    addSerializer(serializer) {
      serializers.unshift(serializer as Serializer);
    },
    beginFile(path) {
      testPath = path;
      file = undefined;
      counts = new Map();
      written = 0;
      serializers.length = 0;
    },
    beginTest(given) {
      names = given;
    },
    endFile() {
      if (file?.isChanged) saveFile(file);
      return written;
    },
  };
}
