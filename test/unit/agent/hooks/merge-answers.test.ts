import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  findBlock,
  listContext,
  mergeCallAnswers,
  mergeQuestionAnswers,
} from '../../../../src/agent/hooks/run-hooks.ts';
import type { HookAnswer, SpecificAnswer } from '../../../../src/agent/hooks/read-answer.ts';

const answer = (specific: SpecificAnswer = {}, more: Partial<HookAnswer> = {}): HookAnswer => ({
  isSuppressed: false,
  specific,
  ...more,
});
const says = (permissionDecision: NonNullable<SpecificAnswer['permissionDecision']>, to?: string) =>
  answer({
    permissionDecision,
    permissionDecisionReason: permissionDecision,
    ...(to !== undefined && { updatedInput: { to } }),
  });
const rewrites = (to: string) => answer({ updatedInput: { to } });

describe('mergeCallAnswers', () => {
  it.each([
    ['none', [], { reason: '' }],
    ['without opinion', [answer()], { reason: '' }],
    ['deny beats all', [says('allow'), says('ask'), says('defer'), says('deny')], 'deny'],
    ['defer beats ask', [says('ask'), says('defer'), says('allow')], 'defer'],
    ['ask beats allow', [says('allow'), says('ask')], 'ask'],
    ['the older block', [answer({}, { decision: 'block', reason: 'deny' }), says('allow')], 'deny'],
    ['a stop', [answer({}, { stop: 'x' }), says('allow')], { decision: 'deny', reason: '' }],
    ['the older approve', [answer({}, { decision: 'approve' })], { decision: 'allow', reason: '' }],
    [
      'a newer ask over an older approve',
      [answer({ permissionDecision: 'ask' }, { decision: 'approve' })],
      { decision: 'ask', reason: '' },
    ],
    [
      'the last rewriting',
      [rewrites('a'), rewrites('b')],
      { reason: '', updatedInput: { to: 'b' } },
    ],
    [
      'its own rewriting allowed',
      [says('allow', 'a')],
      { decision: 'allow', reason: 'allow', updatedInput: { to: 'a' } },
    ],
    [
      'another’s rewriting not allowed',
      [says('allow'), rewrites('a')],
      { reason: '', updatedInput: { to: 'a' } },
    ],
    [
      'an allowed rewriting that another replaced',
      [says('allow', 'a'), rewrites('b')],
      { reason: '', updatedInput: { to: 'b' } },
    ],
    [
      'a rewriting that is asked about',
      [rewrites('a'), says('ask')],
      { decision: 'ask', reason: 'ask', updatedInput: { to: 'a' } },
    ],
    ['nothing rewritten where it is denied', [says('deny', 'a')], 'deny'],
  ])('%s', (_, answers, expected) => {
    const verdict =
      typeof expected === 'string' ? { decision: expected, reason: expected } : expected;
    expect(mergeCallAnswers(answers)).toEqual(verdict);
  });

  it('lets no order of answers change what is decided, nor allow an input that nobody saw', () => {
    const one = fc.oneof(
      fc.constantFrom(says('allow'), says('ask'), says('defer'), says('deny'), answer()),
      fc.constantFrom(rewrites('a'), says('allow', 'b'), answer({}, { stop: 'x' })),
    );
    const shuffled = fc.array(one, { maxLength: 5 }).chain((answers) =>
      fc.record({
        answers: fc.constant(answers),
        other: fc.shuffledSubarray(answers, { minLength: answers.length }),
      }),
    );
    fc.assert(
      fc.property(shuffled, ({ answers, other }) => {
        const [first, second] = [mergeCallAnswers(answers), mergeCallAnswers(other)];
        // Which rewriting stands depends on the order, and with it whether an allow has seen it.
        const strict = (decision: string | undefined) =>
          decision === 'allow' ? undefined : decision;
        expect(strict(first.decision)).toBe(strict(second.decision));
        const denies = answers.some(
          ({ stop, specific }) => stop !== undefined || specific.permissionDecision === 'deny',
        );
        expect(first.decision === 'deny').toBe(denies);
        if (first.decision === 'allow' && first.updatedInput) {
          expect(first.updatedInput).toEqual({ to: 'b' });
        }
      }),
    );
  });
});

describe('mergeQuestionAnswers', () => {
  const allow = answer({ decision: { behavior: 'allow', updatedInput: { a: 1 } } });
  const other = answer({ decision: { behavior: 'allow' } });
  const deny = answer({ decision: { behavior: 'deny', message: 'no' } });
  it.each([
    [[], undefined],
    [[answer()], undefined],
    [[allow, other], allow.specific.decision],
    [[other, allow], other.specific.decision],
    [[allow, deny], deny.specific.decision],
    [[allow, answer({}, { decision: 'block' })], { behavior: 'deny', message: '' }],
    [[allow, answer({}, { stop: 'end' })], { behavior: 'deny', message: 'end' }],
    // PreToolUse's way of allowing answers no question.
    [[answer({ permissionDecision: 'allow' })], undefined],
  ])('%j: %j', (answers, expected) => {
    expect(mergeQuestionAnswers(answers)).toEqual(expected);
  });
});

it('findBlock gives the first reason, and listContext all texts in order', () => {
  const block = answer({ additionalContext: 'one' }, { decision: 'block', reason: 'why' });
  const stop = answer({ additionalContext: 'two' }, { stop: 'end' });
  expect(findBlock([answer(), block, stop])).toBe('why');
  expect(findBlock([stop])).toBe('end');
  expect(findBlock([answer()])).toBeUndefined();
  expect(listContext([block, answer(), stop])).toEqual(['one', 'two']);
});
