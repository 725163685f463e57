// Finds the workflows of the workspace: scripts in `.claude/workflows`, named after their files.
// Used by create-workflows.ts, and by workspace-trust.ts, because a trusted workflow runs without a
// question.
import { joinPath } from '../../core/path.ts';
import { maxScriptChars } from '../../core/agents/workflows.ts';
import type { DefinitionPlace, LooseningFile } from '../session/settings/workspace-trust.ts';

/** Below the session's first directory. */
export const workflowsFolder = '.claude/workflows';

const extension = '.js';
// 200: the same limit as for commands.
const maxWorkflows = 200;

const isName = (name: string) => /^[\w-]{1,64}$/u.test(name);

/** Undefined: a workflow can't have that name. */
export function toWorkflowPath(cwd: string, name: string): string | undefined {
  return isName(name) ? joinPath(cwd, workflowsFolder, `${name}${extension}`) : undefined;
}

/** The first 200 names, sorted. Empty if the folder is missing or unreadable. */
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

/**
 * The workflows, each of which would run without a question if it were trusted. An unreadable file
 * loosens no permission.
 */
export async function listLooseningWorkflows(
  place: DefinitionPlace,
): Promise<readonly LooseningFile[]> {
  const found: LooseningFile[] = [];
  for (const name of await listWorkflowNames(place)) {
    const path = toWorkflowPath(place.cwd, name);
    // Security: a link leads to another file than the one that a person sees.
    const real = path && (await place.fs.realpath(path).catch(() => undefined));
    if (path === undefined || real !== path) continue;
    const text = await place.fs.readFile(path, 'utf8').catch(() => undefined);
    if (text === undefined || text.length > maxScriptChars) continue;
    found.push({ path, text, allow: [`Workflow(${name})`], cannotHold: [] });
  }
  return found;
}
