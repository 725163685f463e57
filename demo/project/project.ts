// The open project: the sample, a copy of a folder or zip, a mounted folder of the disk, or a clone. Each has its own
// workspace in this browser, so that none overwrites another.
import { createBrowserHost } from 'rockpool/browser';
import type { BrowserHost, BrowserHostOptions } from 'rockpool/browser';
import type { GitCredentialSource } from 'rockpool/git';
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import { proxyUrl } from '../git/describe-git.ts';
import { readSetting, writeSetting } from '../settings.ts';
import { agentPreview } from '../preview/preview.ts';
import { appFrame } from './app-frame.ts';

/** `name` is the name for people. */
export type Project =
  | { readonly kind: 'sample' | 'folder'; readonly name: string }
  /** A mounted folder of the disk. `id` is the number of its handle. */
  | { readonly kind: 'mount'; readonly name: string; readonly id: number }
  | { readonly kind: 'git'; readonly name: string; readonly url: string };

export const sampleProject: Project = { kind: 'sample', name: 'tidepool' };

/** Files in a folder that aren't its source: git's files, and packages that npm can install again. */
export const excludedFromImport: readonly string[] = ['.git', '**/.git', '**/node_modules'];

export function readLastProject(): Project {
  const stored = readSetting('project');
  if (typeof stored !== 'object' || stored === null) return sampleProject;
  const { kind, name, id, url } = stored as Readonly<Record<string, unknown>>;
  if (typeof name !== 'string' || name === '') return sampleProject;
  if (kind === 'folder') return { kind, name };
  if (kind === 'mount' && typeof id === 'number') return { kind, name, id };
  if (kind === 'git' && typeof url === 'string') return { kind, name, url };
  return sampleProject;
}

/** Opens the project's workspace and remembers it as the last one. Dispose the host. */
export async function openProject(
  project: Project,
  credentials: GitCredentialSource,
): Promise<BrowserHost> {
  const host = await openHost(project, credentials);
  writeSetting('project', project);
  return host;
}

/** Opens the project's workspace. Dispose the host. */
export async function openHost(
  project: Project,
  credentials: GitCredentialSource,
): Promise<BrowserHost> {
  return createBrowserHost({
    workspace: await workspaceName(project),
    assets: { wasm: wasmUrl, appFrame },
    preview: agentPreview,
    git: { proxy: { url: proxyUrl }, credentials },
    mcp: toMcpOptions(),
  });
}

/** Logins stay in memory, like the servers. If scripts/mcp-proxy.ts serves a proxy, it names the proxy in the page. */
function toMcpOptions(): NonNullable<BrowserHostOptions['mcp']> {
  const proxy = document.querySelector<HTMLMetaElement>('meta[name="mcp-proxy"]')?.content;
  return {
    login: { redirectUrl: location.origin + location.pathname, clientName: 'Rockpool demo' },
    ...(proxy !== undefined && { proxy: { url: new URL(proxy, location.href).href } }),
  };
}

/** True if the workspace has no file. */
export async function isEmpty(host: BrowserHost): Promise<boolean> {
  return (await host.workspace.fs.readdir(host.cwd)).length === 0;
}

/** Writes the sample's files to an empty workspace. */
export async function loadSample(host: BrowserHost): Promise<void> {
  const { readSampleFiles } = await import('./sample-files.ts');
  await host.importFiles(readSampleFiles());
}

/**
 * The name of the project's workspace. Two folders with the same name share a workspace; the page asks before it
 * replaces one.
 */
async function workspaceName(project: Project): Promise<string> {
  if (project.kind === 'sample') return 'sample';
  if (project.kind === 'mount') return `mount-${project.id}`;
  if (project.kind === 'git') return `git-${await digest(project.url)}`;
  return `folder-${encodeName(project.name)}`;
}

/** A hash, because an address may be longer than a workspace's name. */
async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * Keeps letters, digits, `-` and `_`, and replaces every other character by its code, so that different names stay
 * different.
 */
function encodeName(name: string): string {
  return [...name]
    .map((character) =>
      /^[\w-]$/.test(character) ? character : `.${character.codePointAt(0)?.toString(36)}.`,
    )
    .join('');
}
