// Whatever becomes of MCP servers in a conversation: what was sent stays as it was sent, so that the cache holds.
import { expect, it } from 'vitest';
import { query } from '../../../src/agent/query.ts';
import type { Query } from '../../../src/agent/query.ts';
import type { Model, ModelRequest } from '../../../src/model/model.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import type { ContentBlock } from '../../../src/core/messages/blocks.ts';
import { countShared, toPromptBytes } from '../../bench/tokens/prompt-bytes.ts';
import { createMcpWeather } from '../../support/mcp/mcp-weather.ts';
import { assistantMessage } from '../../support/models/model-streams.ts';
import { createRandom } from '../../support/random.ts';
import { openHost } from '../../support/turns/run-hooked.ts';

const turns = 40;
const runs = Number(process.env['MCP_WEATHER'] ?? 3);

const seeds = Array.from({ length: runs }, (_, at) => [at + 1, at % 3 !== 2] as const);

it.each(seeds)(
  'changes no byte that was sent, over 40 turns in which servers come and go (seed %d, references: %s)',
  async (seed, toolReferences) => {
    const random = createRandom(seed);
    const weather = createMcpWeather(random);
    const requests: ModelRequest[] = [];
    const model: Model = {
      name: 'weather',
      apiKeySource: 'none',
      toolReferences,
      async *stream(request) {
        requests.push(structuredClone(request));
        const last = request.messages.at(-1);
        const isAnswered = JSON.stringify(last).includes('tool_result');
        const reply = isAnswered ? undefined : chooseCall(requests.length);
        const stop_reason = reply ? 'tool_use' : 'end_turn';
        const block: ContentBlock = reply ?? { type: 'text', text: 'As you wish. '.repeat(20) };
        yield* toEvents(assistantMessage([block], { stop_reason }));
      },
    };
    /** A search or a call of what may be there, or gone. */
    function chooseCall(at: number): ContentBlock | undefined {
      const names = weather.toolNames();
      if (names.length === 0 || random.chance(0.5)) return undefined;
      const name = random.pick(names);
      const id = `call-${at}`;
      return random.chance(0.5)
        ? { type: 'tool_use', id, name: 'ToolSearch', input: { query: `select:${name}` } }
        : { type: 'tool_use', id, name, input: {} };
    }
    const conversation: { asked?: Query } = {};
    async function* prompts() {
      for (let turn = 0; turn < turns; turn += 1) {
        weather.change();
        if (random.chance(0.4)) {
          const name = random.pick(weather.serverNames);
          const again = conversation.asked?.reconnectMcpServer(name);
          // Some have come by then, others come while the request is under way.
          if (random.chance(0.5)) await again?.catch(() => undefined);
          else again?.catch(() => undefined);
        }
        const content = `Do the next thing, number ${turn}.`;
        yield { type: 'user', message: { role: 'user', content } } as const;
      }
    }
    await using inline = await openHost();
    const host = Object.assign(Object.create(inline) as typeof inline, { mcp: weather.client });
    const mcpServers = Object.fromEntries(
      weather.serverNames.map(
        (name) => [name, { type: 'http', url: `https://${name}.example` }] as const,
      ),
    );
    const options = { host, model, mcpServers, permissionMode: 'bypassPermissions' as const };
    conversation.asked = query({ prompt: prompts() as never, options });
    for await (const _ of conversation.asked);
    expect(requests.length).toBeGreaterThanOrEqual(turns);

    let total = 0;
    let eligible = 0;
    for (const [at, request] of requests.entries()) {
      const bytes = toPromptBytes(request);
      total += bytes.length;
      const before = requests[at - 1];
      if (!before) continue;
      const sent = toPromptBytes(before);
      const shared = countShared(sent, bytes);
      eligible += shared;
      // The whole of what the model was given stands at the beginning of what it is given now.
      if (toolReferences) expect([at, shared]).toEqual([at, sent.length]);
      expect([at, request.system]).toEqual([at, before.system]);
      expect([at, request.messages.slice(0, before.messages.length)]).toEqual([
        at,
        before.messages,
      ]);
      const kept = new Map(request.tools.map((one) => [one.name, one]));
      for (const one of before.tools) expect([at, kept.get(one.name)]).toEqual([at, one]);
    }
    // Without references a tool that was found is sent beside the others, which are before all else.
    if (toolReferences) expect(eligible / total).toBeGreaterThanOrEqual(0.95);
  },
);
