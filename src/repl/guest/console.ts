// `console`: log, info and debug go to the cell's stdout, warn and error to stderr.
import type { Kernel } from './kernel-type.ts';

type Write = (stream: 'stdout' | 'stderr', text: string) => void;

/** Makes `console`. */
export function addConsole(kernel: Kernel) {
  const { console, print, resetIndent } = makeConsole(kernel, kernel.host.write);
  Object.assign(kernel, { print, resetIndent, console });
  const made = new WeakMap<object, object>();
  function Console(this: object, given, second?) {
    if (!new.target) return Reflect.construct(Console, [given, second]);
    const { stdout, stderr = stdout } = given?.write ? { stdout: given, stderr: second } : given;
    const streams = { stdout, stderr };
    made.set(this, makeConsole(kernel, (name, text) => void streams[name].write(text)).console);
    return this;
  }
  for (const name of Object.keys(console))
    Console.prototype[name] = function (this: object, ...values) {
      return made.get(this)?.[name](...values);
    };
  Object.defineProperty(console, 'Console', { value: Console, configurable: true, writable: true });
  kernel.defineGlobal('console', console);
  kernel.defineModule(['console'], () => ({ ...console, Console, default: console }));
}

function makeConsole(kernel: Kernel, write: Write) {
  const timers = new Map<unknown, number>();
  const counts = new Map<unknown, number>();
  let indent = '';

  function print(stream: 'stdout' | 'stderr', text: string) {
    write(stream, indent + (indent === '' ? text : text.replaceAll('\n', '\n' + indent)) + '\n');
  }
  const out = (...values: unknown[]) => print('stdout', kernel.format(...values));
  const err = (...values: unknown[]) => print('stderr', kernel.format(...values));

  function table(rows, columns) {
    if (typeof rows !== 'object' || rows === null) return out(rows);
    const show = (value) => kernel.inspect(value, { depth: 1 });
    if (rows instanceof Map) {
      return draw(
        ['(iteration index)', 'Key', 'Values'],
        [...rows].map(([key, row], at) => [String(at), show(key), show(row)]),
      );
    }
    if (rows instanceof Set) {
      return draw(
        ['(iteration index)', 'Values'],
        [...rows].map((row, at) => [String(at), show(row)]),
      );
    }
    const list = Object.entries(rows);
    const names = columns
      ? columns.map(String)
      : [
          ...new Set(
            list.flatMap(([, row]) =>
              typeof row === 'object' && row !== null ? Object.keys(row) : [],
            ),
          ),
        ];
    const hasValues = !columns && list.some(([, row]) => typeof row !== 'object' || row === null);
    draw(
      ['(index)', ...names, ...(hasValues ? ['Values'] : [])],
      list.map(([key, row]) => {
        const isObject = typeof row === 'object' && row !== null;
        const cells = names.map((name) =>
          isObject && name in row ? kernel.inspect(row[name], { depth: 0 }) : '',
        );
        return [String(key), ...cells, ...(hasValues ? [isObject ? '' : kernel.inspect(row)] : [])];
      }),
    );
  }
  // East Asian scripts and emoji, which take two columns in a terminal.
  const wide =
    /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/gu;
  const widthOf = (text: string) => [...text].length + (text.match(wide)?.length ?? 0);
  function draw(head: string[], body: string[][]) {
    const widths = head.map(
      (name, at) => Math.max(widthOf(name), ...body.map((cells) => widthOf(cells[at] ?? ''))) + 2,
    );
    const rule = (left: string, middle: string, right: string) =>
      left + widths.map((width) => '─'.repeat(width)).join(middle) + right;
    const line = (cells: string[]) =>
      '│' +
      cells
        .map((cell, at) => ' ' + cell + ' '.repeat((widths[at] ?? 0) - widthOf(cell) - 1))
        .join('│') +
      '│';
    print(
      'stdout',
      [
        rule('┌', '┬', '┐'),
        line(head),
        rule('├', '┼', '┤'),
        ...body.map(line),
        rule('└', '┴', '┘'),
      ].join('\n'),
    );
  }

  function elapsed(label) {
    const started = timers.get(label);
    if (started === undefined) {
      err("Timer '" + label + "' does not exist");
      return undefined;
    }
    return label + ': ' + (performance.now() - started).toFixed(3) + 'ms';
  }

  const console = {
    log: out,
    info: out,
    debug: out,
    warn: err,
    error: err,
    dir: (value, options) => print('stdout', kernel.inspect(value, options)),
    dirxml: out,
    table,
    trace: (...values) => {
      const stack = kernel.placesOf(new Error());
      print('stderr', ('Trace: ' + kernel.format(...values)).trimEnd() + '\n' + stack);
    },
    assert: (condition, ...values) => {
      if (condition) return;
      if (typeof values[0] === 'string') values[0] = 'Assertion failed: ' + values[0];
      else values.unshift('Assertion failed');
      err(...values);
    },
    group: (...values) => {
      if (values.length > 0) out(...values);
      indent += '  ';
    },
    groupEnd: () => {
      indent = indent.slice(2);
    },
    time: (label = 'default') => {
      timers.set(label, performance.now());
    },
    timeEnd: (label = 'default') => {
      const text = elapsed(label);
      if (text !== undefined) {
        timers.delete(label);
        out(text);
      }
    },
    timeLog: (label = 'default', ...values) => {
      const text = elapsed(label);
      if (text !== undefined) out(text, ...values);
    },
    count: (label = 'default') => {
      counts.set(label, (counts.get(label) ?? 0) + 1);
      out(label + ': ' + counts.get(label));
    },
    countReset: (label = 'default') => {
      counts.delete(label);
    },
    clear: () => {},
    // These methods only have an effect in an inspector, as in Node.
    profile: () => {},
    profileEnd: () => {},
    timeStamp: () => {},
  };
  Object.assign(console, { groupCollapsed: console.group });
  const resetIndent = () => {
    indent = '';
  };
  return { console, print, resetIndent };
}
