// What a host's tools keep together, and what else their context says of the session.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Host } from '../../../src/agent/host.ts';
import { query } from '../../../src/agent/query.ts';
import type { QueryOptions } from '../../../src/agent/query-options.ts';
import { buildTool } from '../../../src/core/tool/build-tool.ts';
import type { ToolDef } from '../../../src/core/tool/build-tool.ts';
import type { AppState, CallContext } from '../../../src/core/tool/context.ts';
import type { Tool } from '../../../src/core/tool/tool.ts';
import { createAnthropicModel } from '../../../src/model/anthropic.ts';
import { createScriptedModel } from '../../../src/model/scripted.ts';
import type { ScriptTurn } from '../../../src/model/script.ts';
import { callTool, openHost, readAll, say, toResults } from '../../support/turns/run-hooked.ts';

let host: Host;
beforeEach(async () => void (host = await openHost()));
afterEach(() => host[Symbol.asyncDispose]());

/** A tool that gives what `work` makes of its context, as text. */
const toTool = (work: (context: CallContext) => Promise<unknown>, more: object = {}) =>
  buildTool({
    name: 'Keep',
    inputSchema: z.strictObject({}),
    description: () => Promise.resolve('Keeps.'),
    prompt: () => Promise.resolve(''),
    checkPermissions: () => Promise.resolve({ behavior: 'allow' }),
    mapToolResultToToolResultBlockParam: (output, toolUseID) => ({
      type: 'tool_result',
      tool_use_id: toolUseID,
      content: JSON.stringify(output),
    }),
    call: async (_input, context) => ({ data: await work(context) }),
    ...more,
  } as ToolDef) as Tool;

const keep = callTool('Keep', {});

async function run(tool: Tool, options: Partial<QueryOptions> = {}, ...turns: ScriptTurn[]) {
  const played = turns.length > 0 ? turns : [keep];
  const model = createScriptedModel({ script: { turns: [...played, say('Done.')] } });
  const tools = [...(await host.loadTools()), tool];
  const given = { host, model, tools, toolSearch: false, ...options };
  return toResults(await readAll(query({ prompt: 'Go.', options: given })));
}

const count = async ({ getAppState, setAppState }: CallContext) => {
  await setAppState((state) => ({ ...state, count: Number(state['count'] ?? 0) + 1 }));
  return getAppState();
};

describe('the app state', () => {
  it('is empty at first, and goes on with the session', async () => {
    expect(await run(toTool(({ getAppState }) => Promise.resolve(getAppState())))).toEqual(['{}']);
    expect(await run(toTool(count), { sessionId: 'kept' })).toEqual(['{"count":1}']);
    const played = [keep, say('Done.'), callTool('Keep', {}, 'call-1')];
    expect(await run(toTool(count), { resume: 'kept' }, ...played)).toEqual(['{"count":2}']);
    expect(await run(toTool(count))).toEqual(['{"count":1}']);
  });

  it('loses nothing of calls that run at once', async () => {
    const turn = { blocks: ['a', 'b', 'c'].flatMap((id) => callTool('Keep', {}, id).blocks) };
    const results = await run(toTool(count, { isConcurrencySafe: () => true }), {}, turn);
    expect(results.at(-1)).toBe('{"count":3}');
  });

  it('is a copy of what was given', async () => {
    const result = await run(
      toTool(async ({ getAppState, setAppState }) => {
        const list = [1];
        await setAppState(() => ({ list, left: undefined }));
        list.push(2);
        return getAppState();
      }),
    );
    expect(result).toEqual(['{"list":[1]}']);
  });

  class Point {}
  const ring: Record<string, unknown> = {};
  ring['self'] = ring;
  it.each<[string, unknown, string]>([
    ['a function', { items: [1, () => 1] }, 'state.items[1] is a function.'],
    ['a number that is none', { at: NaN }, 'state.at is NaN.'],
    ['a gap in a list', { items: [undefined] }, 'state.items[0] is undefined.'],
    ['a time', { at: new Date(0) }, 'state.at is an instance of Date.'],
    ['a map', { byId: new Map() }, 'state.byId is an instance of Map.'],
    ['an instance', { at: new Point() }, 'state.at is an instance of Point.'],
    ['a large number', { size: 1n }, 'state.size is a bigint.'],
    ['itself', ring, `: state${'.self'.repeat(11)} is nested too deep, or holds itself.`],
    ['no object', 5, 'What setAppState is to keep is no object.'],
    ['nothing', undefined, 'What setAppState is to keep is no object.'],
  ])('refuses %s with a sentence, and stays as it was', async (_, value, sentence) => {
    const [result] = await run(
      toTool(async ({ getAppState, setAppState }) => {
        await setAppState(() => ({ good: true }));
        const why = await setAppState(() => value as AppState).catch(String);
        return [why, getAppState()];
      }),
    );
    expect(result).toContain(sentence);
    expect(result).toContain('{"good":true}');
  });

  it('refuses a state in the place of a function', async () => {
    const work = ({ setAppState }: CallContext) => setAppState({ count: 1 } as never);
    expect((await run(toTool(work)))[0]).toContain('setAppState takes a function: setAppState(');
  });
});

describe('the context of a call', () => {
  it('tells how much the model thinks, where that was said', async () => {
    const thinking = { type: 'enabled', budget_tokens: 2_000 } as const;
    const real = createAnthropicModel({ model: 'some', apiKey: 'x', thinking });
    expect(real.thinking).toEqual(thinking);
    const tool = toTool(({ options }) => Promise.resolve([options.thinkingConfig ?? 'unsaid']));
    const turns = [keep, say('Done.')];
    const model = { ...createScriptedModel({ script: { turns } }), thinking };
    expect(await run(tool)).toEqual(['["unsaid"]']);
    expect(await run(tool, { model })).toEqual([JSON.stringify([thinking])]);
  });

  it('tells why a call of the turn might run', async () => {
    const turn = {
      blocks: [
        ...callTool('Glob', { pattern: '*' }, 'a').blocks,
        ...callTool('Keep', {}, 'b').blocks,
      ],
    };
    const tool = toTool(({ toolDecisions }) =>
      Promise.resolve([toolDecisions.get('a')?.reason.type, toolDecisions.get('z') ?? 'unknown']),
    );
    const [, result] = await run(tool, {}, turn);
    expect(result).toBe('["read-only","unknown"]');
  });
});
