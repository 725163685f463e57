// A workspace of an isolate whose large contents are in a real bucket of workerd's, which a test can fail.
import { env } from 'cloudflare:workers';
import { runInDurableObject } from 'cloudflare:test';
import wasm from 'quickjs-wasi/quickjs.wasm';
import { createEdgeHost, type EdgeHost, type R2ContentsOptions } from '../../src/edge.ts';
import { watchBucket, type WatchedBucket } from '../support/edge/watched-bucket.ts';

export interface Place {
  readonly bucket: WatchedBucket;
  readonly storage: DurableObjectStorage;
  /** Opens the workspace anew; who had it before is fenced. */
  open(options?: Partial<R2ContentsOptions>): Promise<EdgeHost>;
  /** The keys of the objects in the bucket, without what they begin with. */
  keys(): Promise<string[]>;
}

/** `name`: of the object, and in its keys. */
export async function inPlace(name: string, work: (place: Place) => Promise<void>): Promise<void> {
  const prefix = `tests/${name.replaceAll(' ', '-')}/`;
  const bucket = watchBucket(env.CONTENTS);
  await runInDurableObject(env.STORE.getByName(`contents, ${name}`), async (_instance, state) => {
    const { storage } = state as unknown as DurableObjectState;
    await work({
      bucket,
      storage,
      open: (options) =>
        createEdgeHost({ wasm, storage, contents: { bucket, prefix, ...options } }),
      async keys() {
        const { objects } = await env.CONTENTS.list({ prefix });
        return objects.map(({ key }) => key.slice(prefix.length));
      },
    });
  });
}
