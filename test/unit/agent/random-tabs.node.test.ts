// One session in three tabs that send at random, while the tab that runs it is killed or closed at random.
import { expect, it } from 'vitest';
import type { AgentSession } from '../../../src/agent/agent-session.ts';
import { readEntries } from '../../../src/agent/journal/stored-journal.ts';
import { openSession } from '../../../src/agent/open-session.ts';
import type { SDKMessage } from '../../../src/core/messages/sdk-message.ts';
import type { Model } from '../../../src/model/model.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import { assistantMessage } from '../../support/models/model-streams.ts';
import { isResult, kept, readUntil } from '../../support/sessions/open-sessions.ts';
import { createRandom } from '../../support/random.ts';
import { openTabs, type Tab } from '../../support/sessions/session-tabs.ts';

const runs = Number(process.env['RUNS'] ?? 20);

/** Answers whatever was said. */
const model: Model = {
  name: 'claude-test',
  apiKeySource: 'none',
  async *stream() {
    yield* toEvents(assistantMessage([{ type: 'text', text: 'Yes.' }]));
  },
};

interface Open {
  readonly tab: Tab;
  readonly session: AgentSession;
  readonly told: SDKMessage[];
}

async function open(tab: Tab, which: { sessionId: string } | { resume: string }): Promise<Open> {
  const session = await openSession({ host: tab.host, model, ...which });
  const told: SDKMessage[] = [];
  const read = async () => {
    for await (const message of session.messages()) told.push(message);
  };
  void read();
  return { tab, session, told };
}

it.each(Array.from({ length: runs }, (_, seed) => seed))(
  'tabs that come and go lose nothing that was acknowledged, and have nothing twice (%i)',
  async (seed) => {
    const random = createRandom(seed);
    const openTab = await openTabs();
    const all = [await open(await openTab(), { sessionId: 's1' })];
    for (const tab of [await openTab(), await openTab()])
      all.push(await open(tab, { resume: 's1' }));
    const alive = new Set(all);
    const acknowledged = new Set<string>();
    const sending: Promise<unknown>[] = [];
    for (let step = 0; step < 12; step += 1) {
      const one = random.pick([...alive]);
      const isEnd = random.chance(0.25) && alive.size > 1;
      if (isEnd) {
        alive.delete(one);
        if (random.chance(0.5)) one.tab.kill();
        else sending.push(one.session.close());
      } else if (random.chance(0.2)) {
        const set = one.session.setPermissionMode(random.pick(['acceptEdits', 'plan', 'default']));
        // As with prompts, nothing is heard of a tab that is killed.
        set.catch(() => undefined);
      } else {
        const uuid = `p${step}`;
        const message = { role: 'user', content: `Prompt ${step}` } as const;
        const sent = one.session
          .send({ type: 'user', uuid, message, parent_tool_use_id: null })
          .then(() => acknowledged.add(uuid));
        // Of a tab that is killed nothing is heard; one that is closed may say that it can't know.
        sent.catch(() => undefined);
        if (random.chance(0.5)) await sent;
      }
    }
    const last = [...alive].at(-1);
    if (!last) throw new Error('One tab stays.');
    const { uuid } = await last.session.send('The last one.');
    acknowledged.add(uuid);
    // Prompts are answered in the order of their entries.
    const isLast = (message: SDKMessage) => message.type === 'user' && message.uuid === uuid;
    let wasLast = false;
    await readUntil(last.session, (each) => (wasLast ||= isLast(each)) && isResult(each));
    await Promise.all(sending);

    const entries = await readEntries(last.tab.host.workspace, 's1');
    const prompts = entries.flatMap((entry) => (entry.type === 'prompt' ? entry.uuid : []));
    expect(new Set(prompts).size).toBe(prompts.length);
    expect([...acknowledged].filter((each) => !prompts.includes(each))).toEqual([]);
    const turns = entries.flatMap((entry) => (entry.type === 'turn' ? entry.prompt : []));
    expect(turns).toEqual(prompts);
    expect(entries.filter(({ type }) => type === 'result')).toHaveLength(prompts.length);
    const again = await readUntil(last.session, ({ n }) => n === kept(last.told).at(-1)?.n);
    expect(kept(last.told)).toEqual(kept(again));
    for (const { session, told } of alive) {
      await session.close();
      const uuids = kept(told).map((message) => message.uuid);
      expect(uuids).toEqual([...new Set(uuids)]);
    }
  },
);
