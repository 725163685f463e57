// The files that the workspace bench works on. They are the same bytes in every run and every
// realm, so that only what is measured crosses between realms.

/** Which files: their number, and how long they are on average. */
export interface CorpusOptions {
  readonly files: number;
  readonly meanBytes: number;
  /** All in one directory, or twenty a directory as in a project. @defaultValue false */
  readonly flat?: boolean;
}

export interface CorpusFile {
  /** Relative. */
  readonly path: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** 10 000 files of 41 MB. */
export const corpusA: CorpusOptions = { files: 10_000, meanBytes: 4096 };

const filesPerDirectory = 20;

/** Lengths are spread exponentially, as those of source files roughly are. */
export function createCorpus({ files, meanBytes, flat = false }: CorpusOptions): CorpusFile[] {
  const random = createRandom(20_260_901);
  const text = createText(random);
  const corpus: CorpusFile[] = [];
  for (let index = 0; index < files; index += 1) {
    const wanted = Math.round(-Math.log(1 - random()) * meanBytes);
    const length = Math.min(Math.max(wanted, 16), text.length / 2);
    const start = Math.floor(random() * (text.length - length));
    corpus.push({ path: corpusPath(index, flat), bytes: text.slice(start, start + length) });
  }
  return corpus;
}

/** The path of the file with this number, relative. */
export function corpusPath(index: number, flat = false): string {
  const directory = flat ? 'flat' : `directory-${Math.floor(index / filesPerDirectory)}`;
  return `${directory}/file-${index}.ts`;
}

/** Lines of words, 1 MB: of what file contents are cut. */
function createText(random: () => number): Uint8Array<ArrayBuffer> {
  const words = Array.from({ length: 500 }, () =>
    Math.floor(random() * 36 ** 6)
      .toString(36)
      .slice(0, 2 + Math.floor(random() * 5)),
  );
  const bytes = new Uint8Array(1_048_576);
  let at = 0;
  let column = 0;
  while (at < bytes.length) {
    const word = words[Math.floor(random() * words.length)] ?? '';
    column = column > 70 ? 0 : column + word.length + 1;
    const { written } = new TextEncoder().encodeInto(
      `${word}${column === 0 ? '\n' : ' '}`,
      bytes.subarray(at),
    );
    // Nothing more fits.
    if (written === 0) break;
    at += written;
  }
  return bytes;
}

/** A 32-bit xorshift: small, seeded, and good enough for lengths. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
