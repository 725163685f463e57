// Attacks on a cell's sandbox in a real Chromium, judged from outside. Each is first shown to
// succeed where the wall that it runs against is missing, so that the judge is known to see it.
// Then it is let loose on the sandbox that people get. There it must do nothing, neither at once
// nor later. The ordinary run shows the first of each wall and harm; WEAKENED=all shows every one.
// Two test files have half of the classes each, so that they run beside each other.
import type { Browser } from 'playwright';
import { afterAll, describe, expect } from 'vitest';
import { it } from '../../e2e/chromium.ts';
import type { Attack, Damage } from './attack.ts';
import { knock } from './listeners.ts';
import { startOutside, type Outside } from './outside.ts';
import type { Weakness } from './page/weakness.ts';
import { watchMemory, type ProcessMemory } from './process-memory.ts';
import { openSandbox, type Sandbox } from './sandbox.ts';

/** What it takes to call nothing an attack: a cell like others, in every sandbox. */
const harmless = {
  name: 'harmless',
  cells: "fs.writeFileSync('notes.txt', 'x'); console.log('hello'); [1, 2].map((n) => n * 2)",
  harm: 'stuck',
} as const;

const showsAll = process.env['WEAKENED'] === 'all';

/** Without these, an attack changes the page itself: it serves no other wall. */
const ownPage: ReadonlySet<Weakness> = new Set(['page-engine', 'view', 'worker']);

// A machine that others keep busy holds up a page now and then; what an attack does, it does every time.
const maxTries = 4;

async function attack(sandbox: Sandbox, given: Attack, tries = 1): Promise<readonly Damage[]> {
  const damage = await sandbox.attack(given);
  const isOnlyBlocked = damage.length === 1 && damage[0]?.harm === 'blocked';
  return isOnlyBlocked && tries < maxTries ? attack(sandbox, given, tries + 1) : damage;
}

/** Makes the tests of a file, one an attack, by its class. */
export function judgeAttacks(classes: Readonly<Record<string, readonly Attack[]>>): void {
  let memory: ProcessMemory;
  /** What a weakened sandbox sends, perhaps late, never counts as the real one's. */
  let ofWeakened: Outside;
  let ofReal: Outside;
  let real: Sandbox;
  /** A weakened one, and the wall that it lacks. */
  let weak: { readonly sandbox: Sandbox; without: Weakness } | undefined;
  // What has been opened, also where the rest couldn't be.
  const opened = new AsyncDisposableStack();
  // When all are over, in whatever order they ran: nothing has come late, and nothing has ever left the
  // whole sandbox.
  afterAll(async () => {
    await using _ = opened;
    expect(await attack(real, { ...harmless, without: 'engine' })).toEqual([]);
    await real.close();
    await knock(ofReal.listeners);
    expect(ofReal.listeners.hits).toEqual(['http GET /knock ', 'udp']);
  });

  it.beforeAll(async ({ browser }: { browser: Browser }) => {
    memory = await watchMemory(browser);
    ofWeakened = opened.use(await startOutside());
    ofReal = opened.use(await startOutside());
    real = await openSandbox(browser, { outside: ofReal, memory });
    opened.defer(async () => {
      await real.close();
      await dropWeakened();
    });
  });

  async function takeWeakened(browser: Browser, without: Weakness): Promise<Sandbox> {
    if (weak?.without === without && (await weak.sandbox.mend())) return weak.sandbox;
    if (weak && weak.without !== without && !ownPage.has(weak.without)) {
      weak.without = without;
      if (await weak.sandbox.become(without)) return weak.sandbox;
    }
    await dropWeakened();
    const sandbox = await openSandbox(browser, { outside: ofWeakened, memory, weakness: without });
    weak = { sandbox, without };
    return sandbox;
  }

  async function dropWeakened(): Promise<void> {
    await weak?.sandbox.close();
    weak = undefined;
  }

  const shown = new Set<string>();
  /** Attacks that are first let loose where their wall is missing. */
  const toShow = new Set(
    Object.values(classes)
      .flat()
      .filter(({ without, harm }) => {
        const kind = `${without} ${harm}`;
        const isNew = !shown.has(kind);
        shown.add(kind);
        return isNew || showsAll;
      }),
  );

  async function show(browser: Browser, { without, harm, ...given }: Attack): Promise<void> {
    const weak = await takeWeakened(browser, without);
    const success = await weak.attack({ ...given, without, harm }, harm);
    // What spins goes on for a while unless its process ends, and so does a page that asks for a
    // connection by UDP. What an attack took isn't given back at once, and would hide what the next
    // one takes.
    const goesOn = success.some(({ detail }) => detail === 'no answer' || detail === 'udp');
    if (goesOn || harm === 'memory') await dropWeakened();
    expect(success, weak.answers.join('\n')).toContainEqual(expect.objectContaining({ harm }));
  }

  const all = Object.values(classes).flat();
  const missing = [...new Set(all.map(({ without }) => without))];
  // Wall by wall: a page is opened anew, or its host, where it is another.
  describe.each(missing)('without the wall %s', (without) => {
    it('sees nothing in a harmless cell', async ({ browser }) => {
      const sandbox = await takeWeakened(browser, without);
      expect(await attack(sandbox, { ...harmless, without })).toEqual([]);
    });

    it.for(all.filter((given) => given.without === without && toShow.has(given)))(
      'sees what it does: $name',
      async (given, { browser }) => show(browser, given),
    );
  });

  describe.each(Object.entries(classes))('%s', (_name, attacks) => {
    it.for(attacks)('$name', async (given) => {
      expect(await attack(real, given), real.answers.join('\n')).toEqual([]);
    });
  });
}
