// `crypto.subtle` of a cell, wherever cells run. What it tells beside Node: subtle.node.test.ts.
import { describe, expect, it } from 'vitest';
import { prepareSubtle } from '../../../src/repl/host/subtle.ts';
import { openRepl } from '../../support/repl/repl.ts';

const start = `
  const { subtle } = crypto;
  const hex = (data) => Buffer.from(data).toString('hex');
  const bytes = (length) => Uint8Array.from({ length }, (_, at) => at);
  const text = (value) => new TextEncoder().encode(value);
  const rsa = { modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' };
`;

describe('crypto.subtle', () => {
  it.each([
    [
      'HMAC, by RFC 4231',
      "const key = await subtle.importKey('raw', text('Jefe'), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']); const mac = await subtle.sign('HMAC', key, text('what do ya want for nothing?')); [hex(mac).slice(0, 16), await subtle.verify('HMAC', key, mac, text('what do ya want for nothing?')), await subtle.verify('HMAC', key, mac, text('what'))].join()",
      '5bdcc146bf60754e,true,false',
    ],
    [
      'AES-GCM',
      "const key = await subtle.importKey('raw', new Uint8Array(16), 'AES-GCM', true, ['encrypt', 'decrypt']); const by = { name: 'AES-GCM', iv: new Uint8Array(12) }; const sealed = await subtle.encrypt(by, key, new Uint8Array(16)); [hex(sealed), hex(await subtle.decrypt(by, key, sealed)), await subtle.decrypt(by, key, bytes(32)).catch((error) => error.name)].join()",
      '0388dace60b6a392f328c2b971b2fe78ab6e47d42cec13bdf53a67b21257bddf,00000000000000000000000000000000,OperationError',
    ],
    [
      'AES-CBC and AES-CTR',
      "const all = []; for (const by of [{ name: 'AES-CBC', iv: bytes(16) }, { name: 'AES-CTR', counter: bytes(16), length: 64 }]) { const key = await subtle.generateKey({ name: by.name, length: 256 }, false, ['encrypt', 'decrypt']); const sealed = await subtle.encrypt(by, key, text('hello')); all.push(sealed.byteLength, Buffer.from(await subtle.decrypt(by, key, sealed)).toString(), await subtle.exportKey('raw', key).catch((error) => error.name)); } all.join()",
      '16,hello,InvalidAccessError,5,hello,InvalidAccessError',
    ],
    [
      'AES-KW, by RFC 3394',
      "const by = await subtle.importKey('raw', bytes(16), 'AES-KW', true, ['wrapKey', 'unwrapKey']); const inner = await subtle.importKey('raw', Buffer.from('00112233445566778899AABBCCDDEEFF', 'hex'), 'AES-CBC', true, ['encrypt']); const wrapped = await subtle.wrapKey('raw', inner, by, 'AES-KW'); const back = await subtle.unwrapKey('raw', wrapped, by, 'AES-KW', 'AES-CBC', true, ['decrypt']); [hex(wrapped), back.usages, hex(await subtle.exportKey('raw', back))].join()",
      '1fa68b0a8112b447aef34bd8fb5a7b829d3e862371d2cfe5,decrypt,00112233445566778899aabbccddeeff',
    ],
    [
      'PBKDF2 and HKDF, by RFC 6070 and 5869',
      "const password = await subtle.importKey('raw', text('password'), 'PBKDF2', false, ['deriveBits']); const input = await subtle.importKey('raw', new Uint8Array(22).fill(11), 'HKDF', false, ['deriveBits', 'deriveKey']); const info = Uint8Array.from({ length: 10 }, (_, at) => 240 + at); const mac = await subtle.deriveKey({ name: 'HKDF', hash: 'SHA-256', salt: bytes(13), info }, input, { name: 'HMAC', hash: 'SHA-256', length: 128 }, true, ['sign']); [hex(await subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-1', salt: text('salt'), iterations: 2 }, password, 160)), hex(await subtle.exportKey('raw', mac))].join()",
      'ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957,3cb25f25faacd57a90434f64d0362f2a',
    ],
    [
      'Ed25519, by RFC 8032',
      "const jwk = { kty: 'OKP', crv: 'Ed25519', d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }; const key = await subtle.importKey('jwk', jwk, 'Ed25519', false, ['sign']); const { d, ...half } = jwk; const other = await subtle.importKey('jwk', half, 'Ed25519', true, ['verify']); const signed = await subtle.sign('Ed25519', key, bytes(0)); [hex(signed).slice(0, 16), await subtle.verify('Ed25519', other, signed, bytes(0)), await subtle.verify('Ed25519', other, signed, bytes(1))].join()",
      'e5564300c360ac72,true,false',
    ],
    [
      'ECDSA',
      "const all = []; for (const namedCurve of ['P-256', 'P-384', 'P-521']) { const { publicKey, privateKey } = await subtle.generateKey({ name: 'ECDSA', namedCurve }, true, ['sign', 'verify']); const signed = await subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, privateKey, text('a')); const { d, key_ops, ...half } = await subtle.exportKey('jwk', privateKey); const read = await subtle.importKey('jwk', half, { name: 'ECDSA', namedCurve }, true, ['verify']); all.push(signed.byteLength, await subtle.verify({ name: 'ECDSA', hash: 'SHA-256' }, publicKey, signed, text('a')), await subtle.verify({ name: 'ECDSA', hash: 'SHA-256' }, read, signed, text('a'))); } all.join()",
      '64,true,true,96,true,true,132,true,true',
    ],
    [
      'ECDH and X25519',
      "const all = []; for (const algorithm of [{ name: 'ECDH', namedCurve: 'P-256' }, { name: 'X25519' }]) { const [a, b] = [await subtle.generateKey(algorithm, true, ['deriveBits']), await subtle.generateKey(algorithm, false, ['deriveKey'])]; const one = await subtle.deriveBits({ name: algorithm.name, public: b.publicKey }, a.privateKey, 256); const two = await subtle.deriveKey({ name: algorithm.name, public: a.publicKey }, b.privateKey, { name: 'AES-GCM', length: 256 }, true, ['encrypt']); all.push(hex(one) === hex(await subtle.exportKey('raw', two)), (await subtle.deriveBits({ name: algorithm.name, public: b.publicKey }, a.privateKey, null)).byteLength); } all.join()",
      'true,32,true,32',
    ],
    [
      'RSA that signs',
      "const all = []; for (const by of [{ name: 'RSASSA-PKCS1-v1_5' }, { name: 'RSA-PSS', saltLength: 32 }]) { const { publicKey, privateKey } = await subtle.generateKey({ ...by, ...rsa }, true, ['sign', 'verify']); const signed = await subtle.sign(by, privateKey, text('a')); const read = await subtle.importKey('spki', await subtle.exportKey('spki', publicKey), { ...by, hash: 'SHA-256' }, true, ['verify']); all.push(signed.byteLength, await subtle.verify(by, read, signed, text('a')), publicKey.algorithm.publicExponent); } all.join()",
      '256,true,1,0,1,256,true,1,0,1',
    ],
    [
      'RSA-OAEP',
      "const { publicKey, privateKey } = await subtle.generateKey({ name: 'RSA-OAEP', ...rsa }, false, ['encrypt', 'decrypt']); const sealed = await subtle.encrypt('RSA-OAEP', publicKey, text('hello')); [sealed.byteLength, Buffer.from(await subtle.decrypt('RSA-OAEP', privateKey, sealed))].join()",
      '256,hello',
    ],
    [
      'errors by the names that the web has for them',
      "const key = await subtle.generateKey({ name: 'AES-GCM', length: 128 }, true, ['encrypt']); const tries = [() => subtle.encrypt({ name: 'AES-CBC', iv: bytes(16) }, key, bytes(1)), () => subtle.decrypt({ name: 'AES-GCM', iv: bytes(12) }, key, bytes(1)), () => subtle.importKey('raw', bytes(3), 'AES-GCM', true, ['encrypt']), () => subtle.importKey('raw', bytes(16), 'AES-GCM', true, ['sign']), () => subtle.generateKey({ name: 'AES-GCM', length: 1 }, true, ['encrypt']), () => subtle.generateKey('RC4', true, ['encrypt']), () => subtle.generateKey('Ed25519', true, []), () => subtle.encrypt({ name: 'AES-GCM' }, key, bytes(1)), () => subtle.sign('HMAC', {}, bytes(1))]; const all = []; for (const run of tries) all.push(await run().then(() => 'none', (error) => error.name)); all.join()",
      'InvalidAccessError,InvalidAccessError,DataError,SyntaxError,OperationError,NotSupportedError,SyntaxError,TypeError,TypeError',
    ],
  ])('does %s', async (_what, code, told) => {
    expect(await (await openRepl()).value(start + code)).toBe(`'${told}'`);
  });

  it('has keys that the next cell and the next worker find again', async () => {
    const repl = await openRepl();
    await repl.value(
      "const key = await crypto.subtle.importKey('raw', new Uint8Array(4), { name: 'HMAC', hash: 'SHA-1' }, false, ['sign']); 0",
    );
    const sign =
      "Buffer.from(await crypto.subtle.sign('HMAC', key, new Uint8Array())).toString('hex')";
    const signed = await repl.value(sign);
    expect(signed).toMatch(/^'[\da-f]{40}'$/u);
    const next = await openRepl();
    const { display } = await next.run(sign, { savedState: repl.savedState() });
    expect(display).toBe(signed);
  });

  it('makes the same keys of the same seed, but for those of RSA', async () => {
    // Firefox doesn't compute the public key of a drawn private one.
    const isFirefox = globalThis.navigator?.userAgent.includes('Firefox');
    const signer = isFirefox ? "{ name: 'Ed25519' }" : "{ name: 'ECDSA', namedCurve: 'P-256' }";
    const seed = '00000001000000020000000300000004';
    const make = `const all = await Promise.all([{ name: 'AES-GCM', length: 128 }, ${signer}, { name: 'Ed25519' }, { name: 'X25519' }].map((algorithm) => crypto.subtle.generateKey(algorithm, true, algorithm.name[0] === 'A' ? ['encrypt'] : algorithm.name[0] === 'X' ? ['deriveBits'] : ['sign']))); const told = []; for (const key of all) told.push(JSON.stringify(await crypto.subtle.exportKey('jwk', key.privateKey ?? key))); told.join()`;
    const first = await (await openRepl()).run(make, { seed });
    expect(first.error).toBeUndefined();
    expect((await (await openRepl()).run(make, { seed })).display).toBe(first.display);
    const other = await (await openRepl()).run(make, { seed: seed.replace('1', '5') });
    expect(other.display).not.toBe(first.display);
  });

  it('ends where a call would take too long', async () => {
    const repl = await openRepl();
    const said = async (code: string) => (await repl.run(start + code)).error?.message;
    expect(
      await said(
        "const key = await subtle.importKey('raw', bytes(3), 'PBKDF2', false, ['deriveBits']); await subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-256', salt: bytes(3), iterations: 10000001 }, key, 160)",
      ),
    ).toBe(
      'PBKDF2 may take 10000000 rounds here (iterations, for each 160 bits of what is derived), and this would be more.',
    );
    expect(
      await said(
        "await subtle.generateKey({ name: 'RSA-PSS', ...rsa, modulusLength: 8192 }, true, ['sign'])",
      ),
    ).toBe('RSA keys that are generated here have up to 4096 bits, and this would be more.');
    expect(
      await said(
        "await subtle.importKey('spki', bytes(20000), { name: 'RSA-PSS', hash: 'SHA-1' }, true, ['verify'])",
      ),
    ).toBe('Keys may have 16384 bytes here, and this would be more.');
    expect(
      await repl.value(
        "try { await crypto.subtle.generateKey({ name: 'RSA-PSS', hash: 'SHA-1', modulusLength: 1e9, publicExponent: new Uint8Array([3]) }, true, ['sign']) } catch ({ name, code }) { name + ' ' + code }",
      ),
    ).toBe("'LimitError ERR_LIMIT'");
  });
});

describe('prepareSubtle', () => {
  const random = (length: number) => new Uint8Array(length);
  const key = { type: 'secret', algorithm: { name: 'HMAC' }, usages: [], data: { at: 0 } };

  // Security: a guest can send any of these.
  it.each([
    [undefined],
    [[]],
    [{ operation: 'constructor', algorithm: { name: 'HMAC' } }],
    [{ operation: 'digest', algorithm: { name: 'Argon2id', memory: 1e9 } }],
    [{ operation: 'digest', algorithm: { name: 'HMAC', hash: { name: 'MD5' } } }],
    [{ operation: 'digest', algorithm: 'SHA-1' }],
    [{ operation: 'sign', algorithm: { name: 'HMAC' }, key: { ...key, type: '__proto__' } }],
    [{ operation: 'sign', algorithm: { name: 'HMAC' }, key: { ...key, data: { at: 7 } } }],
    [{ operation: 'sign', algorithm: { name: 'HMAC' }, key: { ...key, usages: 'sign' } }],
    [{ operation: 'import', algorithm: { name: 'HMAC' }, format: 'constructor' }],
    [{ operation: 'import', algorithm: { name: 'HMAC' }, format: 'jwk', jwk: 5 }],
    [{ operation: 'import', algorithm: { name: 'HMAC' }, usages: [5] }],
    [{ operation: 'digest', algorithm: { name: 'SHA-1' }, data: { at: 1 } }],
  ])('refuses %j', (request) => {
    expect(() => prepareSubtle(request, [new Uint8Array(1), 'text'], random)).toThrow(
      expect.objectContaining({ code: 'invalid-input', name: 'TypeError' }),
    );
  });
});
