// Config: what may be set to what, who is asked, and what holds of it afterwards. Whole sessions, but for the table.
import { loadQuickjsWasm } from '#quickjs-wasm';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AgentSession } from '../../src/agent/agent-session.ts';
import type { Host } from '../../src/agent/host.ts';
import { openSession } from '../../src/agent/open-session.ts';
import type { QueryOptions } from '../../src/agent/query-options.ts';
import { listSessions } from '../../src/agent/stored-sessions/session-info.ts';
import { permissionModes, type PermissionMode } from '../../src/core/permissions/permission.ts';
import type { SDKMessage } from '../../src/core/messages/sdk-message.ts';
import type { ToolUseContext } from '../../src/core/tool/context.ts';
import type { SessionSettings } from '../../src/core/session/session-settings.ts';
import { createInlineHost } from '../../src/hosts/inline/create-inline-host.ts';
import { configTool } from '../../src/tools/config/tool.ts';
import { createMemoryMedium } from '../../src/workspace/drivers/memory.ts';
import { createAgentsModel } from '../support/models/agents-model.ts';
import { asPrompt, createCallingModel } from '../support/turns/calling-model.ts';
import { isResult, openHost, quickHost, readUntil } from '../support/sessions/open-sessions.ts';
import { toolUse } from '../support/turns/plan-turns.ts';
import { asks, listModel, says } from '../support/turns/play-turns.ts';
import { callTool, say } from '../support/turns/run-hooked.ts';
import type { TaskCall } from '../support/turns/play-tasks.ts';

const settings = (given: Partial<SessionSettings>): SessionSettings => ({
  permissionMode: 'default',
  model: 'default',
  models: ['haiku'],
  title: undefined,
  thinking: undefined,
  setPermissionMode: () => undefined,
  setModel: () => Promise.resolve(),
  setTitle: () => Promise.resolve(),
  ...given,
});

/** What the model is told of a call that may not be. */
async function refusal(
  input: Parameters<typeof configTool.validateInput>[0],
  given: Partial<SessionSettings> = {},
  agentId?: string,
): Promise<string | undefined> {
  const context = { settings: settings(given), ...(agentId !== undefined && { agentId }) };
  const checked = await configTool.validateInput(input, context as ToolUseContext);
  return checked.result ? undefined : checked.message;
}

describe("Config's table", () => {
  it.each<[PermissionMode, string]>([
    ['plan', 'plan'],
    ['dontAsk', 'dontAsk'],
    ['default', 'default, dontAsk'],
    ['acceptEdits', 'default, acceptEdits, dontAsk'],
    ['auto', 'default, auto, dontAsk'],
    ['bypassPermissions', 'default, acceptEdits, auto, dontAsk, bypassPermissions'],
  ])('lets the mode %s become %s, and no laxer one', async (permissionMode, may) => {
    const allowed: PermissionMode[] = [];
    for (const value of permissionModes) {
      const why = await refusal({ setting: 'permissionMode', value }, { permissionMode });
      if (why === undefined) allowed.push(value);
      else if (value === 'plan') expect(why).toContain('begins with EnterPlanMode');
      else expect(why).toContain(`${value} would allow more: only the user can set it`);
    }
    expect(allowed.join(', ')).toBe(may);
  });

  it.each<[string, string, string]>([
    [
      'permissionMode',
      'toString',
      'permissionMode can\'t be "toString". It may be default, dontAsk.',
    ],
    ['model', 'opus', 'model can\'t be "opus". It may be default, haiku.'],
    ['thinking', 'disabled', "thinking is the host's, and can't be set here."],
    ['title', ' ', 'A title is one line of 1 to 200 characters.'],
    ['title', 'a\nb', 'A title is one line of 1 to 200 characters.'],
    ['title', 'a'.repeat(201), 'A title is one line of 1 to 200 characters.'],
  ])('refuses to set %s to %j', async (setting, value, why) => {
    expect(await refusal({ setting: setting as 'title', value })).toContain(why);
  });

  it('lets a sub-agent read, and set nothing', async () => {
    expect(await refusal({ setting: 'title' }, {}, 'a1')).toBeUndefined();
    expect(await refusal({ setting: 'title', value: 'T' }, {}, 'a1')).toContain('in your report');
  });

  it('is asked about by the name of the setting, where it is set', async () => {
    const title = { setting: 'title', value: 'T' } as const;
    const matches = await configTool.preparePermissionMatcher(title);
    expect([matches('title'), matches('model'), matches('*')]).toEqual([true, false, true]);
    const ask = async (input: Parameters<typeof configTool.checkPermissions>[0]) => [
      (await configTool.checkPermissions(input)).behavior,
      configTool.isReadOnly(input),
    ];
    expect(await ask(title)).toEqual(['passthrough', false]);
    expect(await ask({ setting: 'title' })).toEqual(['allow', true]);
  });
});

async function open(options: Partial<QueryOptions> & { host: Host }): Promise<AgentSession> {
  const session = await openSession({
    toolSearch: false,
    permissionMode: 'bypassPermissions',
    model: createCallingModel(),
    ...options,
  });
  onTestFinished(() => session.close());
  return session;
}

let prompts = 0;
/** Has the calls made in a turn, and gives what was told of it. */
async function play(session: AgentSession, ...calls: readonly TaskCall[]): Promise<SDKMessage[]> {
  prompts += 1;
  const { n } = await session.send({
    type: 'user',
    message: { role: 'user', content: asPrompt(...calls) },
    parent_tool_use_id: null,
    uuid: `p${prompts}`,
  });
  return readUntil(session, (one) => isResult(one) && (one.n ?? 0) > n, n);
}

/** What the model was told of each call. */
const told = (messages: readonly SDKMessage[]) =>
  messages.flatMap((one) => {
    if (one.type !== 'user' || typeof one.message.content === 'string') return [];
    return one.message.content.flatMap((block) =>
      block.type === 'tool_result' ? [String(block['content' as never])] : [],
    );
  });

const get = (setting: string): TaskCall => ['Config', { setting }];
const set = (setting: string, value: string): TaskCall => ['Config', { setting, value }];

describe('the model', () => {
  it('is another one from the next request on, in the next opening and in a fork', async () => {
    const medium = createMemoryMedium();
    const models = { haiku: createCallingModel() };
    const own = createCallingModel();
    await using before = await openHost(medium);
    const first = await open({ host: before, model: own, models, sessionId: 'm' });
    expect(told(await play(first, get('model'), set('model', 'haiku'), get('model')))).toEqual([
      'model is default. It may be set to default, haiku.',
      'model is haiku now. It was default.',
      'model is haiku. It may be set to default, haiku.',
    ]);
    expect([own.requests.length, models.haiku.requests.length]).toEqual([2, 2]);
    const { sessionId } = await first.fork();
    await first.close();
    await using after = await openHost(medium);
    for (const resume of ['m', sessionId]) {
      const again = await open({ host: after, model: own, models, resume });
      await play(again);
      await again.close();
    }
    expect([own.requests.length, models.haiku.requests.length]).toEqual([2, 4]);
  });

  it('is the one of before after a rewind', async () => {
    const models = { haiku: createCallingModel() };
    const session = await open({ host: await quickHost(), models });
    await play(session, set('model', 'haiku'));
    await session.rewind(`p${prompts}`);
    expect(told(await play(session, get('model')))[0]).toContain('model is default.');
    expect(models.haiku.requests).toHaveLength(1);
  });

  it('is the host’s again once the host has set one', async () => {
    const medium = createMemoryMedium();
    const models = { haiku: createCallingModel() };
    await using host = await openHost(medium);
    const session = await open({ host, models, sessionId: 'h' });
    await play(session, set('model', 'haiku'));
    const other = createCallingModel();
    await session.setModel(other);
    await play(session);
    expect([other.requests.length, models.haiku.requests.length]).toEqual([1, 1]);
    await session.close();
    const again = await open({ host, models, resume: 'h' });
    expect(told(await play(again, get('model')))[0]).toContain('model is default.');
  });

  it('is the host’s where the query has the chosen one no more, and the person is told', async () => {
    await using host = await openHost(createMemoryMedium());
    const first = await open({ host, models: { haiku: createCallingModel() }, sessionId: 'g' });
    await play(first, set('model', 'haiku'));
    await first.close();
    const own = createCallingModel();
    const again = await open({ host, model: own, resume: 'g' });
    const [init] = await readUntil(again, () => true);
    expect(init).toMatchObject({
      subtype: 'init',
      warnings: [
        `The model "haiku" was chosen for this session, and isn't among the query's models: claude-test is asked.`,
      ],
    });
    await play(again);
    expect(own.requests).toHaveLength(1);
  });
});

describe('the title', () => {
  it('stands in the list of sessions', async () => {
    const host = await quickHost();
    const session = await open({ host });
    await play(session, set('title', ' Tides '), get('title'));
    await session.close();
    expect((await listSessions({ host })).map(({ customTitle }) => customTitle)).toEqual(['Tides']);
  });

  it('is set by a cell’s code as well', async () => {
    await using host = await createInlineHost({ loadWasm: loadQuickjsWasm });
    const session = await open({ host });
    const code = `const { previousValue } = await tools.Config({ setting: 'title', value: 'By a cell' });
      previousValue + ', ' + (await tools.Config({ setting: 'title' })).value`;
    expect(told(await play(session, ['Repl', { code }])).at(-1)).toContain('null, By a cell');
    await session.close();
  });
});

describe('who is asked', () => {
  it('is a person where a setting is set, and nobody where it is read', async () => {
    const asked: unknown[] = [];
    const session = await open({
      host: await quickHost(),
      permissionMode: 'default',
      canUseTool: async (_name, input) => {
        asked.push(input);
        return { behavior: 'deny', message: 'Leave it.' };
      },
    });
    const results = told(await play(session, get('title'), set('title', 'T'), get('title')));
    expect(asked).toEqual([{ setting: 'title', value: 'T' }]);
    expect(results[1]).toContain('Leave it.');
    expect(results[2]).toBe('title is not set.');
  });

  it('is nobody where a rule of the host allows that setting', async () => {
    const session = await open({
      host: await quickHost(),
      permissionMode: 'dontAsk',
      allowedTools: ['Config(title)'],
      models: { haiku: createCallingModel() },
    });
    const results = told(await play(session, set('title', 'T'), set('model', 'haiku')));
    expect(results[0]).toBe('title is T now. It was not set.');
    expect(results[1]).toContain('Config was refused');
  });
});

describe('the permission mode', () => {
  it('is tightened for the session, also in the next opening', async () => {
    const medium = createMemoryMedium();
    await using host = await openHost(medium);
    const first = await open({ host, sessionId: 's' });
    await play(first, set('permissionMode', 'dontAsk'));
    await first.close();
    const again = await open({ host, resume: 's' });
    const results = told(await play(again, get('permissionMode'), set('title', 'T')));
    expect(results[0]).toBe('permissionMode is dontAsk. It may be set to dontAsk.');
    expect(results[1]).toContain('Config was refused');
  });

  it('stays as tight as a call before it in the same message has made it', async () => {
    const uses = ['dontAsk', 'bypassPermissions'].map((value) =>
      toolUse(value, 'Config', { setting: 'permissionMode', value }),
    );
    const model = listModel('list', [asks(...uses), says('Done.')]);
    const session = await open({ host: await quickHost(), model });
    await session.send('Go.');
    expect(told(await readUntil(session, isResult))).toEqual([
      'permissionMode is dontAsk now. It was bypassPermissions.',
      expect.stringContaining('bypassPermissions would allow more: only the user can set it'),
    ]);
  });

  it('is the session’s own where a sub-agent looks', async () => {
    const model = createAgentsModel({
      main: [
        callTool('Agent', { description: 'look', prompt: 'Look.', run_in_background: false }),
        say('Done.'),
      ],
      'Look.': [
        callTool('Config', { setting: 'permissionMode' }, 'call-read'),
        callTool('Config', { setting: 'title', value: 'T' }, 'call-set'),
        say('Seen.'),
      ],
    });
    const session = await open({ host: await quickHost(), model });
    await session.send('Go.');
    const results = told(await readUntil(session, isResult));
    expect(results[0]).toContain('permissionMode is bypassPermissions.');
    expect(results[1]).toContain('who alone may set them');
  });
});
