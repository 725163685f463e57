// Runs a workflow: its script in a tool worker, its agents here. Each agent is authorised like a
// call of the tool Agent, and started in the same way. Called by create-workflows.ts.
import { createAbortError, createChildController } from '../../core/async/abort.ts';
import type { AgentReport } from '../../core/agents/agents.ts';
import { clipText } from '../../core/text/clip-text.ts';
import { SdkError, fromSerializedError, toSerializedError } from '../../core/errors.ts';
import { isRecord } from '../../core/values/is-record.ts';
import type { OutputFormat } from '../../core/messages/output-format.ts';
import { startPausableTimer } from '../../core/async/pausable-timer.ts';
import type { PausableTimer } from '../../core/async/pausable-timer.ts';
import type { CanUseTool } from '../../core/permissions/permission.ts';
import type { NestedCall, NestedReply } from '../../core/tool/nested-call.ts';
import type { RunningWork } from '../../core/tool/ports.ts';
import { workflowWorkName } from '../../core/agents/workflows.ts';
import type {
  RecordedAgent,
  ScriptAgent,
  ScriptWork,
  WorkflowProgress,
  WorkflowReport,
} from '../../core/agents/workflows.ts';
import type { Session } from '../session/session.ts';
import { bindOutputTool } from '../registry/bind-output-tool.ts';

// 30 s of computing: a script only coordinates, and its agents do the work.
const scriptTimeoutMs = 30_000;
// 5 s: by then the sandbox has stopped its script, unless it hangs.
const slackMs = 5_000;
// 250 ms: the usual time for a call to end after an abort.
const graceMs = 250;
// The part of its prompt that lists show for an agent without a label.
const maxLabelChars = 60;

/** The parts of the call that the run uses. */
export interface WorkflowCall {
  readonly runId: string;
  readonly toolUseID: string;
  readonly canUseTool: CanUseTool;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: WorkflowProgress) => void;
  /** Records an agent's result, in the order of the ends. Resolves when it is recorded. */
  readonly record: (agent: RecordedAgent) => Promise<void>;
}

/** Implements `PreparedWorkflow.run`. */
export async function runWorkflow(
  session: Session,
  work: ScriptWork,
  call: WorkflowCall,
): Promise<WorkflowReport> {
  const counts = { agentCount: 0, replayedCount: 0, totalTokens: 0 };
  // A script may return while agents run that it hasn't awaited.
  const controller = createChildController(call.signal);
  const open = new Set<Promise<unknown>>();
  const agents = createScriptAgents(session, { ...call, signal: controller.signal }, counts);
  try {
    const result = await playScript(session, work, call, (nested) => {
      const answer = agents(nested);
      open.add(answer);
      void answer.then(() => open.delete(answer));
      return answer;
    });
    return { result, ...counts };
  } finally {
    controller.abort(createAbortError('The script that has begun it is over.'));
    await Promise.all(open);
    controller[Symbol.dispose]();
  }
}

/** Runs the script to its end, in its own worker, because it may wait for hours. */
async function playScript(
  session: Session,
  work: ScriptWork,
  { runId, signal, onProgress }: WorkflowCall,
  onAgent: (nested: NestedCall) => Promise<NestedReply>,
): Promise<unknown> {
  const { executorId, root, place, limits } = session;
  const { executor, workspace, clock } = session.host;
  const timers: Disposable[] = [];
  let hung = false;
  let timer: PausableTimer | undefined;
  const end = (reason: string) => {
    running.interrupt(reason);
    timers.push(clock.after(graceMs, () => running.kill(reason)));
  };
  const running: RunningWork = executor.start(
    {
      callId: runId,
      toolName: workflowWorkName,
      input: work,
      sessionId: `${executorId}-${runId}`,
      address: { root: root.id, minSeq: workspace.seq() },
      // Security: it has no file functions, and its view has no readable path.
      access: { cwd: place.cwd, roots: [], readOnlyRoots: [], rules: [], write: 'deny' },
      cwd: place.cwd,
      limits: { ...limits, timeoutMs: scriptTimeoutMs },
      knownVersions: [],
      isStateless: true,
      isBackground: true,
    },
    (progress) => onProgress(toTold(progress)),
    {
      onClockStart() {
        timer = startPausableTimer(clock, scriptTimeoutMs + slackMs, () => {
          hung = true;
          end('The script computes without end.');
        });
        timers.push(timer);
      },
      async onNestedCall(nested) {
        const resume = timer?.pause();
        try {
          return await onAgent(nested);
        } finally {
          resume?.();
        }
      },
    },
  );
  const stop = () => end('The workflow was stopped.');
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const reply = await running.reply;
    if (signal.aborted) throw createAbortError(signal.reason);
    if (reply.type === 'done') return reply.output;
    if (hung) {
      const message = `The script computed longer than ${scriptTimeoutMs / 1000} s without an answer, and was ended.`;
      throw new SdkError('limit-exceeded', message);
    }
    if (reply.type === 'failed') throw fromSerializedError(reply.error);
    throw new SdkError('worker-lost', reply.message);
  } finally {
    signal.removeEventListener('abort', stop);
    for (const one of timers) one[Symbol.dispose]();
  }
}

interface Counts {
  agentCount: number;
  replayedCount: number;
  totalTokens: number;
}

/** Answers the sandbox's requests. Never rejects. */
function createScriptAgents(
  session: Session,
  call: WorkflowCall,
  counts: Counts,
): (nested: NestedCall) => Promise<NestedReply> {
  const { onProgress, record, signal } = call;

  async function answer({ toolName, input }: NestedCall): Promise<unknown> {
    const { position, fingerprint, request, result } = isRecord(input) ? input : {};
    if (!Number.isSafeInteger(position) || typeof fingerprint !== 'string') {
      throw new SdkError('invalid-input', 'The script asked for an agent without saying which.');
    }
    const asked = readRequest(request);
    const at = Number(position);
    const told = {
      type: 'agent',
      position: at,
      label: toLabel(asked),
      ...(asked.phase !== undefined && { phase: asked.phase }),
    } as const;
    counts.agentCount += 1;
    if (toolName === 'replayed') {
      counts.replayedCount += 1;
      onProgress({ ...told, state: 'replayed' });
      await record({ position: at, fingerprint, result });
      return null;
    }
    let report: AgentReport;
    try {
      report = await runAgent(session, asked, at, call, () =>
        onProgress({ ...told, state: 'running' }),
      );
    } catch (error) {
      if (!signal.aborted) onProgress({ ...told, state: 'refused' });
      throw error;
    }
    counts.totalTokens += report.totalTokens;
    if (signal.aborted) throw createAbortError(signal.reason);
    if (report.status !== 'completed') {
      onProgress({ ...told, state: 'ended' });
      onProgress({ type: 'log', text: `${told.label} ${report.status}: ${report.reason ?? ''}` });
      return null;
    }
    const said = report.content.map(({ text }) => text).join('\n');
    const given = asked.schema ? report.structuredOutput : said;
    // Recorded before the script gets the result, because its next steps depend on it.
    await record({ position: at, fingerprint, result: given });
    onProgress({ ...told, state: 'completed' });
    return given;
  }

  return async (nested) => {
    try {
      return { type: 'done', callId: '', output: await answer(nested) };
    } catch (error) {
      return { type: 'failed', callId: '', error: toSerializedError(error) };
    }
  };
}

/** Rejects with an SdkError if the agent isn't allowed or can't be started. */
async function runAgent(
  session: Session,
  asked: ScriptAgent,
  position: number,
  { canUseTool, toolUseID, signal }: WorkflowCall,
  onBegin: () => void,
): Promise<AgentReport> {
  const { prompt, schema, model, agentType, isolation } = asked;
  const outputFormat = schema && ({ type: 'json_schema', schema } as const satisfies OutputFormat);
  // Checked before anything is recorded, so that an invalid schema costs nothing.
  if (outputFormat) await bindOutputTool(await session.host.loadTools('listed'), outputFormat);
  const input = {
    description: toLabel(asked),
    prompt,
    run_in_background: false,
    ...(agentType !== undefined && { subagent_type: agentType }),
    ...(model !== undefined && { model }),
    ...(isolation !== undefined && { isolation }),
  };
  const id = `${toolUseID}.${position}`;
  const verdict = await canUseTool('Agent', input, { toolUseID: id, requestId: id, signal });
  if (verdict?.behavior !== 'allow') {
    throw new SdkError('permission-denied', verdict?.message ?? 'The agent was not allowed.');
  }
  // A hook or a person may have changed the input.
  const allowed = { ...input, ...verdict.updatedInput } as typeof input & {
    readonly subagent_type?: string;
  };
  onBegin();
  const report = await session.agents.portOf(session).run(
    {
      description: allowed.description,
      prompt: allowed.prompt,
      agentType: allowed.subagent_type,
      model: allowed.model,
      isolation: allowed.isolation,
      isBackground: false,
      outputFormat,
      waitsForRoom: true,
    },
    { toolUseID, signal, part: position },
  );
  if (!('status' in report)) throw new TypeError('An agent of a workflow was not waited for.');
  return report;
}

const toLabel = ({ label, prompt }: ScriptAgent) =>
  clipText((label ?? prompt).replace(/\s+/gu, ' ').trim(), maxLabelChars);

const models: readonly unknown[] = ['sonnet', 'opus', 'haiku', 'fable'];

/**
 * Security: the worker's request isn't trusted. @throws SdkError `invalid-input` for an invalid
 * request
 */
function readRequest(given: unknown): ScriptAgent {
  const request = isRecord(given) ? given : {};
  const isText = (value: unknown) => typeof value === 'string' && value.trim() !== '';
  const may = (name: string, isRight: (value: unknown) => boolean, what: string) => {
    const value = request[name];
    if (value === undefined || isRight(value)) return;
    throw new SdkError('invalid-input', `agent(): ${name} must be ${what}.`);
  };
  if (!isText(request['prompt'])) {
    throw new SdkError('invalid-input', 'agent(): prompt must be a text that says what to do.');
  }
  may('label', isText, 'a text');
  may('phase', isText, 'a text');
  may('agentType', isText, 'the name of a kind of agent');
  may('schema', isRecord, 'a JSON Schema of an object');
  may('model', (value) => models.includes(value), `one of ${models.join(', ')}`);
  may('isolation', (value) => value === 'worktree', '"worktree"');
  return request as unknown as ScriptAgent;
}

/** Security: a worker's progress is reduced to text, whatever else it sends. */
function toTold(progress: unknown): WorkflowProgress {
  const { type, text } = isRecord(progress) ? progress : {};
  return { type: type === 'phase' ? 'phase' : 'log', text: String(text) };
}
