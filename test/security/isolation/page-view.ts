// Everything of a page that must be after an attack as it was before, seen from outside.
import type { BrowserContext, Page, Worker } from 'playwright';
import type { Damage } from './attack.ts';
import { parseRealm, readRealm } from './realm-state.ts';

type Texts = Readonly<Record<string, string>>;

export interface PageView {
  readonly page: Texts;
  readonly files: Texts;
  readonly realms: readonly RealmView[];
}

interface RealmView {
  readonly of: Page | Worker;
  /** `page`, or the file that a worker runs. */
  readonly kind: string;
  /** For {@link parseRealm}: thousands of lines. Most realms are as they were, and then nobody reads them. */
  readonly lines: string;
}

/** Waits for every realm to answer: a worker that spins is not to be looked at. */
export async function lookAt(context: BrowserContext, page: Page): Promise<PageView> {
  const workers = await Promise.all(page.workers().map((worker) => lookInto(worker, page)));
  const lines: unknown = await page.evaluate(readRealm);
  if (typeof lines !== 'string') throw new Error(`The page says ${lines} of itself.`);
  const realm = { of: page, kind: 'page', lines };
  const state = await page.evaluate(() => window.isolationPage!.state());
  return {
    page: { ...state, pages: String(context.pages().length) },
    files: await page.evaluate(() => window.isolationPage!.guardedFiles()),
    realms: [realm, ...workers.filter((found) => found !== undefined)],
  };
}

/** Undefined: it ended while it was looked at, as spares do. */
async function lookInto(worker: Worker, page: Page): Promise<RealmView | undefined> {
  const kind = new URL(worker.url()).pathname.replace(/^.*\//u, '');
  const found = (lines: string) => ({ of: worker, kind, lines });
  const unreadable = (why: string) => found(`unreadable\t${why.replaceAll('\n', ' ')}\n`);
  try {
    const text: unknown = await worker.evaluate(readRealm);
    // Without its built-ins a realm may answer, but nothing that could be read.
    return typeof text === 'string' ? found(text) : unreadable('no answer');
  } catch (error) {
    return page.workers().includes(worker) ? unreadable(String(error)) : undefined;
  }
}

/** What is not as it was. `loaded`: as the page was when all that it loads later had been loaded. */
export function compareViews(before: PageView, after: PageView, loaded: PageView): Damage[] {
  const known = [...before.realms, ...loaded.realms];
  const toDamage = (harm: 'page' | 'files') =>
    listChanges(before[harm], after[harm]).map((detail) => ({ harm, detail }));
  return [
    ...toDamage('page'),
    ...toDamage('files'),
    ...after.realms.flatMap((realm) => compareRealm(realm, known)),
  ];
}

/** One damage for a realm, however much of it was changed. */
function compareRealm({ of, kind, lines }: RealmView, before: readonly RealmView[]): Damage[] {
  const ownBefore = before.find((realm) => realm.of === of);
  const others = before.filter((realm) => realm.kind === kind && realm.of !== of);
  const same = ownBefore ? [ownBefore] : others;
  if (same.some((realm) => realm.lines === lines)) return [];

  const state = parseRealm(lines);
  const own = ownBefore && parseRealm(ownBefore.lines);
  const alike = others.map((realm) => parseRealm(realm.lines));
  // Workers of one file are alike. Only one that has just been started may lack something: what its
  // modules haven't put there yet. It may have it later, if another of its kind had the same.
  const known = Object.entries(state).filter(([key, text]) =>
    alike.some((other) => other[key] === text),
  );
  const changes = listChanges({ ...Object.fromEntries(known), ...own }, state);
  return changes.length === 0
    ? []
    : [{ harm: 'realm', detail: `${kind}: ${changes.join('; ')}`.slice(0, 300) }];
}

function listChanges(old: Texts, now: Texts): string[] {
  return [...new Set([...Object.keys(old), ...Object.keys(now)])]
    .filter((key) => old[key] !== now[key])
    .map((key) => `${key}: ${old[key]} → ${now[key]}`.slice(0, 300));
}
