// The part of an R2 bucket that archives need, by shape: it compiles without the Workers types. Every use of it ends in
// time, with a sentence where it fails.
import { SdkError } from '../../../core/errors.ts';
import { askBucket } from '../../../workspace/drivers/ask-bucket.ts';

/** An R2 bucket, as a binding gives it. */
export interface ArchiveBucket {
  createMultipartUpload(key: string): Promise<ArchiveUpload>;
  get(key: string): Promise<{ readonly body: ReadableStream<Uint8Array> } | null>;
  delete(key: string): Promise<void>;
}

/** An upload in parts, all but the last of one size, of 5 MiB at least. */
export interface ArchiveUpload {
  uploadPart(number: number, bytes: Uint8Array): Promise<ArchivePart>;
  complete(parts: ArchivePart[]): Promise<unknown>;
  abort(): Promise<void>;
}

/** An uploaded part, as R2 names it. */
export interface ArchivePart {
  readonly partNumber: number;
  readonly etag: string;
}

/** @throws SdkError `bad-usage` for what is no bucket, with the lines that bind one. */
export function checkBucket(bucket: unknown): void {
  const { createMultipartUpload } = (bucket ?? {}) as Partial<ArchiveBucket>;
  if (typeof createMultipartUpload === 'function') return;
  throw new SdkError(
    'bad-usage',
    'The archive has no bucket: bind one in wrangler.jsonc, "r2_buckets": [{ "binding": "ARCHIVE", "bucket_name": "your-bucket" }], and give env.ARCHIVE.',
    { data: { missing: 'r2_buckets' } },
  );
}

/** What the request gives. @throws SdkError `EIO` where it fails, or has no answer in time. */
export function askArchive<Value>(what: string, request: Promise<Value>): Promise<Value> {
  return askBucket({ whose: "the archive's", what }, request);
}
