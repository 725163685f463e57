// `crypto.subtle` of a cell does what Node's does: each program runs in both, and tells the same.
import { describe, expect, it } from 'vitest';
import { tellInCell, tellInNode } from '../../support/repl/same-program.ts';

const start = `
  const { subtle } = crypto;
  const hex = (data) => Buffer.from(data).toString('hex');
  const bytes = (length, first = 1) => Uint8Array.from({ length }, (_, at) => (first + at * 7) & 255);
  const text = (value) => new TextEncoder().encode(value);
  const shown = ({ type, extractable, algorithm, usages }) => [type, extractable, { ...algorithm, publicExponent: algorithm.publicExponent && hex(algorithm.publicExponent) }, usages];
  const failing = async (...runs) => { for (const run of runs) try { log('no error', typeof await run()); } catch (error) { log(error.name, error instanceof DOMException); } };
  const raw = (data, algorithm, ...usages) => subtle.importKey('raw', data, algorithm, true, usages);
  const p256 = { kty: 'EC', crv: 'P-256', x: 'MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4', y: '4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM', d: '870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE' };
  const ed = { kty: 'OKP', crv: 'Ed25519', d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' };
`;

describe('tells what Node tells', () => {
  it.each([
    [
      'digests',
      "for (const name of ['SHA-1', 'sha-256', { name: 'SHA-384' }, 'SHA-512']) log(hex(await subtle.digest(name, bytes(100)))); await failing(() => subtle.digest('MD5', bytes(1)), () => subtle.digest('SHA-256', 'a'), () => subtle.digest({}, bytes(1)))",
    ],
    [
      'HMAC',
      "for (const hash of ['SHA-1', 'SHA-256', { name: 'SHA-384' }, 'SHA-512']) { const key = await raw(bytes(20), { name: 'hmac', hash }, 'sign', 'verify'); log(shown(key)); const mac = await subtle.sign('HMAC', key, text('a')); log(hex(mac), await subtle.verify('HMAC', key, mac, text('a')), await subtle.verify('HMAC', key, mac, text('b')), await subtle.verify('HMAC', key, new Uint8Array(3), text('a'))); log(await subtle.exportKey('jwk', key)); } const made = await subtle.generateKey({ name: 'HMAC', hash: 'SHA-384' }, false, ['sign']); log(shown(made)); log(shown(await subtle.generateKey({ name: 'HMAC', hash: 'SHA-256', length: 64 }, true, ['verify'])))",
    ],
    [
      'AES',
      "for (const [name, more] of [['AES-CBC', { iv: bytes(16) }], ['AES-CTR', { counter: bytes(16), length: 64 }], ['AES-GCM', { iv: bytes(12), additionalData: bytes(5) }], ['aes-gcm', { iv: bytes(16), tagLength: 96 }]]) for (const size of [16, 24, 32]) { const key = await raw(bytes(size), name, 'encrypt', 'decrypt'); const sealed = await subtle.encrypt({ name, ...more }, key, text('some text that is longer than a block')); log(shown(key), hex(sealed)); log(Buffer.from(await subtle.decrypt({ name, ...more }, key, sealed)).toString()); log(await subtle.exportKey('jwk', key)); }",
    ],
    [
      'AES that is wrong',
      "const key = await raw(bytes(16), 'AES-GCM', 'encrypt', 'decrypt'); const sealed = new Uint8Array(await subtle.encrypt({ name: 'AES-GCM', iv: bytes(12) }, key, bytes(30))); sealed[3] ^= 1; await failing(() => subtle.decrypt({ name: 'AES-GCM', iv: bytes(12) }, key, sealed), () => subtle.decrypt({ name: 'AES-GCM', iv: bytes(12) }, key, new Uint8Array(3)), () => subtle.encrypt({ name: 'AES-GCM' }, key, sealed), () => subtle.encrypt({ name: 'AES-GCM', iv: bytes(12), tagLength: 7 }, key, sealed), () => subtle.encrypt({ name: 'AES-CBC', iv: bytes(16) }, key, sealed), () => raw(bytes(15), 'AES-GCM', 'encrypt'), () => raw(bytes(16), 'AES-GCM'), () => raw(bytes(16), 'AES-GCM', 'sign'), () => raw(bytes(16), 'AES-GCM', 'nonsense'), () => subtle.generateKey({ name: 'AES-GCM', length: 100 }, true, ['encrypt']), () => subtle.generateKey({ name: 'AES-GCM', length: 128 }, true, []), () => subtle.generateKey({ name: 'AES-XTS', length: 128 }, true, ['encrypt']), () => subtle.encrypt('AES-GCM', {}, sealed)); const cbc = await raw(bytes(16), 'AES-CBC', 'encrypt', 'decrypt'); await failing(() => subtle.encrypt({ name: 'AES-CBC', iv: bytes(15) }, cbc, bytes(3)), () => subtle.decrypt({ name: 'AES-CBC', iv: bytes(16) }, cbc, bytes(3)))",
    ],
    [
      'keys made',
      "for (const [algorithm, usages] of [[{ name: 'AES-CBC', length: 256 }, ['decrypt', 'encrypt']], [{ name: 'AES-KW', length: 128 }, ['wrapKey', 'unwrapKey']], [{ name: 'HMAC', hash: 'SHA-1' }, ['sign']]]) { const key = await subtle.generateKey(algorithm, true, usages); log(shown(key), (await subtle.exportKey('raw', key)).byteLength); } for (const [algorithm, usages] of [[{ name: 'ECDSA', namedCurve: 'P-256' }, ['sign', 'verify']], [{ name: 'ECDSA', namedCurve: 'P-384' }, ['sign']], [{ name: 'ECDSA', namedCurve: 'P-521' }, ['sign', 'verify']], [{ name: 'ECDH', namedCurve: 'P-256' }, ['deriveBits', 'deriveKey']], ['Ed25519', ['sign', 'verify']], ['X25519', ['deriveKey']], [{ name: 'RSA-PSS', modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' }, ['sign', 'verify']], [{ name: 'RSA-OAEP', modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-1' }, ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey']]]) { const { publicKey, privateKey } = await subtle.generateKey(algorithm, false, usages); log(shown(publicKey), shown(privateKey)); log(Object.keys(await subtle.exportKey('jwk', publicKey))); await failing(() => subtle.exportKey('pkcs8', privateKey), () => subtle.exportKey('pkcs8', publicKey)); }",
    ],
    [
      'pairs that are wrong',
      "await failing(() => subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-255' }, true, ['sign']), () => subtle.generateKey({ name: 'ECDSA' }, true, ['sign']), () => subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['encrypt']), () => subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, []), () => subtle.generateKey('Ed25519', true, ['deriveBits']), () => subtle.generateKey({ name: 'RSA-PSS', modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) }, true, ['sign']), () => subtle.generateKey({ name: 'HMAC' }, true, ['sign']))",
    ],
    [
      'ECDSA',
      "for (const format of ['jwk', 'pkcs8']) { const jwk = await subtle.importKey('jwk', p256, { name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign']); const key = format === 'jwk' ? jwk : await subtle.importKey('pkcs8', await subtle.exportKey('pkcs8', jwk), { name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign']); const { d, ...half } = p256; const other = await subtle.importKey('jwk', half, { name: 'ECDSA', namedCurve: 'P-256' }, true, ['verify']); log(shown(key), shown(other), await subtle.exportKey('jwk', key), hex(await subtle.exportKey('raw', other)), hex(await subtle.exportKey('spki', other)), hex(await subtle.exportKey('pkcs8', key))); for (const hash of ['SHA-256', 'SHA-512']) { const signed = await subtle.sign({ name: 'ECDSA', hash }, key, text('a')); log(signed.byteLength, await subtle.verify({ name: 'ECDSA', hash }, other, signed, text('a')), await subtle.verify({ name: 'ECDSA', hash }, other, signed, text('b'))); } await failing(() => subtle.sign('ECDSA', key, text('a')), () => subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, other, text('a')), () => subtle.exportKey('raw', key), () => subtle.exportKey('spki', key)); }",
    ],
    [
      'Ed25519',
      "const key = await subtle.importKey('jwk', ed, 'Ed25519', true, ['sign']); const { d, ...half } = ed; const other = await subtle.importKey('jwk', half, { name: 'ed25519' }, true, ['verify']); const signed = await subtle.sign('Ed25519', key, new Uint8Array()); log(hex(signed), await subtle.verify('Ed25519', other, signed, new Uint8Array()), shown(key), shown(other), hex(await subtle.exportKey('pkcs8', key)), hex(await subtle.exportKey('raw', other)), await subtle.exportKey('jwk', key)); const again = await raw(await subtle.exportKey('raw', other), 'Ed25519', 'verify'); log(await subtle.verify('Ed25519', again, signed, bytes(1)))",
    ],
    [
      'agreed',
      "for (const algorithm of [{ name: 'ECDH', namedCurve: 'P-256' }, { name: 'ECDH', namedCurve: 'P-521' }, { name: 'X25519' }]) { const a = await subtle.generateKey(algorithm, true, ['deriveBits', 'deriveKey']); const b = await subtle.generateKey(algorithm, true, ['deriveBits']); const one = await subtle.deriveBits({ name: algorithm.name, public: b.publicKey }, a.privateKey, 256); const two = await subtle.deriveBits({ name: algorithm.name, public: a.publicKey }, b.privateKey, 256); log(hex(one) === hex(two), one.byteLength, (await subtle.deriveBits({ name: algorithm.name, public: a.publicKey }, b.privateKey, null)).byteLength); const key = await subtle.deriveKey({ name: algorithm.name, public: b.publicKey }, a.privateKey, { name: 'AES-GCM', length: 256 }, true, ['encrypt']); log(shown(key), hex(await subtle.exportKey('raw', key)) === hex(one)); await failing(() => subtle.deriveBits({ name: algorithm.name, public: b.privateKey }, a.privateKey, 256), () => subtle.deriveBits({ name: algorithm.name }, a.privateKey, 256), () => subtle.deriveKey({ name: algorithm.name, public: a.publicKey }, b.privateKey, { name: 'AES-GCM', length: 256 }, true, ['encrypt']), () => subtle.deriveBits({ name: algorithm.name, public: b.publicKey }, a.privateKey, 4096)); }",
    ],
    [
      'derived',
      "const key = await subtle.importKey('raw', text('password'), 'PBKDF2', false, ['deriveBits', 'deriveKey']); log(shown(key)); for (const hash of ['SHA-1', 'SHA-256', 'SHA-512']) log(hex(await subtle.deriveBits({ name: 'PBKDF2', hash, salt: text('salt'), iterations: 1000 }, key, 320))); const aes = await subtle.deriveKey({ name: 'PBKDF2', hash: 'SHA-256', salt: text('salt'), iterations: 10 }, key, { name: 'AES-CBC', length: 128 }, true, ['encrypt']); log(hex(await subtle.exportKey('raw', aes))); const hkdf = await subtle.importKey('raw', bytes(22, 11), 'HKDF', false, ['deriveBits', 'deriveKey']); log(hex(await subtle.deriveBits({ name: 'HKDF', hash: 'SHA-256', salt: bytes(13, 0), info: bytes(10, 240) }, hkdf, 336))); const mac = await subtle.deriveKey({ name: 'HKDF', hash: 'SHA-256', salt: bytes(3), info: bytes(1) }, hkdf, { name: 'HMAC', hash: 'SHA-512' }, true, ['sign']); log(shown(mac), hex(await subtle.exportKey('raw', mac))); await failing(() => subtle.importKey('raw', text('a'), 'PBKDF2', true, ['deriveBits']), () => subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-256', salt: text('a'), iterations: 0 }, key, 128), () => subtle.deriveBits({ name: 'HKDF', hash: 'SHA-256', salt: text('a'), info: text('') }, hkdf, null), () => subtle.deriveBits({ name: 'HKDF', hash: 'SHA-256', salt: text('a'), info: text('') }, hkdf, 255 * 256 + 8), () => subtle.deriveBits({ name: 'HKDF', hash: 'SHA-256', salt: text('a'), info: text('') }, key, 128), () => subtle.exportKey('raw', key))",
    ],
    [
      'RSA',
      "const rsa = { modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' }; for (const [name, more] of [['RSASSA-PKCS1-v1_5', {}], ['RSA-PSS', { saltLength: 32 }]]) { const { publicKey, privateKey } = await subtle.generateKey({ name, ...rsa }, true, ['sign', 'verify']); const signed = await subtle.sign({ name, ...more }, privateKey, text('a')); log(signed.byteLength, await subtle.verify({ name, ...more }, publicKey, signed, text('a')), await subtle.verify({ name, ...more }, publicKey, signed, text('b')), Object.keys(await subtle.exportKey('jwk', privateKey)).sort()); const again = await subtle.importKey('pkcs8', await subtle.exportKey('pkcs8', privateKey), { name, hash: 'SHA-512' }, false, ['sign']); log(shown(again), (await subtle.sign({ name, ...more }, again, text('a'))).byteLength); await failing(() => subtle.exportKey('jwk', again)); } const { publicKey, privateKey } = await subtle.generateKey({ name: 'RSA-OAEP', ...rsa }, true, ['encrypt', 'decrypt', 'wrapKey', 'unwrapKey']); const sealed = await subtle.encrypt({ name: 'RSA-OAEP', label: text('l') }, publicKey, text('secret')); log(Buffer.from(await subtle.decrypt({ name: 'RSA-OAEP', label: text('l') }, privateKey, sealed)).toString()); await failing(() => subtle.decrypt('RSA-OAEP', privateKey, sealed), () => subtle.encrypt('RSA-OAEP', publicKey, bytes(500)), () => subtle.encrypt('RSA-OAEP', privateKey, bytes(5))); const aes = await subtle.generateKey({ name: 'AES-GCM', length: 128 }, true, ['encrypt']); const back = await subtle.unwrapKey('raw', await subtle.wrapKey('raw', aes, publicKey, 'RSA-OAEP'), privateKey, 'RSA-OAEP', 'AES-GCM', true, ['decrypt']); log(shown(back), hex(await subtle.exportKey('raw', back)) === hex(await subtle.exportKey('raw', aes)))",
    ],
    [
      'wrapped',
      "const kw = await raw(bytes(16), 'AES-KW', 'wrapKey', 'unwrapKey'); const inner = await raw(bytes(32, 9), { name: 'HMAC', hash: 'SHA-256' }, 'sign'); const wrapped = await subtle.wrapKey('raw', inner, kw, 'AES-KW'); log(hex(wrapped)); log(shown(await subtle.unwrapKey('raw', wrapped, kw, 'AES-KW', { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']))); const gcm = await raw(bytes(16), 'AES-GCM', 'wrapKey', 'unwrapKey'); const by = { name: 'AES-GCM', iv: bytes(12) }; const asJwk = await subtle.wrapKey('jwk', inner, gcm, by); log(asJwk.byteLength); const back = await subtle.unwrapKey('jwk', asJwk, gcm, by, { name: 'HMAC', hash: 'SHA-256' }, true, ['sign']); log(await subtle.exportKey('jwk', back)); const closed = await subtle.importKey('raw', bytes(16), 'AES-GCM', false, ['encrypt']); await failing(() => subtle.wrapKey('raw', closed, kw, 'AES-KW'), () => subtle.unwrapKey('raw', bytes(24), kw, 'AES-KW', 'AES-GCM', true, ['encrypt']), () => subtle.wrapKey('raw', inner, gcm, 'AES-KW'), () => subtle.encrypt(by, gcm, bytes(3)), () => subtle.unwrapKey('jwk', wrapped, kw, 'AES-KW', 'AES-GCM', true, ['encrypt']))",
    ],
    [
      'JSON web keys that are wrong',
      "const gcm = (jwk, extractable = true, usages = ['encrypt']) => () => subtle.importKey('jwk', jwk, 'AES-GCM', extractable, usages); const k = 'AAAAAAAAAAAAAAAAAAAAAA'; await failing(gcm({ kty: 'oct', k }), gcm({ kty: 'oct', k, ext: false }), gcm({ kty: 'oct', k, ext: false }, false), gcm({ kty: 'oct', k, alg: 'A256GCM' }), gcm({ kty: 'oct', k, use: 'sig' }), gcm({ kty: 'oct', k, key_ops: ['decrypt'] }), gcm({ kty: 'EC', k }), gcm({ kty: 'oct' }), gcm({}), gcm(k), gcm(null), () => subtle.importKey('raw', { kty: 'oct', k }, 'AES-GCM', true, ['encrypt']), () => subtle.importKey('spki', bytes(20), { name: 'ECDSA', namedCurve: 'P-256' }, true, ['verify']), () => subtle.importKey('pkcs8', bytes(20), { name: 'RSA-PSS', hash: 'SHA-256' }, true, ['sign']), () => subtle.importKey('raw', bytes(65), { name: 'ECDSA', namedCurve: 'P-256' }, true, ['verify']), () => subtle.importKey('jwk', { ...p256, x: p256.y }, { name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign']), () => subtle.importKey('jwk', p256, { name: 'ECDSA', namedCurve: 'P-384' }, true, ['sign']), () => subtle.importKey('jwk', p256, { name: 'ECDSA', namedCurve: 'P-256' }, true, ['verify']), () => subtle.importKey('jwk', p256, { name: 'ECDSA', namedCurve: 'P-256' }, true, []), () => subtle.importKey('nonsense', bytes(16), 'AES-GCM', true, ['encrypt']))",
    ],
    [
      'a key as an object',
      "const key = await raw(bytes(16), 'AES-GCM', 'encrypt'); log(String(key), key instanceof CryptoKey, Object.keys(key), require('util').types.isCryptoKey(key), require('util').types.isCryptoKey({}), structuredClone(key).type, require('crypto').webcrypto.subtle instanceof SubtleCrypto, require('crypto').subtle === crypto.subtle, require('util').inspect(key)); await failing(() => new CryptoKey()); const data = bytes(16); const later = raw(data, 'AES-GCM', 'encrypt'); data.fill(0); log(hex(await subtle.exportKey('raw', await later)) === hex(bytes(16)))",
    ],
  ])('%s', async (_what, code) => {
    const told = await tellInNode(start + code);
    expect(told.length).toBeGreaterThan(0);
    expect(await tellInCell(start + code)).toEqual(told);
  });
});
