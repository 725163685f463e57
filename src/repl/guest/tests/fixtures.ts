// `test.extend`: fixtures for tests. A test receives those that it destructures from its first
// parameter.

/**
 * For each name a value, a function that passes a value to `use`, or such a function with options.
 */
export type Fixtures = Readonly<Record<string, unknown>>;

type Make = (given: object, use: (value: unknown) => Promise<void>) => unknown;
type Run = (given: object, ...rest: unknown[]) => unknown;

/** For a test that already has fixtures: the names that it takes from the tests it extends. */
const takenBeyond = new WeakMap<Function, readonly string[]>();

/** Returns the names that a function destructures from its first parameter. */
function namesTaken(run: Function): readonly string[] {
  const known = takenBeyond.get(run);
  if (known) return known;
  const [, names] = /^[^(]*\(\s*\{([^}]*)\}/.exec(Function.prototype.toString.call(run)) ?? [];
  return (names ?? '')
    .split(',')
    .map((name) => name.split(/[:=]/)[0].trim())
    .filter((name) => name !== '');
}

/** Wraps a test: its fixtures are set up before it, and torn down after it in reverse order. */
export function withFixtures(fixtures: Fixtures, run: Run): Run {
  const isAuto = (name: string) =>
    Array.isArray(fixtures[name]) && (fixtures[name][1] as { auto?: boolean } | undefined)?.auto;
  const makeOf = (name: string) =>
    Array.isArray(fixtures[name]) ? fixtures[name][0] : fixtures[name];
  for (const name of Object.keys(fixtures)) {
    const scope = Array.isArray(fixtures[name]) ? fixtures[name][1]?.scope : undefined;
    if (scope !== undefined && scope !== 'test')
      throw new Error(
        "The fixture '" + name + "' has the scope '" + scope + "': here each test makes its own.",
      );
  }
  const order: string[] = [];
  const beyond: string[] = [];
  // Sets up the fixtures that a fixture needs. Its own name refers to the fixture that it
  // overrides.
  const need = (name: string, from?: string) => {
    if (name === from || !Object.hasOwn(fixtures, name)) beyond.push(name);
    else if (!order.includes(name)) {
      const make = makeOf(name);
      if (typeof make === 'function') for (const other of namesTaken(make)) need(other, name);
      order.push(name);
    }
  };
  for (const name of Object.keys(fixtures)) if (isAuto(name)) need(name);
  for (const name of namesTaken(run)) need(name);
  const wrapped: Run = (given) => {
    const own: object = { ...given };
    const step = async (at: number): Promise<void> => {
      if (at === order.length) {
        await run(own);
        return;
      }
      const name = order[at];
      const make = makeOf(name);
      if (typeof make !== 'function') {
        own[name] = make;
        return step(at + 1);
      }
      let isUsed = false;
      await (make as Make)(own, async (value) => {
        isUsed = true;
        own[name] = value;
        await step(at + 1);
      });
      if (!isUsed) throw new Error("The fixture '" + name + "' didn't call use().");
    };
    return step(0);
  };
  takenBeyond.set(wrapped, beyond);
  return wrapped;
}
