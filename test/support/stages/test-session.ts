// A session for tests of the stages. Only its executor, its model and its clock are fakes.
import type { Host } from '../../../src/agent/host.ts';
import { createPermissionState } from '../../../src/agent/permissions/permission-state.ts';
import { toPermissionContext } from '../../../src/agent/query-options.ts';
import type { QueryOptions } from '../../../src/agent/query-options.ts';
import { createTrace } from '../../../src/trace/record-calls.ts';
import type { Memory } from '../../../src/agent/context/memory.ts';
import { createSession } from '../../../src/agent/create-session.ts';
import { createToolUseContext } from '../../../src/agent/session/tool-use-context.ts';
import type { Session } from '../../../src/agent/session/session.ts';
import type { CallRecorder } from '../../../src/agent/calls/record-call.ts';
import type { SessionJournal } from '../../../src/agent/journal/session-journal.ts';
import type { SDKMessage } from '../../../src/core/messages/sdk-message.ts';
import type { ToolUseContext } from '../../../src/core/tool/context.ts';
import type { ModelEvent } from '../../../src/core/messages/messages.ts';
import type { Executor } from '../../../src/core/tool/ports.ts';
import { isListedTool } from '../../../src/core/tool/listed-tool.ts';
import type { Tool } from '../../../src/core/tool/tool.ts';
import { createVirtualClock } from '../../../src/hosts/inline/virtual-clock.ts';
import type { Model } from '../../../src/model/model.ts';
import { createMemoryWorkspace } from '../../../src/workspace/memory-workspace.ts';
import { poolOf } from './pool.ts';

/** A model whose streams are given one after the other. */
export function createEventModel(streams: readonly (() => AsyncIterable<ModelEvent>)[]): Model {
  let next = 0;
  return {
    name: 'events',
    apiKeySource: 'none',
    stream: () => {
      const stream = streams[next];
      next += 1;
      if (!stream) throw new Error(`The test has no stream number ${next}.`);
      return stream();
    },
  };
}

export interface TestSessionOptions extends Omit<Partial<QueryOptions>, 'host' | 'tools'> {
  readonly tools?: readonly Tool[];
  readonly executor?: Executor;
  readonly clock?: ReturnType<typeof createVirtualClock>;
  /** Gets the session's messages. */
  readonly emit?: (message: SDKMessage) => void;
  readonly journal?: SessionJournal;
}

/** For calls that are settled without `run-call.ts`: their end isn't recorded, only their commit. */
export const commitOnly: Pick<CallRecorder, 'commit'> = {
  commit: (_settled, _learned, commit) => commit(undefined),
};

/** A memory that has nothing to announce, so that the conversation contains only what the test is about. */
const silentMemory: Memory = {
  record: { hasEnvironment: true, reason: 'session_start', files: [], directories: [] },
  beforePrompt: () => Promise.resolve([]),
  afterReads: () => Promise.resolve([]),
  forget: () => {},
  reset: () => {},
};

/** The session, and the workspace and the clock behind it. */
export async function createTestSession(options: TestSessionOptions = {}): Promise<Session> {
  const {
    tools = [],
    executor = refuseWork(),
    clock = createVirtualClock(),
    emit = () => {},
    journal,
    ...rest
  } = options;
  const host: Host = {
    kind: 'inline',
    workspace: await createMemoryWorkspace(),
    executor,
    clock,
    cwd: '/workspace',
    loadTools: () => Promise.resolve(tools),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const query: QueryOptions = { model: createEventModel([]), ...rest, host };
  const permissions = createPermissionState(toPermissionContext(query), host.cwd);
  const session = await createSession(query, {
    id: 'session-1',
    model: query.model,
    cwd: host.cwd,
    permissions,
    emit,
    seed: 'seed-1',
    ...(journal && { journal }),
    trace: createTrace(clock),
    whenPrompted: () => () => {},
    signal: new AbortController().signal,
    hasOnePrompt: false,
  });
  // Not spread: `messages` is another array after a compaction.
  return Object.defineProperty(session, 'memory', { value: silentMemory });
}

export function testContext(session: Session, controller = new AbortController()): ToolUseContext {
  // The session's host lists none.
  const tools = session.builtInTools.flatMap((tool) => (isListedTool(tool) ? [] : [tool]));
  return createToolUseContext(session, poolOf(tools), controller);
}

function refuseWork(): Executor {
  return {
    start: () => {
      throw new Error('This test has no executor.');
    },
  };
}
