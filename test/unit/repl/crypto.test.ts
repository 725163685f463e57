// What Node's crypto says to the same, and what it has that isn't here.
import { expect, it } from 'vitest';
import { openRepl } from '../../support/repl/repl.ts';

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
  [
    'derives keys at once, and later',
    "const c = require('crypto'); const told = [c.scryptSync('password', 'NaCl', 16, { N: 1024, r: 8, p: 16 }), c.pbkdf2Sync('password', 'salt', 2, 20, 'sha1'), await new Promise((done) => c.pbkdf2('password', 'salt', 2, 20, 'sha1', (error, key) => done(error ?? key))), Buffer.from(c.hkdfSync('sha512', 'key', 'salt', 'info', 8))]; told.map((key) => key.toString('hex').slice(0, 16)).join()",
    "'fdbabe1c9d347200,ea6c014dc72d6f8c,ea6c014dc72d6f8c,24156e2c35525baa'",
  ],
  [
    'seals and opens',
    "const c = require('crypto'); const told = []; for (const [name, iv] of [['aes-128-cbc', 16], ['aes-128-ctr', 16], ['aes-128-gcm', 12]]) { const cipher = c.createCipheriv(name, Buffer.alloc(16), Buffer.alloc(iv)); const sealed = cipher.update('hello', 'utf8', 'hex') + cipher.final('hex'); const open = c.createDecipheriv(name, Buffer.alloc(16), Buffer.alloc(iv)); if (iv === 12) open.setAuthTag(cipher.getAuthTag()); told.push(sealed.slice(0, 8), open.update(sealed, 'hex', 'utf8') + open.final('utf8')); } told.join()",
    "'9834ed51,hello,0e8c27b8,hello,6bedb6a2,hello'",
  ],
  [
    'has keys of pairs, which work later',
    "const c = require('crypto'); const { promisify } = require('util'); const { publicKey, privateKey } = await promisify(c.generateKeyPair)('ec', { namedCurve: 'P-256', publicKeyEncoding: { type: 'spki', format: 'pem' }, privateKeyEncoding: { type: 'sec1', format: 'pem' } }); const told = []; for (const key of [c.createPrivateKey(privateKey), (await promisify(c.generateKeyPair)('rsa', { modulusLength: 2048 })).privateKey, (await promisify(c.generateKeyPair)('ed25519')).privateKey]) { const digest = key.asymmetricKeyType === 'ed25519' ? null : 'sha256'; const signed = await promisify(c.sign)(digest, Buffer.from('a'), key); told.push(await promisify(c.verify)(digest, Buffer.from('a'), c.createPublicKey(key), signed), await promisify(c.verify)(digest, Buffer.from('b'), c.createPublicKey(key), signed)); } told.push(c.createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }) === publicKey); told.join()",
    "'true,false,true,false,true,false,true'",
  ],
  [
    'says what of keys it has not',
    "const c = require('crypto'); const { generateKeyPair } = c; const pem = '-----BEGIN PRIVATE KEY-----\\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\\n-----END PRIVATE KEY-----'; [() => c.sign(null, Buffer.from('a'), pem), () => c.createPublicKey(pem), () => c.createPrivateKey(pem.replaceAll('PRIVATE', 'ENCRYPTED PRIVATE')), () => generateKeyPair('dsa', {}, () => {})].map((run) => { try { return run() } catch ({ message }) { return message } })",
    '[\n' +
      '  "A signature by ed25519 isn\'t made at once in this sandbox: pass a callback to crypto.sign or crypto.verify",\n' +
      '  "The public key of such a private key isn\'t available in this sandbox: it is computed, so pass the public key itself, or a JWK, which has both",\n' +
      '  "An encrypted key isn\'t available in this sandbox: decrypt it before, and keep it in a file without a passphrase",\n' +
      '  "A key pair of dsa isn\'t available in this sandbox: there are rsa, ec, ed25519, x25519"\n' +
      ']',
  ],
  [
    'ends where deriving would take too long',
    "const c = require('crypto'); [() => c.pbkdf2Sync('a', 'b', 2e6, 8, 'sha1'), () => c.scryptSync('a', 'b', 8, { N: 2 ** 21, r: 8, maxmem: 2 ** 40 }), () => c.scryptSync('a', 'b', 8, { N: 2 ** 17, maxmem: 2 ** 40 })].map((run) => { try { return run() } catch ({ code, message }) { return code + ' ' + message.slice(0, 12) } }).join()",
    "'ERR_LIMIT pbkdf2Sync m,ERR_LIMIT scrypt may t,ERR_LIMIT scrypt may t'",
  ],
])('%s', async (_what, code, text) => {
  expect(await (await openRepl()).value(code)).toBe(text);
});

it('says of what is not here that it is not', async () => {
  const repl = await openRepl();
  const { error } = await repl.run("import { createECDH } from 'crypto'; createECDH('prime256v1')");
  expect(error?.message).toBe(
    "crypto.createECDH was called. It isn't available in this sandbox: use await crypto.subtle, or what crypto has besides (createSign, createVerify, publicEncrypt, privateDecrypt, generateKeyPair with a callback)",
  );
});
