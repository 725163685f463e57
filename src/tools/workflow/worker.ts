// The sandbox of a workflow's script, in a tool worker of its own. The session's agents run on the
// page. Each is asked for as a nested call.
import { SdkError } from '../../core/errors.ts';
import type { WorkContext } from '../../core/tool/handler.ts';
import type { ScriptWork, WorkflowProgress } from '../../core/agents/workflows.ts';
import { loadWorld } from '../../repl/host/load-world.ts';
import { readScript } from '../../repl/workflow/read-script.ts';
import { runScript, type AgentAnswer } from '../../repl/workflow/run-script.ts';
import { createQuickjsEngine } from '../../repl/vm/quickjs.ts';
import { scriptWorkParser } from './input.ts';

export const workflowWorker = { inputSchema: scriptWorkParser, handler: run };

async function run(
  { script, args, recorded }: ScriptWork,
  context: WorkContext<unknown, WorkflowProgress>,
): Promise<unknown> {
  const { source } = readScript(script);
  const [world, wasm] = await Promise.all([loadWorld(), context.realm.loadWasm()]);
  const engine = await createQuickjsEngine(wasm);
  context.startClock();
  // Agents cost time and money, so the script isn't run a second time by itself.
  context.noteEffect();
  const { signal, limits } = context;
  return runScript(source, args, recorded, {
    engine,
    boot: world.workflowBootCode(),
    signal,
    timeoutMs: limits.timeoutMs,
    ...(limits.questionsPerMs !== undefined && { questionsPerMs: limits.questionsPerMs }),
    ask: (position, request, fingerprint) =>
      askPage(context, 'agent', { position, fingerprint, request }),
    onReplayed(agent, request) {
      // Sent in its order among the others. The page answers at once.
      void askPage(context, 'replayed', { ...agent, request });
    },
    tell: (type, text) => context.progress({ type, text }),
  });
}

/** Asks the page. Never rejects. */
async function askPage(
  { callTool, signal }: WorkContext<unknown>,
  what: 'agent' | 'replayed',
  input: unknown,
): Promise<AgentAnswer> {
  try {
    const onDownload = () => undefined;
    return { ok: true, result: await callTool(what, input, { readPaths: [], signal, onDownload }) };
  } catch (error) {
    const { message } = SdkError.isInstance(error) ? error : new Error(String(error));
    return { ok: false, message };
  }
}
