// Two places between which a session moves, each over a medium that outlives its hosts: a tab, which sends requests,
// and a cloud, which answers. Either can be killed at any message, and then sends nothing more.
import type { OpenedSession } from '../../../src/agent/agent-session.ts';
import type { Host } from '../../../src/agent/host.ts';
import { hasJournal, loadJournal } from '../../../src/agent/journal/stored-journal.ts';
import { openSession } from '../../../src/agent/open-session.ts';
import type { QueryOptions } from '../../../src/agent/query-options.ts';
import { readLedger } from '../../../src/agent/session/handover/ledger.ts';
import { findOut } from '../../../src/agent/session/handover/whereabouts.ts';
import { decodeFrame, encodeFrame } from '../../../src/wire/handover/frames.ts';
import { serveMoves } from '../../../src/wire/handover/serve-moves.ts';
import type { MoveServer } from '../../../src/wire/move-server.ts';
import { createMemoryMedium } from '../../../src/workspace/drivers/memory.ts';
import { movingModel } from './moving-model.ts';
import { loadQuickjsWasm } from '#quickjs-wasm';
import { createInlineHost } from '../../../src/hosts/inline/create-inline-host.ts';
import type { LogMedium } from '../../../src/workspace/log/log-medium.ts';
import { openWorkspace } from '../../../src/workspace/open-workspace.ts';

export const movingId = 'session-1';
export const movingUrl = 'https://cloud.example/wire';

/** What happens at a message: nothing, or one side is killed. */
export type MessageFate = 'tab' | 'cloud-before' | 'cloud-after' | undefined;

export interface MovingPlaces {
  readonly tab: Host;
  readonly cloud: Host;
  /** Messages so far. */
  readonly count: number;
  /** Called before each message; returns what happens at it. */
  fate: (count: number, type: string) => MessageFate;
  /** Resolves when the tab is killed; it receives nothing afterwards. */
  readonly whenTabDies: Promise<void>;
  /** Bytes that crossed, of all bodies. */
  readonly bytes: number;
  fetch: typeof fetch;
  /** May change an answer, to simulate a place that lies. */
  lie: (type: string, fields: Record<string, unknown>) => Record<string, unknown>;
  openIn(place: 'tab' | 'cloud', options?: Partial<QueryOptions>): Promise<OpenedSession>;
  reopenTab(): Promise<void>;
  /** The places at which the session may be opened now. */
  owners(): Promise<string[]>;
  close(): Promise<void>;
}

export async function openMovingPlaces(
  defaults: Partial<QueryOptions> = {},
): Promise<MovingPlaces> {
  const media = { tab: createMemoryMedium(), cloud: createMemoryMedium() };
  const hosts = { tab: await openHost(media.tab), cloud: await openHost(media.cloud) };
  const abandoned: Host[] = [];
  /** The session in the cloud. It is another one if the session was reclaimed as a copy. */
  let sessionThere = movingId;
  let server = serve(hosts.cloud);
  let count = 0;
  let bytes = 0;
  let die: () => void = () => undefined;
  let whenTabDies = new Promise<void>((resolve) => (die = resolve));

  function serve(host: Host): MoveServer {
    return serveMoves({
      name: 'a cloud of the tests',
      acceptsRules: false,
      session: () => sessionThere,
      withWorkspace: (work) => work(host.workspace),
      left: async () => {},
      stillLeaving: async () => {},
      arrived: async (session) => void (sessionThere = session),
    });
  }

  async function killCloud(): Promise<void> {
    abandoned.push(hosts.cloud);
    hosts.cloud = await openHost(media.cloud);
    server = serve(hosts.cloud);
  }

  const places: MovingPlaces = {
    get tab() {
      return hosts.tab;
    },
    get cloud() {
      return hosts.cloud;
    },
    get count() {
      return count;
    },
    get bytes() {
      return bytes;
    },
    get whenTabDies() {
      return whenTabDies;
    },
    fate: () => undefined,
    lie: (_type, fields) => fields,
    async fetch(_url, init) {
      const body = init?.body as Uint8Array<ArrayBuffer>;
      const { fields } = await decodeFrame(body);
      const type = String(fields['type']);
      const fate = places.fate(count, type);
      count += 1;
      if (fate === 'cloud-before') {
        await killCloud();
        throw new TypeError('The connection is lost.');
      }
      const answer = await server(body);
      bytes += body.length + answer.length;
      if (fate === 'tab') {
        die();
        return new Promise<Response>(() => {});
      }
      if (fate === 'cloud-after') {
        await killCloud();
        throw new TypeError('The connection is lost.');
      }
      const given = await decodeFrame(answer);
      const told = places.lie(type, { ...given.fields });
      return new Response(await encodeFrame(told, given.blobs));
    },
    openIn: async (place, options = {}) => {
      const host = hosts[place];
      const isKept = await hasJournal(host.workspace, movingId);
      return openSession({
        model: movingModel,
        permissionMode: 'bypassPermissions',
        ...defaults,
        ...options,
        host,
        ...(isKept ? { resume: movingId } : { sessionId: movingId }),
      });
    },
    async reopenTab() {
      abandoned.push(hosts.tab);
      hosts.tab = await openHost(media.tab);
      whenTabDies = new Promise<void>((resolve) => (die = resolve));
    },
    async owners() {
      const found: string[] = [];
      for (const place of ['tab', 'cloud'] as const) {
        const { workspace } = hosts[place];
        if (!(await hasJournal(workspace, movingId))) continue;
        const fold = await loadJournal(workspace, movingId);
        const where = findOut(fold, await readLedger(workspace.streams, movingId));
        if (where === 'here' || where === 'leaving') found.push(place);
      }
      return found;
    },
    async close() {
      await hosts.tab[Symbol.asyncDispose]();
      await hosts.cloud[Symbol.asyncDispose]();
    },
  };
  return places;
}

/** A killed host is simply not used any more; it writes nothing by itself. */
async function openHost(medium: LogMedium): Promise<Host> {
  const workspace = await openWorkspace({ ...medium, close: async () => {} }, { name: 'kept' });
  return createInlineHost({ workspace, loadWasm: loadQuickjsWasm });
}

/** Options without a wait between attempts, and without a timeout for answers. */
export const atOnce = {
  now: () => Date.now(),
  after(ms: number, act: () => void) {
    if (ms < 10_000) queueMicrotask(act);
    return { [Symbol.dispose]() {} };
  },
};
