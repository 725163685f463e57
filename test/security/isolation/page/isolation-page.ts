// The page of the isolation suite: one host, with or without a wall, and conversations over it that
// a test in Node asks for. What they come to is shown as people see it, by the library's views.
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { createScriptedModel, query, type Host, type SDKMessage } from 'rockpool/browser';
import {
  createTranscriptStore,
  toolViews,
  Transcript,
  useSession,
  type TranscriptStore,
} from 'rockpool/react';
import { startHeartbeat } from '../../../support/browser/heartbeat.ts';
import { plantLures, readHostState } from './host-state.ts';
import { openHost } from './open-host.ts';
import type { IsolationPage, Lures, Trial, TrialCell } from './trial.ts';
import type { Weakness } from './weakness.ts';

/** Cells may do anything with the other files of the workspace. */
const files: Readonly<Record<string, string>> = {
  '/workspace/readme.txt': 'open to all',
  '/workspace/secret/key.txt': 'secret-of-denied-file',
  '/workspace/secret/secret-of-name.txt': '',
  '/workspace/secret/code.cjs': "module.exports = 'secret-of-denied-module';",
  '/workspace/locked/terms.txt': 'not to be changed',
  '/workspace/.git/config': '[core]',
  '/outside/passwd': 'secret-of-outside',
};

/** What no cell may change: what the rules below deny, and what is outside of the workspace. */
const guarded = /^\/(?:outside|workspace\/(?:secret|locked|\.git))(?:\/|$)/u;

/** Where these are missing, nothing that a host function lets pass is held back by anything else. */
const unruled: ReadonlySet<Weakness> = new Set(['rules', 'host-functions', 'host-objects']);

/** Nobody is there to be asked. */
function rulesOf({ allowed }: Lures) {
  return {
    allowedTools: [`Repl(net:${new URL(allowed).host})`],
    disallowedTools: ['Read(secret/**)', 'Edit(locked/**)'],
  };
}

/** A person says yes to everything. */
function allowAll({ http, httpByName, httpByIpv6, httpByMappedIpv6, allowed, own }: Lures) {
  const urls = [http, httpByName, httpByIpv6, httpByMappedIpv6, allowed, own];
  return {
    allowedTools: urls.map((url) => `Repl(net:${new URL(url).host})`),
    additionalDirectories: ['/outside'],
    canUseTool: () => Promise.resolve({ behavior: 'allow' as const }),
  };
}

let host: Host | undefined;
let weakness: Weakness | undefined;
let shownLast: TranscriptStore | undefined;

function opened(): Host {
  if (!host) throw new Error('The test has not opened a host.');
  return host;
}

const page: IsolationPage = {
  async open(missing, lures) {
    // As every view is loaded when it is first shown; here no attack is to wait for it.
    await toolViews['Repl']?.();
    await host?.[Symbol.asyncDispose]();
    weakness = missing;
    host = await openHost(missing, 'isolation');
    await page.prepare();
    // What loads with the first cell, its view, and the first tool that a cell calls is no attack's
    // doing.
    idle = { ...idle, lures };
    const cells = [{ code: "await tools.Glob({ pattern: '*' })", timeout: 20_000 }];
    await page.run({ ...idle, cells, boundMs: 20_000 });
  },
  async prepare() {
    await plantLures();
    const { fs } = opened().workspace;
    // An attack may take the folder itself away: it may write there.
    await fs.mkdir('/workspace', { recursive: true });
    for (const name of await fs.readdir('/workspace')) {
      await fs.rm(`/workspace/${name}`, { recursive: true });
    }
    for (const [path, text] of Object.entries(files)) {
      await fs.mkdir(path.slice(0, path.lastIndexOf('/')), { recursive: true });
      await fs.writeFile(path, text);
    }
    await fs.symlink('/outside', '/workspace/way-out');
    await fs.symlink('secret/key.txt', '/workspace/way-in');
  },
  async isWell() {
    const [answer] = await runConversation('plain', [{ code: '6 * 7', timeout: 10_000 }], idle);
    return answer === '=> 42';
  },
  async run({ sessionId, cells, before, after, lures, boundMs }: Trial) {
    const heartbeat = startHeartbeat();
    const prelude = `const kept = 42; const lures = ${JSON.stringify(lures)};`;
    const converse = (id: string, codes: readonly TrialCell[]) =>
      runConversation(id, codes, { lures, boundMs });
    const victim = `${sessionId}-other`;
    const first = before.length > 0 ? await converse(victim, before) : [];
    const [, ...attacked] = await converse(sessionId, [
      { code: prelude, timeout: 5_000 },
      ...cells,
      { code: 'kept', timeout: 5_000 },
    ]);
    const last = after.length > 0 ? await converse(victim, after) : [];
    await showLast();
    return {
      answers: [...first, ...attacked.slice(0, cells.length), ...last],
      next: attacked[cells.length],
      blockedMs: heartbeat.stop(),
    };
  },
  state: readHostState,
  async guardedFiles() {
    const { fs } = opened().workspace;
    const found: Record<string, string> = {};
    for (const entry of await fs.readdir('/', { recursive: true, withFileTypes: true })) {
      const path = `${entry.parentPath === '/' ? '' : entry.parentPath}/${entry.name}`;
      if (!guarded.test(path)) continue;
      found[path] = entry.isFile() ? await fs.readFile(path, 'utf8') : 'no file';
    }
    return found;
  },
};
window.isolationPage = page;

let idle = {
  sessionId: 'idle',
  cells: [],
  before: [],
  after: [],
  boundMs: 2_000,
} as unknown as Trial;

/** The answer to each cell; fewer, where the bound is reached before. */
async function runConversation(
  sessionId: string,
  cells: readonly TrialCell[],
  { lures, boundMs }: { readonly lures: Lures; readonly boundMs: number },
): Promise<string[]> {
  const turns = cells.map((input) => ({
    blocks: [{ type: 'tool_use' as const, name: 'Repl', input: { ...input } }],
  }));
  const done = { blocks: [{ type: 'text' as const, text: 'Done.' }] };
  const model = createScriptedModel({ script: { turns: [...turns, done] } });
  const messages = query({
    prompt: 'Go.',
    options: {
      host: opened(),
      model,
      // Another conversation of the same sandboxes.
      sessionId,
      persistSession: false,
      // Whatever may be allowed is.
      permissionMode: 'bypassPermissions',
      ...(weakness && unruled.has(weakness) ? allowAll(lures) : rulesOf(lures)),
    },
  });
  const store = createTranscriptStore();
  shownLast = store;
  const answers: string[] = [];
  const over = new Promise<'over'>((resolve) => setTimeout(resolve, boundMs, 'over'));
  for (;;) {
    const next = await Promise.race([messages.next(), over]);
    if (next === 'over' || next.done) return answers;
    store.apply(next.value);
    const text = answerOf(next.value);
    if (text !== undefined) answers.push(text);
  }
}

function answerOf(message: SDKMessage): string | undefined {
  if (message.type !== 'user' || message.parent_tool_use_id !== null) return undefined;
  const [block] = message.message.content;
  if (typeof block !== 'object' || block.type !== 'tool_result') return undefined;
  return typeof block.content === 'string' ? block.content : JSON.stringify(block.content);
}

const box = document.querySelector('#shown') as HTMLElement;
const root = createRoot(box);

function Shown({ store }: { readonly store: TranscriptStore }) {
  return createElement(Transcript, { turns: useSession(store).turns, views: toolViews });
}

/** Until it has been painted: only then does a page fetch what an element names. */
async function showLast(): Promise<void> {
  const store = shownLast;
  if (!store) return;
  if (weakness === 'view') {
    const raw = document.createElement('div');
    raw.innerHTML = JSON.stringify(store.getSnapshot().turns).replaceAll('\\"', '"');
    document.body.append(raw);
  }
  root.render(createElement(Shown, { store }));
  for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
}
