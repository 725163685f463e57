// Agents above and below each other: what one may do to another, and what comes along. And calls of one id.
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { openSession } from '../../../../src/agent/open-session.ts';
import { createDeferred } from '../../../../src/core/async/deferred.ts';
import { buildTool } from '../../../../src/core/tool/build-tool.ts';
import type { Tool } from '../../../../src/core/tool/tool.ts';
import type { SDKMessage } from '../../../../src/core/messages/sdk-message.ts';
import type { ScriptTurn } from '../../../../src/model/script.ts';
import { createAgentsModel } from '../../../support/models/agents-model.ts';
import { isResult, readUntil, silentModel } from '../../../support/sessions/open-sessions.ts';
import { callTool, openHost, say } from '../../../support/turns/run-hooked.ts';

import {
  atOnce,
  letter,
  listResults,
  run,
  task,
  untilAborted,
  waited,
} from '../../../support/turns/agents-at-once.ts';

describe('a sub-agent', () => {
  it('stops those that it has begun, and none beside or above it', async () => {
    await using host = await openHost();
    const stopAll = atOnce((agents, _, tasks) =>
      agents
        .list()
        .toSorted((one, other) => one.description.localeCompare(other.description))
        .map(({ agentId, description }) =>
          tasks.stop(agentId).then(
            ({ status }) => `${description} ${status}`,
            () => `${description} not`,
          ),
        ),
    );
    const { promise: over, resolve: isOver } = createDeferred();
    let stopped: string | undefined;
    const begin = (name: string) =>
      callTool('Agent', { description: name, prompt: `${name}.` }, `call-${name}`);
    await run(
      host,
      {
        main: [begin('a beside'), begin('b itself'), say('They run.'), say('One.'), say('Two.')],
        'a beside.': [say('Here.')],
        'b itself.': [begin('c below'), callTool('AtOnce', {}, 'call-stop'), say('Tried.')],
        'c below.': [say('Never said.')],
      },
      {
        tools: [...(await host.loadTools()), stopAll],
        hooks: {
          PostToolUse: [
            {
              matcher: 'AtOnce',
              hooks: [
                async (input) => {
                  stopped = String((input as { tool_response?: unknown }).tool_response);
                  isOver();
                  return {};
                },
              ],
            },
          ],
        },
      },
      (who, signal) =>
        who === 'a beside.' || who === 'c below.' ? untilAborted(over, signal) : undefined,
    );
    expect(stopped).toBe(JSON.stringify(['a beside not', 'b itself not', 'c below stopped']));
  });

  it('is tainted by what its caller reads, also where the caller was taken up later', async () => {
    await using host = await openHost();
    const fetched = buildTool({
      name: 'Fetch',
      inputSchema: z.strictObject({}),
      description: () => Promise.resolve('Fetches.'),
      prompt: () => Promise.resolve(''),
      isReadOnly: () => true,
      isOpenWorld: () => true,
      call: () => Promise.resolve({ data: 'from outside' }),
      mapToolResultToToolResultBlockParam: (content: string, tool_use_id: string) => ({
        type: 'tool_result' as const,
        tool_use_id,
        content,
      }),
    }) as unknown as Tool;
    const { promise: read, resolve: hasRead } = createDeferred();
    const counts = new Map<string, number>();
    const { requests } = await run(
      host,
      {
        main: [
          task('Lead.', { name: 'outer', ...waited }),
          letter('inner', 'Fetch, too.', 'call-1'),
          letter('outer', 'Fetch.', 'call-2'),
          say('I wait.'),
          say('One is done.'),
          say('Both are done.'),
        ],
        'Lead.': [
          task('Look.', { name: 'inner', ...waited }),
          say('Led.'),
          callTool('Fetch', {}, 'call-f'),
          say('Fetched.'),
          say('It was refused.'),
        ],
        'Look.': [say('Seen.'), callTool('Fetch', {}, 'call-g'), say('Tried.')],
      },
      {
        tools: ['Agent', 'SendMessage', fetched],
        egress: 'deny',
        allowedTools: ['Fetch'],
      },
      (who, signal) => {
        const count = (counts.get(who) ?? 0) + 1;
        counts.set(who, count);
        if (who === 'Lead.' && count === 4) hasRead();
        return who === 'Look.' && count === 2 ? untilAborted(read, signal) : undefined;
      },
    );
    const last = requests.findLast(({ who }) => who === 'Look.')?.request.messages.at(-1);
    expect(JSON.stringify(last)).toMatch(/outside|tainted|untrusted/u);
    expect(JSON.stringify(last)).not.toContain('from outside"');
  });
});

describe('a server that gives the same ids again with each reply', () => {
  it('begins another agent, and sends another letter', async () => {
    await using host = await openHost();
    const ids = { agent: 'call-1', mail: 'call-2' };
    const script = (name: string, before: readonly ScriptTurn[]) => ({
      main: [
        ...before,
        task(`Be ${name}.`, { name, ...waited }, ids.agent),
        letter('one', `Letter of ${name}.`, ids.mail),
        say(`I wait for ${name}.`),
        say(`Done with ${name}.`),
      ],
      'Be one.': [say('I am one.'), say('Read.'), say('Read again.')],
      'Be two.': [say('I am two.')],
    });
    const session = await openSession({ host, model: silentModel, toolSearch: false });
    onTestFinished(() => session.close());
    let n = 0;
    const told: SDKMessage[] = [];
    for (const name of ['one', 'two']) {
      // What the first one has said by then.
      const before = name === 'one' ? [] : Array.from({ length: 4 }, () => say('Said.'));
      await session.setModel(createAgentsModel(script(name, before)));
      ({ n } = await session.send('Go.'));
      const isDone = (one: SDKMessage) =>
        isResult(one) && 'result' in one && one.result === `Done with ${name}.`;
      told.push(...(await readUntil(session, isDone, n)));
    }
    expect(listResults(told)).toEqual([
      expect.stringContaining('I am one.'),
      expect.stringContaining('one was at rest and goes on with it.'),
      expect.stringContaining('I am two.'),
      expect.stringContaining('one was at rest and goes on with it.'),
    ]);
  });
});
