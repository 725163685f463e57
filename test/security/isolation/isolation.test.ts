// Attacks on a cell's sandbox in a real Chromium, judged from outside. Each is first shown to succeed
// where the wall that it runs against is missing, so that the judge is known to see it; then it is
// let loose on the sandbox that people get, where it must do nothing.
import type { Browser } from 'playwright';
import { afterAll, describe, expect } from 'vitest';
import { it } from '../../e2e/chromium.ts';
import type { Attack } from './attack.ts';
import { cpuAttacks } from './attacks/cpu.ts';
import { escapes } from './attacks/escape.ts';
import { exfiltrations } from './attacks/exfiltration.ts';
import { fileAttacks } from './attacks/file-permissions.ts';
import { hostFunctionAttacks } from './attacks/host-functions.ts';
import { memoryAttacks } from './attacks/memory.ts';
import { robustnessAttacks } from './attacks/robustness.ts';
import { sideChannels } from './attacks/side-channels.ts';
import { storageAttacks } from './attacks/storage.ts';
import type { Weakness } from './page/weakness.ts';
import { startOutside, type Outside } from './outside.ts';
import { watchMemory, type ProcessMemory } from './process-memory.ts';
import { openSandbox, type Sandbox } from './sandbox.ts';

const classes: Readonly<Record<string, readonly Attack[]>> = {
  escape: escapes,
  exfiltration: exfiltrations,
  storage: storageAttacks,
  'file-permission bypass': fileAttacks,
  CPU: cpuAttacks,
  memory: memoryAttacks,
  robustness: robustnessAttacks,
  'side channel': sideChannels,
  'host-function abuse': hostFunctionAttacks,
};

let memory: ProcessMemory;
/** What a weakened sandbox sends, perhaps late, never counts as the real one's: each has its own ears. */
let ofWeakened: Outside;
let ofReal: Outside;
let real: Sandbox;

it.beforeAll(async ({ browser }: { browser: Browser }) => {
  memory = await watchMemory(browser);
  ofWeakened = await startOutside();
  ofReal = await startOutside();
  real = await openSandbox(browser, { outside: ofReal, memory });
});

afterAll(async () => {
  for (const sandbox of [real, ...weakened.values()]) await sandbox.close();
  for (const outside of [ofReal, ofWeakened]) await outside[Symbol.asyncDispose]();
});

/** Weakened sandboxes that are still of use, by the wall that they lack. */
const weakened = new Map<Weakness, Sandbox>();

async function takeWeakened(browser: Browser, weakness: Weakness): Promise<Sandbox> {
  const known = weakened.get(weakness);
  if (known && (await known.isWell())) return known;
  await dropWeakened(weakness);
  const fresh = await openSandbox(browser, { outside: ofWeakened, memory, weakness });
  weakened.set(weakness, fresh);
  return fresh;
}

async function dropWeakened(weakness: Weakness): Promise<void> {
  await weakened.get(weakness)?.close();
  weakened.delete(weakness);
}

/** What it takes to call nothing an attack: a cell like others, in every sandbox. */
const harmless =
  "fs.writeFileSync('notes.txt', 'x'); console.log('hello'); [1, 2].map((n) => n * 2)";

it.for([
  ...new Set(Object.values(classes).flatMap((attacks) => attacks.map(({ without }) => without))),
])('sees nothing in a harmless cell, without the wall %s', async (without, { browser }) => {
  const weak = await takeWeakened(browser, without);
  const cell = { name: 'harmless', cells: harmless, without, harm: 'stuck' } as const;
  expect(await weak.attack(cell)).toEqual([]);
});

describe.each(Object.entries(classes))('%s', (_name, attacks) => {
  it.for(attacks)('$name', async (attack, { browser }) => {
    const weak = await takeWeakened(browser, attack.without);
    const success = await weak.attack(attack, attack.harm);
    // One that is stuck is of no more use; and what an attack took isn't given back at once, and would
    // hide what the next one takes.
    const isStuck = success.some(({ detail }) => detail === 'no answer');
    if (isStuck || attack.harm === 'memory') await dropWeakened(attack.without);
    expect(success, weak.answers.join('\n')).toContainEqual(
      expect.objectContaining({ harm: attack.harm }),
    );
    expect(await real.attack(attack), real.answers.join('\n')).toEqual([]);
  });
});
