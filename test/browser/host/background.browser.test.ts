// Cells in the background in workers of their own. The conversation goes on beside one that
// computes. The worker of one that can't be cut is ended without any other noticing.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import {
  createBrowserHost,
  type BrowserHost,
} from '../../../src/hosts/browser/page/create-browser-host.ts';
import { converse, createHoldTool } from '../../support/turns/background.ts';
import { createPerson } from '../../support/turns/run-cells.ts';

let host: BrowserHost;

beforeAll(async () => {
  host = await openHost();
});

afterAll(async () => {
  await host.destroy();
});

const openHost = () =>
  createBrowserHost({
    workspace: `background-${crypto.randomUUID()}`,
    driver: 'memory',
    assets: { wasm: wasmUrl },
  });

const background = { run_in_background: true } as const;
const list = async () => (await host.workspace.fs.readdir('/workspace')).toSorted();

describe('a cell in the background, in its own worker', () => {
  it.each([
    ['by its engine', 'for (;;) {}'],
    ['with its worker', "new Array(1e9) + ''"],
  ])('lets the conversation go on while it computes, and is stopped %s', async (_how, spin) => {
    const talk = converse(host);
    talk.say('Go.');
    let asked = await talk.cell(await talk.asked(), 'let n = 1;');
    asked = await talk.cell(asked, `n = 2; fs.writeFileSync('b.txt', 'b'); ${spin}`, background);
    const { backgroundTaskId: task_id = '' } = talk.lastOutput();
    asked = await talk.cell(asked, "n += 40; fs.writeFileSync('c.txt', 'c'); n");
    expect(talk.lastOutput().value).toBe(41);
    asked.call({ id: 'stop', name: 'TaskStop', input: { task_id } });
    asked = await talk.asked();
    expect(asked.news).toContain('is stopped. Nothing that it did was kept.');
    asked = await talk.cell(asked, 'n');
    expect(talk.lastOutput().value).toBe(41);
    // What other tests have written may be there, too.
    expect(await list()).toEqual(expect.arrayContaining(['c.txt']));
    expect(await list()).not.toContain('b.txt');
    asked.say('Done.');
    await talk.end();
  });

  it('calls tools on its own draft, beside a cell that runs', async () => {
    const hold = createHoldTool();
    const talk = converse(host, { tools: [...(await host.loadTools()), hold.tool] });
    talk.say('Go.');
    let asked = await talk.cell(
      await talk.asked(),
      `fs.writeFileSync('d.txt', 'one'); await tools.Hold({});
       await tools.Edit({ file_path: 'd.txt', old_string: 'one', new_string: 'two' });`,
      background,
    );
    const { backgroundTaskId = '' } = talk.lastOutput();
    await hold.isCalled;
    asked = await talk.cell(asked, "fs.existsSync('d.txt')");
    expect(talk.lastOutput().value).toBe(false);
    hold.release();
    expect((await talk.taskEnd(backgroundTaskId)).status).toBe('completed');
    expect(await host.workspace.fs.readFile('/workspace/d.txt', 'utf8')).toBe('two');
    asked.say('Done.');
    await talk.end();
  });

  it('stands still while a person thinks about its nested call', async () => {
    const person = createPerson();
    const talk = converse(host, { permissionMode: 'default', canUseTool: person.canUseTool });
    talk.say('Go.');
    const asked = await talk.cell(
      await talk.asked(),
      `await tools.Write({ file_path: 'e.txt', content: 'e' }); 'written'`,
      { ...background, timeout: 3_000 },
    );
    const { backgroundTaskId = '' } = talk.lastOutput();
    const question = await person.next();
    await new Promise<void>((resolve) => host.clock.after(3_500, resolve));
    question.answer({ behavior: 'allow' });
    expect((await talk.taskEnd(backgroundTaskId)).summary).toContain("=> 'written'");
    asked.say('Done.');
    await talk.end();
  });

  it('ends with its host, and so does the conversation', async () => {
    const other = await openHost();
    const talk = converse(other, { persistSession: false });
    talk.say('Go.');
    await talk.cell(await talk.asked(), 'for (;;) {}', background);
    await other[Symbol.asyncDispose]();
    expect(await talk.seen((message) => message.type === 'result')).toMatchObject({
      is_error: true,
      error_code: 'bad-usage',
      errors: [expect.stringContaining('The host is closed.')],
    });
    await talk.end();
  });
});
