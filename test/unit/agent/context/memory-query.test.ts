// Memory in a whole query: what each request holds of it, and what hooks hear.
import { expect, it } from 'vitest';
import type { Host } from '../../../../src/agent/host.ts';
import type { HookCallback } from '../../../../src/agent/hooks/hooks.ts';
import { query } from '../../../../src/agent/query.ts';
import type { MessageParam } from '../../../../src/core/messages/messages.ts';
import type { SDKUserMessage } from '../../../../src/core/messages/sdk-message.ts';
import { createDirectedModel } from '../../../support/models/directed-model.ts';
import { callTool, openHost, readAll, runHooked } from '../../../support/turns/run-hooked.ts';

async function openProject(): Promise<Host> {
  const host = await openHost();
  const { fs } = host.workspace;
  await fs.mkdir(`${host.cwd}/lib`);
  await fs.writeFile(`${host.cwd}/CLAUDE.md`, 'Use tabs.\n\n@NAMES.md');
  await fs.writeFile(`${host.cwd}/NAMES.md`, 'Short names.');
  await fs.writeFile(`${host.cwd}/lib/CLAUDE.md`, 'No globals in lib.');
  await fs.writeFile(`${host.cwd}/lib/a.ts`, 'let a;');
  return host;
}

/** Of each message its role, and of a text the first words of its last paragraph. */
const toOutline = (messages: readonly MessageParam[]) =>
  messages.map(({ role, content }) => {
    if (typeof content === 'string') return `${role}: ${content}`;
    const [block] = content;
    if (block?.type !== 'text') return `${role}: ${block?.type}`;
    const text = String('text' in block && block.text).replace('\n</system-reminder>', '');
    return `${role}: ${text.split('\n').at(-1)}`;
  });

it('tells the first request all, the next ones what is new, and changes nothing that was sent', async () => {
  await using host = await openProject();
  const heard: unknown[] = [];
  const hear: HookCallback<'InstructionsLoaded'> = async (input) => {
    const { file_path, memory_type, load_reason, trigger_file_path, parent_file_path } = input;
    heard.push({ file_path, memory_type, load_reason, trigger_file_path, parent_file_path });
    return {};
  };
  const read = callTool('Read', { file_path: 'lib/a.ts' });
  const { requests, result } = await runHooked(
    host,
    [read, callTool('Glob', { pattern: '*' }, 'call-1')],
    {
      settingSources: ['project'],
      hooks: { InstructionsLoaded: [{ hooks: [hear] }] },
    },
  );
  expect(result).toMatchObject({ subtype: 'success', result: 'Done.' });
  const [first = [], second = [], third = []] = requests;
  expect(toOutline(first)).toEqual(['user: Short names.', 'user: @NAMES.md', 'user: Go.']);
  expect(toOutline(second.slice(first.length))).toEqual([
    'assistant: tool_use',
    'user: tool_result',
    'user: No globals in lib.',
  ]);
  expect(JSON.stringify(second.slice(0, first.length))).toBe(JSON.stringify(first));
  expect(JSON.stringify(third.slice(0, second.length))).toBe(JSON.stringify(second));
  expect(toOutline(third.slice(second.length))).toEqual([
    'assistant: tool_use',
    'user: tool_result',
  ]);
  const { cwd } = host;
  const why = { memory_type: 'Project' };
  expect(heard).toEqual([
    {
      file_path: `${cwd}/NAMES.md`,
      ...{ ...why, load_reason: 'include', parent_file_path: `${cwd}/CLAUDE.md` },
    },
    { file_path: `${cwd}/CLAUDE.md`, ...why, load_reason: 'session_start' },
    {
      file_path: `${cwd}/lib/CLAUDE.md`,
      ...{ ...why, load_reason: 'nested_traversal', trigger_file_path: `${cwd}/lib/a.ts` },
    },
  ]);
});

it.each([
  ['Edit', { file_path: 'lib/a.ts', old_string: 'let', new_string: 'const' }, true],
  ['Write', { file_path: 'lib/b.ts', content: 'x' }, true],
  ['Glob', { pattern: 'lib/**' }, false],
  ['Repl', { code: `fs.readFileSync('lib/a.ts', 'utf8').length` }, false],
])('counts the file of a %s as one that was read: %#', async (name, input, isTold) => {
  await using host = await openProject();
  const options = { settingSources: ['project'], permissionMode: 'acceptEdits' } as const;
  const turns = [
    callTool('Read', { file_path: 'lib/a.ts', limit: 1 }),
    callTool(name, input, 'call-1'),
  ];
  const { requests } = await runHooked(host, name === 'Edit' ? turns : turns.slice(1), options);
  expect(JSON.stringify(requests).includes('No globals in lib.')).toBe(isTold);
});

it('reads no instructions unless settingSources says so', async () => {
  await using host = await openProject();
  const { requests } = await runHooked(host, [callTool('Read', { file_path: 'lib/a.ts' })], {});
  expect(toOutline(requests[1] ?? [])).toEqual([
    'user: Go.',
    'assistant: tool_use',
    'user: tool_result',
  ]);
});

it('tells the environment with the first prompt that a hook lets pass, and what has changed with the next', async () => {
  await using host = await openProject();
  const model = createDirectedModel();
  async function* prompts(): AsyncGenerator<SDKUserMessage> {
    for (const content of ['Blocked.', 'First.', 'Second.']) {
      const message = { role: 'user', content } as const;
      yield { type: 'user', message, parent_tool_use_id: null };
    }
  }
  const block: HookCallback<'UserPromptSubmit'> = async ({ prompt }) =>
    prompt === 'Blocked.' ? { decision: 'block', reason: 'No.' } : {};
  const hooks = { UserPromptSubmit: [{ hooks: [block] }] };
  const options = { host, model, hooks, settingSources: ['project'], toolSearch: false } as const;
  const running = readAll(query({ prompt: prompts(), options }));
  const first = await model.next();
  expect(toOutline(first.messages).slice(0, 4)).toEqual([
    'user: - Model: directed',
    'user: Short names.',
    'user: @NAMES.md',
    'user: First.',
  ]);
  await host.workspace.fs.writeFile(`${host.cwd}/NAMES.md`, 'Long names.');
  first.say('Done.');
  const second = await model.next();
  expect(toOutline(second.messages.slice(first.messages.length))).toEqual([
    'assistant: Done.',
    'user: Long names.',
    'user: Second.',
  ]);
  // Nothing that was sent has changed, the environment included.
  const sent = second.messages.slice(0, first.messages.length);
  expect(JSON.stringify(sent)).toBe(JSON.stringify(first.messages));
  second.say('Done.');
  await running;
});

it('keeps the system prompt the same in whatever directory, on whatever day', async () => {
  await using host = await openProject();
  const systems: unknown[] = [];
  for (const cwd of [host.cwd, `${host.cwd}/lib`]) {
    const model = createDirectedModel();
    const stream: typeof model.stream = (request, options) => {
      systems.push(request.system);
      return model.stream(request, options);
    };
    const done = readAll(
      query({ prompt: 'Go.', options: { host, cwd, model: { ...model, stream } } }),
    );
    (await model.next()).say('Done.');
    await done;
  }
  expect(systems[0]).toEqual(systems[1]);
});
