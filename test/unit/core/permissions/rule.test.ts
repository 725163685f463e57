import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SdkError } from '../../../../src/core/errors.ts';
import { formatRule, parseRule } from '../../../../src/core/permissions/rule.ts';

describe('parseRule', () => {
  it.each([
    ['Read', { toolName: 'Read' }],
    [' Read ', { toolName: 'Read' }],
    ['Edit(src/**)', { toolName: 'Edit', ruleContent: 'src/**' }],
    ['*', { toolName: '*' }],
    ['3d-view', { toolName: '3d-view' }],
    ['*__delete', { toolName: '*__delete' }],
    ['Edit(a (copy).ts)', { toolName: 'Edit', ruleContent: 'a (copy).ts' }],
    ['Repl(fs.write:src/**)', { toolName: 'Repl', ruleContent: 'fs.write:src/**' }],
    ['WebFetch:domain:example.com', { toolName: 'WebFetch', ruleContent: 'domain:example.com' }],
    ['mcp__server__*', { toolName: 'mcp__server__*' }],
    ['mcp__my-server__tool', { toolName: 'mcp__my-server__tool' }],
  ])('reads %j', (rule, value) => {
    expect(parseRule(rule)).toEqual(value);
  });

  it.each(['', '()', 'Edit(', 'Edit()', 'Edit)', '(src)', 'Edit (src)', '.', 'a b'])(
    'refuses %j with the rule in the error',
    (rule) => {
      const error = catchError(() => parseRule(rule));
      expect(SdkError.isInstance(error) && [error.code, error.data]).toEqual([
        'invalid-input',
        { rule },
      ]);
    },
  );

  it('is the inverse of formatRule', () => {
    const toolName = fc.stringMatching(/^[A-Za-z_][\w*-]{0,20}$/u);
    const ruleContent = fc.string({ minLength: 1, unit: 'binary' });
    const rule = fc.oneof(fc.record({ toolName }), fc.record({ toolName, ruleContent }));
    fc.assert(
      fc.property(rule, (value) => {
        expect(parseRule(formatRule(value))).toEqual(value);
      }),
    );
  });
});

function catchError(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error('It did not throw.');
}
