// How much memory the browser's renderers have taken, as their operating system has it.
import { readFileSync, writeFileSync } from 'node:fs';
import type { Browser, CDPSession } from 'playwright';

export interface ProcessMemory {
  /** Forgets earlier peaks. */
  reset(): Promise<void>;
  /** By how many bytes they have grown since, at the most. Undefined where the system doesn't tell. */
  growth(): Promise<number | undefined>;
}

export async function watchMemory(browser: Browser): Promise<ProcessMemory> {
  const cdp = await browser.newBrowserCDPSession();
  let before = new Map<number, number>();
  return {
    async reset() {
      before = new Map();
      for (const pid of await findRenderers(cdp)) {
        const bytes = readStatus(pid, 'VmRSS');
        if (bytes === undefined) continue;
        // Linux: sets the peak back to what there is now.
        writeFileSync(`/proc/${pid}/clear_refs`, '5');
        before.set(pid, bytes);
      }
    },
    async growth() {
      const grown = (await findRenderers(cdp)).map((pid) => {
        const peak = readStatus(pid, 'VmHWM');
        return peak === undefined ? undefined : peak - (before.get(pid) ?? 0);
      });
      const known = grown.filter((bytes) => bytes !== undefined);
      return known.length === 0 ? undefined : Math.max(...known);
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

/** In bytes. Undefined for a process that has ended, and on systems without /proc. */
function readStatus(pid: number, field: 'VmRSS' | 'VmHWM'): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB`, 'mu').exec(status)?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
  } catch {
    return undefined;
  }
}
