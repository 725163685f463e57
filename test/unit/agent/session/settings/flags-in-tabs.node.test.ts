// `applyFlagSettings` of a tab that follows a session: the tab that runs it is asked, and nobody over a wire is.
import { expect, it } from 'vitest';
import { openSession } from '../../../../../src/agent/open-session.ts';
import type { Model } from '../../../../../src/model/model.ts';
import { isAsked } from '../../../../../src/wire/protocol.ts';
import { isResult, readUntil } from '../../../../support/open-sessions.ts';
import { listModel, says } from '../../../../support/play-turns.ts';
import { openTabs } from '../../../../support/session-tabs.ts';

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

it('is nothing that a client over a wire may ask for', () => {
  const request = { type: 'request', id: 1, parameters: [{}] } as never as Parameters<
    typeof isAsked
  >[0];
  expect(isAsked({ ...request, method: 'applyFlagSettings' as never })).toBe(false);
  expect(isAsked({ ...request, method: 'backgroundTasks', parameters: [] })).toBe(true);
});
