// `npm run headless` as the end-to-end tests call it. It runs in a process of its own where the
// process is what a claim is about. Else it runs beside the test, which takes a third of the time.
// What it leaves behind are its lines and its folder.
import { spawn } from 'node:child_process';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SDKMessage, SDKResultMessage } from 'rockpool';
import { runHeadless } from '../../../scripts/run-headless.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Where its processes find the code that one before has compiled: a third of the time that one takes. */
const compiled = join(root, 'node_modules/.cache/node');

export interface Run {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** In this process. */
export async function headless(args: readonly string[]): Promise<Run> {
  const run = { status: 0, stdout: '', stderr: '' };
  run.status = await runHeadless({
    args,
    env: {},
    signal: new AbortController().signal,
    stdout: (text) => void (run.stdout += text),
    stderr: (text) => void (run.stderr += text),
  });
  return run;
}

/** In a process of its own. `onLine` is called with each line of stdout, a way to send SIGINT, and one to send SIGKILL. */
export function spawnHeadless(
  args: readonly string[],
  onLine: (line: string, interrupt: () => void, kill: () => void) => void = () => {},
): Promise<Run> {
  const { ANTHROPIC_API_KEY: _dropped, ...env } = process.env;
  const script = join(root, 'scripts/headless.ts');
  const child = spawn(process.execPath, ['--conditions=rockpool-source', script, ...args], {
    cwd: root,
    env: { ...env, NODE_COMPILE_CACHE: compiled },
  });
  let stdout = '';
  let stderr = '';
  let seen = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    const lines = stdout.split('\n').slice(0, -1);
    for (const line of lines.slice(seen)) {
      onLine(
        line,
        () => child.kill('SIGINT'),
        () => child.kill('SIGKILL'),
      );
    }
    seen = lines.length;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, stdout, stderr }));
  });
}

/** Throws where a line of stdout is anything but a message. */
export function messagesOf({ stdout }: Run): SDKMessage[] {
  const lines = stdout.trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as SDKMessage);
}

/** Throws where the last line is no result. */
export function resultOf(run: Run): SDKResultMessage {
  const last = messagesOf(run).at(-1);
  if (last?.type !== 'result') throw new Error(`No result: ${run.stdout}${run.stderr}`);
  return last;
}

/** Every path below a folder with its permission bits and what is there. */
export function readTree(top: string): Record<string, string> {
  const entries = readdirSync(top, { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const name = relative(top, path);
      if (entry.isSymbolicLink()) return [name, `-> ${readlinkSync(path)}`];
      if (entry.isDirectory()) return [name, '/'];
      const mode = (lstatSync(path).mode & 0o777).toString(8);
      return [name, `${mode} ${readFileSync(path, 'latin1')}`];
    }),
  );
}
