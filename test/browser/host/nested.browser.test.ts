// Tools that a cell calls, across the real workers. The question is asked on the page, and the work
// is done in the tool worker on the cell's own draft.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import {
  createBrowserHost,
  type BrowserHost,
} from '../../../src/hosts/browser/page/create-browser-host.ts';
import { createPerson, runCells } from '../../support/turns/run-cells.ts';

let host: BrowserHost;

beforeAll(async () => {
  host = await createBrowserHost({
    workspace: `nested-${crypto.randomUUID()}`,
    driver: 'memory',
    assets: { wasm: wasmUrl },
  });
});

afterAll(async () => {
  await host.destroy();
});

const write = (name: string, text: string) =>
  host.workspace.fs.writeFile(`/workspace/${name}`, text);
const read = (name: string) => host.workspace.fs.readFile(`/workspace/${name}`, 'utf8');
const pass = (ms: number) => new Promise<void>((resolve) => host.clock.after(ms, resolve));
const yes = { behavior: 'allow' } as const;

const edit = (from: string, to: string) =>
  `await tools.Edit({ file_path: 'a.ts', old_string: '${from}', new_string: '${to}' })`;

describe('a nested call in the tool worker', () => {
  it('works on the cell’s draft, and the cell on what it did', async () => {
    await write('a.ts', 'one\ntwo\n');
    const { outputs, messages } = await runCells(
      host,
      [
        `fs.writeFileSync('a.ts', 'zero\\ntwo\\n'); fs.writeFileSync('new.ts', 'two');
         ${edit('two', 'TWO')};
         const { filenames } = await tools.Grep({ pattern: 'TWO|two', output_mode: 'files_with_matches' });
         [fs.readFileSync('a.ts', 'utf8'), filenames.length]`,
      ],
      { permissionMode: 'acceptEdits' },
    );
    expect(outputs[0]?.display, JSON.stringify(messages)).toBe(`[ 'zero\\nTWO\\n', 2 ]`);
    expect(await read('a.ts')).toBe('zero\nTWO\n');
  });

  it('may wait for three times the cell’s deadline; what the user wrote on the same line meanwhile stays', async () => {
    await write('a.ts', 'one\ntwo\nthree\n');
    await write('b.ts', 'b\n');
    // A cell that computes for some milliseconds, on a machine that many share.
    const timeout = 1_500;
    const cell = (value: number, text: string) => ({
      timeout,
      code: `kept = ${value}; fs.writeFileSync('a.ts', fs.readFileSync('a.ts', 'utf8').replace(/^t.*$/mu, 'tmp')); ${edit('tmp', text)}`,
    });
    const person = createPerson();
    const running = runCells(host, ['var kept = 1', cell(2, 'two!'), cell(3, 'two?'), 'kept'], {
      canUseTool: person.canUseTool,
      allowedTools: ['Repl'],
    });
    const first = await person.next();
    await pass(3 * timeout);
    await write('b.ts', 'by the user');
    first.answer(yes);

    const second = await person.next();
    expect([await read('a.ts'), await read('b.ts')]).toEqual(['one\ntwo!\nthree\n', 'by the user']);
    await pass(3 * timeout);
    await write('b.ts', 'by the user again');
    await write('a.ts', 'one\nby the user\nthree\n');
    second.answer(yes);

    const { results, outputs } = await running;
    expect(results[2]).toContain(
      'Nothing that Repl changed was kept. /workspace/a.ts was changed by someone else meanwhile',
    );
    expect(outputs[3]?.display).toBe('2');
    expect([await read('a.ts'), await read('b.ts')]).toEqual([
      'one\nby the user\nthree\n',
      'by the user again',
    ]);
  });

  it.each([
    ['by its engine', 'for (;;) {}'],
    ['with its worker', "new Array(1e9) + ''"],
  ])('is dropped when the cell that asked spins and is cut %s', async (_how, spin) => {
    await write('a.ts', 'two');
    const person = createPerson();
    const controller = new AbortController();
    const running = runCells(
      host,
      [
        'var kept = 1',
        {
          timeout: 2_000,
          code: `kept = 2; fs.writeFileSync('a.ts', 'two!'); void ${edit('two', 'x').slice(6)};
                   await new Promise((done) => setTimeout(done, 100)); ${spin}`,
        },
      ],
      { canUseTool: person.canUseTool, abortController: controller },
    );
    const { options } = await person.next();
    const isWithdrawn = new Promise((resolve) => options.signal.addEventListener('abort', resolve));
    // The engine ends the loop by itself; where it can't, only the user can: nobody knows how long
    // the question is going to take.
    if (spin.startsWith('new')) await pass(600).then(() => controller.abort());
    await isWithdrawn;
    await running;
    expect(await read('a.ts')).toBe('two');
  });
});

describe('git across the real workers', () => {
  it('works in a cell and for the page, each on what the other has committed', async () => {
    const author = { name: 'A', email: 'a@example.org' };
    await write('page.txt', 'from the page\n');
    await host.git.init();
    await host.git.add('.');
    const { branch } = await host.git.commit({ message: 'from the page', author });
    expect(branch).toBe('main');
    await write('git.txt', 'from a cell\n');
    const { outputs } = await runCells(
      host,
      [
        `await git.add('git.txt');
         await git.commit({ message: 'from a cell', author: ${JSON.stringify(author)} });
         (await git.log()).map(({ message }) => message)`,
      ],
      { permissionMode: 'acceptEdits' },
    );
    expect([outputs[0]?.error, outputs[0]?.value]).toEqual([
      undefined,
      ['from a cell\n', 'from the page\n'],
    ]);
    expect((await host.git.status()).files).toEqual([]);
    expect(await host.git.readFile('HEAD', 'git.txt')).toEqual(
      new TextEncoder().encode('from a cell\n'),
    );
  });

  it('asks on the page before it goes to a server, while the cell’s clock stands still', async () => {
    const person = createPerson();
    const code = `await git.clone('https://git.example.org/ann/tides', { directory: 'tides' })`;
    const running = runCells(host, [{ timeout: 2_000, code }], {
      permissionMode: 'acceptEdits',
      canUseTool: person.canUseTool,
    });
    const question = await person.next();
    expect(question.options.title).toBe(
      'git clone https://git.example.org/ann/tides into /workspace/tides?',
    );
    await pass(2_500);
    question.answer({ behavior: 'deny', message: 'No.' });
    const { outputs } = await running;
    expect(outputs[0]?.error?.message).toContain('No. Nothing was sent to git.example.org.');
  });
});
