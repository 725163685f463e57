// One of several tabs of a workspace, as a test in Node drives it. Opened by ../tabs.node.test.ts.
import wasmUrl from 'quickjs-wasi/quickjs.wasm?url';
import { createBrowserHost, type BrowserHost, type WorkspaceInfo } from 'rockpool/browser';

/** What a test finds at `window.tabPage`. */
export interface TabPage {
  open(workspace: string): Promise<WorkspaceInfo>;
  role(): Promise<string | undefined>;
  names(): Promise<string[]>;
  write(name: string): Promise<void>;
  /** Writes a file every so often until the page is gone, however long each takes. */
  keepWriting(prefix: string, everyMs: number): void;
  /** The names of the files whose writing was acknowledged. */
  acknowledged: string[];
  failures: string[];
  /** What the file holds, and the milliseconds from the opening of the host until that was known. */
  firstRead(workspace: string, name: string): Promise<{ text: string; durationMs: number }>;
}

declare global {
  interface Window {
    tabPage?: TabPage;
  }
}

let host: BrowserHost | undefined;

function opened(): BrowserHost {
  if (!host) throw new Error('The test has not opened a workspace.');
  return host;
}

const page: TabPage = {
  acknowledged: [],
  failures: [],
  async open(workspace) {
    host = await createBrowserHost({ workspace, assets: { wasm: wasmUrl } });
    return host.workspace.info();
  },
  role: async () => (await opened().workspace.info()).role,
  names: () => opened().workspace.fs.readdir('/workspace'),
  async write(name) {
    await opened().workspace.fs.writeFile(`/workspace/${name}`, name);
    page.acknowledged.push(name);
  },
  keepWriting(prefix, everyMs) {
    let count = 0;
    setInterval(() => {
      count += 1;
      page.write(`${prefix}-${count}`).catch((error) => page.failures.push(String(error)));
    }, everyMs);
  },
  async firstRead(workspace, name) {
    const begun = performance.now();
    await page.open(workspace);
    const text = await opened().workspace.fs.readFile(`/workspace/${name}`, 'utf8');
    return { text, durationMs: performance.now() - begun };
  },
};
window.tabPage = page;
