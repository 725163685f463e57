// Imports archives into the workspace. A host calls this when a person opens an archive.
import type { Workspace } from '../workspace.ts';
import { readTar } from './read-tar.ts';
import { readZip } from './read-zip.ts';
import { unpack, type UnpackOptions, type UnpackResult } from './unpack.ts';

/**
 * Unpacks a zip in one commit, or not at all. The zip's directory is read first, so that a zip with invalid entries
 * is refused before anything is unpacked. One file at a time is in memory.
 *
 * @throws SdkError `invalid-input` for a file that isn't a zip, and for forbidden names: `..`, absolute paths, drive
 * letters, control characters, and names that differ only in case. Also for links that lead out of the directory, or
 * that go up after a name. `limit-exceeded` for an archive that is too large, also if it declares a smaller size.
 * Also the errors of {@link Workspace.commit}, and `aborted`
 */
export function importZip(
  workspace: Workspace,
  archive: Blob | Uint8Array,
  options: UnpackOptions,
): Promise<UnpackResult> {
  // The cast is safe: the workspace never uses shared memory, which a Blob can't contain.
  const blob = archive instanceof Blob ? archive : new Blob([archive as Uint8Array<ArrayBuffer>]);
  return unpack(workspace, readZip(blob, options), options);
}

/** Unpacks a tar in the same way, compressed by gzip or not. A stream is read as it arrives. */
export function importTar(
  workspace: Workspace,
  archive: ReadableStream<Uint8Array> | Blob | Uint8Array,
  options: UnpackOptions,
): Promise<UnpackResult> {
  return unpack(workspace, readTar(archive, options.signal), options);
}
