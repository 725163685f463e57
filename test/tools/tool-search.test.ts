import { afterEach, describe, expect, it } from 'vitest';
import { query } from '../../src/agent/query.ts';
import type { QueryOptions } from '../../src/agent/query-options.ts';
import type { Host } from '../../src/agent/host.ts';
import type { SDKMessage } from '../../src/core/messages/sdk-message.ts';
import type { Tool } from '../../src/core/tool/tool.ts';
import { createInlineHost } from '../../src/hosts/inline/create-inline-host.ts';
import type { Model, ModelRequest } from '../../src/model/model.ts';
import type { ScriptBlock } from '../../src/model/script.ts';
import { createScriptedModel } from '../../src/model/scripted.ts';
import { toolSearchTool } from '../../src/tools/tool-search/tool.ts';
import {
  builtInNames,
  offeredNames,
  coreNames,
  deferredNames,
} from '../support/stages/catalogue.ts';
import { plainTool } from '../support/stages/test-tools.ts';
import { withoutEnvironment } from '../support/turns/run-hooked.ts';

const hosts: Host[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host[Symbol.asyncDispose]();
});

const notebook = JSON.stringify({
  cells: [{ cell_type: 'code', id: 'one', metadata: {}, outputs: [], source: 'a = 1' }],
  metadata: {},
  nbformat: 4,
  nbformat_minor: 5,
});

async function openHost(): Promise<Host> {
  const host = await createInlineHost();
  hosts.push(host);
  await host.workspace.fs.writeFile(`${host.cwd}/a.ipynb`, notebook);
  return host;
}

/** The query's messages and the requests that its model got: one call a turn, then a word. */
async function play(
  calls: readonly { readonly name: string; readonly input: Record<string, unknown> }[],
  options: Partial<QueryOptions> & { readonly toolReferences?: boolean } = {},
) {
  const { toolReferences = false, ...rest } = options;
  const host = options.host ?? (await openHost());
  const blocks = calls.map((call): [ScriptBlock] => [{ type: 'tool_use', ...call }]);
  const turns = [...blocks, [{ type: 'text', text: 'Done.' } as const]];
  const scripted = createScriptedModel({
    script: { turns: turns.map((one) => ({ blocks: one })) },
  });
  const requests: ModelRequest[] = [];
  const model: Model = {
    ...scripted,
    toolReferences,
    stream(request, streamOptions) {
      // As it is sent: the conversation goes on growing.
      requests.push(
        structuredClone({ ...request, messages: withoutEnvironment(request.messages) }),
      );
      return scripted.stream(request, streamOptions);
    },
  };
  const messages: SDKMessage[] = [];
  const running = query({
    prompt: 'Change the notebook.',
    options: { permissionMode: 'acceptEdits', ...rest, host, model },
  });
  for await (const message of running) messages.push(message);
  return { host, requests, messages };
}

const search = (text: string) => ({ name: 'ToolSearch', input: { query: text } });
const edit = (changes: object = {}) => ({
  name: 'NotebookEdit',
  input: { notebook_path: 'a.ipynb', cell_id: 'one', new_source: 'b = 2', ...changes },
});
const read = { name: 'Read', input: { file_path: 'a.ipynb' } };

const names = (request: ModelRequest | undefined) =>
  request?.tools.map(({ name, defer_loading }) => `${defer_loading ? '?' : ''}${name}`);

/** The results of all calls, as the model was sent them last. */
function results(request: ModelRequest | undefined) {
  return (request?.messages ?? []).flatMap(({ content }) =>
    typeof content === 'string' ? [] : content.filter(({ type }) => type === 'tool_result'),
  );
}

describe('ToolSearch', () => {
  it('finds NotebookEdit by "notebook jupyter", and it is callable in the next request', async () => {
    const { host, requests } = await play([read, search('notebook jupyter'), edit()]);
    expect(names(requests[0])).toEqual(coreNames);
    expect(names(requests[1])).toEqual(coreNames);
    expect(names(requests[2])).toEqual([...coreNames, 'NotebookEdit']);
    const [, found, edited] = results(requests[3]);
    expect(found).toMatchObject({
      content: expect.stringMatching(
        /^<functions>\n<function>\{"description":"Replaces, inserts or deletes one cell .*","name":"NotebookEdit","parameters":\{"type":"object",.*\}<\/function>\n<\/functions>$/,
      ),
    });
    expect(edited).toEqual({
      type: 'tool_result',
      tool_use_id: 'toolu_scripted_2_0',
      content: 'Replaced the source of the code cell one in /workspace/a.ipynb.',
    });
    expect(await host.workspace.fs.readFile(`${host.cwd}/a.ipynb`, 'utf8')).toContain('b = 2');
  });

  it('gives references where the model takes them, and holds the definition back for good', async () => {
    const { requests } = await play([read, search('notebook jupyter'), edit()], {
      toolReferences: true,
    });
    const found = [...coreNames, '?NotebookEdit'];
    expect(requests.map(names)).toEqual([coreNames, coreNames, found, found]);
    const visible = requests.map(({ tools }) => tools.filter((tool) => !tool.defer_loading));
    expect(new Set(visible.map((tools) => JSON.stringify(tools))).size).toBe(1);
    const [, find, edited] = results(requests[3]);
    expect(find).toEqual({
      type: 'tool_result',
      tool_use_id: 'toolu_scripted_1_0',
      content: [{ type: 'tool_reference', tool_name: 'NotebookEdit' }],
    });
    expect(edited).toMatchObject({ content: expect.stringMatching(/^Replaced/) });
  });

  it.each([false, true])(
    'never changes what was sent already (references: %j)',
    async (toolReferences) => {
      const { requests } = await play([search('jupyter'), read, edit()], { toolReferences });
      for (const [at, request] of requests.entries()) {
        const next = requests[at + 1];
        if (!next) break;
        expect(next.messages.slice(0, request.messages.length)).toEqual(request.messages);
        expect(next.system).toEqual(request.system);
        const end = request.breakpoints?.tool ?? -1;
        expect(end).toBe(coreNames.length - 1);
        expect(next.tools.slice(0, end + 1)).toEqual(request.tools.slice(0, end + 1));
      }
    },
  );

  it('tells the names once, and what was found', async () => {
    const { requests } = await play([search('jupyter'), read]);
    const reminders = requests
      .at(-1)
      ?.messages.flatMap(({ content }) =>
        typeof content === 'string'
          ? []
          : content.flatMap((block) =>
              block.type === 'text' && 'text' in block ? [block.text] : [],
            ),
      );
    expect(reminders).toEqual([
      `<system-reminder>\nThese tools must be loaded by ToolSearch before they can be called; so far only their names are known:\n<available-deferred-tools>\n${deferredNames.join('\n')}\n</available-deferred-tools>\n</system-reminder>`,
      '<system-reminder>\nThese tools are loaded and can be called now:\n<discovered_tools>\nNotebookEdit\n</discovered_tools>\n</system-reminder>',
    ]);
  });

  it('can be told all names in each request instead', async () => {
    const { requests } = await play([search('jupyter')], { toolSearchDelta: false });
    expect(JSON.stringify(requests[0]?.messages[0])).toContain('available-deferred-tools');
    const left = deferredNames.filter((name) => name !== 'NotebookEdit').join('\\n');
    expect(JSON.stringify(requests[1]?.messages)).toContain(
      `<available-deferred-tools>\\n${left}\\n</available-deferred-tools>`,
    );
  });

  it('says what it didn’t find', async () => {
    const { requests } = await play([
      search('zebra'),
      search('select:Nope,Never'),
      search('select:Read,Nope'),
    ]);
    const [nothing, unknown, some] = results(requests[3]);
    expect(nothing).toMatchObject({ content: expect.stringMatching(/^No tool matches/) });
    expect(unknown).toMatchObject({ content: 'There is no tool named Nope, or Never.' });
    expect(some).toMatchObject({ content: expect.stringContaining('"name":"Read"') });
    expect(JSON.stringify(requests[3]?.messages)).toContain('There is no tool named Nope.');
  });

  it('is asked for nobody’s leave, unless a rule says otherwise', async () => {
    const { messages } = await play([search('jupyter')], { permissionMode: 'dontAsk' });
    expect(messages.some(({ type }) => type === 'result')).toBe(true);
    expect(messages.at(-1)).toMatchObject({ permission_denials: [] });
    const settings = { permissions: { ask: ['ToolSearch'] } };
    const asked = await play([search('jupyter')], { permissionMode: 'dontAsk', settings });
    expect(asked.messages.at(-1)).toMatchObject({
      permission_denials: [{ tool_name: 'ToolSearch' }],
    });
  });
});

describe('a tool that was not loaded', () => {
  it('is told to be loaded first where its input is wrong', async () => {
    const { requests } = await play([
      edit({ cell: 'one' }),
      search('jupyter'),
      edit({ cell: 'one' }),
    ]);
    const [first, , second] = results(requests[3]);
    const refusal =
      'The input of NotebookEdit isn\'t valid:\n- (the whole input): Unrecognized key: "cell"\nCorrect it and call NotebookEdit again.';
    expect(first).toMatchObject({
      content: `${refusal}\nNotebookEdit isn't loaded, so what it takes was never shown to you. Call ToolSearch with the query "select:NotebookEdit" first, then call NotebookEdit again.`,
    });
    expect(second).toMatchObject({ content: refusal });
  });

  it('is run where its input is right', async () => {
    const { requests } = await play([read, edit()]);
    expect(results(requests[2])[1]).toMatchObject({ content: expect.stringMatching(/^Replaced/) });
  });
});

describe('without deferral', () => {
  it.each<[string, Partial<QueryOptions>]>([
    ['toolSearch: false', { toolSearch: false }],
    ['experimentalBetas: false', { experimentalBetas: false }],
    ['toolSearch: "auto:100"', { toolSearch: 'auto:100' }],
  ])('every tool is sent whole, and there is no ToolSearch: %s', async (_what, options) => {
    const { requests, messages } = await play([], { ...options, toolReferences: true });
    const all = offeredNames.filter((name) => name !== 'ToolSearch');
    expect(names(requests[0])).toEqual(all);
    expect(requests[0]?.messages).toHaveLength(1);
    expect(messages[0]).toMatchObject({ subtype: 'init', tools: all });
  });

  it('mode auto sends what is below the threshold after the cached prefix', async () => {
    const { requests } = await play([], { toolSearch: 'auto' });
    expect(names(requests[0])).toEqual([...coreNames, ...deferredNames]);
    expect(requests[0]?.breakpoints?.tool).toBe(coreNames.length - 1);
  });

  it('a preset is all built-in tools, as none is', async () => {
    for (const preset of ['default', 'claude_code'] as const) {
      const { messages } = await play([], { tools: { type: 'preset', preset } });
      expect(messages[0]).toMatchObject({
        tools: offeredNames,
      });
    }
  });

  it('a chosen tool that could be deferred needs no ToolSearch', async () => {
    const { requests } = await play([], { tools: ['NotebookEdit', 'Read'] });
    expect(names(requests[0])).toEqual(['NotebookEdit', 'Read']);
  });
});

describe('remote tools', () => {
  const remote = (name: string): Tool =>
    plainTool({ name, isMcp: true, description: () => Promise.resolve(`Is ${name}.`) });

  it('are deferred, found, and leave the cached bytes alone as they come and go', async () => {
    const host = await openHost();
    const tools = [...(await host.loadTools()), remote('mcp__slack__send')];
    const alone = await play([], { host });
    const beside = await play([search('+slack send')], { host, tools });
    expect(names(beside.requests[1])).toEqual([...coreNames, 'mcp__slack__send']);
    const head = (request: ModelRequest | undefined) =>
      JSON.stringify(request?.tools.slice(0, coreNames.length));
    expect(head(beside.requests[0])).toBe(head(alone.requests[0]));
    expect(head(beside.requests[1])).toBe(head(alone.requests[0]));
    expect(beside.requests.map(({ system }) => system)).toEqual(
      beside.requests.map(() => alone.requests[0]?.system),
    );
  });
});

describe('a found tool whose server goes', () => {
  it.each([false, true])(
    'stays as it was sent, and a call of it is refused (references: %j)',
    async (toolReferences) => {
      const host = await openHost();
      let isConnected = true;
      const send = plainTool({
        name: 'mcp__slack__send',
        isMcp: true,
        isEnabled: () => isConnected,
      });
      const goes = () => {
        isConnected = false;
        return Promise.resolve({});
      };
      const { requests } = await play(
        [search('+slack send'), { name: 'mcp__slack__send', input: {} }],
        {
          host,
          toolReferences,
          tools: [...(await host.loadTools()), send],
          hooks: { PostToolUse: [{ matcher: 'ToolSearch', hooks: [goes] }] },
        },
      );
      const [, found, called] = requests;
      expect(names(found)).toContain(`${toolReferences ? '?' : ''}mcp__slack__send`);
      expect(called?.tools).toEqual(found?.tools);
      expect(called?.messages.slice(0, found?.messages.length)).toEqual(found?.messages);
      expect(JSON.stringify(found?.messages)).toContain('no longer there');
      expect(results(called)[1]).toMatchObject({
        is_error: true,
        content: expect.stringContaining('mcp__slack__send'),
      });
    },
  );
});

describe('a query', () => {
  it('says of each tool that it doesn’t offer why', async () => {
    const host = await openHost();
    const model = createScriptedModel({ script: { turns: [] } });
    const running = query({
      prompt: 'Hi',
      options: { host, model, simple: true, disallowedTools: ['Edit'] },
    });
    const absent = await running.explainPool();
    expect(absent.find(({ name }) => name === 'Edit')).toEqual({
      name: 'Edit',
      reason: { type: 'denied', rule: expect.objectContaining({ toolName: 'Edit' }) },
      message: "Edit is denied: the deny rule Edit says so (the session's options).",
    });
    const off = builtInNames.filter((name) => !['Edit', 'Read', 'Repl'].includes(name));
    const others = absent.filter(({ name }) => name !== 'Edit');
    expect(others.map(({ message }) => message)).toEqual(
      off.map((name) => `${name} is left out by simple.`),
    );
    await running.return();
  });
});

describe('ToolSearch as others see it', () => {
  it('only reads, beside others, and says what it looks for', async () => {
    expect(toolSearchTool.isReadOnly()).toBe(true);
    expect(toolSearchTool.isConcurrencySafe()).toBe(true);
    expect(toolSearchTool.getActivityDescription({ query: 'x' })).toBe('Looking for tools: x');
    expect(await toolSearchTool.description({ query: 'x' })).toBe('Look for tools: x');
  });
});
