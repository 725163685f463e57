// Rejects a Durable Object that lacks a binding of a session or a directory. The error shows the
// missing lines of wrangler.jsonc. Used by create-session-object.ts and
// create-session-directory.ts.
import { SdkError, describeThrown } from '../../core/errors.ts';
import { asSentence } from '../../core/text/as-sentence.ts';
import type { DurableStorage } from '../../workspace/drivers/do-sqlite.ts';

/**
 * Validates `ctx`. `taker`: the function that received it, for the message.
 *
 * @throws SdkError `bad-usage` if `ctx` is invalid or the class has no SQLite
 */
export function checkContext(taker: string, ctx: { readonly storage: DurableStorage }): void {
  const { storage } = (ctx ?? {}) as Partial<typeof ctx>;
  if (!storage) {
    const message = `${taker} takes the ctx of a Durable Object: its constructor gets it.`;
    throw new SdkError('bad-usage', message, {});
  }
  try {
    storage.sql.exec('SELECT 1').toArray();
  } catch (error) {
    throw new SdkError(
      'bad-usage',
      `The Durable Object's class has no SQLite: ${asSentence(describeThrown(error))} Name the class in wrangler.jsonc: "migrations": [{ "tag": "v1", "new_sqlite_classes": ["YourClass"] }].`,
      { cause: error, data: { missing: 'new_sqlite_classes' } },
    );
  }
}

/** @throws SdkError `bad-usage` if the value isn't a compiled module */
export function checkWasm(wasm: unknown): void {
  if (wasm instanceof WebAssembly.Module) return;
  throw new SdkError(
    'bad-usage',
    `createSessionObject needs wasm as a compiled WebAssembly.Module: import wasm from 'rockpool/quickjs.wasm'. Where that gives something else, wrangler.jsonc needs "rules": [{ "type": "CompiledWasm", "globs": ["**/*.wasm"] }].`,
    { data: { given: typeof wasm } },
  );
}
