// The part of an R2 bucket that archives use, as a structural type that compiles without the
// Workers types. Every request has a time limit, and its failure has a readable error.
import { SdkError } from '../../../core/errors.ts';
import { askBucket } from '../../../workspace/drivers/ask-bucket.ts';

/** An R2 bucket binding. */
export interface ArchiveBucket {
  createMultipartUpload(key: string): Promise<ArchiveUpload>;
  get(key: string): Promise<{ readonly body: ReadableStream<Uint8Array> } | null>;
  delete(key: string): Promise<void>;
}

/** A multipart upload. All parts but the last have the same size, at least 5 MiB. */
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

/**
 * @throws SdkError `bad-usage` if the value isn't a bucket; the message has the lines that bind one
 */
export function checkBucket(bucket: unknown): void {
  const { createMultipartUpload } = (bucket ?? {}) as Partial<ArchiveBucket>;
  if (typeof createMultipartUpload === 'function') return;
  throw new SdkError(
    'bad-usage',
    'The archive has no bucket: bind one in wrangler.jsonc, "r2_buckets": [{ "binding": "ARCHIVE", "bucket_name": "your-bucket" }], and give env.ARCHIVE.',
    { data: { missing: 'r2_buckets' } },
  );
}

/**
 * Resolves to the request's result.
 *
 * @throws SdkError `EIO` if it fails, or has no answer in time
 */
export function askArchive<Value>(what: string, request: Promise<Value>): Promise<Value> {
  return askBucket({ whose: "the archive's", what }, request);
}
