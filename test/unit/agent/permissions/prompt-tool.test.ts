// Who answers permission questions: a tool of a server in a person's place, or nobody.
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { openSession } from '../../../../src/agent/open-session.ts';
import { query } from '../../../../src/agent/query.ts';
import type { QueryOptions } from '../../../../src/agent/query-options.ts';
import { createSdkMcpServer } from '../../../../src/mcp/create-sdk-mcp-server.ts';
import { tool } from '../../../../src/mcp/tool.ts';
import { createScriptedModel } from '../../../../src/model/scripted.ts';
import { explain } from '../../../../src/trace/explain.ts';
import { isResult, quickHost, readUntil } from '../../../support/sessions/open-sessions.ts';
import { asks, listModel, says } from '../../../support/turns/play-turns.ts';
import {
  callTool,
  openHost,
  runHooked,
  say,
  toResults,
  write,
} from '../../../support/turns/run-hooked.ts';

const permissionPromptToolName = 'mcp__guard__approve';
const usual = { tool_name: z.string(), input: z.record(z.string(), z.unknown()) };

type Answers = (question: Readonly<Record<string, unknown>>) => unknown;

/** A server `guard` whose tool answers with this as JSON, and what it was asked. */
function guard(answer: Answers, shape: z.ZodRawShape = usual) {
  const asked: Readonly<Record<string, unknown>>[] = [];
  const approve = tool('approve', 'Says yes or no.', shape, async (question) => {
    asked.push(question);
    const given = answer(question);
    const text = typeof given === 'string' ? given : JSON.stringify(given);
    return { content: [{ type: 'text', text }] };
  });
  const other = tool('look', 'Looks.', {}, async () => ({ content: [] }));
  const mcpServers = { guard: createSdkMcpServer({ name: 'guard', tools: [approve, other] }) };
  return { asked, options: { mcpServers, permissionPromptToolName } };
}

async function run(
  turns: Parameters<typeof runHooked>[1],
  options: Omit<QueryOptions, 'host' | 'model'>,
) {
  await using host = await openHost();
  const ran = await runHooked(host, turns, options);
  const written = await host.workspace.fs.readFile('/workspace/b.txt', 'utf8').catch(() => null);
  const decisions = ran.messages.flatMap((message) =>
    message.type === 'user' && message.decision ? [explain(message.decision)] : [],
  );
  return { ...ran, written, decisions, results: toResults(ran.messages) };
}

describe('permissionPromptToolName', () => {
  it('asks the tool what a person would be asked, and says who decided', async () => {
    const { asked, options } = guard(() => ({ behavior: 'allow' }));
    const { written, decisions } = await run([write('b.txt', 'new')], options);
    expect(asked).toEqual([{ tool_name: 'Write', input: { file_path: 'b.txt', content: 'new' } }]);
    expect(written).toBe('new');
    expect(decisions).toEqual([
      "Write was allowed because the tool mcp__guard__approve, in a person's place, decided so.",
    ]);
  });

  it('refuses with the tool’s words, and ends the turn where it says so', async () => {
    const no = { behavior: 'deny', message: 'Not on Fridays.', interrupt: true };
    const { result, results, written } = await run([write('b.txt')], guard(() => no).options);
    expect(results).toEqual([expect.stringContaining('Not on Fridays.')]);
    expect(written).toBeNull();
    expect(result).toMatchObject({ permission_denials: [{ tool_name: 'Write' }] });
  });

  it('takes another input, and rules for the calls that follow', async () => {
    const { asked, options } = guard(({ input }) => ({
      behavior: 'allow',
      updatedInput: { ...(input as object), content: 'other' },
      updatedPermissions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
    }));
    const turns = [
      write('b.txt', 'one'),
      callTool('Write', { file_path: 'c.txt', content: 'c' }, 'call-1'),
    ];
    const { written } = await run(turns, options);
    expect(written).toBe('other');
    expect(asked).toHaveLength(1);
  });

  it('tells the tool what its schema names', async () => {
    const more = z.unknown().optional();
    const shape = { ...usual, tool_use_id: more, changes: more, decision_reason: more };
    const { asked, options } = guard(() => ({ behavior: 'allow' }), shape);
    const code = "require('fs').writeFileSync('b.txt', 'by a cell')";
    const { written } = await run([callTool('Repl', { code }, 'cell-1')], options);
    expect(asked).toEqual([
      {
        tool_name: 'Repl',
        input: { code },
        tool_use_id: 'cell-1',
        decision_reason: expect.any(String),
        changes: [expect.objectContaining({ path: '/workspace/b.txt' })],
      },
    ]);
    expect(written).toBe('by a cell');
  });

  it.each<[string, Answers, string]>([
    ['no JSON', () => 'Yes, go on.', 'its text must be JSON'],
    ['another object', () => ({ ok: true }), "An answer is { behavior: 'allow' }"],
    [
      'an error',
      () => {
        throw new Error('The guard sleeps.');
      },
      'The guard sleeps.',
    ],
  ])('blocks the call for %s', async (_name, answer, sentence) => {
    const { written, results } = await run([write('b.txt')], guard(answer).options);
    expect(written).toBeNull();
    expect(results).toEqual([expect.stringContaining(sentence)]);
  });

  it('blocks the call where the tool takes no such question, or isn’t there', async () => {
    const { options } = guard(() => ({ behavior: 'allow' }), { city: z.string() });
    const strange = await run([write('b.txt')], options);
    expect(strange.results).toEqual([expect.stringContaining('takes no question')]);
    const gone = { ...options, permissionPromptToolName: 'mcp__guard__gone' };
    const missing = await run([write('b.txt')], gone);
    expect(missing.results).toEqual([expect.stringContaining("mcp__guard__gone isn't there")]);
    expect([strange.written, missing.written]).toEqual([null, null]);
  });

  it('can’t be called by the model, nor by a cell', async () => {
    const { asked, options } = guard(() => ({ behavior: 'allow' }));
    const input = { tool_name: 'Write', input: {} };
    const code = `await tools.mcp__guard__approve(${JSON.stringify(input)})`;
    const turns = [callTool(permissionPromptToolName, input), callTool('Repl', { code }, 'call-1')];
    const { results, messages } = await run(turns, options);
    expect(results[0]).toContain('mcp__guard__approve');
    expect(asked).toEqual([]);
    const [init] = messages;
    expect(init).toMatchObject({ tools: expect.arrayContaining(['mcp__guard__look']) });
    expect(init).not.toMatchObject({ tools: expect.arrayContaining([permissionPromptToolName]) });
  });

  it('answers for sub-agents, and in a session nobody waits for an answer', async () => {
    const shape = { ...usual, agent_id: z.string().optional() };
    const { asked, options } = guard(() => ({ behavior: 'allow' }), shape);
    const host = await quickHost();
    const agent = { description: 'x', prompt: 'Write.', run_in_background: false };
    const call = (id: string, name: string, input: Record<string, unknown>) =>
      asks({ type: 'tool_use', id, name, input });
    const model = listModel('m', [
      call('a', 'Agent', agent),
      call('w', 'Write', { file_path: 'b.txt', content: 'x' }),
      ...[says('Written.'), says('Done.')],
    ]);
    const session = await openSession({ host, model, ...options });
    onTestFinished(() => session.close());
    await session.send('Go.');
    const told = await readUntil(session, isResult);
    expect(told.at(-1)).toMatchObject({ result: 'Done.' });
    expect(asked).toEqual([expect.objectContaining({ agent_id: expect.any(String) })]);
    expect(await host.workspace.fs.readFile('/workspace/b.txt', 'utf8')).toBe('x');
  });
});

describe('permissionPrompts', () => {
  const canUseTool = () => Promise.reject(new Error('Nobody may be asked.'));

  it('refuses at once what would be asked, and asks nobody', async () => {
    const options = { permissionPrompts: 'none', canUseTool } as const;
    const { written, results } = await run([write('b.txt')], options);
    expect(written).toBeNull();
    expect(results).toEqual([
      expect.stringContaining("Nobody is here to ask (permissionPrompts is 'none')."),
    ]);
  });

  it('leaves rules, mode and hooks as they are', async () => {
    const allow = async () => ({
      hookSpecificOutput: {
        hookEventName: 'PermissionRequest' as const,
        decision: { behavior: 'allow' as const },
      },
    });
    const hooks = { PermissionRequest: [{ hooks: [allow] }] };
    const options = { permissionPrompts: 'none', canUseTool } as const;
    expect((await run([write('b.txt', 'h')], { ...options, hooks })).written).toBe('h');
    const mode = { ...options, permissionMode: 'acceptEdits' } as const;
    expect((await run([write('b.txt', 'm')], mode)).written).toBe('m');
  });

  it('keeps no session waiting for an answer', async () => {
    const script = { turns: [write('b.txt'), say('As you like.')] };
    const model = createScriptedModel({ script });
    const options = { host: await quickHost(), model, permissionPrompts: 'none' } as const;
    const session = await openSession(options);
    onTestFinished(() => session.close());
    await session.send('Go.');
    const told = await readUntil(session, isResult);
    expect(told.at(-1)).toMatchObject({ result: 'As you like.', permission_denials: [{}] });
  });
});

describe('at the door', () => {
  const { mcpServers } = guard(() => '').options;
  const canUseTool = async () => null;
  it.each<[string, Record<string, unknown>, string]>([
    ['another word', { permissionPrompts: 'nobody' }, "permissionPrompts is 'host' or 'none'"],
    [
      'no tool of a server',
      { permissionPromptToolName: 'approve', mcpServers },
      'Name a tool of a server among',
    ],
    ['a server of nobody’s', { permissionPromptToolName }, 'mcpServers has no server guard'],
    [
      'a function beside a tool',
      { permissionPromptToolName, mcpServers, canUseTool },
      'and canUseTool both say who answers',
    ],
    [
      'nobody beside a tool',
      { permissionPromptToolName, mcpServers, permissionPrompts: 'none' },
      'both say who answers',
    ],
  ])('refuses %s', async (_name, given, sentence) => {
    const options = { host: await quickHost(), model: listModel('m', []), ...given } as never;
    expect(() => query({ prompt: 'x', options })).toThrow(sentence);
    await expect(openSession(options)).rejects.toThrow(sentence);
  });
});
