// `applyFlagSettings` of a tab that follows a session: the tab that runs it is asked.
import { expect, it } from 'vitest';
import { openSession } from '../../../../../src/agent/open-session.ts';
import type { Model } from '../../../../../src/model/model.ts';
import { isResult, readUntil } from '../../../../support/sessions/open-sessions.ts';
import { listModel, says } from '../../../../support/turns/play-turns.ts';
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
