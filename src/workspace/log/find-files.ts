// Lists the files that a recovery may use: the segments named by the newest valid header, and the
// images. Only checks that each file begins correctly.
import { SdkError, hasCode } from '../../core/errors.ts';
import { oldLogName, parseImageName, parseIndexName, parseSegmentName } from './file-name.ts';
import { readImageRevision } from './image-file.ts';
import { preludeBytes } from './json-block.ts';
import type { LogMedium, ReadFile } from './log-medium.ts';
import { readSegmentHeader, type LiveSegment } from './segment-header.ts';

/** The medium's files at the time of the takeover. Each is opened once. */
export class FoundFiles {
  readonly #medium: LogMedium;
  readonly #lengths: ReadonlyMap<string, number>;
  readonly #opened = new Map<string, Promise<ReadFile | undefined>>();

  constructor(medium: LogMedium, lengths: ReadonlyMap<string, number>) {
    this.#medium = medium;
    this.#lengths = lengths;
  }

  get names(): string[] {
    return [...this.#lengths.keys()];
  }

  equals(other: FoundFiles): boolean {
    const isSame = (name: string) => other.#lengths.get(name) === this.#lengths.get(name);
    return this.#lengths.size === other.#lengths.size && this.names.every(isSame);
  }

  /** Returns 0 for a missing file. */
  lengthOf(name: string): number {
    return this.#lengths.get(name) ?? 0;
  }

  /**
   * Starts to open all segments and images in parallel, because a recovery needs most of them, and
   * each takes a round trip to the browser. A failure is reported to the caller that needs the
   * file.
   */
  openAll(): void {
    for (const name of this.names) {
      if (parseSegmentName(name) ?? parseImageName(name)) this.open(name).catch(() => {});
    }
  }

  /** Resolves to undefined for a missing file, or one that a former owner has just removed. */
  open(name: string): Promise<ReadFile | undefined> {
    let file = this.#opened.get(name);
    if (!file) {
      file = this.#lengths.has(name)
        ? openUnlessGone(this.#medium, name)
        : Promise.resolve(undefined);
      this.#opened.set(name, file);
    }
    return file;
  }

  /** Images must not stay open, because they will be replaced. */
  async closeAllBut(kept: ReadonlySet<ReadFile | undefined>): Promise<void> {
    for (const opening of this.#opened.values()) {
      // A file that is needed but can't be opened has already failed its caller.
      const file = await opening.catch(() => undefined);
      if (!kept.has(file)) await file?.close();
    }
  }
}

/** The segments found, and what a header says of them. */
export interface FoundSegments {
  /** The valid segments by the newest valid header: the older ones, and its own. */
  readonly live: readonly LiveSegment[];
  /** Newer segments in order, whose headers are torn or damaged. */
  readonly headless: readonly LiveSegment[];
  /** The segments that the same header has set aside. */
  readonly aside: readonly string[];
  /** The highest epoch in a file name. */
  readonly maxEpoch: number;
}

/** A file that begins like an image. */
export interface FoundImage {
  readonly name: string;
  readonly file: ReadFile;
  readonly length: number;
  readonly revision: number;
}

export async function listFiles(medium: LogMedium): Promise<FoundFiles> {
  const listed = await medium.list();
  return new FoundFiles(medium, new Map(listed.map(({ name, length }) => [name, length])));
}

/** @throws SdkError `EIO` for a newer format, and for an old log that isn't Rockpool's */
export async function findSegments(files: FoundFiles): Promise<FoundSegments> {
  const names = files.names.filter((name) => parseSegmentName(name)).sort();
  const epochs = files.names.map((name) => parseNumber(name)?.epoch);
  const maxEpoch = epochs.reduce<number>((max, epoch = 0) => Math.max(max, epoch), 0);
  const headless: LiveSegment[] = [];
  for (const name of names.toReversed()) {
    const file = await files.open(name);
    if (!file) continue;
    const length = files.lengthOf(name);
    const header = await readSegmentHeader(file, length);
    if (header) {
      const { live, aside } = header;
      return { live: [...live, { name, length }], headless, aside, maxEpoch };
    }
    headless.unshift({ name, length });
  }
  return { live: await findOldLog(files), headless, aside: [], maxEpoch };
}

function parseNumber(name: string): { readonly epoch: number } | null {
  return parseSegmentName(name) ?? parseImageName(name) ?? parseIndexName(name);
}

/** A log of format 1 counts as a segment if there is no other. */
async function findOldLog(files: FoundFiles): Promise<LiveSegment[]> {
  const length = files.lengthOf(oldLogName);
  const file = await files.open(oldLogName);
  // The file was torn while it was created, so nothing in it was acknowledged.
  if (!file || length < preludeBytes) return [];
  const header = await readSegmentHeader(file, length);
  if (header) return [{ name: oldLogName, length }];
  throw new SdkError(
    'EIO',
    'The workspace log begins with bytes that are no Rockpool log; it was left untouched. ' +
      'Open another workspace name, or delete this one.',
  );
}

/** Returns the newest first. Files with a torn or damaged beginning are ignored. */
export async function findImages(files: FoundFiles): Promise<FoundImage[]> {
  const images: FoundImage[] = [];
  for (const name of files.names.filter((each) => parseImageName(each))) {
    const length = files.lengthOf(name);
    const file = await files.open(name);
    const revision = file && (await readImageRevision(file, length));
    if (file && typeof revision === 'number') images.push({ name, file, length, revision });
  }
  return images.sort((left, right) => right.revision - left.revision);
}

async function openUnlessGone(medium: LogMedium, name: string): Promise<ReadFile | undefined> {
  try {
    return await medium.open(name);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}
