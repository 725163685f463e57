// Random hooks over random calls, in turns that may be stopped at any time: what holds whatever they
// say, and whether or not they answer.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { HookCallback, HooksOption } from '../../../../src/agent/hooks/hooks.ts';
import { runTurn } from '../../../../src/agent/turn/loop.ts';
import type { TurnResult } from '../../../../src/agent/turn/loop.ts';
import type { MessageParam } from '../../../../src/core/messages/messages.ts';
import type { CanUseTool, PermissionMode } from '../../../../src/core/permissions/permission.ts';
import { permissionModes } from '../../../../src/core/permissions/permission.ts';
import type { SDKMessage } from '../../../../src/core/messages/sdk-message.ts';
import { createVirtualClock } from '../../../../src/hosts/inline/virtual-clock.ts';
import { toEvents } from '../../../../src/model/to-events.ts';
import { createFakeExecutor, doneReply } from '../../../support/stages/fake-executor.ts';
import { assistantMessage } from '../../../support/models/model-streams.ts';
import { runsHere } from '../../../support/runs-here.ts';
import { createEventModel, createTestSession } from '../../../support/stages/test-session.ts';
import { changeTool, lookTool } from '../../../support/stages/test-tools.ts';

/** What a hook does. Rewritten paths may be denied ones, or no paths at all. */
type Act =
  | 'nothing'
  | 'allow'
  | 'deny'
  | 'ask'
  | 'defer'
  | 'approve'
  | 'block'
  | 'to-secret'
  | 'to-other'
  | 'to-nonsense'
  | 'stop'
  | 'async'
  | 'throw'
  | 'garbage'
  | 'hang';

const acts: readonly Act[] = [
  'nothing',
  'allow',
  'allow',
  'deny',
  'ask',
  'defer',
  'approve',
  'block',
  'to-secret',
  'to-other',
  'to-nonsense',
  'stop',
  'async',
  'throw',
  'garbage',
  'hang',
];

const hook = fc.record({
  event: fc.constantFrom(
    'PreToolUse' as const,
    'PreToolUse' as const,
    'PermissionRequest' as const,
    'PostToolUse' as const,
    'PostToolUseFailure' as const,
    'PermissionDenied' as const,
    'PostToolBatch' as const,
    'UserPromptSubmit' as const,
    'Stop' as const,
    'Notification' as const,
  ),
  matcher: fc.constantFrom(undefined, 'Look', 'Change', 'Old', 'C.*'),
  act: fc.constantFrom(...acts),
  onFailure: fc.constantFrom('continue' as const, 'block' as const),
});

const scenario = fc.record({
  hooks: fc.array(hook, { maxLength: 6 }),
  calls: fc.array(
    fc.record({
      name: fc.constantFrom('Look', 'Change', 'Old'),
      path: fc.constantFrom('a', 'secret/a', './x/../secret/a', 'other'),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  mode: fc.constantFrom<PermissionMode>(...permissionModes),
  allowed: fc.boolean(),
  answer: fc.constantFrom(
    'allow' as const,
    'deny' as const,
    'to-secret' as const,
    'never' as const,
  ),
  stopAfterMs: fc.option(fc.nat(120_000), { nil: undefined }),
});

type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

function toCallback({ event, act }: Scenario['hooks'][number]): HookCallback {
  const specific = (fields: object) => ({
    hookSpecificOutput: { hookEventName: event, ...fields },
  });
  const to = (path: string, more: object = {}) => {
    const updatedInput = { path, ...more };
    if (event === 'PermissionRequest') {
      return specific({ decision: { behavior: 'allow', updatedInput } });
    }
    if (event === 'PostToolUse') return specific({ updatedToolOutput: 'new' });
    return event === 'PreToolUse' ? specific({ permissionDecision: 'allow', updatedInput }) : {};
  };
  const decide = (behavior: string) => {
    if (event === 'PermissionRequest') return specific({ decision: { behavior } });
    if (event === 'PermissionDenied') return specific({ retry: true });
    const isBefore = event === 'PreToolUse';
    return specific({
      additionalContext: behavior,
      ...(isBefore && { permissionDecision: behavior }),
    });
  };
  const outputs: Readonly<Record<Act, unknown>> = {
    nothing: undefined,
    allow: decide('allow'),
    deny: decide('deny'),
    ask: event === 'PermissionRequest' ? {} : decide('ask'),
    defer: event === 'PermissionRequest' ? {} : decide('defer'),
    approve: { decision: 'approve' },
    block: { decision: 'block', reason: 'blocked' },
    'to-secret': to('secret/by-hook'),
    'to-other': to('other'),
    'to-nonsense': to('other', { approved: true }),
    stop: { continue: false, stopReason: 'stopped' },
    async: { async: true, asyncTimeout: 1_000 },
    throw: undefined,
    garbage: { hookSpecificOutput: 'yes' },
    hang: undefined,
  };
  return () => {
    if (act === 'hang') return new Promise(() => undefined);
    if (act === 'throw') throw new Error('broken');
    return Promise.resolve(outputs[act] as object);
  };
}

function toOption(hooks: Scenario['hooks']): HooksOption {
  const option: Record<string, object[]> = {};
  for (const given of hooks) {
    const { event, matcher, onFailure } = given;
    const group = { hooks: [toCallback(given)], onFailure, ...(matcher && { matcher }) };
    (option[event] ??= []).push(group);
  }
  return option as HooksOption;
}

it('a deny wins, every call settles once, and nothing is left running, whatever hooks do', async () => {
  // What has really run, over all scenarios: without it the claims would hold of nothing.
  const ran = { Look: 0, Change: 0, rewritten: 0 };
  // 400 in Node.
  const numRuns = runsHere(1200);
  await fc.assert(
    fc.asyncProperty(scenario, async (given) => {
      const { messages, conversation, executor, clock, asked, result } = await play(given);

      // No way leads past the deny rule: alias, mode, allow rule, hook, rewriting, a person's answer.
      const paths = executor.started.map(({ input }) => (input as { path: string }).path);
      for (const { toolName, callId, input } of executor.started) {
        ran[toolName as 'Look' | 'Change'] += 1;
        const { path } = input as { path: string };
        if (path !== given.calls[Number(callId.replace('call-', ''))]?.path) ran.rewritten += 1;
      }
      expect(paths.filter((path) => path.includes('secret'))).toEqual([]);
      // Nothing runs that the tool's schema hasn't accepted.
      const keys = executor.started.flatMap(({ input }) => Object.keys(input as object));
      expect(keys.filter((key) => key !== 'path')).toEqual([]);
      // What a PreToolUse hook denies for all tools isn't run, nor asked about.
      const isDeniedByHook = given.hooks.some(
        ({ event, matcher, act }) =>
          event === 'PreToolUse' && !matcher && ['deny', 'block', 'stop'].includes(act),
      );
      if (isDeniedByHook) expect([paths, asked]).toEqual([[], 0]);
      // Plan mode changes nothing.
      if (given.mode === 'plan') {
        expect(executor.started.filter(({ toolName }) => toolName === 'Change')).toEqual([]);
      }

      // Each tool_use of the conversation is answered exactly once, in the next message, in order. Behind a call that
      // a hook has put off nothing stands.
      const isPutOff = result?.end.type === 'hook' && result.end.result.deferred_tool_use;
      if (isPutOff) expect(conversation.at(-1)?.role).toBe('assistant');
      const answered = isPutOff ? conversation.slice(0, -1) : conversation;
      for (const [at, { role, content }] of answered.entries()) {
        if (role !== 'assistant' || typeof content === 'string') continue;
        const uses = content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
        if (uses.length > 0) expect(resultIds(conversation[at + 1])).toEqual(uses);
      }
      const told = messages.flatMap((message) =>
        message.type === 'user' ? resultIds(message.message) : [],
      );
      expect(new Set(told).size).toBe(told.length);
      expect(result).toBeDefined();
      expect(executor.running()).toEqual([]);
      expect(clock.pending()).toBe(0);
    }),
    { numRuns },
  );
  // Of 400 some 120, 150 and 13; the last is by chance none in one run of 400 000.
  if (numRuns < 400) return;
  expect(Object.entries(ran).filter(([, count]) => count === 0)).toEqual([]);
});

async function play(given: Scenario) {
  const clock = createVirtualClock();
  const executor = createFakeExecutor(clock, () => ({
    type: 'reply',
    afterMs: 10,
    reply: doneReply('fine'),
  }));
  const controller = new AbortController();
  const content = given.calls.map(({ name, path }, index) => ({
    type: 'tool_use' as const,
    id: `call-${index}`,
    name,
    input: { path },
  }));
  const calls = assistantMessage(content, { stop_reason: 'tool_use' });
  const rest = assistantMessage([{ type: 'text', text: 'Done.' }]);
  let asked = 0;
  const canUseTool: CanUseTool = (_name, input) => {
    asked += 1;
    if (given.answer === 'never') return new Promise(() => undefined);
    if (given.answer === 'deny') return Promise.resolve({ behavior: 'deny', message: 'No.' });
    const updatedInput = given.answer === 'allow' ? input : { ...input, path: 'secret/by-answer' };
    return Promise.resolve({ behavior: 'allow', updatedInput });
  };
  const streams = [calls, ...Array.from({ length: 10 }, () => rest)].map((message) => {
    return async function* events() {
      yield* toEvents(message);
    };
  });
  const messages: SDKMessage[] = [];
  const session = await createTestSession({
    model: createEventModel(streams),
    tools: [lookTool(), changeTool({ aliases: ['Old'] })],
    permissionMode: given.mode,
    allowedTools: given.allowed ? ['Change', 'Look', 'Edit(secret/**)'] : [],
    disallowedTools: ['Edit(secret/**)', 'Read(secret/**)'],
    hooks: toOption(given.hooks),
    canUseTool,
    executor,
    clock,
    emit: (message) => void messages.push(message),
  });
  let result: TurnResult | undefined;
  const turn = {
    includePartialMessages: false,
    signal: controller.signal,
  };
  void runTurn(session, { role: 'user', content: 'Go.' }, turn).then((end) => (result = end));
  // A timeout ends every hook that hangs; only a question that is never answered needs the stop.
  const stopAt = given.stopAfterMs ?? (given.answer === 'never' ? 2_000_000 : Infinity);
  for (let step = 0; step < 1_000 && !result; step += 1) {
    await flush();
    if (clock.now() >= stopAt) controller.abort();
    clock.advance(clock.now() < 200 ? 20 : 10_000);
  }
  // A Notification's hooks may outlast the turn; they end with the session.
  await session.hooks?.end();
  await flush();
  return { messages, conversation: session.messages, executor, clock, asked, result };
}

/** Lets everything that waits for no clock happen. */
async function flush(): Promise<void> {
  for (let turn = 0; turn < 80; turn += 1) await Promise.resolve();
}

function resultIds(message: MessageParam | undefined): string[] {
  if (!message || typeof message.content === 'string') return [];
  return message.content.flatMap((block) =>
    block.type === 'tool_result' ? [String(block.tool_use_id)] : [],
  );
}
