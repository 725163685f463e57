// An FS worker for tests that goes on writing after it has lost its workspace. It is too busy to
// hear of that, as one is that was terminated in the middle of its work.
import { expose } from 'comlink';
import { openOpfsLog } from '../../../src/workspace/drivers/opfs-log.ts';
import type { AppendFile } from '../../../src/workspace/log/log-medium.ts';
import { encodeRecord } from '../../../src/workspace/log/record-codec.ts';
import { openWorkspaceWriter } from '../../../src/workspace/commit/writer.ts';
import { createWriterWorkspace } from '../../../src/workspace/commit/writer-workspace.ts';
import { withFiles } from '../../support/files/workspaces.ts';

/** A whole record, and the next: nothing in it tells that nobody may believe it. */
function forgedRecord(seq: number): Uint8Array {
  const bytes = new TextEncoder().encode(`forged by ${seq}`);
  const content = { contentId: seq, size: bytes.length, mode: 0o644, mtimeMs: 1 };
  const changes = [{ type: 'write', path: `/forged-${seq}`, ...content } as const];
  const record = { seq, author: { kind: 'agent' }, changes } as const;
  return encodeRecord(record, [{ contentId: seq, bytes }]).bytes;
}

const control = {
  /** Writes `/a` as it should, and holds the lock of that name for as long as it lives. */
  async open(name: string, lifeLock: string): Promise<void> {
    void navigator.locks.request(lifeLock, () => new Promise<never>(() => {}));
    let active: AppendFile | undefined;
    const medium = withFiles(await openOpfsLog(name), (file) => {
      active = file;
      return {};
    });
    const writer = await openWorkspaceWriter(medium, { name });
    await createWriterWorkspace(writer).fs.writeFile('/a', 'text of a');
    // The answer leaves first: from the next task on nothing gets in or out.
    setTimeout(() => {
      for (let seq = writer.seq + 1; ; seq += 1) {
        void active?.append(forgedRecord(seq), 'process');
        // One in a millisecond: enough to be in between at any moment, and no gigabytes.
        for (const until = performance.now() + 1; performance.now() < until;);
      }
    });
  },
  /** The names that are listed while a former owner removes `image-b`, just before its length is read. */
  async listWhileOneGoes(name: string): Promise<string[]> {
    const medium = await openOpfsLog(name);
    for (const file of ['image-a', 'image-b']) await (await medium.create(file)).close();
    const { getFile } = FileSystemFileHandle.prototype;
    FileSystemFileHandle.prototype.getFile = async function (this: FileSystemFileHandle) {
      if (this.name === 'image-b') await medium.remove('image-b');
      return getFile.call(this);
    };
    const files = await medium.list();
    await medium.close();
    return files.map((file) => file.name);
  },
};

export type ZombieControl = typeof control;

expose(control);
