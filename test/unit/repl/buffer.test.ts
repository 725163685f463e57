// What Node 24 says to the same.
import { describe, expect, it } from 'vitest';
import { openRepl } from '../../support/repl/repl.ts';

describe('Buffer', () => {
  it.each([
    [
      '[Buffer.from("héllo€").toString("base64"), Buffer.from("_-8=", "base64").toString("hex"), Buffer.from("YQ==\\nYg==", "base64").toString(), Buffer.from("a b c", "base64").length]',
      "[ 'aMOpbGxv4oKs', 'ffef', 'a', 2 ]",
    ],
    [
      '["ff0", "zz", "abxxcd", "ABCD"].map((text) => Buffer.from(text, "hex").toString("hex"))',
      "[ 'ff', '', 'ab', 'abcd' ]",
    ],
    [
      '[Buffer.from("é€", "latin1"), Buffer.from("€", "ascii"), Buffer.from("hé", "utf16le"), Buffer.from("hé", "ucs-2").toString("utf-16le")]',
      "[ <Buffer e9 ac>, <Buffer ac>, <Buffer 68 00 e9 00>, 'hé' ]",
    ],
    [
      '[Buffer.from([255, 254]).toString("base64url"), Buffer.from([0xe1]).toString("ascii"), Buffer.from([0xff, 0x41, 0xc3]).toString()]',
      "[ '__4', 'a', '�A�' ]",
    ],
    [
      '[Buffer.from([1, 2, 300, -1, 1.7]), Buffer.from(new Uint16Array([256, 257])), Buffer.from(new Uint16Array([256]).buffer), Buffer.from({ length: 2, 0: 5 }), Buffer.from(new String("s"))]',
      '[\n  <Buffer 01 02 2c ff 01>,\n  <Buffer 00 01>,\n  <Buffer 00 01>,\n  <Buffer 05 00>,\n  <Buffer 73>\n]',
    ],
    ['Buffer.from(JSON.parse(JSON.stringify(Buffer.from("abc")))).toString()', "'abc'"],
    [
      '[Buffer.alloc(5, "ab").toString(), Buffer.alloc(3, 1), Buffer.alloc(3, "YQ==", "base64").toString(), Buffer.alloc(4).fill("xy", 1, 3), Buffer.of(1, 2)]',
      "[ 'ababa', <Buffer 01 01 01>, 'aaa', <Buffer 00 78 79 00>, <Buffer 01 02> ]",
    ],
    [
      '[Buffer.concat([Buffer.from("a"), new Uint8Array([98])]).toString(), Buffer.concat([Buffer.from("abc")], 2).toString(), Buffer.concat([Buffer.from("a")], 3), Buffer.concat([]).length]',
      "[ 'ab', 'ab', <Buffer 61 00 00>, 0 ]",
    ],
    [
      '[Buffer.compare(Buffer.from("a"), Buffer.from("b")), Buffer.from("b").compare(Buffer.from("a")), Buffer.from("abc").compare(Buffer.from("xbcx"), 1, 3, 1, 3), Buffer.from("a").equals(new Uint8Array([97]))]',
      '[ -1, 1, 0, true ]',
    ],
    [
      '[Buffer.byteLength("€"), Buffer.byteLength("YWJj", "base64"), Buffer.byteLength(new ArrayBuffer(7))]',
      '[ 3, 3, 7 ]',
    ],
    [
      '[Buffer.isBuffer(Buffer.alloc(1)), Buffer.isBuffer(new Uint8Array(1)), Buffer.isEncoding("UTF-8"), Buffer.isEncoding("nope")]',
      '[ true, false, true, false ]',
    ],
    [
      'const shared = Buffer.from("abcdef"); shared.slice(1, -1)[0] = 88; [shared.toString(), shared.subarray(-2).toString(), shared.toString("utf8", 1, 3)]',
      "[ 'aXcdef', 'ef', 'Xc' ]",
    ],
    [
      'const six = Buffer.from("abcabc"); [six.indexOf("c", 3), six.indexOf("c", -2), six.indexOf(Buffer.from("bc")), six.indexOf(98), six.indexOf("x"), six.lastIndexOf("ab"), six.lastIndexOf("ab", 2), six.includes("")]',
      '[ 5, 5, 1, 1, -1, 3, 0, true ]',
    ],
    [
      'const target = Buffer.alloc(5); [target.write("hé"), target.write("zz", 3), target.write("abc", 1, 1), target.write("ffff", 0, "hex"), target.write("€€"), target]',
      '[ 3, 2, 1, 2, 3, <Buffer e2 82 ac 7a 7a> ]',
    ],
    [
      'const copied = Buffer.alloc(4, "."); [Buffer.from("abcdef").copy(copied, 1, 2), copied.toString()]',
      "[ 3, '.cde' ]",
    ],
    [
      '[Buffer.from("abcd").swap16().toString(), Buffer.from("abcd").swap32().toString(), Buffer.from("abcdefgh").swap64().toString()]',
      "[ 'badc', 'dcba', 'hgfedcba' ]",
    ],
    [
      'const w = Buffer.alloc(70); let at = 0; for (const name of ["UInt8", "UInt16LE", "UInt16BE", "UInt32LE", "UInt32BE"]) at = w["write" + name](200, at); for (const name of ["Int8", "Int16LE", "Int16BE", "Int32LE", "Int32BE"]) at = w["write" + name](-2, at); for (const name of ["FloatLE", "FloatBE", "DoubleLE", "DoubleBE"]) at = w["write" + name](1.5, at); at = w.writeBigInt64LE(-7n, at); at = w.writeBigUInt64BE(7n, at); [at, w.toString("hex")]',
      "[\n  66,\n  'c8c80000c8c8000000000000c8fefefffffefefffffffffffffe0000c03f3fc00000000000000000f83f3ff8000000000000f9ffffffffffffff000000000000000700000000'\n]",
    ],
    [
      'const r = Buffer.from("fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0", "hex"); [r.readUInt8(), r.readInt8(1), r.readUInt16LE(2), r.readInt16BE(2), r.readUInt32LE(4), r.readInt32BE(4), r.readFloatBE(4), r.readDoubleBE(8), r.readBigInt64LE(0), r.readBigUint64BE(8), r.readUint8(3), r.readUIntLE(1, 3), r.readIntBE(1, 3), r.readUIntBE(0, 6), r.readIntLE(0, 6)]',
      '[\n  255,\n  -2,\n  64765,\n  -516,\n  4177132283,\n  -67438088,\n  -2.6062883664186394e+36,\n  -7.581280411902108e+269,\n  -506097522914230529n,\n  17867739004052632048n,\n  252,\n  16580094,\n  -66052,\n  281470647991290,\n  -5514788471041\n]',
    ],
    [
      'const n = Buffer.alloc(9); [n.writeUIntBE(0x123456, 0, 3), n.writeIntLE(-2, 3, 6), n]',
      '[ 3, 9, <Buffer 12 34 56 fe ff ff ff ff ff> ]',
    ],
    [
      '[Buffer.from("abc").map((byte) => byte + 1), Buffer.from("cab").sort().toString(), [...Buffer.from("ab").entries()], Buffer.from("abc").at(-1), `${Buffer.from("abc")}`]',
      "[ <Buffer 62 63 64>, 'abc', [ [ 0, 97 ], [ 1, 98 ] ], 99, 'abc' ]",
    ],
    [
      '[Buffer.alloc(60), Buffer.alloc(0), { b: Buffer.from("ab") }]',
      '[\n  <Buffer 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 ... 10 more bytes>,\n  <Buffer >,\n  { b: <Buffer 61 62> }\n]',
    ],
  ])('says what Node says: %s', async (code, text) => {
    const repl = await openRepl();
    expect(await repl.value(code)).toBe(text);
  });

  it.each([
    [
      'Buffer.from(5)',
      'TypeError: The first argument must be of type string or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object. Received type number (5)',
    ],
    [
      'Buffer.from(null)',
      'TypeError: The first argument must be of type string or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object. Received null',
    ],
    [
      'Buffer.from({})',
      'TypeError: The first argument must be of type string or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object. Received an instance of Object',
    ],
    ['Buffer.from("a", "nope")', 'TypeError: Unknown encoding: nope'],
    [
      'Buffer.alloc(-1)',
      'RangeError: The value of "size" is out of range. It must be >= 0 && <= 9007199254740991. Received -1',
    ],
    [
      'Buffer.alloc("5")',
      `TypeError: The "size" argument must be of type number. Received type string ('5')`,
    ],
    [
      'Buffer.concat("abc")',
      `TypeError: The "list" argument must be an instance of Array. Received type string ('abc')`,
    ],
    [
      'Buffer.concat(["abc"])',
      `TypeError: The "list[0]" argument must be an instance of Buffer or Uint8Array. Received type string ('abc')`,
    ],
    [
      'Buffer.alloc(2).readUInt32LE(0)',
      'RangeError: Attempt to access memory outside buffer bounds',
    ],
    [
      'Buffer.alloc(2).readUInt8(2)',
      'RangeError: The value of "offset" is out of range. It must be >= 0 and <= 1. Received 2',
    ],
    [
      'Buffer.alloc(2).readUInt8(0.5)',
      'RangeError: The value of "offset" is out of range. It must be an integer. Received 0.5',
    ],
    [
      'Buffer.alloc(2).writeUInt8(256)',
      'RangeError: The value of "value" is out of range. It must be >= 0 and <= 255. Received 256',
    ],
    [
      'Buffer.alloc(2).writeInt16LE(40000)',
      'RangeError: The value of "value" is out of range. It must be >= -32768 and <= 32767. Received 40000',
    ],
    [
      'Buffer.alloc(8).readUInt8("1")',
      `TypeError: The "offset" argument must be of type number. Received type string ('1')`,
    ],
    ['Buffer.alloc(3).swap16()', 'RangeError: Buffer size must be a multiple of 16-bits'],
    [
      'Buffer.from("a").equals("a")',
      `TypeError: The "otherBuffer" argument must be an instance of Buffer or Uint8Array. Received type string ('a')`,
    ],
    ['new TextDecoder("nope")', 'RangeError: The "nope" encoding is not supported'],
    [
      'new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array([255]))',
      'TypeError: The encoded data was not valid for encoding utf-8',
    ],
  ])("refuses in Node's words: %s", async (code, text) => {
    const repl = await openRepl();
    const { error } = await repl.run(code);
    expect(`${error?.name}: ${error?.message}`).toBe(text);
  });
});

describe('TextEncoder and TextDecoder', () => {
  it.each([
    [
      'const d = new TextDecoder(); [d.decode(new Uint8Array([0xe2, 0x82]), { stream: true }), d.decode(new Uint8Array([0xac, 0xf0, 0x9f]), { stream: true }), d.decode(new Uint8Array([0x98, 0x80])), d.decode(new Uint8Array([0xc3]), { stream: true }), d.decode()]',
      "[ '', '€', '😀', '', '�' ]",
    ],
    [
      '[new TextDecoder("latin1").decode(new Uint8Array([0xe9, 0x80])), new TextDecoder("utf8").encoding, new TextDecoder("ascii").encoding, new TextDecoder(" UTF-16 ").encoding]',
      "[ 'é€', 'utf-8', 'windows-1252', 'utf-16le' ]",
    ],
    [
      '[new TextDecoder().decode(new Uint8Array([0xef, 0xbb, 0xbf, 0x61])).length, new TextDecoder("utf-8", { ignoreBOM: true }).decode(new Uint8Array([0xef, 0xbb, 0xbf, 0x61])).length]',
      '[ 1, 2 ]',
    ],
    [
      '[new TextEncoder().encodeInto("a€b", new Uint8Array(3)), new TextEncoder().encode("\\ud800"), new TextEncoder().encode().length]',
      '[ { read: 1, written: 1 }, Uint8Array(3) [ 239, 191, 189 ], 0 ]',
    ],
    [
      'new TextDecoder("utf-16be").decode(new DataView(new Uint8Array([0, 104, 0, 105]).buffer))',
      "'hi'",
    ],
  ])('convert: %s', async (code, text) => {
    const repl = await openRepl();
    expect(await repl.value(code)).toBe(text);
  });
});
