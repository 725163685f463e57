// A cell may break the built-ins of its session. What only a later cell would stumble over must not
// take the session away: a plain cell still runs.
import { describe, expect, it } from 'vitest';
import { openRepl } from '../../support/repl/repl.ts';

/** Breaks a function of the built-ins as soon as the cell that does it has been kept. */
const breakLater = (holder: string, name: string) => `
  const holder = ${holder}, name = ${name};
  const whole = holder[name];
  let isKept = false, code;
  holder[name] = function (...args) { if (isKept) throw null; return Reflect.apply(whole, this, args) };
  Object.defineProperty(process, 'exitCode', {
    get() { isKept = true; return code }, set(value) { code = value }, configurable: true });
  const kept = 6;`;

describe('a session whose built-ins break', () => {
  it.each([
    ['Promise.prototype', '"then"'],
    ['Promise', '"resolve"'],
    ['Array.prototype', 'Symbol.iterator'],
    ['Array.prototype', '"map"'],
    ['Object.getPrototypeOf([][Symbol.iterator]())', '"next"'],
    ['Object.getPrototypeOf(new Map().values())', '"next"'],
    ['Map.prototype', '"get"'],
    ['Map.prototype', '"has"'],
    ['Map.prototype', '"values"'],
    ['Object', '"keys"'],
    ['Object', '"defineProperty"'],
    ['Function.prototype', '"call"'],
    ['String.prototype', '"slice"'],
    ['String.prototype', '"lastIndexOf"'],
    ['JSON', '"stringify"'],
    ['JSON', '"parse"'],
    ['Reflect', '"apply"'],
  ])('still runs a plain cell: %s %s', async (holder, name) => {
    const repl = await openRepl();
    await repl.value(breakLater(holder, name));
    expect(await repl.value('kept * 7')).toBe('42');
    expect(await repl.value('let more = kept; var other = more; more')).toBe('6');
    expect(await repl.value('await new Promise((done) => setTimeout(done)); kept')).toBe('6');
  });

  it.each([
    ['Map.prototype', '"size"'],
    ['Promise.prototype', '"constructor"'],
    ['Promise', 'Symbol.species'],
    ['RegExp.prototype', '"flags"'],
  ])('still runs a plain cell where a getter throws: %s %s', async (holder, name) => {
    const repl = await openRepl();
    await repl.value(`
      const kept = 6;
      let isKept = false, code;
      const whole = Reflect.get(${holder}, ${name}, ${holder} === Map.prototype ? new Map() : ${holder});
      Object.defineProperty(process, 'exitCode', {
        get() { isKept = true; return code }, set(value) { code = value }, configurable: true });
      Object.defineProperty(${holder}, ${name}, { get() { if (isKept) throw null; return whole } }); 0`);
    expect(await repl.value('kept * 7')).toBe('42');
    expect(await repl.value('let more = await kept; more')).toBe('6');
  });

  it('still runs one where every object has what only some should have', async () => {
    const repl = await openRepl();
    await repl.value(`
      const kept = 6;
      let isKept = false, code;
      Object.defineProperty(process, 'exitCode', {
        get() { isKept = true; return code }, set(value) { code = value }, configurable: true });
      for (const name of ['get', 'set', 'value', 'toJSON', 'outcome']) {
        Object.defineProperty(Object.prototype, name, { __proto__: null,
          get() { if (isKept) throw null; return undefined }, set() {}, configurable: true });
      } 0`);
    expect(await repl.value('kept * 7')).toBe('42');
  });

  it.each([
    ['all globals are frozen', 'Object.freeze(globalThis); 0'],
    ['no global can be added', 'Object.preventExtensions(globalThis); 0'],
    [
      'asking for `require` never ends',
      'Object.defineProperty(globalThis, "require", { get() { for (;;); } }); 0',
    ],
  ])('still runs a plain cell where %s', async (_what, code) => {
    const repl = await openRepl();
    await repl.value(code);
    expect(await repl.value('6 * 7')).toBe('42');
    expect(await repl.value('await new Promise((done) => setTimeout(done)); 1')).toBe('1');
  });
});
