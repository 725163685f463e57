// Random sequences: prompts of each priority, stops, answers, moves between a tab and a Durable Object, archives, further
// clients, and lost instances between them. KILLS=60 (or any number) makes it a slow lane.
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { SDKMessage } from '../../../src/core/messages/sdk-message.ts';
import { isToolUseBlock } from '../../../src/core/messages/blocks.ts';
import type { AssistantMessage, MessageParam } from '../../../src/core/messages/messages.ts';
import { connectSession } from '../../../src/wire/connect-session.ts';
import { fetchTicket } from '../../../src/wire/fetch-ticket.ts';
import { buildKillableWorkerd } from '../../support/edge/killable-workerd.ts';
import type { KillableWorkerd } from '../../support/edge/killable-workerd.ts';
import { openMixedPlaces } from '../../support/kills/mixed-places.ts';
import { promptPattern } from '../../support/kills/mixed-reply.ts';
import { createRandom } from '../../support/random.ts';

const rounds = inject('bucketRounds');

let workerd: KillableWorkerd;
/** Requests to the model. */
let requests = 0;

beforeAll(async () => {
  workerd = await buildKillableWorkerd({
    main: 'test/support/kills/mixed-session-main.ts',
    hear: () => void (requests += 1),
  });
  await workerd.start();
});

afterAll(() => workerd.close());

it(
  'whatever happens to a session, each prompt is in it once, and what it has told stays true',
  { timeout: 600_000 + rounds * 60_000 },
  async () => {
    for (let seed = 1; seed <= rounds; seed += 1) {
      expect({ seed, ...(await play(seed)) }).toEqual({ seed, faults: [] });
    }
  },
);

async function play(seed: number) {
  const random = createRandom(seed);
  const name = `round-${seed}`;
  const url = `${await workerd.address()}${name}/wire`;
  requests = 0;
  await using places = await openMixedPlaces(url, () => void (requests += 1));
  let sent = 0;
  /** How many requests may have been cut. */
  let cuts = 0;
  const accepted: string[] = [];
  const underWay: Promise<unknown>[] = [];
  /** A session that moves away leaves requests without an answer. */
  const ask = (asked: Promise<unknown>) => {
    const { isInTab } = places;
    const settled = asked.catch((error: unknown) => {
      if (places.isInTab === isInTab) throw error;
    });
    settled.catch(() => undefined);
    underWay.push(settled);
  };

  async function send(priority: 'now' | 'next' | 'later'): Promise<string> {
    sent += 1;
    const text = `${random.pick(['plain', 'plain', 'ask', 'agent', 'background'])}-${sent}`;
    const message = { role: 'user', content: text } as const;
    await places.session().send({ type: 'user', message, parent_tool_use_id: null, priority });
    accepted.push(text);
    return text;
  }
  const lose = async () => {
    cuts += 1;
    if (!places.isInTab) await workerd.fetch(`${name}/abort`).catch(() => undefined);
  };
  const actions = {
    later: () => ask(send('later')),
    next: () => ask(send('next')),
    now() {
      cuts += 1;
      ask(send('now'));
    },
    stop() {
      cuts += 1;
      ask(places.session().interrupt());
    },
    answer() {
      const behavior = random.pick(['allow', 'deny'] as const);
      const result = { behavior, message: 'No.' } as const;
      for (const { requestId } of places.session().questions()) {
        // It may be answered, stopped or gone meanwhile.
        underWay.push(
          places
            .session()
            .answer(requestId, result)
            .catch(() => undefined),
        );
      }
    },
    lose,
    /** Whether the prompt was taken is unknown, so it is sent again. */
    async cut() {
      ask(send(random.pick(['next', 'later'])));
      await lose();
    },
    async move() {
      // A turn that is cut sends its request again.
      cuts += 1;
      const lost = random.chance(0.4) && lose();
      await places.move();
      await lost;
    },
    archive: () => (places.isInTab ? undefined : workerd.fetch(`${name}/archive`)),
    connect: () => (places.isInTab ? undefined : places.connect(random.pick(['socket', 'events']))),
  } as const;
  const kinds = Object.keys(actions) as (keyof typeof actions)[];
  for (let step = 0; step < 10; step += 1) {
    await actions[step % 3 === 0 ? 'next' : random.pick(kinds)]();
    // Time passes while requests are answered.
    for (let left = random.below(8); left > 0; left -= 1) await workerd.fetch(`${name}/pass`);
  }
  await Promise.all(underWay);
  if (places.isInTab) await places.move();
  const canUseTool = async () => ({ behavior: 'allow' }) as const;
  const ticket = () => fetchTicket(url, {});
  await using last = await connectSession(url, { ticket, canUseTool });
  const final = await send('later');
  const all: SDKMessage[] = [];
  let isLast = false;
  for await (const message of last.messages()) {
    if (message.n !== undefined) all.push(message);
    isLast ||= message.type === 'user' && textOf(message.message) === final;
    if (isLast && message.type === 'result') break;
  }
  const { fs } = await last.followFiles();
  const file = await fs.readFile('/workspace/heard.txt', 'utf8');
  return { faults: [...judge(all, accepted, file), ...compare(all, places.told), ...count(all)] };

  /** Nothing is paid twice. */
  function* count(messages: readonly SDKMessage[]) {
    const replies = messages.filter(({ type }) => type === 'assistant').length;
    const agents = accepted.filter((text) => text.startsWith('agent')).length;
    const most = replies + agents + cuts;
    if (requests > most) yield `${requests} requests for ${most}`;
  }
}

/** Each prompt is there once, each call has one result, and the variables and the file are what the cells made. */
function* judge(messages: readonly SDKMessage[], accepted: readonly string[], file: string) {
  const said: string[] = [];
  const open = new Map<string, readonly string[]>();
  let heard = '';
  const done: string[] = [];
  for (const message of messages) {
    if (message.type === 'assistant') {
      for (const block of message.message.content) {
        if (!isToolUseBlock(block)) continue;
        const { code = '' } = block.input as { readonly code?: string };
        open.set(block.id, listPrompts(code));
      }
    }
    if (message.type !== 'user') continue;
    if (promptPattern.test(textOf(message.message))) said.push(textOf(message.message));
    const { content } = message.message;
    for (const block of typeof content === 'string' ? [] : content) {
      if (block.type !== 'tool_result') continue;
      const id = String(block.tool_use_id);
      const prompts = open.get(id);
      if (!prompts) yield `${id} has a result too many`;
      open.delete(id);
      if (!prompts?.length || block.is_error) continue;
      done.push(...prompts);
      heard = JSON.stringify(block.content);
    }
  }
  if (open.size > 0) yield `no result of ${[...open.keys()].join()}`;
  for (const text of accepted) {
    const times = said.filter((one) => one === text).length;
    if (times !== 1) yield `${text} is in the conversation ${times} times`;
  }
  const variables = listPrompts(heard);
  if (new Set(variables).size !== variables.length) yield `done twice: ${heard}`;
  const missing = done.filter((text) => !variables.includes(text));
  if (missing.length > 0) yield `the variables lack ${missing.join()}`;
  if (file !== variables.join()) yield `the file has ${file}, the variables ${heard}`;
}

/** Each reader was told what the journal has, each message once. */
function* compare(
  messages: readonly SDKMessage[],
  told: readonly (readonly SDKMessage[])[],
): Generator<string> {
  const truth = new Map(messages.map((message) => [message.uuid, JSON.stringify(message)]));
  const end = messages.at(-1)?.n ?? 0;
  for (const [reader, seen] of told.entries()) {
    const known = new Set<string | undefined>();
    for (const message of seen) {
      const { n, type, uuid } = message;
      if (n === undefined || n > end) continue;
      if (known.has(uuid)) yield `reader ${reader} was told ${type} ${n} twice`;
      known.add(uuid);
      if (truth.get(uuid) !== JSON.stringify(message)) {
        yield `reader ${reader} was told another ${type} ${n}: ${JSON.stringify(message)}`;
      }
    }
  }
}

const listPrompts = (text: string): readonly string[] => text.match(/[a-z]+-\d+/gu) ?? [];

function textOf({ content }: MessageParam | AssistantMessage): string {
  if (typeof content === 'string') return content;
  return content.map((block) => ('text' in block ? String(block.text) : '')).join('');
}
