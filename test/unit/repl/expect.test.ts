import { describe, expect, it } from 'vitest';
import { openRepl } from '../../support/repl/repl.ts';

/** Runs an expectation in a cell; the message of its failure, or undefined. */
async function judge(code: string): Promise<string | undefined> {
  const repl = await openRepl();
  return (await repl.run(`import { expect, vi } from 'vitest'; ${code}; undefined`)).error?.message;
}

describe("the sandbox's expect", () => {
  it.each([
    'expect(NaN).toBe(NaN); expect([1, { a: 2 }]).toEqual([1, { a: 2, b: undefined }])',
    'expect({ a: 1 }).not.toStrictEqual({ a: 1, b: undefined }); expect(new (class A {})()).not.toStrictEqual({})',
    'expect({ a: { b: 1, c: 2 }, d: 3 }).toMatchObject({ a: { b: 1 } }); expect([{ a: 1, b: 2 }]).toMatchObject([{ a: 1 }])',
    'class Gone extends Error { status = 410; name = "Gone" } expect(new Gone("x")).toMatchObject({ name: "Gone", message: "x", status: 410 }); expect(new Gone("x")).not.toMatchObject({ status: 1 }); expect([1]).toMatchObject({ length: 1 }); expect({ e: new Gone("x") }).not.toMatchObject({ e: [] })',
    'expect(new Map([["a", new Set([1])]])).toEqual(new Map([["a", new Set([1])]])); expect(new Date(1)).not.toEqual(new Date(2))',
    'expect([Promise.resolve(1)]).toEqual([Promise.resolve(2)]); expect(Promise.resolve(1)).not.toEqual({})',
    'expect("abc").toContain("b"); expect([1, 2]).toContain(2); expect(new Set([3])).toContain(3); expect([{ a: 1 }]).toContainEqual({ a: 1 })',
    'expect([1]).toHaveLength(1); expect(new Set([1, 2])).toHaveLength(2); expect(new Map()).not.toHaveLength(1); expect({ a: { b: [5] } }).toHaveProperty("a.b[0]", 5); expect({ "a.b": 1 }).toHaveProperty(["a.b"])',
    'expect(() => { throw new TypeError("no way") }).toThrow(); expect(() => { throw new TypeError("no way") }).toThrow("way")',
    'expect(() => { throw new TypeError("no way") }).toThrow(/no/); expect(() => { throw new TypeError("x") }).toThrow(TypeError); expect(() => {}).not.toThrow()',
    'expect(1).toBeTruthy(); expect("").toBeFalsy(); expect(null).toBeNull(); expect(undefined).toBeUndefined(); expect(0).toBeDefined(); expect(NaN).toBeNaN()',
    'expect([]).toBeInstanceOf(Array); expect(0.1 + 0.2).toBeCloseTo(0.3); expect(2).toBeGreaterThan(1); expect(2).toBeGreaterThanOrEqual(2); expect(1).toBeLessThan(2); expect(1).toBeLessThanOrEqual(1)',
    'expect("abc").toMatch(/b/); expect("abc").toMatch("c"); expect(1).toBeTypeOf("number"); expect(2).toBeOneOf([1, 2])',
    'await expect(Promise.resolve({ a: 1 })).resolves.toEqual({ a: 1 }); await expect(Promise.reject(new Error("bad"))).rejects.toThrow("bad"); await expect(async () => { throw 1 }).rejects.toBe(1); await expect(Promise.resolve(1)).resolves.not.toBe(2)',
    'expect({ a: 1, b: "xyz", c: [1, 2], d: 1.001, e: null }).toEqual({ a: expect.any(Number), b: expect.stringContaining("y"), c: expect.arrayContaining([2]), d: expect.closeTo(1), e: null }); expect(1).toEqual(expect.anything())',
    'expect({ a: 1, b: 2 }).toEqual(expect.objectContaining({ a: 1 })); expect("a1").toEqual(expect.stringMatching(/\\d/)); expect({ a: 2 }).toEqual(expect.not.objectContaining({ a: 1 }))',
    'expect.extend({ toBeEven(n) { return { pass: n % 2 === 0, message: () => n + " is odd" } } }); expect(2).toBeEven()',
    'const f = vi.fn((a) => a + 1); f(1); f(2, 3); expect(f).toHaveBeenCalledTimes(2); expect(f).toHaveBeenCalledWith(1); expect(f).toHaveBeenLastCalledWith(2, 3); expect(f).toHaveReturnedWith(3); expect(f.mock.calls).toEqual([[1], [2, 3]])',
    'const g = vi.fn().mockReturnValueOnce(1).mockResolvedValue(2); expect(g()).toBe(1); expect(await g()).toBe(2); g.mockClear(); expect(g).not.toHaveBeenCalled()',
    'const o = { m() { return "real" } }; const spy = vi.spyOn(o, "m").mockImplementation(() => "fake"); expect(o.m()).toBe("fake"); spy.mockRestore(); expect(o.m()).toBe("real"); expect(vi.isMockFunction(o.m)).toBe(false)',
  ])('is content with %s', async (code) => {
    expect(await judge(code)).toBeUndefined();
  });

  it.each([
    [
      'expect(1).toBe(2)',
      'expected 1 to be 2 // Object.is equality\n\n- Expected\n+ Received\n\n- 2\n+ 1',
    ],
    [
      'expect({ a: 1, b: [2, 3] }).toEqual({ a: 1, b: [2, 4] })',
      'expected { a: 1, b: [ 2, 3 ] } to deeply equal { a: 1, b: [ 2, 4 ] }\n\n- Expected\n+ Received\n\n  {\n    a: 1,\n    b: [\n      2,\n-     4\n+     3\n    ]\n  }',
    ],
    [
      'expect("a\\nb\\nc").toBe("a\\nB\\nc")',
      "expected 'a\\nb\\nc' to be 'a\\nB\\nc' // Object.is equality\n\n- Expected\n+ Received\n\n  a\n- B\n+ b\n  c",
    ],
    ['expect("a").not.toBe("a")', "expected 'a' not to be 'a' // Object.is equality"],
    ['expect([1]).toContain(2)', 'expected [ 1 ] to include 2'],
    ['expect(() => {}).toThrow()', 'expected function to throw an error, but it threw nothing'],
    [
      'expect(() => { throw new Error("a") }).toThrow("b")',
      "expected function to throw 'b', but it threw 'a'",
    ],
    ['expect({ a: 1 }).toHaveProperty("b")', "expected { a: 1 } to have property 'b'"],
    [
      'expect(vi.fn()).toHaveBeenCalledWith(1)',
      'expected mock to have been called with (1); it got no calls',
    ],
    [
      'await expect(Promise.resolve(1)).rejects.toThrow()',
      'expected the promise to reject, but it resolved to 1',
    ],
    ['expect(null).toBeInstanceOf(Map)', 'expected null to be an instance of Map'],
    [
      'expect(1).toEqual(expect.any(String))',
      "expected 1 to deeply equal Any<'String'>\n\n- Expected\n+ Received\n\n- Any<'String'>\n+ 1",
    ],
    [
      'expect.extend({ toBeEven(n) { return { pass: n % 2 === 0, message: () => n + " is odd" } } }); expect(3).toBeEven()',
      'expected 3 (toBeEven): 3 is odd',
    ],
    ['expect(1).toHaveLength(1)', '1 has no length'],
    [
      'const f = vi.fn(); f(1); f(1); expect(f).toHaveBeenCalledExactlyOnceWith(1)',
      'expected mock to have been called once, with (1); it got (1), (1)',
    ],
  ])('says of %s what is wrong', async (code, message) => {
    expect(await judge(code)).toBe(message);
  });

  it.each(['expect(1).toRead()', 'await expect(Promise.resolve(1)).resolves.not.toRead()'])(
    'names the matchers that there are where one is not: %s',
    async (code) => {
      expect(await judge(code)).toMatch(
        /^expect\(…\)\.toRead isn't available in this test runner; there is: toBe, toEqual, /u,
      );
    },
  );

  it('holds a test to the number of assertions that it promised', async () => {
    const repl = await openRepl({
      'x.test.js':
        "it('a', () => { expect.assertions(2); expect(1).toBe(1) }); it('b', () => { expect.hasAssertions() });",
    });
    const stdout = await repl.stdout('await runTests()');
    expect(stdout).toContain('expected 2 assertions, but there were 1');
    expect(stdout).toContain('expected any assertion, but there was none');
  });
});
