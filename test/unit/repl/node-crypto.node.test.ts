// What a cell's `crypto` has of Node's own: each program runs in both, and tells the same.
import { describe, expect, it } from 'vitest';
import { tellInCell, tellInNode } from '../../support/repl/same-program.ts';

const start = `
  const c = require('node:crypto'); const { promisify } = require('util');
  const bytes = (length, first = 1) => Buffer.from(Array.from({ length }, (_, at) => (first + at * 7) & 255));
  const failing = (...runs) => { for (const run of runs) try { log('no error', run()); } catch (error) { log(error.name, error.code, error.code ? '' : error.message); } };
`;

describe('tells what Node tells', () => {
  it.each([
    [
      'sealed in pieces',
      "for (const name of ['aes-128-cbc', 'AES-256-CBC', 'aes192', 'aes-128-ctr', 'aes-256-ctr', 'aes-128-ecb', 'aes-256-ecb', 'aes-256-gcm', 'id-aes128-GCM']) for (const size of [0, 1, 15, 16, 17, 32, 50]) { const iv = /ecb/.test(name) ? null : bytes(/gcm/i.test(name) ? 12 : 16); const key = bytes(/128/.test(name) ? 16 : /192/.test(name) ? 24 : 32); const cipher = c.createCipheriv(name, key, iv); const parts = [cipher.update(bytes(size)), cipher.update(bytes(3)), cipher.update('é', 'utf8'), cipher.final()]; log(name, parts.map((part) => part.toString('hex'))); const tag = /gcm/i.test(name) && cipher.getAuthTag(); if (tag) log(tag.toString('hex')); const open = c.createDecipheriv(name, key, iv); if (tag) open.setAuthTag(tag); const all = Buffer.concat(parts); log([open.update(all.subarray(0, 5)), open.update(all.subarray(5, 16)), open.update(all.subarray(16)), open.final()].map((part) => part.toString('hex'))); }",
    ],
    [
      'sealed as text',
      "const cipher = c.createCipheriv('aes-256-cbc', bytes(32), bytes(16)); const parts = [cipher.update('hello wörld €', 'utf8', 'base64'), cipher.update('and more, to fill blocks', 'utf8', 'base64'), cipher.final('base64')]; log(parts); const open = c.createDecipheriv('aes-256-cbc', bytes(32), bytes(16)); log(open.update(parts.join(''), 'base64', 'utf8'), open.final('utf8')); const hex = c.createCipheriv('aes-128-ctr', c.createSecretKey(bytes(16)), bytes(16)); log(hex.update('a', 'utf8', 'hex') + hex.final('hex'))",
    ],
    [
      'authenticated',
      "for (const size of [12, 16, 8, 40]) { const cipher = c.createCipheriv('aes-256-gcm', bytes(32), bytes(size, 250)); cipher.setAAD(bytes(20)); const sealed = Buffer.concat([cipher.update(bytes(5)), cipher.update(bytes(100)), cipher.final()]); const tag = cipher.getAuthTag(); log(sealed.toString('hex'), tag.toString('hex')); const open = c.createDecipheriv('aes-256-gcm', bytes(32), bytes(size, 250)).setAAD(bytes(20)).setAuthTag(tag); log(open.update(sealed, null, 'hex') + open.final('hex')); failing(() => { const bad = c.createDecipheriv('aes-256-gcm', bytes(32), bytes(size, 250)); bad.setAuthTag(tag); bad.update(sealed); return bad.final(); }, () => { const bad = c.createDecipheriv('aes-256-gcm', bytes(32), bytes(size)); bad.update(sealed); return bad.final(); }); } const short = c.createCipheriv('aes-128-gcm', bytes(16), bytes(12), { authTagLength: 12 }); short.final(); log(short.getAuthTag().length)",
    ],
    [
      'ciphers that are wrong',
      "failing(() => c.createCipheriv('nonsense', bytes(16), bytes(16)), () => c.createCipheriv('aes-128-cbc', bytes(15), bytes(16)), () => c.createCipheriv('aes-128-cbc', bytes(16), bytes(15)), () => c.createCipheriv('aes-128-cbc', bytes(16), null), () => c.createCipheriv('aes-128-ecb', bytes(16), bytes(16)), () => c.createCipheriv('aes-128-gcm', bytes(16), bytes(0)), () => c.createCipheriv(5, bytes(16), bytes(16)), () => c.createCipheriv('aes-128-cbc', 5, bytes(16)), () => c.createDecipheriv('aes-128-cbc', bytes(16), bytes(16)).final(), () => { const open = c.createDecipheriv('aes-128-cbc', bytes(16), bytes(16)); open.update(bytes(16)); return open.final(); }, () => { const open = c.createDecipheriv('aes-128-cbc', bytes(16), bytes(16)); open.update(bytes(20)); return open.final(); }, () => c.createCipheriv('aes-128-cbc', bytes(16), bytes(16)).setAutoPadding(false).update(5), () => { const one = c.createCipheriv('aes-128-cbc', bytes(16), bytes(16)).setAutoPadding(false); one.update(bytes(20)); return one.final(); }, () => { const one = c.createCipheriv('aes-128-gcm', bytes(16), bytes(12)); return one.getAuthTag(); }, () => { const one = c.createDecipheriv('aes-128-gcm', bytes(16), bytes(12)); return one.setAuthTag(bytes(3)); })",
    ],
    [
      'without padding',
      "const one = c.createCipheriv('aes-128-cbc', bytes(16), bytes(16)).setAutoPadding(false); const sealed = Buffer.concat([one.update(bytes(32)), one.final()]); log(sealed.toString('hex')); const open = c.createDecipheriv('aes-128-cbc', bytes(16), bytes(16)); open.setAutoPadding(false); log(open.update(sealed).toString('hex'), open.final('hex'))",
    ],
    [
      'sealed as streams',
      "const { pipeline } = require('stream/promises'); const { Readable } = require('stream'); let sealed = []; await pipeline(Readable.from([bytes(5), bytes(100)]), c.createCipheriv('aes-128-cbc', bytes(16), bytes(16)), async (source) => { for await (const part of source) sealed.push(part); }); sealed = Buffer.concat(sealed); log(sealed.toString('hex')); const open = c.createDecipheriv('aes-128-cbc', bytes(16), bytes(16)); open.end(sealed); const back = []; for await (const part of open) back.push(part); log(Buffer.concat(back).toString('hex'))",
    ],
    [
      'hashed as streams',
      "const { Readable } = require('stream'); const { pipeline, finished } = require('stream/promises'); const source = () => Readable.from([bytes(5), 'text', bytes(100000)]); const one = c.createHash('sha256'); await pipeline(source(), one); log(one.digest('hex'), one.writableFinished); const two = source().pipe(c.createHash('sha1').setEncoding('hex')); for await (const text of two) log(text); const three = c.createHmac('md5', 'key'); source().pipe(three); await new Promise((done) => three.on('finish', done)); log(three.read().toString('hex')); const four = c.createHash('sha512'); four.write('a'); four.end('b'); log((await new Promise((done) => four.once('readable', () => done(four.read())))).toString('hex')); failing(() => { const five = c.createHash('md5'); five.digest(); return five.digest(); }, () => { const six = c.createHash('md5'); six.digest(); return six.update('a'); })",
    ],
    [
      'derived',
      "for (const hash of ['md5', 'sha1', 'SHA256', 'sha384', 'sha512']) { log(c.pbkdf2Sync('password', 'salt', 1000, 45, hash).toString('hex')); log((await promisify(c.pbkdf2)(bytes(9), bytes(8), 100, 70, hash)).toString('hex')); log(Buffer.from(c.hkdfSync(hash, 'key', 'salt', 'info', 42)).toString('hex')); log(Buffer.from(await promisify(c.hkdf)(hash, c.createSecretKey(bytes(5)), bytes(0), bytes(0), 10)).toString('hex')); } log(c.scryptSync('password', 'salt', 24).toString('hex'), (await promisify(c.scrypt)('a', bytes(16), 64, { N: 1024, r: 4, p: 3 })).toString('hex'), c.scryptSync('', '', 64, { cost: 16, blockSize: 1, parallelization: 1 }).toString('hex'));",
    ],
    [
      'derived wrongly',
      "failing(() => c.pbkdf2Sync('a', 'b', 0, 8, 'sha1'), () => c.pbkdf2Sync('a', 'b', 1.5, 8, 'sha1'), () => c.pbkdf2Sync('a', 'b', '1', 8, 'sha1'), () => c.pbkdf2Sync('a', 'b', 1, -1, 'sha1'), () => c.pbkdf2Sync('a', 'b', 1, 8, 'nonsense'), () => c.pbkdf2Sync('a', 'b', 1, 8), () => c.pbkdf2Sync(5, 'b', 1, 8, 'sha1'), () => c.pbkdf2('a', 'b', 1, 8, 'sha1'), () => c.scryptSync('a', 'b', 8, { N: 3 }), () => c.scryptSync('a', 'b', 8, { N: 2 ** 20 }), () => c.scryptSync('a', 'b', 'c'), () => c.scrypt('a', 'b', 8), () => c.hkdfSync('sha1', 'a', 'b', 'c', 255 * 20 + 1), () => c.hkdfSync('nonsense', 'a', 'b', 'c', 5), () => c.hkdfSync('sha1', 'a', 'b', bytes(1025), 5))",
    ],
  ])('%s', async (_what, code) => {
    const told = await tellInNode(start + code);
    expect(told.length).toBeGreaterThan(0);
    expect(await tellInCell(start + code)).toEqual(told);
  });
});
