// "Why was this allowed?" is answered for each call, by its result's message.
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { QueryOptions } from '../../../src/agent/query-options.ts';
import { buildTool } from '../../../src/core/tool/build-tool.ts';
import type { ToolDef } from '../../../src/core/tool/build-tool.ts';
import { explain } from '../../../src/trace/explain.ts';
import type { AutoClassifier } from '../../../src/core/permissions/permission.ts';
import type { SDKMessage } from '../../../src/core/messages/sdk-message.ts';
import type { Tool } from '../../../src/core/tool/tool.ts';
import { createScriptedAnswers } from '../../../src/hosts/inline/scripted-answers.ts';
import { callTool, openHost, runHooked, toResults, write } from '../../support/turns/run-hooked.ts';

type Options = Omit<QueryOptions, 'host' | 'model'>;

async function run(
  turns: Parameters<typeof runHooked>[1],
  options: Options = {},
  tools: readonly Tool[] = [],
) {
  await using host = await openHost();
  // Awaited here: the host is closed when this returns.
  return await runHooked(host, turns, {
    ...options,
    tools: [...(await host.loadTools()), ...tools],
  });
}

function explainAll(messages: readonly SDKMessage[]): (string | undefined)[] {
  return messages.flatMap((message) =>
    message.type === 'user' ? [message.decision && explain(message.decision)] : [],
  );
}

const cell = (code: string) => callTool('Repl', { code });
const yes = () => createScriptedAnswers(['allow']).canUseTool;
const no = () => createScriptedAnswers(['deny']).canUseTool;
const atCommit = 'Repl was allowed because what the call changes is judged before it is kept.';

describe('the message of a result says why its call was', () => {
  it.each<[string, Parameters<typeof run>[0][number], Options, string]>([
    [
      'allowed: it only reads',
      callTool('Read', { file_path: 'a.txt' }),
      {},
      'Read was allowed because the call changes nothing.',
    ],
    [
      'allowed by the mode',
      write('b.txt'),
      { permissionMode: 'acceptEdits' },
      'Write was allowed because the permission mode is acceptEdits.',
    ],
    [
      'allowed by a rule',
      write('b.txt'),
      { allowedTools: ['Edit(*.txt)'] },
      "Write was allowed because the allow rule Edit(*.txt) says so (the session's options). Its changes were kept because the allow rule Edit(*.txt) says so (the session's options).",
    ],
    [
      'allowed by a person',
      write('b.txt'),
      { canUseTool: yes() },
      'Write was allowed because a person decided so.',
    ],
    [
      'refused by a person',
      write('b.txt'),
      { canUseTool: no() },
      'Write was refused because a person decided so.',
    ],
    [
      'refused by a rule',
      write('b.txt'),
      { disallowedTools: ['Edit(*.txt)'] },
      "Write was refused because the deny rule Edit(*.txt) says so (the session's options).",
    ],
    [
      'refused for want of a person',
      write('b.txt'),
      {},
      'Write was refused because Write needs permission: nothing allows Write for this yet. Nobody is here to ask (no canUseTool).',
    ],
    [
      'refused by a hook',
      write('b.txt'),
      {
        hooks: {
          PreToolUse: [{ hooks: [async () => ({ decision: 'block', reason: 'Not on Fridays.' })] }],
        },
      },
      'Write was refused because a hook says so: Not on Fridays.',
    ],
    [
      'allowed, and what it changed kept',
      cell("fs.writeFileSync('b.txt', '')"),
      { canUseTool: yes() },
      `${atCommit} Its changes were kept because a person decided so.`,
    ],
    [
      'allowed, and what it changed dropped',
      cell("fs.writeFileSync('b.txt', '')"),
      { permissionMode: 'plan' },
      `${atCommit} Its changes were dropped because the permission mode is plan.`,
    ],
    [
      'allowed, having changed nothing',
      cell('const a = fs.readFileSync("a.txt", "utf8"); globalThis.b = a;'),
      {},
      atCommit,
    ],
  ])('%s', async (_, turn, options, sentence) => {
    const { messages } = await run([turn], options);
    expect(explainAll(messages)).toEqual([sentence]);
  });

  it('and says nothing where it never came to that', async () => {
    const { messages } = await run([callTool('Read', { file: 'a.txt' })]);
    expect(explainAll(messages)).toEqual([undefined]);
  });

  it('names the code that made a nested call', async () => {
    const { messages } = await run([cell("await tools.Read({ file_path: 'a.txt' })")], {
      allowedTools: ['Repl(tools:Read)'],
    });
    expect(explainAll(messages)).toEqual([
      "Read, which Repl's code called, was allowed because the call changes nothing.",
      atCommit,
    ]);
  });
});

const anySchema = z.strictObject({});

/** Asks, by its own `call`, whether it might write, and says what it was told. */
function askingTool(isMcp: boolean): Tool {
  return buildTool({
    name: isMcp ? 'mcp__disk__clean' : 'Clean',
    ...(isMcp && { isMcp, mcpInfo: { serverName: 'disk', toolName: 'clean' } }),
    inputSchema: anySchema,
    alwaysLoad: true,
    description: async () => 'Cleans.',
    prompt: async () => '',
    checkPermissions: async () => ({ behavior: 'allow' }),
    changesOnlySession: () => true,
    mapToolResultToToolResultBlockParam: (output, toolUseID) => ({
      type: 'tool_result',
      tool_use_id: toolUseID,
      content: JSON.stringify(output),
    }),
    async call(_, { abortController: { signal } }, canUseTool) {
      const input = { file_path: 'b.txt', content: '' };
      const answer = await canUseTool('Write', input, { signal, toolUseID: 'own', requestId: '1' });
      return { data: answer?.behavior };
    },
  } satisfies ToolDef<typeof anySchema>) as unknown as Tool;
}

describe('what a tool asks for by itself', () => {
  const sessionRule: Options['hooks'] = {
    // A rule of this session, as a person's "always" sets it.
    PermissionRequest: [
      {
        matcher: 'Edit',
        hooks: [
          async () => ({
            hookSpecificOutput: {
              hookEventName: 'PermissionRequest',
              decision: {
                behavior: 'allow',
                updatedPermissions: [
                  {
                    type: 'addRules',
                    rules: [{ toolName: 'Write' }],
                    behavior: 'allow',
                    destination: 'session',
                  },
                ],
              },
            },
          }),
        ],
      },
    ],
  };
  const edit = callTool(
    'Edit',
    { file_path: 'a.txt', old_string: 'one', new_string: 'two' },
    'edit',
  );
  const read = callTool('Read', { file_path: 'a.txt' });
  const allowing: AutoClassifier = () => Promise.resolve({ behavior: 'allow', message: 'Fine.' });

  it.each<[string, Options, Parameters<typeof run>[0], readonly [own: string, remote: string]]>([
    ['bypassPermissions', { permissionMode: 'bypassPermissions' }, [], ['allow', 'deny']],
    ['acceptEdits', { permissionMode: 'acceptEdits' }, [], ['allow', 'deny']],
    ['auto', { permissionMode: 'auto', autoClassifier: allowing }, [], ['allow', 'deny']],
    ["a session's allow rule", { hooks: sessionRule }, [read, edit], ['allow', 'deny']],
    ["the host's allow rule", { allowedTools: ['Write'] }, [], ['allow', 'allow']],
    [
      'a deny rule',
      { permissionMode: 'bypassPermissions', disallowedTools: ['Write(b.txt)'] },
      [],
      ['deny', 'deny'],
    ],
    ['mode plan', { permissionMode: 'plan' }, [], ['deny', 'deny']],
  ])('is judged by %s; of a server by less', async (_, options, before, expected) => {
    const told = async (isMcp: boolean) => {
      const tool = askingTool(isMcp);
      const { messages } = await run([...before, callTool(tool.name, {}, 'last')], options, [tool]);
      return JSON.parse(toResults(messages).at(-1) ?? '');
    };
    expect([await told(false), await told(true)]).toEqual(expected);
  });

  it('is asked about with the name of who asks', async () => {
    const ask = async (isMcp: boolean) => {
      const { canUseTool, asked } = createScriptedAnswers(['allow']);
      const tool = askingTool(isMcp);
      await run([callTool(tool.name, {})], { canUseTool }, [tool]);
      return asked.map(({ options }) => [options.principal, options.decisionReason]);
    };
    expect(await ask(true)).toEqual([
      [
        { kind: 'remote', serverName: 'disk' },
        'nothing allows Write for this yet (the server disk asks)',
      ],
    ]);
    expect(await ask(false)).toEqual([
      [{ kind: 'tool', toolName: 'Clean' }, 'nothing allows Write for this yet (Clean asks)'],
    ]);
  });
});
