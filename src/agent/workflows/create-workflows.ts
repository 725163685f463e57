// The workflows of a session, for the tool Workflow: it finds scripts, and the states of earlier
// runs in the journal. Loaded with the first call, by lend-workflows.ts; run-workflow.ts runs one.
import { SdkError } from '../../core/errors.ts';
import { getOrMake } from '../../core/values/get-or-make.ts';
import { isRecord } from '../../core/values/is-record.ts';
import { isInside, resolvePath } from '../../core/path.ts';
import { maxScriptChars } from '../../core/agents/workflows.ts';
import type {
  FoundWorkflow,
  RecordedAgent,
  WorkflowPlace,
  Workflows,
} from '../../core/agents/workflows.ts';
import { createReadCheck } from '../context/read-judge.ts';
import type { Session } from '../session/session.ts';
import type { DefinitionScope } from '../session/settings/definition-scopes.ts';
import { runWorkflow } from './run-workflow.ts';
import { listWorkflowNames, toWorkflowPath, workflowsFolder } from './workflow-files.ts';

/**
 * A run, as a state of the session. The end of each of its agents is a separate state:
 * {@link RecordedAgent}.
 */
interface RunState {
  readonly script: string;
  readonly args?: unknown;
  /** The path of a workspace's script. A person is asked about it again when the run continues. */
  readonly path?: string;
}

const runKey = (runId: string) => `workflow/${runId}`;
const endKey = (runId: string, order: number) => `workflow/${runId}/${order}`;

/**
 * `scopes`: the scopes whose scripts can be used by name. If several have one name, the first
 * scope's is used.
 */
export function createWorkflows(session: Session, scopes: readonly DefinitionScope[]): Workflows {
  const { root, cwd, states, trust, permissions, ids, journal } = session;
  const mayRead = createReadCheck(cwd, permissions.current);
  /**
   * Keyed by call and place, because some servers reuse ids of calls. The entry of a denied call
   * stays; it is one script at most.
   */
  const found = new Map<string, Map<string, Promise<FoundWorkflow>>>();

  async function read(place: WorkflowPlace): Promise<FoundWorkflow> {
    if ('name' in place && scopes.length === 0) {
      throw refuse(
        "This query takes no workflows by name: its settingSources have neither 'project' nor 'user'. Give the script itself, or its path by scriptPath.",
      );
    }
    const path = await findScript(place);
    if (path === undefined) throw refuse(await describeAbsence(place));
    const script = await root.fs.readFile(path, 'utf8');
    if (script.length > maxScriptChars) {
      throw refuse(`${path} has ${script.length} characters, and may have ${maxScriptChars}.`);
    }
    return { path, script, isTrusted: await trust.isTrusted(path, script) };
  }

  async function findScript(place: WorkflowPlace): Promise<string | undefined> {
    const asked =
      'path' in place
        ? [{ directory: cwd, path: resolvePath(cwd, place.path) }]
        : scopes.map(({ directory }) => ({
            directory,
            path: toWorkflowPath(directory, place.name),
          }));
    for (const { directory, path } of asked) {
      const real = path && (await root.fs.realpath(path).catch(() => undefined));
      // Security: a link must not lead to a file that rules deny, nor outside the working
      // directory.
      const isReadable =
        path !== undefined &&
        real !== undefined &&
        isInside(directory, real) &&
        [path, real].every((one) => mayRead(one));
      if (isReadable && (await root.fs.stat(real)).isFile()) return real;
    }
    return undefined;
  }

  async function describeAbsence(place: WorkflowPlace): Promise<string> {
    if ('path' in place) return `There is no script at ${place.path} that may be read.`;
    const names = new Set<string>();
    for (const { directory } of scopes) {
      for (const name of await listWorkflowNames({ fs: root.fs, cwd: directory })) {
        if (mayRead(toWorkflowPath(directory, name) ?? '')) names.add(name);
      }
    }
    const others = names.size === 0 ? 'There is none.' : `There are: ${[...names].join(', ')}.`;
    return `There is no workflow "${place.name}" in ${workflowsFolder}. ${others}`;
  }

  const recall = (runId: string) => readRun(states.get(runKey(runId)));

  return {
    find(place, callId) {
      const ofCall = getOrMake(found, callId, () => new Map<string, Promise<FoundWorkflow>>());
      const key = JSON.stringify(place);
      const reading = getOrMake(ofCall, key, () => read(place));
      // A failed call may be made again with the same id.
      reading.catch(() => ofCall.delete(key));
      return reading;
    },
    async recall(runId) {
      const run = recall(runId);
      if (!run) return undefined;
      const { script, path } = run;
      return { ...run, isTrusted: path !== undefined && (await trust.isTrusted(path, script)) };
    },
    async prepare({ script, args, path, resumeFromRunId }, call) {
      found.delete(call.toolUseID);
      const runId = `wf_${ids.of('workflow', journal.fold.lastStep, call.toolUseID).slice(0, 8)}`;
      if (resumeFromRunId !== undefined && !recall(resumeFromRunId)) {
        throw refuse(
          `The session has recorded no run ${resumeFromRunId}: there is nothing to go on from.`,
        );
      }
      const recorded =
        resumeFromRunId === undefined
          ? []
          : listEnds((at) => states.get(endKey(resumeFromRunId, at)));
      const state: RunState = {
        script,
        ...(args !== undefined && { args }),
        ...(path !== undefined && { path }),
      };
      await states.set(runKey(runId), state);
      let ended = 0;
      const record = (agent: RecordedAgent) => {
        const key = endKey(runId, ended);
        ended += 1;
        return states.set(key, agent);
      };
      return {
        runId,
        run: (signal, onProgress) =>
          runWorkflow(
            session,
            { script, args, recorded },
            { ...call, runId, signal, onProgress, record },
          ),
      };
    },
  };
}

function refuse(message: string): SdkError {
  return new SdkError('bad-usage', message);
}

/** An imported session may have any value. */
function readRun(state: unknown): RunState | undefined {
  if (!isRecord(state)) return undefined;
  const { script, args, path } = state;
  if (typeof script !== 'string') return undefined;
  return {
    script,
    ...(args !== undefined && { args }),
    ...(typeof path === 'string' && { path }),
  };
}

function listEnds(at: (order: number) => unknown): RecordedAgent[] {
  const ends: RecordedAgent[] = [];
  for (;;) {
    const state = at(ends.length);
    if (!isRecord(state)) return ends;
    const { position, fingerprint, result } = state;
    if (!Number.isSafeInteger(position) || typeof fingerprint !== 'string') return ends;
    ends.push({ position: Number(position), fingerprint, result });
  }
}
