// Git's progress and errors in sentences for a person.
import { SdkError } from 'rockpool/browser';
import type { Git, GitProgress } from 'rockpool/git';
import { messageOf } from '../message-of.ts';

/** The address of the git proxy, which `npm start` serves beside the page. */
export const proxyUrl = './git-proxy';

/** The present operation and its progress. Received data is counted in bytes, everything else in objects or files. */
export function describeProgress({ phase, done, total }: GitProgress): string {
  const words = phase.charAt(0).toUpperCase() + phase.slice(1);
  if (phase === 'receiving' || phase === 'sending') {
    return `${words}: ${formatBytes(done)}${total === undefined ? '' : ` of ${formatBytes(total)}`}`;
  }
  const count = done.toLocaleString('en');
  return `${words}: ${count}${total === undefined ? '' : ` of ${total.toLocaleString('en')}`}`;
}

/** The outcome of a pull, or of a rebase that continues. Empty if the page shows it anyway. */
export function describeMerge(merged: Awaited<ReturnType<Git['pull'] | Git['continue']>>): string {
  if (merged.type === 'up-to-date') return 'There is nothing new on the server.';
  if (merged.type !== 'conflict') return '';
  const files = merged.paths.join(', ');
  return `Both sides changed the same lines: ${files}. Resolve and stage them, then go on or abort.`;
}

/** The error's sentence. If the proxy is missing, also what to do about that. */
export async function explainError(error: unknown): Promise<string> {
  if (SdkError.isInstance(error) && error.code === 'aborted') {
    return 'Stopped. Nothing of it was kept.';
  }
  const message = messageOf(error);
  const isOfServer = SdkError.isInstance(error) && error.code === 'tool-failed';
  if (!isOfServer || (await hasProxy())) return message;
  return (
    'This page is served without a git proxy, and git servers allow no page to read them (CORS). ' +
    'Start the demo with npm start, or serve createGitProxy of rockpool/edge at /git-proxy beside it.'
  );
}

/** True if there is a proxy: it answers a preflight request, while a server of static files doesn't. */
async function hasProxy(): Promise<boolean> {
  const response = await fetch(`${proxyUrl}/`, { method: 'OPTIONS' }).catch(() => undefined);
  return response?.status === 204;
}

function formatBytes(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
