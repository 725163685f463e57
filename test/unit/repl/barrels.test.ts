// Modules of packages that only re-export others: only what is used of them is loaded.
import { expect, it } from 'vitest';
import { openRepl } from '../../support/repl/repl.ts';

const icons = (sideEffects?: unknown) => ({
  'node_modules/icons/package.json': JSON.stringify({ main: 'index.mjs', sideEffects }),
  'node_modules/icons/index.mjs': `/* Icons (all of them). */
    "use strict";
    import * as all from './list.mjs';
    import Moon from './moon.mjs';
    export { all, Moon };
    export { default as Sun, default as SunIcon } from './sun.mjs'; // the sun
    export * as list from './list.mjs';`,
  'node_modules/icons/list.mjs': `export { default as Sun } from './sun.mjs'; export { default as Moon } from './moon.mjs'`,
  'node_modules/icons/sun.mjs': `ran.push('sun'); export default 'a sun'`,
  'node_modules/icons/moon.mjs': `ran.push('moon'); export default 'a moon'`,
});

/** What an expression gives, and which icons have run for it. */
async function run(imports: string, expression: string, sideEffects: unknown = false) {
  const repl = await openRepl({
    ...icons(sideEffects),
    'app.ts': `import { SunIcon } from 'icons'; export const app = SunIcon; export { Moon } from 'icons'`,
    'shown.ts': `import { Sun } from 'icons'; export const shown = Sun`,
  });
  await repl.run('globalThis.ran = []');
  return repl.value(`${imports}; [${expression}, ran.join()]`);
}

it('loads only what is imported by name', async () => {
  expect(await run("import { Sun, SunIcon } from 'icons'", 'Sun, Sun === SunIcon')).toBe(
    "[ 'a sun', true, 'sun' ]",
  );
  expect(await run("import { shown } from './shown.ts'", 'shown')).toBe("[ 'a sun', 'sun' ]");
  expect(await run("import { app, Moon } from './app.ts'", 'app, Moon')).toBe(
    "[ 'a sun', 'a moon', 'moon,sun' ]",
  );
  expect(await run("import { Moon } from 'icons'", 'Moon', ['**/*.css'])).toBe(
    "[ 'a moon', 'moon' ]",
  );
});

it('loads all for who may read all', async () => {
  for (const [imports, expression] of [
    ["import * as icons from 'icons'", 'icons.Sun'],
    ["import { all } from 'icons'", 'all.Sun'],
    ["import { list } from 'icons'", 'list.Sun'],
    ["const icons = await import('icons')", 'icons.Sun'],
  ] as const)
    expect(await run(imports, expression), imports).toMatch("[ 'a sun', 'sun,moon' ]");
});

it('loads all of a package that may have side effects', async () => {
  for (const sideEffects of [true, null, ['./moon.mjs']])
    expect(await run("import { Sun } from 'icons'", 'Sun', sideEffects)).toBe(
      "[ 'a sun', 'sun,moon' ]",
    );
});

it('names what is missing', async () => {
  const repl = await openRepl(icons(false));
  await repl.run('globalThis.ran = []');
  const { error } = await repl.run("import { Star } from 'icons'");
  expect(error?.message).toContain("has no export named 'Star'");
});

it('sees that a barrel has changed, and leaves one with code of its own whole', async () => {
  const repl = await openRepl(icons(false));
  await repl.run('globalThis.ran = []');
  expect(await repl.value("import { Sun } from 'icons'; Sun")).toBe("'a sun'");
  const index = '/work/node_modules/icons/index.mjs';
  await repl.workspace.fs.writeFile(index, "export { default as Sun } from './moon.mjs'");
  expect(await repl.value("import { Sun } from 'icons'; Sun")).toBe("'a moon'");
  await repl.workspace.fs.writeFile(
    index,
    "export { default as Sun } from './moon.mjs'; export { default as Moon } from './sun.mjs'; ran = [];",
  );
  expect(await repl.value("import { Sun } from 'icons'; ran.length")).toBe('0');
});
