// How much a cell may write: as much as it may have in memory, as that is where it is kept until then.
import { describe, expect, it } from 'vitest';
import { openRepl } from '../../support/repl/repl.ts';
import { openAccess } from '../../support/files/workspaces.ts';

const megabyte = 1024 * 1024;
const limits = { maxMemoryBytes: 8 * megabyte };

describe('what a cell writes', () => {
  it.each([
    'for (let i = 0; i < 20; i += 1) fs.writeFileSync(`f${i}`, bytes)',
    'for (let i = 0; i < 20; i += 1) fs.appendFileSync("f", bytes)',
    'for (let i = 0; i < 20; i += 1) { fs.writeFileSync("f", bytes); fs.renameSync("f", `f${i}`) }',
    'for (let i = 0; i < 20; i += 1) { fs.copyFileSync("own", `f${i}`); fs.appendFileSync(`f${i}`, "x") }',
    'fs.writeFileSync("f", ""); fs.truncateSync("f", 2 ** 31)',
    'fs.writeSync(fs.openSync("f", "w"), "x", 2 ** 30)',
  ])('is refused beyond the bound: %s', async (code) => {
    const repl = await openRepl({ own: 'x'.repeat(megabyte) });
    const { error, changes } = await repl.run(
      `const bytes = new Uint8Array(${megabyte}).fill(120); ${code}`,
      limits,
    );
    expect([error?.name, changes]).toEqual(['LimitError', []]);
    expect(await repl.value('1')).toBe('1');
  });

  it.each([
    'fs.appendFileSync("large", "x")',
    'fs.writeFileSync("large", "x", { flag: "r+" })',
    'fs.writeSync(fs.openSync("large", "r+"), "x", 0)',
    'fs.writeSync(fs.openSync("large", "a"), "x")',
  ])('is the whole file where it changes a part: %s', async (code) => {
    const repl = await openRepl({ large: 'x'.repeat(9 * megabyte) });
    const { error, changes } = await repl.run(code, limits);
    expect([error?.name, changes]).toEqual(['LimitError', []]);
    expect(error?.message).toMatch(/The file alone has more/);
  });

  it('is the new content alone where that takes the place of the old', async () => {
    const repl = await openRepl({ large: 'x'.repeat(9 * megabyte) });
    expect(await repl.run('fs.writeFileSync("large", "x")', limits)).toMatchObject({
      changes: [{ path: '/work/large' }],
    });
  });

  it('counts once what its files share', async () => {
    const repl = await openRepl();
    const code = `
      const bytes = new Uint8Array(${2 * megabyte});
      fs.writeFileSync('f', bytes);
      for (let i = 0; i < 20; i += 1) fs.copyFileSync('f', 'f' + i);
      for (let i = 0; i < 4; i += 1) fs.writeFileSync('g', bytes)`;
    expect(await repl.run(code, limits)).toMatchObject({ rolledBack: false });
  });

  it('has in it what a tool wrote for the cell, whether the tool succeeded or not', async () => {
    for (const fails of [false, true]) {
      const repl = await openRepl();
      let heldBytes = 0;
      const call = () => {
        heldBytes = 7 * megabyte;
        return fails ? Promise.reject(new Error('no')) : Promise.resolve(null);
      };
      const { error } = await repl.run(
        `await tools.Fill().catch(() => {}); fs.writeFileSync('f', new Uint8Array(${2 * megabyte}))`,
        { ...limits, tools: { names: ['Fill'], call }, heldBytes: () => heldBytes },
      );
      expect(error?.name).toBe('LimitError');
    }
  });

  it.each([
    [5, undefined],
    [8, 'LimitError'],
  ])('leaves out what git got from a server, not the %i MB of its own', async (own, name) => {
    const repl = await openRepl();
    const view = await repl.workspace.openView({ root: 'main', minSeq: 0 }, openAccess('/work'));
    const runGit = async () => {
      await Promise.resolve();
      view.fs.sync.writeFileSync('/work/pack', new Uint8Array(12 * megabyte));
    };
    const { error } = await repl.run(
      `const cloning = git.clone('https://example.com/a.git');
       fs.writeFileSync('meanwhile', new Uint8Array(${megabyte}));
       await cloning;
       await tools.Rest();
       const bytes = new Uint8Array(${megabyte});
       for (let i = 0; i < ${own}; i += 1) fs.writeFileSync('f' + i, bytes)`,
      {
        ...limits,
        runGit,
        tools: { names: ['Rest'], call: () => Promise.resolve(null) },
        fs: view.fs.sync,
        contents: view.contents,
        fileChanges: () => view.fileChanges(),
        heldBytes: () => view.heldBytes(),
        rollback: () => view.rollback(),
      },
    );
    expect(error?.name).toBe(name);
  });

  it('counts what is there, not what was', async () => {
    const repl = await openRepl();
    const code = `
      const bytes = new Uint8Array(${megabyte}).fill(120);
      for (let i = 0; i < 20; i += 1) { fs.writeFileSync('f', bytes); fs.writeFileSync('g', bytes); fs.unlinkSync('g') }`;
    expect(await repl.run(code, limits)).toMatchObject({ rolledBack: false });
  });

  it('begins at nothing in the next cell', async () => {
    const repl = await openRepl();
    for (const name of ['a', 'b', 'c']) {
      const code = `fs.writeFileSync('${name}', new Uint8Array(${5 * megabyte}).fill(120)); 1`;
      expect((await repl.run(code, limits)).display).toBe('1');
    }
  });
});

it('reads and writes by the streams of a file handle, which they close', async () => {
  const repl = await openRepl();
  expect(
    await repl.value(`
      const { open, readFile } = require('fs/promises'), { once } = require('events');
      const to = await open('a', 'w'), out = to.createWriteStream();
      out.write('one '); out.end('two'); await once(out, 'close');
      const from = await open('a'); let text = '';
      for await (const piece of from.createReadStream({ encoding: 'utf8' })) text += piece;
      const kept = await open('a'), some = kept.createReadStream({ start: 4, autoClose: false }); some.resume();
      await once(some, 'end');
      [text, to.fd, from.fd, typeof kept.fd === 'number' && kept.fd > 2, String(await kept.readFile())]`),
  ).toBe("[ 'one two', -1, -1, true, 'one two' ]");
});
