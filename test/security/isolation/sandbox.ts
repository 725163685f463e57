// A page with a sandbox in it, whole or without a wall, and what is seen of it from outside while an
// attack runs.
import type { Browser, BrowserContext, Page } from 'playwright';
import { claim, type Attack, type Harm } from './attack.ts';
import type { Listeners } from './listeners.ts';
import type { Outside } from './outside.ts';
import type { Lures, TrialCell } from './page/trial.ts';
import type { Weakness } from './page/weakness.ts';
import type { ProcessMemory } from './process-memory.ts';
import { readRealm } from './realm-state.ts';

/** Something that an attack did, and what is known of it. */
export interface Damage {
  readonly harm: Harm;
  readonly detail: string;
}

/** What a cell without a timeout of its own has: more than any honest attack needs. */
const timeoutMs = 5_000;

// Of the page, as the issue has it.
const maxBlockedMs = 500;

// Five times the session's 32 MB: the VM, its snapshot, and the page's copy of that are within it.
const maxGrowthBytes = 160 * 1024 * 1024;

export interface SandboxOptions {
  readonly outside: Outside;
  readonly memory: ProcessMemory;
  /** The wall that is missing. Left out: the sandbox that people get. */
  readonly weakness?: Weakness;
}

/** Close it when done. */
export interface Sandbox {
  /** Runs an attack; what it did, as far as it can be seen. `wanted`: waits a while for this one. */
  attack(attack: Attack, wanted?: Harm): Promise<readonly Damage[]>;
  /** Does it still run plain cells? */
  isWell(): Promise<boolean>;
  /** The answers to the last attack's cells. */
  readonly answers: readonly string[];
  close(): Promise<void>;
}

export async function openSandbox(
  browser: Browser,
  { outside, memory, weakness }: SandboxOptions,
): Promise<Sandbox> {
  const { url, listeners } = outside;
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(url);
  await page.waitForFunction(() => window.isolationPage !== undefined);
  const lures: Lures = {
    http: `http://127.0.0.1:${listeners.port}`,
    httpByName: `http://localhost:${listeners.port}`,
    httpByIpv6: `http://[::1]:${listeners.port}`,
    httpByMappedIpv6: `http://[::ffff:127.0.0.1]:${listeners.port}`,
    port: listeners.port,
    udpPort: listeners.udpPort,
    allowed: `http://127.0.0.1:${listeners.allowedPort}`,
    own: new URL('probe', url).href,
  };
  await page.evaluate(([missing, where]) => window.isolationPage!.open(missing, where), [
    weakness,
    lures,
  ] as const);

  let count = 0;
  let answers: readonly string[] = [];

  async function run(attack: Attack, wanted: Harm | undefined): Promise<readonly Damage[]> {
    await page.evaluate(() => window.isolationPage!.prepare());
    const before = await look(context, page);

    const heardBefore = listeners.hits.length;
    await memory.reset();

    const timeout = attack.timeout ?? timeoutMs;
    const toCells = (codes: string | readonly string[] = []): TrialCell[] =>
      [codes].flat().map((code) => ({ code, timeout }));
    const report = await page.evaluate((trial) => window.isolationPage!.run(trial), {
      sessionId: `attack-${(count += 1)}`,
      cells: toCells(attack.cells),
      before: toCells(attack.before),
      after: toCells(attack.after),
      lures,
      // Who is to be stuck needn't be waited for longer than the real one takes to be cut.
      boundMs: wanted === 'stuck' ? timeout + 1_500 : 20_000,
    });

    answers = report.answers;
    const growth = (await memory.growth()) ?? 0;
    if (wanted === 'network') await waitForHit(listeners, heardBefore);

    const heard = listeners.hits.slice(heardBefore);
    const said = [...report.answers, ...heard].join('\n');
    const damage: (Damage | false)[] = [
      ...heard.map((detail) => ({ harm: 'network' as const, detail })),
      ...[...new Set(said.match(/secret-of-[\w-]+/gu))].map((detail) => ({
        harm: 'secret' as const,
        detail,
      })),
      report.blockedMs > maxBlockedMs && { harm: 'blocked', detail: `${report.blockedMs} ms` },
      growth > maxGrowthBytes && { harm: 'memory', detail: `${Math.round(growth / 1e6)} MB` },
      // Something may be printed before it: timers that an attack has left, say.
      !report.next?.endsWith('=> 42') && { harm: 'stuck', detail: report.next ?? 'no answer' },
      said.includes(claim) && { harm: 'claimed', detail: said },
    ];
    const found = damage.filter((each) => each !== false);
    // A worker that spins can't be looked at.
    if (report.next === undefined) return found;
    return [...found, ...compare(before, await look(context, page))];
  }

  return {
    attack: run,
    get answers() {
      return answers;
    },
    isWell: () => page.evaluate(() => window.isolationPage!.isWell()).catch(() => false),
    close: () => context.close(),
  };
}

/** Everything that must be as before, by the harm that it would be. */
type View = Readonly<Partial<Record<Harm, Readonly<Record<string, string>>>>>;

async function look(context: BrowserContext, page: Page): Promise<View> {
  const state = await page.evaluate(() => window.isolationPage!.state());
  const realms = await Promise.all([
    page.evaluate(readRealm).then((realm) => ({ kind: 'page', realm })),
    ...page.workers().map(async (worker) => ({
      kind: new URL(worker.url()).pathname.replace(/^.*\//u, ''),
      // One that ends while it is looked at, as spares do, is none.
      // Nor is one whose built-ins are gone: then there is no answer that could be read.
      realm: (await worker.evaluate(readRealm).catch(() => undefined)) ?? {},
    })),
  ]);
  // Workers come and go, but those of one file are alike, unless an attack was in one of them.
  const texts = new Map<string, Set<string>>();
  for (const { kind, realm } of realms) {
    for (const [name, text] of Object.entries(realm)) {
      const key = `${kind} ${name}`;
      texts.set(key, (texts.get(key) ?? new Set()).add(text));
    }
  }
  return {
    page: { ...state, pages: String(context.pages().length) },
    realm: Object.fromEntries(
      [...texts].map(([key, found]) => [key, [...found].sort().join('\n')]),
    ),
    files: await page.evaluate(() => window.isolationPage!.guardedFiles()),
  };
}

function compare(before: View, after: View): Damage[] {
  return (Object.keys(before) as Harm[]).flatMap((harm) => {
    const [old, now] = [before[harm] ?? {}, after[harm] ?? {}];
    return [...new Set([...Object.keys(old), ...Object.keys(now)])]
      .filter((key) => old[key] !== now[key] && !isStillLoading(key, old[key], now[key]))
      .map((key) => ({ harm, detail: `${key}: ${old[key]} → ${now[key]}`.slice(0, 300) }));
  });
}

/** Some hits come after the cell that caused them. 3 s is far more than the loopback takes. */
async function waitForHit({ hits }: Listeners, from: number): Promise<void> {
  const end = Date.now() + 3_000;
  while (hits.length === from && Date.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** A worker that has just been started lacks what its own modules put there, and has nothing new. */
function isStillLoading(key: string, old = '', now = ''): boolean {
  const known = new Set(old.split(/[,\n]/u));
  return key.endsWith(' globals') && now.split(/[,\n]/u).every((name) => known.has(name));
}
