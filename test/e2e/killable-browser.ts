// What the kill tests need of a browser: real tabs on a profile that outlives it, and a sudden end.
// Adapters: launchOnProfile in chromium.ts, launchFirefoxOnProfile in firefox.ts.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** A tab, as far as a kill test drives it. */
export interface Tab {
  /** Makes a function of the test's a global of the page, from the next `open` on. */
  expose(name: string, listener: (...parameters: never[]) => void): Promise<void>;
  /** Resolves once the page has loaded. */
  open(url: string): Promise<void>;
  /** Calls `run` in the page, without what is around it here. */
  evaluate<Argument, Value>(
    run: (argument: Argument) => Value | Promise<Value>,
    argument: Argument,
  ): Promise<Value>;
}

/** A browser on a profile of its own. Kill it when done, too: nothing else ends it. */
export interface KillableBrowser {
  newTab(): Promise<Tab>;
  /** SIGKILL to the browser and all its processes at once: nobody gets to write anything more. */
  kill(): Promise<void>;
}

/** Ends a process that was started as the leader of its own group, with the group. Idempotent. */
export async function killGroup(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  process.kill(-child.pid, 'SIGKILL');
  await exit;
}

/** The address that a browser prints when it can be driven. Rejects with all it said where it ends. */
export function readEndpoint({ stderr }: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    stderr?.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      const [, endpoint] = pattern.exec(text) ?? [];
      if (endpoint !== undefined) resolve(endpoint);
    });
    stderr?.on('close', () => reject(new Error(`The browser did not start: ${text}`)));
  });
}
