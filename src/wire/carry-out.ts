// Carries out a client's request on a session. The parameters' types are checked before; the
// session checks their values. Used by serve-session.ts.
import type { AgentSession } from '../agent/agent-session.ts';
import { SdkError } from '../core/errors.ts';
import type { ChangeSet } from '../core/change-set.ts';
import type { PermissionMode, PermissionResult } from '../core/permissions/permission.ts';
import type { SDKUserMessage } from '../core/messages/sdk-message.ts';
import type { InterruptOptions, RewindOptions } from '../agent/agent-session.ts';
import type { FlagSettings } from '../agent/session/settings/flag-settings.ts';
import type { CommitOrigin } from '../workspace/state/record.ts';
import type { ServedFiles } from './feed-client.ts';
import type { WireMethod, WireRole } from './protocol.ts';

/** The session of a request, and the client that sends it. */
export interface AskedSession {
  readonly session: AgentSession;
  readonly role: WireRole;
  readonly owner: string;
  /** The request was sent before, and its answer may have been lost. */
  readonly isRepeated: boolean;
  readonly files: (() => Promise<ServedFiles>) | undefined;
}

type SentMessage = Pick<SDKUserMessage, 'message' | 'client_composed' | 'priority'> & {
  readonly uuid: string;
};

type Methods = Readonly<Record<WireMethod, (...parameters: never[]) => Promise<unknown>>>;

/** Calls the session's method of the same name, and resolves or rejects like that. */
export async function carryOut(
  { session, role, owner, isRepeated, files }: AskedSession,
  method: WireMethod,
  parameters: readonly unknown[],
): Promise<unknown> {
  const methods: Methods = {
    send: ({ uuid, message, client_composed, priority }: SentMessage) =>
      // Security: the prompt's origin is removed, so a client's prompt counts as a person's.
      session.send({
        ...{ type: 'user', uuid, message, parent_tool_use_id: null },
        ...(client_composed && { client_composed }),
        ...(priority && { priority }),
      }),
    // Security: a client that isn't the owner may answer the question, but may not set rules.
    answer: (requestId: string, result: PermissionResult) =>
      session.answer(requestId, result, { asAsked: role !== 'owner', isRepeated }),
    interrupt: (options?: InterruptOptions) => session.interrupt(options),
    setPermissionMode: (mode: PermissionMode) => session.setPermissionMode(mode),
    applyFlagSettings: (settings: FlagSettings) => {
      // Security: they would replace the rules of the host's own `settings`, its deny rules too.
      if (settings.permissions !== undefined) throw rulesStay();
      return session.applyFlagSettings(settings);
    },
    supportedCommands: () => session.supportedCommands(),
    supportedAgents: () => session.supportedAgents(),
    getContextUsage: () => session.getContextUsage(),
    skills: () => session.skills(),
    stopTask: (taskId: string) => session.stopTask(taskId),
    backgroundTasks: (toolUseId?: string) => session.backgroundTasks(toolUseId),
    compact: (instructions?: string) => session.compact(instructions),
    rewind: (uuid: string, options?: RewindOptions) => session.rewind(uuid, options),
    undo: () => session.undo(),
    rewindFiles: (uuid: string, options?: { readonly dryRun?: boolean }) =>
      session.rewindFiles(uuid, options),
    commit: async (changeSet: ChangeSet, { client, number }: CommitOrigin) => {
      if (!files) throw new SdkError('bad-usage', "This session's server doesn't give its files.");
      const served = await files();
      return served.commit(changeSet, {
        author: { kind: 'user' },
        // Security: no client can use the numbers of another client, or of the session's own
        // clients.
        origin: { client: `wire ${JSON.stringify([owner, client])}`, number },
      });
    },
  };
  // The cast is safe: the parameters were checked against the method.
  return (methods[method] as (...given: readonly unknown[]) => Promise<unknown>)(...parameters);
}

function rulesStay(): SdkError {
  return new SdkError(
    'permission-denied',
    "The rules of a session elsewhere are changed there: its class, or its server's process, calls applyFlagSettings. Leave out permissions, or answer a question with a rule.",
    { data: { setting: 'permissions' } },
  );
}
