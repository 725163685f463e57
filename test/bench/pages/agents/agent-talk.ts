// A session whose model begins agents, one after the other or side by side. It says when each call
// was dispatched and when the agent's first request came. Used by the page of the bench `agents`.
import type { AgentSession } from '../../../../src/agent/agent-session.ts';
import type { Host } from '../../../../src/agent/host.ts';
import { openSession } from '../../../../src/agent/open-session.ts';
import type { ContentBlock } from '../../../../src/core/messages/blocks.ts';
import type { MessageParam } from '../../../../src/core/messages/messages.ts';
import type { Tool } from '../../../../src/core/tool/tool.ts';
import type { Model } from '../../../../src/model/model.ts';
import { toEvents } from '../../../../src/model/to-events.ts';
import { agentTool } from '../../../../src/tools/agent/tool.ts';
import { assistantMessage } from '../../../support/models/model-streams.ts';

/** How many agents, and what each does. */
export interface AgentPlan {
  readonly count: number;
  /** In one reply, in the background. Left out: each is waited for before the next one is begun. */
  readonly sideBySide?: boolean;
  /** Each of its requests but the last reads a file. */
  readonly requests: number;
  /** Of each answer to an agent, in milliseconds. */
  readonly delayMs: number;
}

/** What was measured of one prompt. */
export interface TalkTimes {
  /** For each agent: from the dispatch of its call to its first request. */
  readonly spawnMs: readonly number[];
  /** From the reply that asks for the first one to the end of the turn in which the last report is told. */
  readonly wholeMs: number;
}

/** A session that is open. Dispose it. */
export interface AgentTalk extends AsyncDisposable {
  /** Says one prompt, by which that many agents are begun. */
  begin(plan: AgentPlan): Promise<TalkTimes>;
}

const text = 'It was looked at, and there is nothing to be said of it. '.repeat(6);

/** `files`: paths that agents read, one after the other. */
export async function openTalk(host: Host, files: readonly string[]): Promise<AgentTalk> {
  let plan: AgentPlan = { count: 0, requests: 1, delayMs: 0 };
  let begun = 0;
  let asked = 0;
  let told = 0;
  let askedAt = Number.NaN;
  const dispatchedAt = new Map<string, number>();
  const spawnMs: number[] = [];

  function answerAgent(task: string, messages: readonly MessageParam[]): readonly ContentBlock[] {
    const done = messages.filter(({ role }) => role === 'assistant').length;
    if (done === 0) spawnMs.push(performance.now() - (dispatchedAt.get(task) ?? Number.NaN));
    if (done >= plan.requests - 1) return [{ type: 'text', text }];
    const file_path = files[done % files.length] as string;
    return [
      { type: 'text', text },
      {
        type: 'tool_use',
        id: `${task}-${done}`.replaceAll(' ', '-'),
        name: 'Read',
        input: { file_path },
      },
    ];
  }

  function answerMain(messages: readonly MessageParam[]): readonly ContentBlock[] {
    told = countReports(messages);
    const { count, sideBySide = false } = plan;
    if (asked === count) return [{ type: 'text', text: 'Done.' }];
    const now = sideBySide ? count : 1;
    if (asked === 0) askedAt = performance.now();
    asked += now;
    return Array.from({ length: now }, (): ContentBlock => {
      begun += 1;
      const prompt = `Task ${begun}`;
      const input = { description: 'Look at it', prompt, run_in_background: sideBySide };
      return { type: 'tool_use', id: `call-${begun}`, name: 'Agent', input };
    });
  }

  const model: Model = {
    name: 'measured',
    apiKeySource: 'none',
    async *stream({ messages }) {
      const task = findTask(messages);
      const content = task === undefined ? answerMain(messages) : answerAgent(task, messages);
      if (task !== undefined) await pause(plan.delayMs);
      const isCall = content.some(({ type }) => type === 'tool_use');
      yield* toEvents(assistantMessage(content, { stop_reason: isCall ? 'tool_use' : 'end_turn' }));
    },
  };
  const timedTool: typeof agentTool = {
    ...agentTool,
    call(input, ...rest) {
      dispatchedAt.set(input.prompt, performance.now());
      return agentTool.call(input, ...rest);
    },
  };
  const tools = (await host.loadTools()).map((tool) =>
    tool.name === timedTool.name ? (timedTool as unknown as Tool) : tool,
  );
  const session = await openSession({ host, model, tools, permissionMode: 'bypassPermissions' });
  const results = listResults(session);

  return {
    async begin(next) {
      plan = next;
      asked = 0;
      spawnMs.length = 0;
      await session.send('Go.');
      // The turn that begins agents in the background may be over before they are.
      do await results.next();
      while (told < begun);
      const wholeMs = performance.now() - askedAt;
      return { spawnMs: [...spawnMs], wholeMs };
    },
    [Symbol.asyncDispose]: () => session.close(),
  };
}

async function* listResults(session: AgentSession): AsyncGenerator<void, void, undefined> {
  for await (const message of session.messages()) {
    if (message.type !== 'result') continue;
    if (message.is_error) throw new Error(`A turn failed: ${JSON.stringify(message)}`);
    yield;
  }
}

/** Of agents, in the session's own conversation: as a result of the call, or as news. */
function countReports(messages: readonly MessageParam[]): number {
  return messages.reduce((count, { role, content }) => {
    if (role !== 'user') return count;
    return count + JSON.stringify(content).split(text.trim()).length - 1;
  }, 0);
}

/** Of an agent's conversation. */
function findTask(messages: readonly MessageParam[]): string | undefined {
  for (const { role, content } of messages) {
    if (role !== 'user') continue;
    const texts =
      typeof content === 'string'
        ? [content]
        : content.flatMap((block) =>
            block.type === 'text' ? [String(block['text' as never])] : [],
          );
    const task = texts.find((one) => /^Task \d+$/u.test(one));
    if (task !== undefined) return task;
  }
  return undefined;
}

function pause(ms: number): Promise<void> | undefined {
  return ms > 0 ? new Promise((resolve) => setTimeout(resolve, ms)) : undefined;
}
