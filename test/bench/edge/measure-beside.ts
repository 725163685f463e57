// A workspace and a session of ours beside Cloudflare's own packages, in one workerd: each in its own Worker, over SQLite
// on the same disk. They take turns, and what is told is the ratio of medians.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import type { BenchGoal } from '../../../scripts/bench.ts';
import { bundle } from '../../../scripts/bundle.ts';
import { buildIsolatePeers } from './peers/build-isolate-peers.ts';
import { median } from '../workspace/statistics.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const wasm = 'quickjs-wasi/quickjs.wasm';
const rounds = 7;
/** Not counted: engines compile. */
const roundsBefore = 2;
const turnsARound = 3;

/** Who takes part, and where: the Worker, and its class by what it is bound as. */
const fileContenders = {
  rockpool: ['own', 'FILES'],
  shell: ['peers', 'SHELL'],
  computer: ['peers', 'COMPUTER'],
} as const;

const agentContenders = { rockpool: ['own', 'AGENTS'], think: ['peers', 'THINK'] } as const;

/** On one instance, in this order. */
const warmWork = [
  'write',
  'overwrite',
  'read',
  'scattered',
  'list',
  'stat',
  'write_large',
  'read_large',
] as const;
/** Each by an instance that has just been woken by it. */
const coldWork = ['read', 'scattered', 'list', 'stat', 'read_large'] as const;

/** By metric, in milliseconds, and the ratios beside each peer. */
export type MeasuredBeside = Readonly<Record<string, number>>;

const fileWorks = [...warmWork, ...coldWork.map((work) => `${work}_asleep` as const)];

/** We are no slower than any of them, in anything. */
export const goalsBeside: readonly BenchGoal[] = [
  ...['shell', 'computer'].flatMap((peer) => fileWorks.map((work) => toGoal('files', work, peer))),
  ...['warm', 'asleep'].map((work) => toGoal('turn', work, 'think')),
];

function toGoal(kind: string, work: string, peer: string): BenchGoal {
  return {
    metric: `${kind}_${work}_vs_${peer}`,
    atLeast: 1,
    beside: [`${kind}_${work}_rockpool_ms`, `${kind}_${work}_${peer}_ms`],
  };
}

export async function measureBeside(): Promise<MeasuredBeside> {
  const own = await bundle(root, ['test/bench/edge/beside/own-main.ts'], (id) => id === wasm, [
    'workerd',
  ]);
  const peers = await buildIsolatePeers();
  const disk = mkdtempSync(join(tmpdir(), 'rockpool-bench-beside-'));
  const compatibilityDate = '2026-10-15';
  const sqlite = (className: string) => ({ className, useSQLite: true });
  const server = new Miniflare({
    ...convertV4MiniflareOptions({
      workers: [
        {
          name: 'own',
          modules: [
            ...toModules(own, 'own-main.js'),
            {
              type: 'CompiledWasm' as const,
              path: 'quickjs.wasm',
              contents: readFileSync(createRequire(import.meta.url).resolve(wasm)),
            },
          ],
          compatibilityDate,
          durableObjects: { FILES: sqlite('OwnFiles'), AGENTS: sqlite('OwnAgent') },
        },
        {
          name: 'peers',
          modules: toModules(peers, 'peer-main.js'),
          compatibilityDate,
          compatibilityFlags: ['nodejs_compat'],
          durableObjects: {
            SHELL: sqlite('ShellFiles'),
            COMPUTER: sqlite('ComputerFiles'),
            THINK: sqlite('ThinkAgent'),
          },
        },
      ],
      cf: false,
    }),
    resourcePersistencePath: disk,
  });
  try {
    await server.ready;
    return { ...(await measureFiles(server)), ...(await measureTurns(server)) };
  } finally {
    await server.dispose();
    rmSync(disk, { recursive: true, force: true, maxRetries: 5 });
  }
}

function toModules(
  chunks: readonly { readonly fileName: string; readonly code: string }[],
  main: string,
) {
  return (
    chunks
      .map(({ fileName, code }) => ({
        type: 'ESModule' as const,
        path: fileName,
        contents: code.replaceAll(wasm, './quickjs.wasm'),
      }))
      // The main module comes first.
      .toSorted(({ path }) => (path === main ? -1 : 1))
  );
}

type Place = readonly [worker: string, of: string];

/** Gives how long the answer took, in milliseconds: the runtime holds it back until all is on disk. */
async function ask(server: Miniflare, place: Place, path: string, object: string): Promise<number> {
  const [name, of] = place;
  const worker = await server.getWorker(name);
  const begun = performance.now();
  const response = await worker.fetch(`http://bench/${path}?of=${of}&object=${object}`);
  const text = await response.text();
  if (!response.ok) throw new Error(`${of} ${path}: ${response.status} ${text}`);
  return performance.now() - begun;
}

const sleep = (server: Miniflare, place: Place, object: string) =>
  ask(server, place, 'sleep', object).catch(() => undefined);

async function measureFiles(server: Miniflare): Promise<MeasuredBeside> {
  return play(fileContenders, 'files', async (place, round, note) => {
    const object = `files-${round}`;
    for (const work of warmWork) note(work, await ask(server, place, work, object));
    for (const work of coldWork) {
      await sleep(server, place, object);
      note(`${work}_asleep`, await ask(server, place, work, object));
    }
  });
}

/** Some in a conversation, and one after a sleep. */
async function measureTurns(server: Miniflare): Promise<MeasuredBeside> {
  return play(agentContenders, 'turn', async (place, round, note) => {
    const object = `turn-${round}`;
    await ask(server, place, 'turn', object);
    for (let turn = 0; turn < turnsARound; turn += 1) {
      note('warm', await ask(server, place, 'turn', object));
    }
    await sleep(server, place, object);
    note('asleep', await ask(server, place, 'turn', object));
  });
}

type PlayRound = (
  place: Place,
  round: number,
  note: (what: string, ms: number) => void,
) => Promise<void>;

/** They take turns, each round beginning with another one. */
async function play(
  contenders: Readonly<Record<string, Place>>,
  kind: string,
  playRound: PlayRound,
): Promise<MeasuredBeside> {
  const names = Object.keys(contenders);
  const times = new Map<string, number[]>();
  for (let round = -roundsBefore; round < rounds; round += 1) {
    console.error(`bench: ${kind} beside others, round ${round}`);
    for (let turn = 0; turn < names.length; turn += 1) {
      const name = names[(turn + round + roundsBefore) % names.length] ?? '';
      await playRound(contenders[name] as Place, round, (what, ms) => {
        const key = `${kind}_${what}_${name}_ms`;
        if (round >= 0) times.set(key, [...(times.get(key) ?? []), ms]);
      });
    }
  }
  const medians = new Map([...times].map(([key, values]) => [key, median(values)]));
  const ratios = [...medians].flatMap(([key, ms]): [string, number][] => {
    const [, what, name = ''] = /^[a-z]+_(.*)_([a-z]+)_ms$/u.exec(key) ?? [];
    if (name === 'rockpool') return [];
    return [
      [`${kind}_${what}_vs_${name}`, ms / Number(medians.get(`${kind}_${what}_rockpool_ms`))],
    ];
  });
  return Object.fromEntries([...medians, ...ratios]);
}
