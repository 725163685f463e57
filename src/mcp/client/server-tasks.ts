// Calls that a server runs as tasks of its own (the protocol of 2025-11-25), in the realm of connect-server.ts. Fetched
// with the first of them: the extension's client weighs as much as the protocol's.
import type { Client } from '@modelcontextprotocol/client';
import {
  createTaskSessionFromClient,
  resultFromTaskOutcome,
} from '@modelcontextprotocol/ext-tasks/client';
import type { OfferedTool } from './connection.ts';

/** What one call is given. */
export interface ServerTaskOptions {
  /** Aborted: the task is cancelled at the server. */
  readonly signal: AbortSignal;
  /** What the server says of how far it is. */
  onProgress(progress: { readonly message: string }): void;
}

/** One connection's. */
export interface ServerTasks {
  /** The result as it came, when the task has ended. Rejects where it failed, or the server cancelled it. */
  run(
    tool: OfferedTool,
    input: Readonly<Record<string, unknown>>,
    options: ServerTaskOptions,
  ): Promise<unknown>;
}

type JsonRecord = NonNullable<Parameters<Session['callTool']>[1]>;
type Session = ReturnType<typeof createTaskSessionFromClient>;

/** @throws TypeError where it was called for the client before. */
export function createServerTasks(client: Client): ServerTasks {
  // Tasks aren't taken up by another connection, so the name needs to tell nobody apart.
  const session = createTaskSessionFromClient(client, { endpointId: 'rockpool' });
  return {
    async run({ name, inputSchema }, input, { signal, onProgress }) {
      signal.throwIfAborted();
      const execution = await session.callTool(name, input as JsonRecord, {
        declaration: { name, inputSchema: inputSchema as JsonRecord, taskSupport: 'required' },
        task: { preference: 'require' },
      });
      // Nobody waits for the server's answer to it: whatever the task still does there, its result is nobody's.
      const cancel = () => void execution.cancel().catch(() => undefined);
      if (signal.aborted) cancel();
      signal.addEventListener('abort', cancel);
      let said: string | undefined;
      try {
        const { outcome } = await execution.settle({
          // Nor is the server asked on, where it doesn't cancel the task.
          signal,
          onEvent(event) {
            const message = event.type === 'task' ? event.task.statusMessage : undefined;
            if (message === undefined || message === said) return;
            said = message;
            onProgress({ message });
          },
        });
        return resultFromTaskOutcome(outcome);
      } finally {
        signal.removeEventListener('abort', cancel);
      }
    },
  };
}
