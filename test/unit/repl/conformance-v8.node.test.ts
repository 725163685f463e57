// The expected values of plain cells are JavaScript's, not only our own. V8's REPL mode (the one of
// DevTools) is asked for them as well, and shows them by our inspector.
import { Session, type Runtime } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';
import { createContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleGuest } from '../../../scripts/guest.ts';
import { cellSessions, toExpectation } from '../../contract/repl-cells.contract.ts';

/** A console of V8 with a global object of its own. */
interface V8Console {
  run(code: string): Promise<{ value?: string; throws?: string }>;
}

describe('plain cells', () => {
  const inspector = new Session();
  let inspect = '';
  beforeAll(async () => {
    inspect = await bundleGuest(
      fileURLToPath(new URL('../../../src/repl/guest/inspect.ts', import.meta.url)),
    );
    inspector.connect();
    await inspector.post('Runtime.enable');
  });
  afterAll(() => inspector.disconnect());

  async function openConsole(): Promise<V8Console> {
    let contextId = 0;
    inspector.once('Runtime.executionContextCreated', ({ params }) => {
      contextId = params.context.id;
    });
    createContext({});
    const evaluate = (expression: string) => {
      const console = { contextId, replMode: true, awaitPromise: true };
      return inspector.post('Runtime.evaluate', { expression, ...console });
    };
    const { result: show } = await evaluate(
      `((kernel) => { (${inspect})(kernel); return kernel.inspect })({ cleanStack: () => '' })`,
    );
    const nameOf = '(error) => Error.isError(error) ? error.name : "Error"';
    const { result: name } = await evaluate(nameOf);
    const apply = async (fn: Runtime.RemoteObject, value: Runtime.RemoteObject) => {
      const { result } = await inspector.post('Runtime.callFunctionOn', {
        objectId: fn.objectId!,
        functionDeclaration: 'function (value) { return this(value) }',
        arguments: [toArgument(value)],
      });
      return String(result.value);
    };
    return {
      async run(code) {
        // A cell is strict; the directive alone would be its value.
        const { result, exceptionDetails } = await evaluate(`'use strict';void 0;${code}`);
        if (exceptionDetails) return { throws: await apply(name, exceptionDetails.exception!) };
        return result.type === 'undefined' ? {} : { value: await apply(show, result) };
      },
    };
  }

  it.each(cellSessions.filter((session) => session.isPlain))(
    "have V8's outcome: $title",
    async ({ cells }) => {
      const { run } = await openConsole();
      for (const [code, outcome] of cells) {
        const { value, throws } = toExpectation(outcome);
        expect
          .soft({ code, ...(await run(code)) })
          .toEqual({ code, ...(value !== undefined && { value }), ...(throws && { throws }) });
      }
    },
  );
});

function toArgument(value: Runtime.RemoteObject): Runtime.CallArgument {
  const { objectId, unserializableValue } = value;
  if (objectId !== undefined) return { objectId };
  if (unserializableValue !== undefined) return { unserializableValue };
  return { value: value.value as unknown };
}
