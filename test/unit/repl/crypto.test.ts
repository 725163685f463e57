// What Node's crypto says to the same, and what it has that isn't here.
import { expect, it } from 'vitest';
import { openRepl } from '../../support/repl.ts';

it.each([
  [
    'fills what it is given with random bytes',
    "const c = require('crypto'); const all = c.randomFillSync(new Uint8Array(70000)); const some = c.randomFillSync(new Uint16Array(4), 1, 2); const later = await new Promise((done) => c.randomFill(Buffer.alloc(8), 4, (error, bytes) => done(bytes))); [new Set(all).size, all.subarray(-16).some(Boolean), some[0], some[3], later.readUInt32LE(0), later.readUInt32LE(4) > 0]",
    '[ 256, true, 0, 0, 0, true ]',
  ],
  [
    'refuses what does not fit',
    "const c = require('crypto'); [() => c.randomFillSync('a'), () => c.randomFillSync(new Uint8Array(4), 5), () => c.randomFillSync(new Uint8Array(4), 2, 3), () => c.randomFill(new Uint8Array(4))].map((run) => { try { run(); } catch (error) { return error.code; } })",
    "[\n  'ERR_INVALID_ARG_TYPE',\n  'ERR_OUT_OF_RANGE',\n  'ERR_OUT_OF_RANGE',\n  'ERR_INVALID_ARG_TYPE'\n]",
  ],
  [
    'has keys for HMACs',
    "const c = require('crypto'); const key = c.createSecretKey('key', 'utf8'); [key instanceof c.KeyObject, key.type, key.symmetricKeySize, key.export().toString(), key.equals(c.createSecretKey(Buffer.from('key'))), key.export({ format: 'jwk' }).k, c.createHmac('sha256', key).update('abc').digest('base64') === c.createHmac('sha256', 'key').update('abc').digest('base64')]",
    "[ true, 'secret', 3, 'key', true, 'a2V5', true ]",
  ],
])('%s', async (_what, code, text) => {
  expect(await (await openRepl()).value(code)).toBe(text);
});

it('says of what is not here that it is not', async () => {
  const repl = await openRepl();
  const { error } = await repl.run("import { scryptSync } from 'crypto'; scryptSync('a', 'b', 8)");
  expect(error?.message).toBe(
    "crypto.scryptSync was called. It isn't available in this sandbox: there are hashes, HMACs and random numbers",
  );
  const windows = await repl.run("import { win32 } from 'path'; win32.join('a', 'b')");
  expect(windows.error?.message).toBe(
    "path.win32.join was called. It isn't available in this sandbox: its paths are those of POSIX",
  );
});
