import { describe, expect, it } from 'vitest';
import { readAnswer } from '../../../../src/agent/hooks/read-answer.ts';

const pre = (fields: object) => ({
  hookSpecificOutput: { hookEventName: 'PreToolUse', ...fields },
});

describe('readAnswer', () => {
  it.each([[undefined], [null], [{}], [{ newer: undefined }], [pre({ newer: undefined })]])(
    'takes %j for no opinion',
    (output) => {
      expect(readAnswer('PreToolUse', output)).toEqual({ isSuppressed: false, specific: {} });
    },
  );

  it('reads all that is known', () => {
    const output = {
      continue: false,
      stopReason: 'enough',
      decision: 'block',
      reason: 'why',
      systemMessage: 'hear',
      suppressOutput: true,
      ...pre({
        permissionDecision: 'ask',
        permissionDecisionReason: 'because',
        updatedInput: { a: 1 },
        additionalContext: 'more',
      }),
    };
    expect(readAnswer('PreToolUse', output)).toEqual({
      stop: 'enough',
      decision: 'block',
      reason: 'why',
      systemMessage: 'hear',
      isSuppressed: true,
      specific: {
        permissionDecision: 'ask',
        permissionDecisionReason: 'because',
        updatedInput: { a: 1 },
        additionalContext: 'more',
      },
    });
  });

  it('takes the older name of a replaced output, and undefined for one', () => {
    const read = (fields: object) =>
      readAnswer('PostToolUse', {
        hookSpecificOutput: { hookEventName: 'PostToolUse', ...fields },
      }).specific;
    expect(read({ updatedMCPToolOutput: 'x' })).toEqual({ updatedToolOutput: 'x' });
    expect(read({ updatedToolOutput: undefined })).toHaveProperty('updatedToolOutput');
    expect(read({})).not.toHaveProperty('updatedToolOutput');
  });

  it.each([
    [{ async: true }, { timeoutMs: undefined }],
    [{ async: true, asyncTimeout: 5, continue: 'nonsense' }, { timeoutMs: 5 }],
  ])('takes %j for one that goes on by itself', (output, background) => {
    expect(readAnswer('PreToolUse', output)).toEqual({
      background,
      isSuppressed: false,
      specific: {},
    });
  });

  it.each<[unknown, string]>([
    ['deny', 'its output is no object'],
    [[], 'its output is no object'],
    [{ async: true, asyncTimeout: 'soon' }, 'asyncTimeout must be a number of milliseconds'],
    [{ continue: 'no' }, 'its continue is neither true nor false'],
    [{ decision: 'deny' }, 'its decision is none of approve, block'],
    [{ systemMessage: 1 }, 'its systemMessage is no text'],
    [{ hookSpecificOutput: 'x' }, 'its hookSpecificOutput is no object'],
    [{ hookSpecificOutput: {} }, 'hookSpecificOutput is for undefined, and this was PreToolUse'],
    [
      { hookSpecificOutput: { hookEventName: 'PostToolUse' } },
      'hookSpecificOutput is for PostToolUse, and this was PreToolUse',
    ],
    [
      pre({ permissionDecision: 'Deny' }),
      'its permissionDecision is none of allow, deny, ask, defer',
    ],
    [pre({ updatedInput: 'x' }), 'its updatedInput is no object'],
    [pre({ updatedInput: null }), 'its updatedInput is no object'],
    [
      { permissionDecision: 'deny' },
      "its permissionDecision stands outside of hookSpecificOutput: write { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision } }",
    ],
    [{ decison: 'block' }, 'it has "decison", which means nothing there: did you mean decision?'],
    [{ newer: 1 }, 'it has "newer", which means nothing there: it may have continue, '],
    [pre({ permisionDecision: 'deny' }), 'did you mean permissionDecision?'],
    [pre({ decision: { behavior: 'deny' } }), 'it has "decision", which means nothing there'],
  ])('doesn’t take %j for an answer', (output, message) => {
    expect(() => readAnswer('PreToolUse', output)).toThrow(message);
  });

  it.each<[object, string]>([
    [{ decision: {} }, 'its decision has no behavior'],
    [{ decision: { behavior: 'ask' } }, 'its decision.behavior is none of allow, deny'],
    [{ decision: { behavior: 'allow', updatedInput: 1 } }, 'its updatedInput is no object'],
    [{ decision: { behavior: 'allow', updatedPermissions: {} } }, 'is no list'],
    [{ permissionDecision: 'deny' }, 'it has "permissionDecision", which means nothing there'],
  ])('doesn’t take %j for an answer to a question', (fields, message) => {
    const output = { hookSpecificOutput: { hookEventName: 'PermissionRequest', ...fields } };
    expect(() => readAnswer('PermissionRequest', output)).toThrow(message);
  });
});
