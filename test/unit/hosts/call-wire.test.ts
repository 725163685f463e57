import { describe, expect, it } from 'vitest';
import {
  joinRequest,
  packReply,
  SentSettings,
  splitRequest,
  unpackReply,
} from '../../../src/hosts/browser/wire/call-wire.ts';
import { done, requestOf } from '../../support/work-request.ts';

const request = {
  ...requestOf('Repl', { code: '1' }),
  outerCallId: 'outer',
  tools: ['Read'],
  knownVersions: [['/a', 1]],
  network: { hosts: ['a.net'] },
  isBackground: true,
} as const;

describe('a reply without what is empty', () => {
  const changeSet = { baseSeq: 0, changes: [] };
  it.each([
    [done(null), { type: 'done', output: null }],
    [
      { ...done(1), changeSet, reads: [['/a', 1]], replaced: [] } as const,
      { type: 'done', output: 1, changeSet, reads: [['/a', 1]], replaced: [] },
    ],
    [{ type: 'lost', message: 'Gone.' } as const, { type: 'lost', message: 'Gone.' }],
  ])('is whole again when it has arrived: %o', (reply, sent) => {
    expect(packReply(reply)).toStrictEqual(sent);
    expect(unpackReply(packReply(reply))).toEqual(reply);
  });
});

describe('a request in two parts', () => {
  it.each([requestOf('Echo'), request])('is whole again when they are joined: %o', (whole) => {
    const { settings, own } = splitRequest(whole);
    expect(joinRequest(settings, own)).toEqual(whole);
    expect(Object.keys(settings).filter((key) => key in own)).toEqual([]);
  });

  const { access } = request;
  const denied = { effect: 'deny', operation: 'read', glob: 'secret/**' } as const;
  const strict = { ...request, access: { ...access, rules: [denied] } };

  it('has news for a worker only where what was said last is another', () => {
    const sent = new SentSettings();
    const said: unknown[] = [];
    for (const each of [
      request,
      structuredClone(request),
      strict,
      structuredClone(strict),
      request,
    ]) {
      sent.say(splitRequest(each).settings, () => said.push(each.access.rules));
    }
    expect(said).toEqual([[], [denied], []]);
  });

  it('is still to be said where it could not be, and what was said before still counts', () => {
    const sent = new SentSettings();
    const said: string[] = [];
    const note = (what: string) => said.push(what);
    const fail = () => {
      throw new DOMException('It could not be cloned.', 'DataCloneError');
    };
    const say = (each: typeof request | typeof strict, post: () => void) =>
      sent.say(splitRequest(each).settings, post);
    say(request, () => note('request'));
    expect(() => say(strict, fail)).toThrow('It could not be cloned.');
    say(request, () => note('request again'));
    say(strict, () => note('strict'));
    expect(said).toEqual(['request', 'strict']);
  });
});
