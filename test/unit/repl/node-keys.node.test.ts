// Keys of pairs as Node's crypto has them: each program runs in Node and in a cell, and tells the same.
import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { tellInCell, tellInNode } from '../../support/same-program.ts';

const pkcs8 = { type: 'pkcs8', format: 'pem' } as const;
const made = {
  rsa: generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export(pkcs8),
  rsa1: generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({
    type: 'pkcs1',
    format: 'pem',
  }),
  p256: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export(pkcs8),
  p521: generateKeyPairSync('ec', { namedCurve: 'P-521' }).privateKey.export({
    type: 'sec1',
    format: 'pem',
  }),
  ed: generateKeyPairSync('ed25519').privateKey.export(pkcs8),
};

const start = `
  const c = require('node:crypto'); const { promisify, types } = require('util');
  const pems = ${JSON.stringify(made)};
  const failing = async (...runs) => { for (const run of runs) try { log('no error', typeof await run()); } catch (error) { log(error.name, String(error.code).startsWith('ERR_OSSL') || !error.code || error.code); } };
  const details = ({ modulusLength, publicExponent, namedCurve } = {}) => [modulusLength, publicExponent && Number(publicExponent), namedCurve];
`;

describe('tells what Node tells', () => {
  it.each([
    [
      'private keys read and written',
      "for (const name of ['rsa', 'rsa1', 'p256', 'p521']) { const key = c.createPrivateKey(pems[name]); log(name, key.type, key.asymmetricKeyType, key.symmetricKeySize, details(key.asymmetricKeyDetails), types.isKeyObject(key), key instanceof c.KeyObject, String(key)); log(key.export({ type: 'pkcs8', format: 'pem' }), key.export({ type: 'pkcs8', format: 'der' }).toString('hex'), key.export({ format: 'jwk' })); const old = /rsa/.test(name) ? 'pkcs1' : 'sec1'; log(key.export({ type: old, format: 'pem' })); log(c.createPrivateKey({ key: key.export({ format: 'jwk' }), format: 'jwk' }).equals(key), c.createPrivateKey({ key: key.export({ type: old, format: 'der' }), format: 'der', type: old }).equals(key), c.createPrivateKey(Buffer.from(pems[name])).equals(key)); }",
    ],
    [
      'public keys read and written',
      "for (const name of ['rsa', 'rsa1', 'p256', 'p521']) { const key = c.createPublicKey(pems[name]); log(name, key.type, key.asymmetricKeyType, details(key.asymmetricKeyDetails), key.export({ format: 'jwk' }), key.export({ type: 'spki', format: 'pem' })); log(c.createPublicKey(key.export({ type: 'spki', format: 'pem' })).equals(key), c.createPublicKey({ key: key.export({ format: 'jwk' }), format: 'jwk' }).equals(key), c.createPublicKey(c.createPrivateKey(pems[name])).equals(key)); if (/rsa/.test(name)) log(key.export({ type: 'pkcs1', format: 'pem' })); }",
    ],
    [
      'Ed25519',
      "const pair = await promisify(c.generateKeyPair)('ed25519'); log(pair.publicKey.asymmetricKeyType, pair.privateKey.type, Object.keys(pair.privateKey.export({ format: 'jwk' })).sort(), c.createPublicKey(pair.privateKey).equals(pair.publicKey)); const key = c.createPrivateKey(pems.ed); log(key.asymmetricKeyType, key.export({ type: 'pkcs8', format: 'pem' }) === pems.ed); log((await promisify(c.sign)(null, Buffer.from('a'), key)).toString('hex')); const signed = await promisify(c.sign)(undefined, Buffer.from('a'), pair.privateKey); log(await promisify(c.verify)(null, Buffer.from('a'), pair.publicKey, signed), await promisify(c.verify)(null, Buffer.from('b'), pair.publicKey, signed))",
    ],
    [
      'signed later',
      "const data = Buffer.from('data'); const [sign, verify] = [promisify(c.sign), promisify(c.verify)]; log((await sign('sha256', data, pems.rsa)).toString('hex'), (await sign('RSA-SHA512', data, { key: pems.rsa1 })).toString('hex')); for (const name of ['rsa', 'p256', 'p521']) { const signed = await sign('sha256', data, pems[name]); const pub = c.createPublicKey(pems[name]); log(await verify('sha256', data, pub, signed), await verify('sha256', data, pub, signed.subarray(1)), await verify('sha384', data, pub, signed), signed[0] === 0x30 || name === 'rsa'); } const plain = await sign('sha256', data, { key: pems.p256, dsaEncoding: 'ieee-p1363' }); log(plain.length, await verify('sha256', data, { key: c.createPublicKey(pems.p256), dsaEncoding: 'ieee-p1363' }, plain)); for (const saltLength of [undefined, 20, c.constants.RSA_PSS_SALTLEN_DIGEST]) { const by = { key: pems.rsa, padding: c.constants.RSA_PKCS1_PSS_PADDING, saltLength }; log(await verify('sha256', data, { ...by, key: c.createPublicKey(pems.rsa) }, await sign('sha256', data, by))); }",
    ],
    [
      'verified by Web Crypto',
      "const data = Buffer.from('data'); const key = c.createPrivateKey(pems.rsa).toCryptoKey({ name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }, true, ['sign']); log(key.type, key.usages, key.extractable, { ...key.algorithm, publicExponent: [...key.algorithm.publicExponent] }); const signed = Buffer.from(await crypto.subtle.sign(key.algorithm, key, data)); log(signed.toString('hex'), c.KeyObject.from(key).equals(c.createPrivateKey(pems.rsa))); const secret = c.KeyObject.from(await crypto.subtle.importKey('raw', data, { name: 'HMAC', hash: 'SHA-1' }, true, ['sign'])); log(secret.type, secret.export().toString(), c.createHmac('sha1', secret).update('a').digest('hex')); log(c.createSecretKey(data).toCryptoKey({ name: 'HMAC', hash: 'SHA-1' }, false, ['sign']).algorithm)",
    ],
    [
      'made',
      "for (const [type, options] of [['rsa', { modulusLength: 2048 }], ['ec', { namedCurve: 'prime256v1' }], ['ec', { namedCurve: 'P-384' }], ['ed25519'], ['x25519', {}]]) { const { publicKey, privateKey } = await promisify(c.generateKeyPair)(type, options); log(publicKey.type, privateKey.type, publicKey.asymmetricKeyType, details(privateKey.asymmetricKeyDetails)); } const texts = await new Promise((done) => c.generateKeyPair('rsa', { modulusLength: 2048, publicKeyEncoding: { type: 'spki', format: 'pem' }, privateKeyEncoding: { type: 'pkcs8', format: 'pem' } }, (error, ...keys) => done(keys))); log(texts.map((text) => text.split('\\n')[0]), c.createPublicKey(texts[1]).export({ type: 'spki', format: 'pem' }) === texts[0]); log(c.generateKeySync('aes', { length: 256 }).symmetricKeySize, (await promisify(c.generateKey)('hmac', { length: 100 })).symmetricKeySize)",
    ],
    [
      'wrong keys',
      "await failing(() => c.createPrivateKey('nonsense'), () => c.createPublicKey('-----BEGIN PUBLIC KEY-----\\nMAAB\\n-----END PUBLIC KEY-----'), () => c.createPrivateKey(5), () => c.createPrivateKey({ key: { kty: 'EC' }, format: 'jwk' }), () => c.createPublicKey({ key: Buffer.from('a'), format: 'der', type: 'spki' }), () => c.createPrivateKey(c.createPublicKey(pems.rsa).export({ type: 'spki', format: 'pem' })))",
    ],
  ])('%s', async (_what, code) => {
    const told = await tellInNode(start + code);
    expect(told.length).toBeGreaterThan(0);
    expect(await tellInCell(start + code)).toEqual(told);
  });
});
