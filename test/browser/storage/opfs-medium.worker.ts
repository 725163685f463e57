// An FS worker for tests: media of the drivers that a worker can open, and their files, by numbers.
// The other end is opfs-medium.browser.test.ts.
import { expose } from 'comlink';
import { SdkError, toSerializedError, type SerializedError } from '../../../src/core/errors.ts';
import { openMedium, type OpenMediumOptions } from '../../../src/workspace/drivers/open-medium.ts';
import type { AppendFile, LogMedium, ReadFile } from '../../../src/workspace/log/log-medium.ts';
import type { Durability } from '../../../src/workspace/workspace.ts';

/** What a call came to, with our error's code, which comlink would drop. */
export type Answer<Value> = { readonly value: Value } | { readonly error: SerializedError };

const media: LogMedium[] = [];
const files: (AppendFile | ReadFile)[] = [];

async function answer<Value>(run: () => Promise<Value> | Value): Promise<Answer<Value>> {
  try {
    return { value: await run() };
  } catch (error) {
    return { error: toSerializedError(error) };
  }
}

function at<Value>(values: readonly Value[], number: number): Value {
  const value = values[number];
  if (value === undefined) throw new TypeError(`There is no ${number}.`);
  return value;
}

function appendFile(number: number): AppendFile {
  const file = at(files, number);
  if (!('append' in file)) throw new TypeError('The file was opened to be read.');
  return file;
}

const control = {
  open: (name: string, options: OpenMediumOptions) =>
    answer(async () => {
      const medium = await openMedium(name, options);
      return { medium: media.push(medium) - 1, driver: medium.driver };
    }),
  list: (medium: number) => answer(() => at(media, medium).list()),
  checkFence: (medium: number) => answer(() => at(media, medium).checkFence()),
  remove: (medium: number, name: string) => answer(() => at(media, medium).remove(name)),
  close: (medium: number) => answer(() => at(media, medium).close()),
  createFile: (medium: number, name: string) =>
    answer(async () => files.push(await at(media, medium).create(name)) - 1),
  openFile: (medium: number, name: string) =>
    answer(async () => files.push(await at(media, medium).open(name)) - 1),
  append: (file: number, bytes: Uint8Array, durability: Durability) =>
    answer(async () => {
      await appendFile(file).append(bytes, durability);
      return appendFile(file).length();
    }),
  truncate: (file: number, length: number) =>
    answer(async () => {
      await appendFile(file).truncate(length);
      return appendFile(file).length();
    }),
  /** By both ways, which must agree. */
  read: (file: number, offset: number, length: number) =>
    answer(async () => {
      const bytes = await at(files, file).read(offset, length);
      const atOnce = at(files, file).readSync?.(offset, length) ?? bytes;
      if (bytes.some((byte, index) => atOnce[index] !== byte) || bytes.length !== atOnce.length) {
        throw new SdkError('internal', 'read and readSync differ.');
      }
      return bytes;
    }),
  closeFile: (file: number) => answer(() => at(files, file).close()),
  /** Takes the synchronous handles, and IndexedDB, from this worker: another browser. */
  lose: (what: 'handles' | 'IndexedDB') => {
    if (what === 'handles') {
      FileSystemFileHandle.prototype.createSyncAccessHandle = () =>
        Promise.reject(new DOMException('not here', 'NotSupportedError'));
    } else {
      Object.defineProperty(globalThis, 'indexedDB', { value: undefined });
    }
  },
};

export type MediumControl = typeof control;

expose(control);
