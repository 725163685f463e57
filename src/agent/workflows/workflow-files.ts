// The workflows of the workspace: scripts in `.claude/workflows`, whose name is the file's. Used by create-workflows.ts,
// and by workspace-trust.ts, as a trusted one runs without a question.
import { joinPath } from '../../core/path.ts';
import { maxScriptChars } from '../../core/agents/workflows.ts';
import type { DefinitionPlace, LooseningFile } from '../session/settings/workspace-trust.ts';

/** Below the directory where the session began. */
export const workflowsFolder = '.claude/workflows';

const extension = '.js';
// 200: as many as of commands.
const maxWorkflows = 200;

const isName = (name: string) => /^[\w-]{1,64}$/u.test(name);

/** Undefined: no workflow can have that name. */
export function toWorkflowPath(cwd: string, name: string): string | undefined {
  return isName(name) ? joinPath(cwd, workflowsFolder, `${name}${extension}`) : undefined;
}

/** By name, the first 200 of them. None where there is no folder, or it can't be read. */
export async function listWorkflowNames({
  fs,
  cwd,
}: Pick<DefinitionPlace, 'cwd'> & {
  readonly fs: Pick<DefinitionPlace['fs'], 'readdir'>;
}): Promise<readonly string[]> {
  const entries = await fs.readdir(joinPath(cwd, workflowsFolder)).catch(() => []);
  return entries
    .map((entry) => String(entry))
    .filter((entry) => entry.endsWith(extension))
    .map((entry) => entry.slice(0, -extension.length))
    .filter(isName)
    .toSorted()
    .slice(0, maxWorkflows);
}

/** Each would run without a question, were it trusted. What can't be read loosens nothing. */
export async function listLooseningWorkflows(
  place: DefinitionPlace,
): Promise<readonly LooseningFile[]> {
  const found: LooseningFile[] = [];
  for (const name of await listWorkflowNames(place)) {
    const path = toWorkflowPath(place.cwd, name);
    // Security: a link is another file than the one that a person is told of.
    const real = path && (await place.fs.realpath(path).catch(() => undefined));
    if (path === undefined || real !== path) continue;
    const text = await place.fs.readFile(path, 'utf8').catch(() => undefined);
    if (text === undefined || text.length > maxScriptChars) continue;
    found.push({ path, text, allow: [`Workflow(${name})`], cannotHold: [] });
  }
  return found;
}
