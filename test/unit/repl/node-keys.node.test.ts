// Keys of pairs as Node's crypto has them: each program runs in Node and in a cell, and tells the same.
import { describe, expect, it } from 'vitest';
import { tellInCell, tellInNode } from '../../support/repl/same-program.ts';

// The same in each run. They protect nothing.
const made = {
  rsa: '-----BEGIN PRIVATE KEY-----\nMIICdgIBADANBgkqhkiG9w0BAQEFAASCAmAwggJcAgEAAoGBAKyc16ImSbvefBTk\n1fax6ffkWy1wPO2DF3n92uJRF9hIuhV2yQCghnGxqwLd/ZQw0s+oI0t8yt99SlEH\nDd1Q3ysgVcmr4GyaPtaPA/Xap+ryKsdC87T/+RT7YlhLh63aFBpUdm7BqUdNWrSw\nsP1FMVskzne0PzQB+fdOzRaXhI5PAgMBAAECgYEAmSVm5ASYcsjIyjjl5USg00GV\n69CjHg+rKp8iLp3ITCrqftSvLZE+92ysz5Rpwas3vunstrL3xCYDY7SghnWUKdf3\nsRFBwpK6nfi/XmxYX6PO4ZxrTNZgTQMkQdNedyjeNE2BOVewAqUJJHLtGIaoceTr\nhNfR2KynA0gqIWryrtECQQDaHL9O6GP9Qdo38kWHPOZkQCs1wJjR3d97vDRfHrhw\nqG3CWUs3TL3pAfhm/xV7TTVUA1Pux2gG6H+ty5fpfDqTAkEAypjEuch+cfow+RC5\nTMH0KqsSfNAqteGAPdKoAaW7OD7Ao7xNSHApmh0LuuZBjVvEVWWdQPzD6auLet9F\nH3Im1QJAPrKaz7z/2TJP31s2X1zDQbgsc6Qsic+EyZXdXCaBkGjqPD7c30WhJdTa\nKglTjIEyPjdCrlYF8k5tPXFT9tsuHwJAeCKq1Tfssw2XKLogB0Ij1YFoDxcpnHzB\nnOdjtMZgBHRBq1YnxcKtCLQclpGfYYF/JNyCqVy5l8CfjxcCWClKmQJAI5IQxnv8\nMkqP6X73pF6tKRjaTubliwSEtDB+i2SLvHGLF+TxRyQXfnczUWIImCQ4h5WunYyI\nC7lhLZ39ErQ8hQ==\n-----END PRIVATE KEY-----\n',
  rsa1: '-----BEGIN RSA PRIVATE KEY-----\nMIICXAIBAAKBgQDkhyB8HHwG15sCWA7WPJIYLXFvDG7B8oPYMwx2CF+DvMeyPwsJ\nT54fFeD+/GCEVP4yjqNUkpk2GQW/Bk82iyzaEHQ/PsXB2t7WaamBjL+Eu2cy5SDt\nPl86uzaH+V8w0eY10gEKkxAQLLJZwQNE46nTnkyhub4CoLOq7qECaiWtCQIDAQAB\nAoGAeXrzY8Zoj+KQ/f/9cxkjuEJ/6D49qk/WklkgqKXu0ELMDQ7COSLftTqWLjXO\nwMnFju6QGGcNltpaWZ9rAF2faxLA3/uOwQYRKpB3zqI3pFEA+esaEoztXyzRyou+\nJdcb4/sI22kisIr9SIh7j7+srCitAXJ4wmqQA4jZjQZQIlkCQQD6cJmZKnpYoq3B\noV4JDDX+qb3LKRMQQru0zYr9kZLlppwTs0/m16wnr7zp+QQK9FSb9FqjFUoBYvip\nzhUFhwKTAkEA6Zn84fmJ/XbtBTDXF4vQW0NDXhoGP3QwpY1s/WKkt9ekvowc62Zz\nwxFfHbNZw0r9ul324Npyq+gz7jk+9cyHcwJAZiMWAYl5bDyscJPHLhl0y++eIAUY\naUFOHGbXkKKWLmLMtJwkshizdVwOx71vEKik+RWnAWvlSrt6foY1vJNbUQJARSDe\npvizjyBcb8bOQBeN5xP2oahN5QU7SCKb+Dfyyryz8feAr2C4LSe84AstKw/MGhSo\ndE3w1VJ3261xJkgKZQJBAIJkZkEzUjVigK8vz8LiE35wnW1G/XrjY6Qufg2bRKrC\n0nvdCGwif6/B4oIWwpe9uPYjTuBCF7tLgBCWCglzihw=\n-----END RSA PRIVATE KEY-----\n',
  p256: '-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgIiL2Lu7zTWB6Jiwf\nOMCXmWzushpsk6jnx29k+JmKI2WhRANCAASGP3r3EWyKHSu5EoBfWntfILJdCPMi\nDMOCyclvGsUcbsTGJSusoMuzEgcTGIqet48IKDXufXi9QqJvnSs59lUZ\n-----END PRIVATE KEY-----\n',
  p521: '-----BEGIN EC PRIVATE KEY-----\nMIHcAgEBBEIB2069AUBy5yKESQYO9ueGTYjg1Mdrq5qDdRV2cWeFHgsl8lYshTZy\nNx9zVficsLw9Rm19Crm7q6fRckRU7q84hGygBwYFK4EEACOhgYkDgYYABABogR6q\npmUirT29Y6jhRqX/eJrLDPqQ3hp/msgEsY9zNbkf/cy0WjFQY7qsjMP2JFmVrbn0\nJuHznbP30s9AWXrb9gAZeSa5HDds1lw6Luz1gI2YPEU1tSktcYHTVsC1dTz3+LKD\nKR1dhPfCgjwabeq4UoUbgjZjLSutKITG/drbmK9R/w==\n-----END EC PRIVATE KEY-----\n',
  ed: '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEILAAejH3zdhUupzv7sDrbkYa4V7szliDTorQv4iFNQI1\n-----END PRIVATE KEY-----\n',
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
      'signed at once',
      "const data = Buffer.from('data'); for (const hash of ['RSA-SHA256', 'sha1', 'sha512', 'md5']) log(c.createSign(hash).update('da').update('ta').sign(pems.rsa1, 'hex')); log(c.sign('sha384', data, pems.rsa).toString('base64')); const signer = c.createSign('SHA256'); signer.write('da'); signer.end('ta'); log(c.createVerify('SHA256').update(data).verify(c.createPublicKey(pems.rsa), signer.sign(pems.rsa))); for (const name of ['rsa', 'p256', 'p521']) for (const hash of ['sha1', 'sha256', 'sha512']) { const signed = c.createSign(hash).update(data).sign(pems[name]); const check = (by, key = pems[name]) => c.createVerify(hash).update(data).verify(key, by); const off = Buffer.from(signed); off[off.length - 1] ^= 1; log(name, hash, check(signed), check(off), check(signed.subarray(1)), check(Buffer.alloc(signed.length)), c.verify(hash, Buffer.from('other'), pems[name], signed)); } const plain = c.sign('sha256', data, { key: pems.p256, dsaEncoding: 'ieee-p1363' }); log(plain.length, c.verify('sha256', data, { key: pems.p256, dsaEncoding: 'ieee-p1363' }, plain)); for (const saltLength of [undefined, 0, 20, -1]) { const by = { key: pems.rsa, padding: 6, saltLength }; const signed = c.sign('sha256', data, by); log(c.verify('sha256', data, by, signed), c.verify('sha256', data, { ...by, saltLength: 7 }, signed), c.verify('sha1', data, by, signed)); }",
    ],
    [
      'encrypted at once',
      "for (const given of [{}, { oaepHash: 'sha256', oaepLabel: Buffer.from('l') }, { padding: c.constants.RSA_PKCS1_PADDING }]) { const sent = c.publicEncrypt({ key: c.createPublicKey(pems.rsa), ...given }, Buffer.from('hidden')); log(sent.length, c.privateDecrypt({ key: pems.rsa, ...given }, sent).toString()); } await failing(() => c.privateDecrypt(pems.rsa, Buffer.alloc(128, 1)), () => c.privateDecrypt({ key: pems.rsa, oaepLabel: Buffer.from('x') }, c.publicEncrypt(pems.rsa, Buffer.from('a'))), () => c.publicEncrypt(pems.rsa, Buffer.alloc(100)), () => c.createSign('nonsense'), () => c.createSign('sha256').sign('nonsense'));",
    ],
    [
      'a pair of a curve made at once',
      "for (const namedCurve of ['prime256v1', 'P-384', 'secp521r1']) { const { publicKey, privateKey } = c.generateKeyPairSync('ec', { namedCurve }); const signed = c.sign('sha256', Buffer.from('a'), privateKey); log(publicKey.type, details(privateKey.asymmetricKeyDetails), c.verify('sha256', Buffer.from('a'), publicKey, signed), await promisify(c.verify)('sha256', Buffer.from('a'), publicKey, signed), c.createPublicKey(privateKey).equals(publicKey)); } const { publicKey } = c.generateKeyPairSync('ec', { namedCurve: 'P-256', publicKeyEncoding: { type: 'spki', format: 'pem' }, privateKeyEncoding: { type: 'pkcs8', format: 'pem' } }); log(publicKey.split('\\n')[0])",
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

it('verifies and opens what Node has made, and Node what a cell has', async () => {
  const make = `${start} const data = Buffer.from('data');
    for (const name of ['rsa', 'p256', 'p521']) log(c.sign('sha256', data, pems[name]).toString('base64'));
    for (const saltLength of [-1, -2, 5]) log(c.sign('sha256', data, { key: pems.rsa, padding: 6, saltLength }).toString('base64'));
    log(c.publicEncrypt(pems.rsa, data).toString('base64'), c.publicEncrypt({ key: pems.rsa, padding: 1 }, data).toString('base64'));`;
  const takeOf = (given: readonly unknown[]) => `${start} const data = Buffer.from('data');
    const made = ${JSON.stringify(given)}.join(' ').match(/[\\w+/=]{60,}/g).map((text) => Buffer.from(text, 'base64'));
    for (const name of ['rsa', 'p256', 'p521']) log(c.verify('sha256', data, pems[name], made.shift()));
    for (const saltLength of [-1, -2, 5]) log(c.verify('sha256', data, { key: pems.rsa, padding: 6, saltLength }, made.shift()));
    log(c.privateDecrypt(pems.rsa, made.shift()).toString(), c.privateDecrypt({ key: pems.rsa, padding: 1 }, made.shift()).toString());`;
  const expected = await tellInNode(takeOf(await tellInNode(make)));
  expect(expected.join(' ')).not.toContain('false');
  expect(await tellInCell(takeOf(await tellInNode(make)))).toEqual(expected);
  expect(await tellInNode(takeOf(await tellInCell(make)))).toEqual(expected);
});
