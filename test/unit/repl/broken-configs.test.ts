// A tsconfig.json or a package.json that is no JSON: told where something needs it, and only there.
import { expect, it } from 'vitest';
import { openRepl } from '../../support/repl/repl.ts';

const files = {
  // The comment's end and the comma are TypeScript's; a bracket is missing.
  'tsconfig.json': '/* of\nthe app */ { "compilerOptions": {\n  "paths": { "@/*": ["src/*"] },\n}',
  'src/a.ts': 'export const a: number = 1;',
  'src/model.ts': 'class Model { id: number; }\nexport const keys = Object.keys(new Model());',
  'node_modules/there/index.js': 'module.exports = 2;',
};
const reason = /\/work\/tsconfig\.json can't be read: .* Mend that file\./u;
const run = async (code: string, changed: Readonly<Record<string, string>> = {}) =>
  (await openRepl({ ...files, ...changed })).run(code);

it('names a tsconfig.json in the error of a module that it may have an alias for', async () => {
  const { error } = await run("import { a } from '@/a'; a");
  expect(error?.name).toBe('SyntaxError');
  expect(error?.message).toMatch(/^Cannot find module '@\/a', which may be an alias: /u);
  expect(error?.message).toMatch(reason);
  const inherited = { 'base.json': '{', 'tsconfig.json': '{ "extends": "./base.json" }' };
  expect((await run("require('@/a')", inherited)).error?.message).toContain(
    "/work/base.json can't be read: ",
  );
});

it('names it where it says what the fields of a class mean, in a file and in a cell', async () => {
  const ofFile = (await run("import { keys } from './src/model'; keys")).error;
  const ofCell = (await run('class Model { id: number; } Object.keys(new Model())')).error;
  for (const error of [ofFile, ofCell]) {
    expect(error?.name).toBe('SyntaxError');
    expect(error?.message).toMatch(reason);
  }
});

it('says nothing where modules are found without it', async () => {
  const code = "import { a } from './src/a'; import b from 'there'; [a, b]";
  expect((await run(code)).display).toBe('[ 1, 2 ]');
  expect(
    (await run(`${code}; import '@/a'`, { 'tsconfig.json': ' // Later.\n' })).error?.name,
  ).toBe('Error');
});

it('names a broken package.json as Node does', async () => {
  for (const path of ['package.json', 'node_modules/there/package.json']) {
    const { error } = await run("import b from 'there'", { [path]: '{ "main": ' });
    expect(error?.message).toMatch(new RegExp(`^Invalid package config /work/${path}: `, 'u'));
  }
});
