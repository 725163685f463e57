import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { completionEdits, valueStart } from '../../../src/repl/syntax/completion.ts';
import { applyEdits } from '../../../src/repl/syntax/edits.ts';
import { parseCode } from '../../../src/repl/syntax/parse.ts';

/** In strict mode, whose directive is no value, with an `x` outside of all loops. */
function evaluate(code: string): unknown {
  // oxlint-disable-next-line no-eval -- the engine's own answer is what is asked for
  return (0, eval)(`'use strict';const x = 1;void 0;${code}`);
}

function evaluateRewritten(code: string): unknown {
  const { body } = parseCode(code);
  const edits = body
    .slice(valueStart(body))
    .flatMap((statement) => completionEdits(code, statement, 'value'));
  return evaluate(`let value;${applyEdits(code, edits)}\n;value`);
}

const expression = fc
  .oneof(fc.nat(9), fc.constantFrom('a', 'b'), fc.constant(undefined))
  .map((value) => JSON.stringify(value) ?? 'undefined');
const condition = fc.constantFrom('1', '0', 'x === 1');
const simple = fc.oneof(
  { weight: 4, arbitrary: expression.map((text) => `${text};`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(';', '{}', '{ let own = 1 }', 'var v = 2;', '{ class K {} }'),
  },
);

/** Statements, of which those in a loop may jump. */
const { statement } = fc.letrec<Record<string, string>>((tie) => {
  const compound = (inner: fc.Arbitrary<string>) => {
    const list = fc.array(inner, { maxLength: 3 }).map((parts) => parts.join('\n'));
    const body = fc.oneof(
      list.map((text) => `{ ${text} }`),
      inner,
    );
    return [
      list.map((text) => `{ ${text} }`),
      fc.tuple(condition, body).map(([test, then]) => `if (${test}) ${then}`),
      fc
        .tuple(condition, list, body)
        .map(([test, then, otherwise]) => `if (${test}) { ${then} } else ${otherwise}`),
      // A catch without a value is left out: in a loop V8 keeps the value from before it.
      fc.tuple(list, expression).map(([text, last]) => `try { ${text} throw 1 } catch { ${last} }`),
      fc.tuple(list, expression).map(([text, last]) => `try { ${text} } finally { ${last} }`),
    ];
  };
  const loopBody = fc.array(tie('inLoop'), { maxLength: 3 }).map((parts) => parts.join(' '));
  const loops = [
    loopBody.map((text) => `for (const x of [1, 2]) { x; ${text} }`),
    loopBody.map((text) => `for (let i = 0; i < 2; i++) { ${text} }`),
    loopBody.map((text) => `do { ${text} } while (false)`),
    fc
      .tuple(fc.nat(2), loopBody)
      .map(
        ([at, text]) =>
          `switch (${at}) { case 0: 1; case 1: { ${text.replaceAll('continue', 'break')} } default: 2 }`,
      ),
    tie('inLoop').map((text) => `for (const x of [1, 2]) ${text}`),
  ];
  const plain = fc.oneof({ maxDepth: 4 }, simple, ...compound(tie('statement')), ...loops);
  const jumps = fc.constantFrom('break;', 'continue;', 'if (1) break;', 'if (0) continue; else 5;');
  return {
    statement: plain,
    inLoop: fc.oneof({ maxDepth: 4 }, simple, jumps, ...compound(tie('inLoop')), ...loops),
  };
});

describe('completionEdits', () => {
  it("give the engine's own value, whatever the statements", () => {
    const programs = fc.array(statement!, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(programs, (statements) => {
        const code = statements.join('\n');
        expect(evaluateRewritten(code)).toBe(evaluate(code));
      }),
      { numRuns: 500 },
    );
  });
});
