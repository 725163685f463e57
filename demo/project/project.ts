// Which project is open: the sample, or a folder that was read from disk. Each is a workspace of its
// own in this browser, so that neither overwrites the other.
import { createBrowserHost } from 'rockpool/browser';
import type { BrowserHost } from 'rockpool/browser';
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import { readSetting, writeSetting } from '../settings.ts';

export interface Project {
  readonly kind: 'sample' | 'folder';
  /** The folder's name; also what people see. */
  readonly name: string;
}

export const sampleProject: Project = { kind: 'sample', name: 'tidepool' };

/** What comes with a folder but isn't its source: git's own files and what npm can install again. */
export const excludedFromImport: readonly string[] = ['.git', '**/.git', '**/node_modules'];

export function readLastProject(): Project {
  const stored = readSetting('project');
  if (typeof stored !== 'object' || stored === null) return sampleProject;
  const { kind, name } = stored as Readonly<Record<string, unknown>>;
  return kind === 'folder' && typeof name === 'string' && name !== ''
    ? { kind, name }
    : sampleProject;
}

/** Opens the project's workspace and remembers it as the last one. Dispose the host. */
export async function openProject(project: Project): Promise<BrowserHost> {
  const host = await createBrowserHost({
    workspace: workspaceName(project),
    assets: { wasm: wasmUrl },
  });
  writeSetting('project', project);
  return host;
}

/** Does the workspace hold any file? */
export async function isEmpty(host: BrowserHost): Promise<boolean> {
  return (await host.workspace.fs.readdir(host.cwd)).length === 0;
}

/** Puts the sample's files into an empty workspace. */
export async function loadSample(host: BrowserHost): Promise<void> {
  const { readSampleFiles } = await import('./sample-files.ts');
  await host.importFiles(readSampleFiles());
}

/** Workspace names are plain words; two folders of one name share a workspace, and are asked about. */
function workspaceName({ kind, name }: Project): string {
  return kind === 'sample' ? 'sample' : `folder-${encodeName(name)}`;
}

/** Letters, digits, `-` and `_` stay, everything else becomes its code: different names stay different. */
function encodeName(name: string): string {
  return [...name]
    .map((character) =>
      /^[\w-]$/.test(character) ? character : `.${character.codePointAt(0)?.toString(36)}.`,
    )
    .join('');
}
