// The buttons of agents that run, as a keyboard and a screen reader meet them, over a real session.
import { afterEach, describe, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { query } from '../../../src/agent/query.ts';
import { createDeferred } from '../../../src/core/async/deferred.ts';
import { createPageSession } from '../../../src/react/page-session.ts';
import type { PageSession } from '../../../src/react/page-session.ts';
import { RunningTasks } from '../../../src/react/components/running-tasks.tsx';
import { Transcript } from '../../../src/react/components/transcript.tsx';
import { useSession } from '../../../src/react/use-session.ts';
import type { Query } from '../../../src/agent/query.ts';
import { task, untilAborted, waited } from '../../support/turns/agents-at-once.ts';
import { createAgentsModel } from '../../support/models/agents-model.ts';
import { mount } from '../../support/browser/mount.tsx';
import type { Mounted } from '../../support/browser/mount.tsx';
import { openHost, say } from '../../support/turns/run-hooked.ts';

let mounted: Mounted | undefined;
afterEach(() => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
  mounted?.[Symbol.dispose]();
});

const soon = { timeout: 240_000 };

const scripts = {
  main: [task('Think.', waited), say('It runs.'), say('Done.')],
  'Think.': [say('Thought.')],
};

function Shown({ session }: { readonly session: PageSession<Query> }) {
  const { turns, tasks } = useSession(session.store);
  const send = (id: string) => void session.query.backgroundTasks(id);
  return (
    <>
      <Transcript turns={turns} views={{}} onStopTask={() => {}} onBackgroundTask={send} />
      <RunningTasks tasks={tasks} onStop={() => {}} onBackground={send} />
    </>
  );
}

describe.each([
  ['the transcript', 'To background: the agent: Look around'],
  ['the list of tasks', 'To background: Look around'],
])('%s', (_place, name) => {
  it('sends an agent to the background that its call waits for', async () => {
    await using host = await openHost();
    const { promise: released, resolve: release } = createDeferred();
    const model = createAgentsModel(scripts, (who, signal) =>
      who === 'main' ? undefined : untilAborted(released, signal),
    );
    using session = createPageSession(({ prompt, ...wiring }) =>
      query({ prompt, options: { host, model, toolSearch: false, ...wiring } }),
    );
    mounted = await mount(<Shown session={session} />);
    // What the agents do comes when it comes: the test waits for what is seen.
    Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: false });
    session.send('Go.');
    const button = page.getByRole('button', { name, exact: true });
    await expect.element(button, soon).toBeVisible();
    (button.element() as HTMLElement).focus();
    await userEvent.keyboard('{Enter}');
    await expect.element(page.getByText('It runs.'), soon).toBeVisible();
    await expect.element(page.getByText('Working in the background'), soon).toBeVisible();
    expect(page.getByRole('button', { name: /^To background/ }).elements()).toEqual([]);
    expect(page.getByRole('button', { name: /^Stop/ }).elements()).toHaveLength(2);
    release();
    await expect.element(page.getByText('Done.'), soon).toBeVisible();
  });
});
