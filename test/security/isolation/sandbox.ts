// A page with a sandbox in it, whole or without a wall, and what is seen of it from outside while an
// attack runs.
import type { Browser } from 'playwright';
import { claim, type Attack, type Damage, type Harm } from './attack.ts';
import type { Listeners } from './listeners.ts';
import type { Outside } from './outside.ts';
import { compareViews, lookAt, type PageView } from './page-view.ts';
import type { Lures, TrialCell } from './page/trial.ts';
import type { Weakness } from './page/weakness.ts';
import type { ProcessMemory } from './process-memory.ts';

/** What a cell without a timeout of its own has: more than any honest attack needs. */
const timeoutMs = 5_000;

// 30 s are far more than any conversation takes, also on a busy machine. Where the harm is that
// none ends, the weakened one is waited for in vain. That lasts as long as the attack itself may
// take, and 2 s more. The whole sandbox ends its worker, has another and answers within one.
const boundMs = 30_000;
const recoveryMs = 2_000;

/** Only these are seen by a look at the page and its workers. */
const seenByLook: ReadonlySet<Harm> = new Set(['page', 'realm', 'files']);

// Of the page, as docs/threat-model.md promises.
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
  /**
   * Runs an attack; what it did, as far as it can be seen. `wanted`: waits a while for this one.
   * Nothing of the whole sandbox is forgotten: what an earlier attack did late is this one's.
   */
  attack(attack: Attack, wanted?: Harm): Promise<readonly Damage[]>;
  /** Does it run plain cells? If not, its host is opened anew. False: that didn't help. */
  mend(): Promise<boolean>;
  /** Opens its host anew, without another wall, which takes a third of what a page takes. False: it couldn't. */
  become(weakness: Weakness): Promise<boolean>;
  /** The answers to the last attack's cells. */
  readonly answers: readonly string[];
  close(): Promise<void>;
}

export async function openSandbox(
  browser: Browser,
  { outside, memory, weakness: first }: SandboxOptions,
): Promise<Sandbox> {
  let weakness = first;
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
  const openHost = async () => {
    await page.evaluate(([missing, where]) => window.isolationPage!.open(missing, where), [
      weakness,
      lures,
    ] as const);
    return lookAt(context, page);
  };
  let loaded = await openHost();

  let count = 0;
  let answers: readonly string[] = [];
  /** Of the listeners' hits, how many have been judged. */
  let judged = 0;
  /** Whether the last thing that it ran was a plain cell that was answered. */
  let answersNow = true;
  /** As it was left by the last attack; undefined where that did damage, and before the first. */
  let untouched: PageView | undefined;

  async function run(attack: Attack, wanted: Harm | undefined): Promise<readonly Damage[]> {
    await page.evaluate(() => window.isolationPage!.prepare());
    // Late damage by an attack that was meant to succeed would look like a success of this one.
    if (weakness) [judged, untouched] = [listeners.hits.length, undefined];
    // Of a weakened one it's enough to see what is wanted: looks take as long as most attacks.
    const looks = wanted === undefined || seenByLook.has(wanted);
    const before = looks ? (untouched ?? (await lookAt(context, page))) : undefined;
    untouched = undefined;
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
      boundMs: wanted === 'stuck' ? timeout + recoveryMs : boundMs,
    });

    answers = report.answers;
    answersNow = report.next?.endsWith('=> 42') === true;
    const growth = await memory.growth();
    if (wanted === 'network') await waitForHit(listeners, judged);

    const heard = listeners.hits.slice(judged);
    judged = listeners.hits.length;
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
      !answersNow && { harm: 'stuck', detail: report.next ?? 'no answer' },
      said.includes(claim) && { harm: 'claimed', detail: said },
    ];
    const found = damage.filter((each) => each !== false);
    // A worker that spins can't be looked at.
    if (before === undefined || report.next === undefined) return found;
    const after = await lookAt(context, page);
    const all = [...found, ...compareViews(before, after, loaded)];
    if (all.length === 0) untouched = after;
    return all;
  }

  async function reopen(): Promise<boolean> {
    try {
      loaded = await openHost();
      return true;
    } catch {
      return false;
    }
  }

  const isWell = () => page.evaluate(() => window.isolationPage!.isWell()).catch(() => false);
  return {
    attack: run,
    get answers() {
      return answers;
    },
    async mend() {
      if (answersNow || (await isWell())) return true;
      return (await reopen()) && isWell();
    },
    async become(next) {
      weakness = next;
      return reopen();
    },
    close: () => context.close(),
  };
}

/** Some hits come after the cell that caused them. 3 s is far more than the loopback takes. */
async function waitForHit({ hits }: Listeners, from: number): Promise<void> {
  const end = Date.now() + 3_000;
  while (hits.length === from && Date.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
