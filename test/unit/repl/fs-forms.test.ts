// What Node 20 does with the same.
import { expect, it } from 'vitest';
import { openRepl } from '../../support/repl/repl.ts';

it.each([
  [
    "await fs.promises.writeFile('out', (async function* () { yield 'a'; yield Buffer.from('é') })()); fs.readFileSync('out', 'utf8')",
    'aé',
  ],
  ["await fs.promises.writeFile('out', ['x', 'y']); fs.readFileSync('out', 'utf8')", 'xy'],
  ["await fs.promises.writeFile('out', [1]).catch((error) => error.code)", 'ERR_INVALID_ARG_TYPE'],
  ["await fs.promises.writeFile('out', {}).catch((error) => error.code)", 'ERR_INVALID_ARG_TYPE'],
  ["[fs.readFileSync('new', { encoding: 'utf8', flag: 'a+' }), fs.existsSync('new')]", ['', true]],
  [
    "[fs.readFileSync('there', { encoding: 'utf8', flag: 'w+' }), fs.statSync('there').size]",
    ['', 0],
  ],
  ["try { fs.readFileSync('there', { flag: 'wx' }) } catch (error) { error.code }", 'EEXIST'],
  ["try { fs.readFileSync('there', { flag: 'a' }) } catch (error) { error.code }", 'EBADF'],
  [
    "[await util.promisify(fs.exists)('there'), await util.promisify(fs.exists)('none')]",
    [true, false],
  ],
])('does: %s', async (code, expected) => {
  const repl = await openRepl({ there: 'text' });
  const { value, error } = await repl.run(code);
  expect([error, value]).toEqual([undefined, expected]);
});
