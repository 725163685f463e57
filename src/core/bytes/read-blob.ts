// The bytes of a Blob, in every realm that has Blobs.
import { SdkError } from '../errors.ts';

/** Dedicated workers have it, and the types of some other realms don't know of it. */
declare const FileReaderSync:
  (new () => { readAsArrayBuffer(blob: Blob): ArrayBuffer }) | undefined;

/** Rejects as the Blob's own reading does: a file behind it may be gone. */
export async function readBlob(blob: Blob): Promise<Uint8Array<ArrayBuffer>> {
  return mayNeverBeRead() ? readBlobSync(blob) : new Uint8Array(await blob.arrayBuffer());
}

/** In workers alone. Throws `unsupported-environment` elsewhere. */
export function readBlobSync(blob: Blob): Uint8Array<ArrayBuffer> {
  if (typeof FileReaderSync === 'undefined') {
    throw new SdkError(
      'unsupported-environment',
      'Files can be read synchronously only in a worker that has FileReaderSync.',
    );
  }
  return new Uint8Array(new FileReaderSync().readAsArrayBuffer(blob));
}

/**
 * In a worker of Firefox, two concurrent reads of another worker's Blobs may never end (seen in 153). Synchronous
 * reads do end. The user agent decides, because Chromium and WebKit may read concurrently.
 */
function mayNeverBeRead(): boolean {
  return typeof FileReaderSync !== 'undefined' && navigator.userAgent.includes('Firefox/');
}
