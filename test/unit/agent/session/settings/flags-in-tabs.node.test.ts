// `applyFlagSettings` of a tab that follows a session: the tab that runs it is asked.
import { expect, it } from 'vitest';
import { openSession } from '../../../../../src/agent/open-session.ts';
import type { Model } from '../../../../../src/model/model.ts';
import { toEvents } from '../../../../../src/model/to-events.ts';
import { isResult, readUntil } from '../../../../support/sessions/open-sessions.ts';
import { toolUse } from '../../../../support/turns/plan-turns.ts';
import { asks, listModel, says } from '../../../../support/turns/play-turns.ts';
import { openTabs } from '../../../../support/sessions/session-tabs.ts';

it('holds in the tab that runs the session, and in this one after that', async () => {
  const openTab = await openTabs();
  const [one, two] = [await openTab(), await openTab()];
  const asked: string[] = [];
  const named = (name: string): Model => {
    const model = listModel(name, [says('One.')]);
    return {
      ...model,
      stream(request, options) {
        asked.push(`${name} ${request.effort}`);
        return model.stream(request, options);
      },
    };
  };
  await openSession({ host: one.host, model: named('first'), sessionId: 's1' });
  const second = await openSession({ host: two.host, model: named('second'), resume: 's1' });
  await expect(second.applyFlagSettings({ effortLevel: 'x' as 'low' })).rejects.toThrow(
    'is one of',
  );
  await second.applyFlagSettings({ effortLevel: 'low' });
  await second.send('Go.');
  const told = await readUntil(second, isResult);
  one.kill();
  await second.send('Go on.');
  await readUntil(second, isResult, told.at(-1)?.n);
  expect(asked).toEqual(['first low', 'second low']);
  await second.close();
});

/** Its agent reads a.txt. `onAgent` is called before each of the agent's requests, with its conversation. */
const agentModel = (name: string, onAgent: (messages: string) => Promise<void> | void): Model => ({
  name,
  apiKeySource: 'none',
  async *stream({ messages }) {
    const said = JSON.stringify(messages);
    const isAgent = said.includes('Look at it.') && !said.includes('Begin an agent.');
    const hasActed = said.includes('tool_result');
    if (isAgent) await onAgent(said);
    const begin = { description: 'Looks', prompt: 'Look at it.', run_in_background: true };
    const call = isAgent
      ? toolUse('r1', 'Read', { file_path: '/workspace/a.txt' })
      : toolUse('a1', 'Agent', begin);
    yield* toEvents(hasActed ? says('Done.') : asks(call));
  },
});

it('holds for an agent that goes on before the session is open in this tab', async () => {
  const openTab = await openTabs();
  const [one, two] = [await openTab(), await openTab()];
  await one.host.workspace.fs.writeFile('/workspace/a.txt', 'hidden');
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  let act: (said: string) => void = () => undefined;
  const acted = new Promise<string>((resolve) => (act = resolve));
  const hang = agentModel('first', () => {
    begin();
    return new Promise(() => undefined);
  });
  const goOn = agentModel('second', (said) => {
    if (said.includes('tool_result')) act(said);
  });
  const first = await openSession({ host: one.host, model: hang, sessionId: 's1' });
  const second = await openSession({
    ...{ host: two.host, model: goOn, resume: 's1' },
    // The tab has taken the session over once this hook has ended.
    hooks: { SessionStart: [{ hooks: [() => acted.then(() => ({}))] }] },
  });
  await second.applyFlagSettings({ permissions: { deny: ['Read(a.txt)'] } });
  await first.send('Begin an agent.');
  await readUntil(first, isResult);
  await begun;
  one.kill();
  const said = await acted;
  expect(said).toContain('the deny rule Read(a.txt) says so');
  expect(said).not.toContain('hidden');
  await second.close();
});
