// Tabs of one workspace, in one realm. They are hosts over the same streams and files, which share
// its sessions by the browser's own locks and channels, as Node has them. A tab can be killed:
// nothing more comes from it.
import { onTestFinished } from 'vitest';
import type { Host } from '../../../src/agent/host.ts';
import type { SessionTabs } from '../../../src/agent/tabs/session-tabs.ts';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import { createSessionTabs } from '../../../src/hosts/browser/page/session-tabs.ts';
import { createMemoryWorkspace } from '../../../src/workspace/memory-workspace.ts';

export interface Tab {
  readonly host: Host;
  /** Releases its locks, closes its channels, and ignores its further writes. */
  kill(): void;
}

/** A new promise for each caller, because one that is never settled would keep all of its callers in memory. */
const never = () => new Promise<never>(() => undefined);

/** Gives new tabs of a workspace of its own. */
export async function openTabs(): Promise<() => Promise<Tab>> {
  const whole = await createMemoryWorkspace();
  const name = crypto.randomUUID();
  return async () => {
    let isDead = false;
    const alive =
      <Given extends readonly unknown[], Result>(run: (...given: Given) => Promise<Result>) =>
      (...given: Given): Promise<Result> =>
        isDead ? never() : run(...given);
    const { streams } = whole;
    const workspace: typeof whole = {
      ...whole,
      commit: alive(whole.commit.bind(whole)),
      streams: {
        ...streams,
        append: alive(streams.append.bind(streams)),
        onAppend: (listener, onError) =>
          streams.onAppend((appended) => isDead || listener(appended), onError),
      },
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
    const { tabs, kill } = mortal(createSessionTabs(name));
    const host: Host = { ...(await createInlineHost({ workspace })), tabs };
    // Disposing a killed host would wait for its journal for ever.
    onTestFinished(() => (isDead ? undefined : host[Symbol.asyncDispose]()));
    return {
      host,
      kill() {
        isDead = true;
        kill();
      },
    };
  };
}

function mortal(whole: SessionTabs): { readonly tabs: SessionTabs; kill(): void } {
  const owned = new Set<Disposable>();
  let isDead = false;
  const own = <One extends Disposable | undefined>(one: One): One => {
    if (one) owned.add(one);
    if (isDead) one?.[Symbol.dispose]();
    return one;
  };
  const dead = new AbortController();
  return {
    tabs: {
      tryHold: async (id) => own(await whole.tryHold(id)),
      hold: async (id, signal) => own(await whole.hold(id, AbortSignal.any([signal, dead.signal]))),
      openChannel(id) {
        const channel = own(whole.openChannel(id));
        return {
          ...channel,
          post: (message) => void (isDead || channel.post(message)),
          listen: (receive) => channel.listen((message) => isDead || receive(message)),
        };
      },
    },
    kill() {
      isDead = true;
      dead.abort();
      for (const one of owned) one[Symbol.dispose]();
    },
  };
}
