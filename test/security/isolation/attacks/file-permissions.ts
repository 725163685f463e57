// Around the rules on files: `secret/**` may not be read, `locked/**` not be changed, and what is
// outside of the working directory not be named.
import { claiming, type Attack } from '../attack.ts';

export const fileAttacks: readonly Attack[] = [
  {
    name: 'dots lead around a rule, and out',
    cells: [
      `fs.readFileSync('/workspace/locked/.././/secret/./key.txt', 'utf8')`,
      `fs.readFileSync('../outside/passwd', 'utf8')`,
    ],
    without: 'rules',
    harm: 'secret',
  },
  {
    name: 'links that are there lead in, and out',
    cells: [`fs.readFileSync('way-in', 'utf8')`, `fs.readFileSync('way-out/passwd', 'utf8')`],
    without: 'rules',
    harm: 'secret',
  },
  {
    name: "a link of one's own, moved before it is followed",
    cells: [
      `fs.mkdirSync('a/b', { recursive: true }); fs.symlinkSync('../../secret', 'a/b/link'); fs.renameSync('a/b/link', 'a/link');
       fs.symlinkSync('a/../secret/key.txt', 'key'); fs.readFileSync('key', 'utf8')`,
      `fs.symlinkSync('/outside', 'out'); fs.readFileSync(fs.realpathSync('out') + '/passwd', 'utf8')`,
    ],
    without: 'rules',
    harm: 'secret',
  },
  {
    name: 'a copy of the file, and of its directory',
    cells: [
      `fs.copyFileSync('secret/key.txt', 'mine.txt'); fs.readFileSync('mine.txt', 'utf8')`,
      `fs.cpSync('secret', 'mine', { recursive: true }); fs.readFileSync('mine/key.txt', 'utf8')`,
    ],
    without: 'rules',
    harm: 'secret',
  },
  {
    name: 'the directory under another name',
    cells: `fs.renameSync('secret', 'mine'); fs.readFileSync('mine/key.txt', 'utf8')`,
    without: 'rules',
    harm: 'secret',
  },
  {
    name: 'a file URL with an encoded letter',
    cells: `fs.readFileSync(new URL('file:///workspace/%73ecret/key.txt'), 'utf8')`,
    without: 'rules',
    harm: 'secret',
  },
  {
    name: 'a descriptor, and a promise of a handle',
    cells: [
      `const bytes = Buffer.alloc(99); fs.readSync(fs.openSync('secret/key.txt', 'r'), bytes); bytes.toString()`,
      `(await (await fs.promises.open('secret/key.txt')).readFile()).toString()`,
    ],
    without: 'rules',
    harm: 'secret',
  },
  {
    name: 'a list of everything below',
    cells: `JSON.stringify([fs.readdirSync('.', { recursive: true }), fs.readdirSync('secret')])`,
    without: 'rules',
    harm: 'secret',
  },
  {
    name: 'require and import, of code, and of what an error quotes',
    cells: [
      `require('./secret/code.cjs')`,
      `(await import('/workspace/secret/code.cjs')).default`,
      `require('./way-in')`,
    ],
    without: 'rules',
    harm: 'secret',
  },
  {
    name: 'the tools that a cell calls',
    cells: [
      `(await tools.Read({ file_path: '/workspace/locked/../secret/key.txt' })).file`,
      `await tools.Grep({ pattern: 'secret-of.*', path: '/workspace', output_mode: 'content' })`,
      `await tools.Glob({ pattern: '**/*' })`,
      `fs.symlinkSync('secret/key.txt', 'mine'); (await tools.Read({ file_path: '/workspace/mine' })).file`,
    ],
    without: 'rules',
    harm: 'secret',
  },
  {
    name: 'is it there? asked in every way',
    cells: `
      const tell = (ask) => { try { return ask() } catch { return false } };
      [() => fs.existsSync('secret/key.txt'), () => fs.statSync('secret/key.txt').size, () => fs.lstatSync('secret/key.txt').mode,
        () => (fs.accessSync('secret/key.txt'), true), () => require.resolve('./secret/code.cjs'), () => fs.realpathSync('way-in')]
        .some(tell) ? ${claiming} : 'nothing'`,
    without: 'rules',
    harm: 'claimed',
  },
  {
    name: 'writes, appends to and cuts a file that may not change',
    cells: [
      `fs.writeFileSync('locked/terms.txt', 'owned')`,
      `fs.appendFileSync('locked/terms.txt', 'owned')`,
      `fs.truncateSync('locked/terms.txt', 1)`,
    ],
    without: 'rules',
    harm: 'files',
  },
  {
    name: 'changes it through a link, or puts another in its place',
    cells: [
      `fs.symlinkSync('locked/terms.txt', 'mine'); fs.writeFileSync('mine', 'owned')`,
      `fs.writeFileSync('other', 'owned'); fs.renameSync('other', 'locked/terms.txt')`,
      `fs.renameSync('locked', 'moved'); fs.mkdirSync('locked'); fs.writeFileSync('locked/terms.txt', 'owned')`,
    ],
    without: 'rules',
    harm: 'files',
  },
  {
    name: 'removes it',
    cells: [
      `fs.rmSync('locked', { recursive: true })`,
      `fs.unlinkSync('/workspace/locked/terms.txt')`,
    ],
    without: 'rules',
    harm: 'files',
  },
  {
    name: 'writes by a tool',
    cells: [
      `await tools.Read({ file_path: '/workspace/locked/terms.txt' });
       await tools.Edit({ file_path: '/workspace/./locked/terms.txt', old_string: 'not', new_string: 'owned' })`,
      `await tools.Write({ file_path: '/workspace/secret/../locked/mine.txt', content: 'owned' })`,
    ],
    without: 'rules',
    harm: 'files',
  },
  {
    name: 'a hook of git, which a person must be asked about in every mode',
    cells: [
      `fs.mkdirSync('.git/hooks'); fs.writeFileSync('.git/hooks/pre-commit', 'owned', { mode: 0o755 })`,
      `fs.writeFileSync('mine', '[alias] owned'); fs.renameSync('mine', '.git/config')`,
    ],
    without: 'rules',
    harm: 'files',
  },
  {
    name: 'writes outside, and where nobody looks any more',
    cells: [
      `fs.writeFileSync('way-out/passwd', 'owned')`,
      `setTimeout(() => fs.writeFileSync('/outside/passwd', 'owned'), 0)`,
      `await new Promise((done) => setTimeout(done, 10))`,
    ],
    without: 'rules',
    harm: 'files',
  },
];
