// Agents whose end can't be kept, whose kind is gone, that a rewind takes back, or that a person has stopped.
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSession } from '../../../../src/agent/open-session.ts';
import { query } from '../../../../src/agent/query.ts';
import { createDeferred } from '../../../../src/core/async/deferred.ts';
import type { SDKMessage } from '../../../../src/core/messages/sdk-message.ts';
import { createMemoryMedium } from '../../../../src/workspace/drivers/memory.ts';
import { createAgentsModel } from '../../../support/models/agents-model.ts';
import {
  isResult,
  openHost as openKeptHost,
  readUntil,
} from '../../../support/sessions/open-sessions.ts';
import { callTool, openHost, say } from '../../../support/turns/run-hooked.ts';

import {
  letter,
  listResults,
  task,
  untilAborted,
  waited,
} from '../../../support/turns/agents-at-once.ts';

describe('an agent whose end can not be kept in its file', () => {
  it('reports all the same, and says so', async () => {
    await using host = await openHost();
    const { promise: spoilt, resolve: isSpoilt } = createDeferred();
    const model = createAgentsModel(
      { main: [task('Think.'), say('It runs.'), say('Done.')], 'Think.': [say('Thought.')] },
      (who, signal) => (who === 'Think.' ? untilAborted(spoilt, signal) : undefined),
    );
    const messages: SDKMessage[] = [];
    for await (const message of query({ prompt: 'Go.', options: { host, model } })) {
      messages.push(message);
      const [launched = ''] = listResults([message]);
      const path = /report will be in \S+(\/tasks\/\S+\.output)/u.exec(launched)?.[1];
      if (path === undefined) continue;
      const author = { kind: 'agent' } as const;
      const { id } = await host.workspace.roots.session(message.session_id ?? '', { author });
      const { fs } = host.workspace.at(id);
      await fs.rm(path);
      await fs.mkdir(path);
      isSpoilt();
    }
    expect(messages.at(-1)).toMatchObject({ type: 'result', result: 'Done.' });
    const last = JSON.stringify(model.requests.at(-1)?.request.messages);
    expect(last).toMatch(/Thought\.[^]*The output file could not be written: /u);
  });
});

describe('a session whose agents are of a kind that is gone', () => {
  it('opens, ends them and those below, and tells why', async () => {
    const medium = createMemoryMedium();
    const scripts = {
      main: [task('Lead.', { subagent_type: 'lead' }), say('It runs.'), say('Done.')],
      'Lead.': [task('Look.'), say('Led.')],
      'Look.': [say('Seen.')],
    };
    const never = new Promise<void>(() => {});
    const first = await openKeptHost(medium);
    const { promise: atWork, resolve: isAtWork } = createDeferred();
    const dying = createAgentsModel(scripts, (who) => {
      if (who !== 'Look.') return;
      isAtWork();
      return never;
    });
    const lead = { description: 'Leads.', prompt: 'You lead.' };
    const killed = await openSession({
      ...{ host: first, model: dying, toolSearch: false, agents: { lead } },
    });
    await killed.send('Go.');
    await readUntil(killed, isResult);
    await atWork;

    const host = await openKeptHost(medium);
    onTestFinished(() => host[Symbol.asyncDispose]());
    const model = createAgentsModel(scripts);
    const session = await openSession({ host, model, toolSearch: false, resume: killed.id });
    onTestFinished(() => session.close());
    await session.send('And?');
    await readUntil(session, (one) => isResult(one) && JSON.stringify(one).includes('Done.'));
    expect(model.requests.map(({ who }) => who)).toEqual(['main']);
    expect(JSON.stringify(model.requests[0]?.request.messages)).toContain(
      "it was stopped. The kind lead isn't there any more.",
    );
  });
});

describe('a session that goes back', () => {
  it('to before an agent knows it no more, and its name is free again', async () => {
    await using host = await openHost();
    const model = createAgentsModel({
      main: [task('One.', { name: 'one', ...waited }), say('Done.')],
      'One.': [say('I am one.')],
    });
    const again = createAgentsModel({
      main: [
        letter('one', 'Hello.'),
        task('Other.', { name: 'one', ...waited }),
        say('Done again.'),
      ],
      'Other.': [say('I am the other.')],
    });
    const session = await openSession({ host, model, toolSearch: false });
    onTestFinished(() => session.close());
    const { uuid, n } = await session.send('Go.');
    await readUntil(session, isResult, n);
    await session.rewind(uuid);
    await session.setModel(again);
    const next = await session.send('Go on.');
    const told = await readUntil(session, isResult, next.n);
    expect(listResults(told)).toEqual([
      'There is no agent "one". There are none.',
      expect.stringContaining('I am the other.'),
    ]);
  });

  it('waits for an agent that goes on below one at rest', async () => {
    await using host = await openHost();
    const counts = new Map<string, number>();
    const { promise: held, resolve: goOn } = createDeferred();
    const model = createAgentsModel(
      {
        main: [
          task('Lead.', waited),
          letter('inner', 'Look again.'),
          say('I wait.'),
          say('All is known.'),
        ],
        'Lead.': [task('Look.', { name: 'inner', ...waited }), say('Led.'), say('It saw more.')],
        'Look.': [say('Seen.'), say('Seen more.')],
      },
      (who, signal) => {
        const count = (counts.get(who) ?? 0) + 1;
        counts.set(who, count);
        return who === 'Look.' && count === 2 ? untilAborted(held, signal) : undefined;
      },
    );
    const session = await openSession({ host, model, toolSearch: false });
    onTestFinished(() => session.close());
    const { uuid, n } = await session.send('Go.');
    await readUntil(session, isResult, n);
    await expect(session.rewind(uuid)).rejects.toThrow(/^Tasks run in the background: a\w{8}\./u);
    goOn();
    await readUntil(
      session,
      (one) => isResult(one) && 'result' in one && one.result !== 'I wait.',
      n,
    );
    await session.rewind(uuid);
  });
});

describe('an agent that runs', () => {
  it('is stopped by its id or its name, and listed to whoever names another task', async () => {
    await using host = await openHost();
    const never = new Promise<void>(() => {});
    const model = createAgentsModel(
      { main: [task('One.', { name: 'one' }), say('I wait.')], 'One.': [say('Never said.')] },
      (who, signal) => (who === 'One.' ? untilAborted(never, signal) : undefined),
    );
    await using session = await openSession({ host, model, toolSearch: false });
    const { n } = await session.send('Go.');
    const told = await readUntil(session, isResult, n);
    const begun = told.find((one) => one.type === 'system' && one.subtype === 'task_started');
    const { task_id: id, description } = begun as { task_id: string; description: string };
    await expect(session.stopTask('two')).rejects.toThrow(
      `No task two runs in the background. Those that do: ${id} (${description}).`,
    );
    await session.stopTask('one');
    await expect(session.stopTask('one')).rejects.toThrow(
      `No task ${id} runs in the background. None does.`,
    );
  });
});

describe('a session that is opened again', () => {
  it('leaves an agent at rest that a person has stopped, also with mail that it has not read', async () => {
    const medium = createMemoryMedium();
    const scripts = {
      main: [
        task('One.', { name: 'one' }),
        letter('one', 'Read this.'),
        say('Sent.'),
        say('Here again.'),
      ],
      'One.': [say('Never said.')],
    };
    const first = await openKeptHost(medium);
    const never = new Promise<void>(() => {});
    const held = createAgentsModel(scripts, (who, signal) =>
      who === 'One.' ? untilAborted(never, signal) : undefined,
    );
    const stopped = await openSession({ host: first, model: held, toolSearch: false });
    const { n } = await stopped.send('Go.');
    const told = await readUntil(stopped, isResult, n);
    const begun = told.find((one) => one.type === 'system' && one.subtype === 'task_started');
    await stopped.stopTask((begun as { task_id?: string }).task_id ?? '');
    await stopped.close();
    await first[Symbol.asyncDispose]();

    const host = await openKeptHost(medium);
    onTestFinished(() => host[Symbol.asyncDispose]());
    const model = createAgentsModel(scripts);
    const session = await openSession({ host, model, toolSearch: false, resume: stopped.id });
    onTestFinished(() => session.close());
    const again = await session.send('Are you there?');
    await readUntil(session, isResult, again.n);
    expect(model.requests.map(({ who }) => who)).toEqual(['main']);
  });
});

it('knows the project’s kinds in a turn that goes on after a reload', async () => {
  const medium = createMemoryMedium();
  const kind = '---\nname: checker\ndescription: Checks.\n---\nYou check.';
  const begun = await openKeptHost(medium);
  await begun.workspace.fs.mkdir('/workspace/.claude/agents', { recursive: true });
  await begun.workspace.fs.writeFile('/workspace/.claude/agents/checker.md', kind);
  const scripts = {
    main: [
      callTool('Write', { file_path: 'a.txt', content: 'a' }, 'call-w'),
      task('Check.', { subagent_type: 'checker', run_in_background: false }),
      say('Done.'),
    ],
    'Check.': [say('Checked.')],
  };
  const options = { settingSources: ['project'], toolSearch: false } as const;
  const first = await openSession({
    ...{ host: begun, model: createAgentsModel(scripts), sessionId: 's1', ...options },
  });
  await first.send('Go.');
  await readUntil(first, () => first.questions().length > 0);
  await begun[Symbol.asyncDispose]();
  const host = await openKeptHost(medium);
  onTestFinished(() => host[Symbol.asyncDispose]());
  const model = createAgentsModel(scripts);
  const allow = () => Promise.resolve({ behavior: 'allow' } as const);
  const second = await openSession({ host, model, resume: 's1', canUseTool: allow, ...options });
  const told = JSON.stringify(await readUntil(second, isResult));
  expect(told).toContain('Checked.');
  expect(JSON.stringify(model.requests.at(-1)?.request.messages)).not.toContain('no longer there');
  await second.close();
});
