// Calls that a server answers by a task (the extension of 2026-07-28): the protocol's client knows no such results. Fetched
// by connect-server.ts with the first call of a server that has them.
import type { Client, JSONRPCMessage } from '@modelcontextprotocol/client';
import { tasksExtension } from './connection.ts';

/**
 * From now on a call that was answered by a task gives a result without content, whose `_meta` names the task: see
 * `readTaskId` of connection.ts.
 *
 * @throws TypeError for a client that isn't connected.
 */
export function passTasks(client: Client): void {
  const { transport } = client;
  const hear = transport?.onmessage;
  if (!transport || !hear) throw new TypeError('Only a connected client is told of tasks.');
  transport.onmessage = (message, extra) => hear(toKnown(message), extra);
}

/** Of any other request but a call the client refuses it: the result has none of its fields. */
function toKnown(message: JSONRPCMessage): JSONRPCMessage {
  if (!('result' in message) || message.result['resultType'] !== 'task') return message;
  const { taskId } = message.result;
  const _meta = { [tasksExtension]: { taskId } };
  return { ...message, result: { resultType: 'complete', content: [], _meta } };
}
