import { expect, it } from 'vitest';
import { openRepl } from '../../support/repl/repl.ts';

const files = {
  'app/src/a.ts': 'a',
  'app/node_modules/x/index.js': 'x',
  'app/b.txt': 'b',
};
const listed = "fs.readdirSync('out', { recursive: true }).sort()";
const noPackages = "(from) => !from.includes('node_modules')";

it.each([
  `fs.cpSync('app', 'out', { recursive: true, filter: ${noPackages} })`,
  `await fs.promises.cp('app', 'out', { recursive: true, filter: ${noPackages} })`,
  `await fs.promises.cp('app/', './out', { recursive: true, filter: async ${noPackages} })`,
  `await new Promise((resolve, reject) => fs.cp('app', 'out', { recursive: true, filter: ${noPackages} }, (error) => error ? reject(error) : resolve()))`,
])('copies what the filter lets through: %s', async (code) => {
  const repl = await openRepl(files);
  expect(await repl.value(`${code}; ${listed}`)).toBe("[ 'b.txt', 'src', 'src/a.ts' ]");
});

it('asks the filter with both paths, as Node 24 does, and copies as without one', async () => {
  const repl = await openRepl(files);
  const code = `fs.symlinkSync('b.txt', 'app/link'); fs.chmodSync('app/src', 0o700);
    fs.mkdirSync('out/src', { recursive: true }); fs.writeFileSync('out/b.txt', 'kept');
    const asked = [];
    const filter = (from, to) => { asked.push(from + ' ' + to); return !from.endsWith('node_modules') };
    fs.cpSync('app', 'out', { recursive: true, force: false, filter });
    [asked.sort(), ${listed}, fs.readFileSync('out/b.txt', 'utf8'), fs.lstatSync('out/link').isSymbolicLink()]`;
  expect(await repl.value(code)).toBe(`[
  [
    'app out',
    'app/b.txt out/b.txt',
    'app/link out/link',
    'app/node_modules out/node_modules',
    'app/src out/src',
    'app/src/a.ts out/src/a.ts'
  ],
  [ 'b.txt', 'link', 'src', 'src/a.ts' ],
  'kept',
  true
]`);
});

it.each([
  ["fs.cpSync('app', 'out', { filter: () => true })", 'EISDIR'],
  ["fs.cpSync('app', 'app/in', { recursive: true, filter: () => true })", 'EINVAL'],
  ["fs.cpSync('none', 'out', { recursive: true, filter: () => true })", 'ENOENT'],
  ["fs.cpSync('app', 'out', { recursive: true, filter: 5 })", 'ERR_INVALID_ARG_TYPE'],
  [
    "fs.cpSync('app', 'out', { recursive: true, filter: async () => true })",
    'ERR_INVALID_RETURN_VALUE',
  ],
])('refuses: %s', async (code, expected) => {
  const repl = await openRepl(files);
  expect(await repl.value(`try { ${code}; 'copied' } catch (error) { error.code }`)).toBe(
    `'${expected}'`,
  );
});

it('merges into a folder, also where a file that is there is an error', async () => {
  const repl = await openRepl({ ...files, 'out/c.txt': 'c' });
  const options = '{ recursive: true, force: false, errorOnExist: true }';
  expect(
    await repl.value(`fs.cpSync('app/src', 'out', ${options}); ${listed}.concat(
      (() => { try { fs.cpSync('app/src', 'out', ${options}) } catch (error) { return error.code } })())`),
  ).toBe("[ 'a.ts', 'c.txt', 'EEXIST' ]");
});
