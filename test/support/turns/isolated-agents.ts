// Whole queries whose agents work on branches, over a real inline host. Records requests, questions and results. For
// tests of isolation.
import type { Host } from '../../../src/agent/host.ts';
import type { QueryOptions } from '../../../src/agent/query-options.ts';
import { query } from '../../../src/agent/query.ts';
import type { CanUseTool, CanUseToolOptions } from '../../../src/core/permissions/permission.ts';
import type { SDKMessage } from '../../../src/core/messages/sdk-message.ts';
import type { ScriptTurn } from '../../../src/model/script.ts';
import { createAgentsModel } from '../models/agents-model.ts';
import { callTool, readAll, say } from './run-hooked.ts';
import { listResults } from './agents-at-once.ts';

/** The model starts an isolated agent, and waits for it. */
export const isolated = (prompt: string, more: Record<string, unknown> = {}, id = 'call-a') =>
  callTool(
    'Agent',
    { description: 'Change it', prompt, isolation: 'worktree', run_in_background: false, ...more },
    id,
  );

/** The outcome of a query. */
export interface IsolatedRun {
  readonly messages: readonly SDKMessage[];
  /** The texts of the results that the session's main agent is given. */
  readonly results: readonly string[];
  readonly asked: readonly Asked[];
  /** The tasks' texts of the requests, in order. */
  readonly requests: readonly string[];
}

/** A question, as a person was shown it. */
export type Asked = CanUseToolOptions & { readonly toolName: string };

/** `before`: called before the request of that number is answered. */
export type IsolatedOptions = Omit<QueryOptions, 'host' | 'model'> & {
  readonly before?: (who: string, count: number) => Promise<void> | void;
};

/** `canUseTool` allows all calls by default. Null: there is none. */
export async function runIsolated(
  host: Host,
  scripts: Readonly<Record<string, readonly ScriptTurn[]>>,
  { before, ...options }: IsolatedOptions = {},
  answer: CanUseTool | null = () => Promise.resolve({ behavior: 'allow' }),
): Promise<IsolatedRun> {
  const asked: Asked[] = [];
  const counts = new Map<string, number>();
  const model = createAgentsModel(scripts, (who) => {
    const count = (counts.get(who) ?? 0) + 1;
    counts.set(who, count);
    return before?.(who, count);
  });
  const canUseTool: CanUseTool = (toolName, input, about) => {
    asked.push({ ...about, toolName });
    return answer?.(toolName, input, about) ?? Promise.resolve(null);
  };
  const messages = await readAll(
    query({
      prompt: 'Go.',
      options: { toolSearch: false, ...options, host, model, ...(answer && { canUseTool }) },
    }),
  );
  const results = listResults(messages);
  const requests = model.requests.map(({ request }) => JSON.stringify(request.messages));
  return { messages, results, asked, requests };
}

/** The script of the session's main agent. */
export const main = (...calls: readonly ScriptTurn[]) => [...calls, say('All done.')];
export const read = (host: Host, path: string) => host.workspace.fs.readFile(path, 'utf8');
/** The ids of the existing branches. */
export const listBranches = async ({ workspace }: Host) =>
  (await workspace.roots.list({ kind: 'branch' })).map(({ id }) => id);
