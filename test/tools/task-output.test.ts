// TaskOutput over real background tasks, on one thread.
import { afterEach, describe, expect, it } from 'vitest';
import type { Host } from '../../src/agent/host.ts';
import type { Tool } from '../../src/core/tool/tool.ts';
import { taskOutputTool } from '../../src/tools/task-output/tool.ts';
import {
  background,
  converse,
  createHoldTool,
  forever,
  openTaskHost,
  taskOf,
} from '../support/turns/background.ts';
import type { Conversation } from '../support/turns/background.ts';
import type { Asked } from '../support/models/directed-model.ts';

const hosts: Host[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host[Symbol.asyncDispose]();
});

async function open(): Promise<Host> {
  const host = await openTaskHost();
  hosts.push(host);
  return host;
}

let asks = 0;
function ask(from: Asked, talk: Conversation, input: Record<string, unknown>): Promise<Asked> {
  asks += 1;
  from.call({ id: `output-${asks}`, name: 'TaskOutput', input });
  return talk.asked();
}

const on = { taskOutput: true, toolSearch: false } as const;

describe('TaskOutput', () => {
  it('waits until the task has ended, and what it changed is kept by then', async () => {
    const host = await open();
    const hold = createHoldTool();
    // Begins after TaskOutput, which then waits already, and runs beside it.
    const release: Tool = {
      ...hold.tool,
      name: 'Release',
      isConcurrencySafe: () => true,
      call: () => Promise.resolve({ data: hold.release() }),
    };
    const tools = [...(await host.loadTools()), hold.tool, release];
    const talk = converse(host, { ...on, tools });
    talk.say('Go.');
    const code = `await tools.Hold({}); console.log('printed'); await fs.promises.writeFile('new.txt', 'x'); 7 * 6`;
    const started = await talk.cell(await talk.asked(), code, background);
    await hold.isCalled;
    started.call(
      { id: 'wait', name: 'TaskOutput', input: { task_id: taskOf(talk) } },
      { id: 'release', name: 'Release', input: {} },
    );
    const told = await talk.asked();
    expect(told.news).toMatch(/\): completed\n[^]*printed[^]*42/u);
    expect(await host.workspace.fs.readFile('/workspace/new.txt', 'utf8')).toBe('x');
    told.say('Done.');
    await talk.end();
  });

  it('says that it still runs when the time is over, or at once', async () => {
    const talk = converse(await open(), on);
    talk.say('Go.');
    const started = await talk.cell(await talk.asked(), forever, background);
    const task_id = taskOf(talk);
    const now = await ask(started, talk, { task_id, block: false });
    const found = { ...(talk.lastOutput() as object), output_file: '' };
    expect(found).toEqual({
      ...{ task_id, task_type: 'repl', description: expect.any(String), status: 'running' },
      ...{ output: '', omitted: 0, output_file: '' },
    });
    expect(now.news).toContain('It has printed nothing so far.');
    const later = await ask(now, talk, { task_id, timeout: 0 });
    expect(talk.lastOutput()).toMatchObject({ status: 'running' });
    later.say('Done.');
    await talk.end();
  });

  it('shows the end of a long output, and where the rest is', async () => {
    const talk = converse(await open(), on);
    talk.say('Go.');
    const code = `console.log('begin' + 'x'.repeat(25_000) + 'end')`;
    const input = { ...background, description: 'Prints' };
    const started = await talk.cell(await talk.asked(), code, input);
    const task_id = taskOf(talk);
    const told = await ask(started, talk, { task_id });
    const output = talk.lastOutput() as unknown as {
      readonly output: string;
      readonly omitted: number;
    };
    expect([output.output.length, output.omitted > 5_000]).toEqual([20_000, true]);
    expect(told.news).toContain(`(${output.omitted} characters before this are in /session/`);
    expect(told.news).toContain('end');
    expect(told.news).not.toContain('begin');
    told.say('Done.');
    await talk.end();
  });

  it('names the tasks that there are, and reads one that has ended', async () => {
    const talk = converse(await open(), on);
    talk.say('Go.');
    const first = await ask(await talk.asked(), talk, { task_id: 'b1' });
    expect(first.news).toContain('No task b1 has run in the background. None has run.');
    const started = await talk.cell(first, '1 + 1', background);
    const task_id = taskOf(talk);
    started.say('It runs.');
    await talk.taskEnd(task_id);
    const woken = await talk.asked();
    const again = await ask(woken, talk, { task_id: 'b1' });
    expect(again.news).toContain(`Those that have: ${task_id} (`);
    const told = await ask(again, talk, { task_id, block: false });
    expect(told.news).toContain('completed\n');
    told.say('Done.');
    await talk.end();
  });

  it('is read-only, beside others, and loses to a new prompt', () => {
    expect([
      taskOutputTool.isReadOnly(),
      taskOutputTool.isConcurrencySafe(),
      taskOutputTool.interruptBehavior(),
      taskOutputTool.shouldDefer,
      taskOutputTool.getTimeoutMs({ task_id: 'b1', timeout: 1_000 }),
    ]).toEqual([true, true, 'cancel', true, 6_000]);
  });
});
