// The first mistakes of whoever uses it: each gets the sentence that helps, at once.
import { describe, expect, it } from 'vitest';
import { query } from '../../../src/agent/query.ts';
import type { QueryParams } from '../../../src/agent/query.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { readAll } from '../../support/turns/run-hooked.ts';
import { createEventModel } from '../../support/stages/test-session.ts';

const model = createEventModel([]);
const start = (params: unknown) => query(params as QueryParams);

async function refusal(given: (host: object) => unknown): Promise<unknown> {
  await using host = await createInlineHost();
  try {
    start(given(host)).close();
    return 'taken';
  } catch (error) {
    return error;
  }
}

describe('query', () => {
  it.each<[string, (host: object) => unknown, string]>([
    ['nothing', () => undefined, 'query takes one object: query({ prompt, options: { host, mod'],
    ['a text', () => 'Hello', 'query takes one object'],
    ['a prompt alone', () => ({ prompt: 'x' }), 'query needs options, with a host and a model'],
    ['no prompt', (host) => ({ options: { host, model } }), 'The prompt is missing: give a text'],
    ['a number', (host) => ({ prompt: 5, options: { host, model } }), 'The prompt is neither'],
    ['an empty prompt', (host) => ({ prompt: '', options: { host, model } }), 'prompt is empty'],
    [
      'no model',
      (host) => ({ prompt: 'x', options: { host } }),
      'options.model is missing. Make one: createAnthropicModel({ model:',
    ],
    [
      'the name of a model',
      (host) => ({ prompt: 'x', options: { host, model: 'claude-sonnet-5-5' } }),
      'model is "claude-sonnet-5-5", a name. Here it is an object that says which server and whose key: createAnthropicModel({ model: "claude-sonnet-5-5"',
    ],
    [
      'another object for a model',
      (host) => ({ prompt: 'x', options: { host, model: {} } }),
      'options.model is no model',
    ],
    [
      'no host',
      () => ({ prompt: 'x', options: { model } }),
      "options.host is missing: it says where the agent's tools run. Make a host: await createBrowserHost",
    ],
    [
      'a host that was not awaited',
      (host) => ({ prompt: 'x', options: { host: Promise.resolve(host), model } }),
      'options.host is a promise. Write host: await',
    ],
    [
      'another object for a host',
      () => ({ prompt: 'x', options: { host: {}, model } }),
      'options.host is no host',
    ],
    [
      'options beside the prompt',
      (host) => ({ prompt: 'x', host, model }),
      'host stands among the options: query({ prompt, options: { host } }).',
    ],
    [
      'an unknown parameter',
      (host) => ({ prompt: 'x', option: {}, options: { host, model } }),
      'query takes prompt and options, and no "option"',
    ],
    [
      'a slip in a name',
      (host) => ({ prompt: 'x', options: { host, model, disalowedTools: ['Edit'] } }),
      'query has no option named disalowedTools. Did you mean disallowedTools',
    ],
    [
      'a name like no other',
      (host) => ({ prompt: 'x', options: { host, model, zzzzzzzz: 1 } }),
      'query has no option named zzzzzzzz. There are abortController, additionalDirectories',
    ],
    [
      'an effort that is none',
      (host) => ({ prompt: 'x', options: { host, model, effort: 'much' } }),
      'effort is one of low, medium, high, xhigh, max, not "much".',
    ],
    [
      'toolConfig',
      (host) => ({ prompt: 'x', options: { host, model, toolConfig: {} } }),
      'The option toolConfig of the Claude Agent SDK is not here yet.',
    ],
    [
      'what is said elsewhere',
      (host) => ({ prompt: 'x', options: { host, model, thinking: {} } }),
      "The option thinking isn't one of query here. It is the model's",
    ],
    [
      'what has no meaning here',
      (host) => ({ prompt: 'x', options: { host, model, sandbox: {} } }),
      "The option sandbox isn't one of query here. There are no commands here",
    ],
    ...['executable', 'pathToClaudeCodeExecutable', 'stderr'].map(
      (name): [string, (host: object) => unknown, string] => [
        `${name}, which is about a process`,
        (host) => ({ prompt: 'x', options: { host, model, [name]: 'node' } }),
        `The option ${name} isn't one of query here. There is no process here: leave it out.`,
      ],
    ),
    [
      'strictMcpConfig',
      (host) => ({ prompt: 'x', options: { host, model, strictMcpConfig: true } }),
      "Leave it out: .mcp.json is read only where settingSources has 'project'",
    ],
    [
      'to keep no checkpoints',
      (host) => ({ prompt: 'x', options: { host, model, enableFileCheckpointing: false } }),
      'enableFileCheckpointing is always on here: leave it out.',
    ],
    [
      'a mode that the caller forbids as well',
      (host) => {
        const permissions = { permissionMode: 'bypassPermissions' };
        const allowDangerouslySkipPermissions = false;
        const options = { host, model, ...permissions, allowDangerouslySkipPermissions };
        return { prompt: 'x', options };
      },
      "permissionMode is 'bypassPermissions', and allowDangerouslySkipPermissions is false.",
    ],
    [
      'a yes in the place of canUseTool',
      (host) => ({ prompt: 'x', options: { host, model, canUseTool: true } }),
      'canUseTool is a function: async (toolName, input) => ({ behavior:',
    ],
    [
      'a host’s way to hand files over that is none',
      (host) => ({ prompt: 'x', options: { host, model, onUserFile: true } }),
      'onUserFile is a function: ',
    ],
    [
      'a host’s way to notify a person that is none',
      (host) => ({ prompt: 'x', options: { host, model, onPushNotification: {} } }),
      'onPushNotification is a function: ',
    ],
    ...[
      'brief',
      'historySnip',
      'simple',
      'replMode',
      'embeddedSearch',
      'tasksV2',
      'teams',
      'coordinator',
    ].map((name): [string, (host: object) => unknown, string] => [
      `a word for the switch ${name}`,
      (host) => ({ prompt: 'x', options: { host, model, [name]: 'yes' } }),
      `${name} is true or false, not "yes".`,
    ]),
  ])('refuses %s, and says what to write', async (_, given, message) => {
    expect(await refusal(given)).toMatchObject({
      code: 'bad-usage',
      message: expect.stringContaining(message),
    });
  });

  it.each([
    { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true },
    { permissionMode: 'default', allowDangerouslySkipPermissions: false },
    { enableFileCheckpointing: true },
  ])('takes what programs of the SDK say of what holds anyway: %o', async (said) => {
    const given = (host: object) => ({ prompt: 'x', options: { host, model, ...said } });
    expect(await refusal(given)).toBe('taken');
  });

  it('takes what is undefined for what is left out', async () => {
    const undefinedOptions = { resume: undefined, zzzzzzzz: undefined, maxTurns: undefined };
    const given = (host: object) => ({
      prompt: 'x',
      more: undefined,
      options: { host, model, ...undefinedOptions },
    });
    expect(await refusal(given)).toBe('taken');
  });

  it('refuses the name of a model for setModel, too', async () => {
    await using host = await createInlineHost();
    const running = query({ prompt: 'x', options: { host, model } });
    await expect(running.setModel('claude-sonnet-5-5' as never)).rejects.toThrow('a name. Here it');
    running.close();
    await readAll(running);
  });
});
