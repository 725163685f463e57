// What a workspace and its peers all do with files, one operation after the other, and what it has to come to.

/** A file system in a Durable Object, as far as all of them have it. Paths are absolute. */
export interface BenchFiles {
  makeDirectory(path: string): Promise<unknown>;
  write(path: string, text: string): Promise<unknown>;
  read(path: string): Promise<string | null>;
  /** How many entries. */
  list(directory: string): Promise<number>;
  /** Bytes. */
  size(path: string): Promise<number | undefined>;
}

const directories = 10;
const filesEach = 50;
const largePath = '/work/large.txt';

interface BenchFile {
  readonly path: string;
  readonly text: string;
}

/** 500 files of 1 to 4 kB. */
const files: readonly BenchFile[] = Array.from({ length: directories * filesEach }, (_, at) => {
  const line = `export const value${at} = ${(at * 2_654_435_761) % 1_000_003};\n`;
  const length = 1_000 + ((at * 7_919) % 3_000);
  return {
    path: `/work/part${at % directories}/file${at}.ts`,
    text: line.repeat(Math.ceil(length / line.length)),
  };
});

/** The first 100 once more, with other bytes: SQLite writes nothing where an UPDATE leaves a row's bytes as they are. */
const rewritten = files
  .slice(0, 100)
  .map(({ path, text }): BenchFile => ({ path, text: text.toUpperCase() }));

/** As they are when both have been written. */
const written = [...rewritten, ...files.slice(rewritten.length)];

/** Each once, in an order that has nothing to do with that in which they were written. */
const scattered = written.map((_, at) => written[(at * 211) % written.length] as BenchFile);

const largeText = 'a line of a large file, as logs have them\n'.repeat(25_000);

async function readAll(store: BenchFiles, those: readonly BenchFile[]): Promise<void> {
  for (const { path, text } of those) {
    if ((await store.read(path)) !== text) throw new Error(`${path} was read as something else.`);
  }
}

/** Each is one request, in this order. All but the writes change nothing. */
export const fileWork = {
  async write(store) {
    await store.makeDirectory('/work');
    for (let at = 0; at < directories; at += 1) await store.makeDirectory(`/work/part${at}`);
    for (const { path, text } of files) await store.write(path, text);
  },
  async overwrite(store) {
    for (const { path, text } of rewritten) await store.write(path, text);
  },
  read: (store) => readAll(store, written),
  scattered: (store) => readAll(store, scattered),
  async list(store) {
    for (let at = 0; at < directories * 10; at += 1) {
      const found = await store.list(`/work/part${at % directories}`);
      if (found !== filesEach) throw new Error(`part${at % directories} has ${found} entries.`);
    }
  },
  async stat(store) {
    for (const { path, text } of files) {
      if ((await store.size(path)) !== text.length) throw new Error(`${path} has another size.`);
    }
  },
  async write_large(store) {
    await store.write(largePath, largeText);
  },
  async read_large(store) {
    if ((await store.read(largePath)) !== largeText) throw new Error('The large file is another.');
  },
} satisfies Record<string, (store: BenchFiles) => Promise<void>>;

export type FileWorkName = keyof typeof fileWork;

/** Answers a request for one of them. */
export async function answerFileWork(store: BenchFiles, name: string): Promise<Response> {
  if (!Object.hasOwn(fileWork, name)) return new Response(null, { status: 404 });
  await fileWork[name as FileWorkName](store);
  return Response.json({ output: null });
}
