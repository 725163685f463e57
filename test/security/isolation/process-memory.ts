// How much memory the browser's renderers have taken, as their operating system has it: by /proc, so
// on Linux only.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Browser, CDPSession } from 'playwright';

export interface ProcessMemory {
  /** Forgets earlier peaks. */
  reset(): Promise<void>;
  /** By how many bytes one of them has grown since, at the most. */
  growth(): Promise<number>;
}

/** Throws where the system doesn't tell: an attack on memory that nobody measures proves nothing. */
export async function watchMemory(browser: Browser): Promise<ProcessMemory> {
  if (!existsSync('/proc/self/clear_refs')) {
    throw new Error(
      `The isolation tests measure Chromium's memory by /proc/<pid>/status and clear_refs, which ${process.platform} does not have. Run them on Linux, in a container for example; npm test -- --exclude 'test/security/isolation/**' runs the others.`,
    );
  }
  const cdp = await browser.newBrowserCDPSession();
  let before = new Map<number, number>();
  return {
    async reset() {
      before = new Map();
      for (const pid of await findRenderers(cdp)) {
        const bytes = readStatus(pid, 'VmRSS');
        if (bytes !== undefined && forgetPeak(pid)) before.set(pid, bytes);
      }
    },
    async growth() {
      const grown = (await findRenderers(cdp)).flatMap((pid) => {
        const peak = readStatus(pid, 'VmHWM');
        return peak === undefined ? [] : [peak - (before.get(pid) ?? 0)];
      });
      if (grown.length === 0) throw new Error('No renderer of the browser is left to be measured.');
      return Math.max(...grown);
    },
  };
}

interface ProcessInfo {
  readonly type: string;
  readonly id: number;
}

async function findRenderers(cdp: CDPSession): Promise<number[]> {
  const { processInfo } = await cdp.send('SystemInfo.getProcessInfo');
  return (processInfo as readonly ProcessInfo[])
    .filter(({ type }) => type === 'renderer')
    .map(({ id }) => id);
}

/** In bytes. Undefined for a process that has ended. */
function readStatus(pid: number, field: 'VmRSS' | 'VmHWM'): number | undefined {
  const status = ifAlive(() => readFileSync(`/proc/${pid}/status`, 'utf8'));
  // One that is just ending has no memory any more.
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB`, 'mu').exec(status ?? '')?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

/** Sets the peak back to what there is now. False for a process that has ended. */
function forgetPeak(pid: number): boolean {
  return ifAlive(() => (writeFileSync(`/proc/${pid}/clear_refs`, '5'), true)) ?? false;
}

function ifAlive<T>(access: () => T): T | undefined {
  try {
    return access();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return undefined;
    throw new Error(
      `Chromium's memory can't be measured (${code}): run the tests as the user that its processes belong to, and with a /proc that may be written.`,
      { cause: error },
    );
  }
}
