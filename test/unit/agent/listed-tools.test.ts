// A query over a host that lists its deferred tools: when a definition is loaded, and when it isn't.
import { afterEach, describe, expect, it } from 'vitest';
import { query } from '../../../src/agent/query.ts';
import type { QueryOptions } from '../../../src/agent/query-options.ts';
import type { Host } from '../../../src/agent/host.ts';
import { isToolResultBlock } from '../../../src/core/messages/blocks.ts';
import type { KnownTool, ListedTool } from '../../../src/core/tool/listed-tool.ts';
import { isListedTool } from '../../../src/core/tool/listed-tool.ts';
import type { Tools } from '../../../src/core/tool/tool.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import type { Model, ModelRequest } from '../../../src/model/model.ts';
import { createScriptedModel } from '../../../src/model/scripted.ts';
import { deferredNames } from '../../support/stages/catalogue.ts';

interface Listing {
  readonly host: Host;
  readonly definitions: Tools;
  /** The names whose definitions were loaded, and whose descriptions were asked for. */
  readonly loaded: string[];
  readonly described: string[];
}

const hosts: Host[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host[Symbol.asyncDispose]();
});

/** The built-in tools; `load` stands in for each listed one's own. */
async function openListing(load = (tool: ListedTool) => tool.load()): Promise<Listing> {
  const inner = await createInlineHost();
  hosts.push(inner);
  const loaded: string[] = [];
  const described: string[] = [];
  const watch = (tool: KnownTool): KnownTool => {
    if (!isListedTool(tool)) return tool;
    return {
      ...tool,
      description() {
        described.push(tool.name);
        return tool.description();
      },
      load() {
        loaded.push(tool.name);
        return load(tool);
      },
    };
  };
  const known = (await inner.loadTools('listed')).map(watch);
  const loadTools = (() => Promise.resolve(known)) as Host['loadTools'];
  const definitions = await inner.loadTools();
  return { host: { ...inner, loadTools }, definitions, loaded, described };
}

interface Call {
  readonly name: string;
  readonly input: Record<string, unknown>;
}

/** The requests of a query whose model makes one call a turn, then says a word. */
async function play(host: Host, calls: readonly Call[], options: Partial<QueryOptions> = {}) {
  const requests: ModelRequest[] = [];
  const scripted = createScriptedModel({
    script: {
      turns: [
        ...calls.map(({ name, input }) => ({
          blocks: [{ type: 'tool_use' as const, name, input }],
        })),
        { blocks: [{ type: 'text' as const, text: 'Done.' }] },
      ],
    },
  });
  const model: Model = {
    ...scripted,
    stream(request, streamOptions) {
      requests.push(structuredClone(request));
      return scripted.stream(request, streamOptions);
    },
  };
  for await (const message of query({ prompt: 'Go.', options: { ...options, host, model } })) {
    if (message.type === 'result') expect(message.subtype).toBe('success');
  }
  return requests;
}

const stop: Call = { name: 'TaskStop', input: { task_id: 'none' } };
const find: Call = { name: 'ToolSearch', input: { query: 'notebook jupyter' } };

function lastResult(requests: readonly ModelRequest[]): unknown {
  const { content = [] } = requests.at(-1)?.messages.at(-1) ?? {};
  return (typeof content === 'string' ? [] : content.filter(isToolResultBlock))[0]?.content;
}

describe('of the deferred tools a query', () => {
  it('loads none before one is needed', async () => {
    const { host, loaded, described } = await openListing();
    await play(host, []);
    expect({ loaded, described }).toEqual({ loaded: [], described: [] });
  });

  it('loads the definition that a search finds, and reads the others’ descriptions alone', async () => {
    const { host, loaded, described } = await openListing();
    const requests = await play(host, [find]);
    expect(new Set(loaded)).toEqual(new Set(['NotebookEdit']));
    expect(described).toEqual(deferredNames);
    expect(requests[1]?.tools.map(({ name }) => name)).toContain('NotebookEdit');
  });

  it('loads the definition of one that the model calls by its name, or an alias', async () => {
    const { host, loaded } = await openListing();
    const requests = await play(host, [stop, { ...stop, name: 'KillShell' }]);
    expect(new Set(loaded)).toEqual(new Set(['TaskStop']));
    expect(lastResult(requests)).toContain('none');
  });

  it('loads it to say what is wrong with an input, and that ToolSearch must find it first', async () => {
    const { host } = await openListing();
    const requests = await play(host, [{ name: 'NotebookEdit', input: { cell: 1 } }]);
    expect(lastResult(requests)).toContain('notebook_path');
    expect(lastResult(requests)).toContain('ToolSearch');
  });

  it('loads it under an alias of the query’s own', async () => {
    const { host } = await openListing();
    const options = { toolAliases: { Halt: 'TaskStop' } };
    const requests = await play(host, [{ ...stop, name: 'Halt' }], options);
    expect(lastResult(requests)).toContain('none');
  });

  it('loads all where nothing is deferred', async () => {
    const { host, loaded } = await openListing();
    const [request] = await play(host, [], { toolSearch: false });
    expect(new Set(loaded)).toEqual(new Set(deferredNames));
    expect(request?.tools.map(({ name }) => name)).toEqual(expect.arrayContaining(loaded));
  });

  it('answers a call with what is wrong where the code can’t be loaded', async () => {
    const { host } = await openListing(() => Promise.reject(new Error('The network is away.')));
    const requests = await play(host, [stop]);
    expect(lastResult(requests)).toBe('The network is away.');
  });
});

it.each<readonly [string, readonly Call[], Partial<QueryOptions>]>([
  ['nothing is called', [], {}],
  ['one is found', [find], {}],
  ['one is called before it is found', [stop], {}],
  ['nothing is deferred', [], { toolSearch: false }],
  ['the window decides', [], { toolSearch: 'auto:1' }],
  ['the window is too large to defer', [], { toolSearch: 'auto' }],
])('the requests are those of a host that lists none: %s', async (_, calls, options) => {
  const { host, definitions } = await openListing();
  const all = { ...host, loadTools: () => Promise.resolve(definitions) };
  const bytes = (requests: readonly ModelRequest[]) =>
    JSON.stringify(requests.map(({ system, tools }) => ({ system, tools })));
  expect(bytes(await play(host, calls, options))).toBe(bytes(await play(all, calls, options)));
});
