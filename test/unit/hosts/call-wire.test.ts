import { describe, expect, it } from 'vitest';
import {
  joinRequest,
  packReply,
  SentSettings,
  splitRequest,
  unpackReply,
} from '../../../src/hosts/browser/call-wire.ts';
import { done, requestOf } from '../../support/hand-driven-workers.ts';

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

  it('has news for a worker only where what was said last is another', () => {
    const sent = new SentSettings();
    const { access } = request;
    const denied = { effect: 'deny', operation: 'read', glob: 'secret/**' } as const;
    const strict = { ...request, access: { ...access, rules: [denied] } };
    const news = [request, structuredClone(request), strict, structuredClone(strict), request].map(
      (each) => sent.isNews(splitRequest(each).settings),
    );
    expect(news).toEqual([true, false, true, false, true]);
  });
});
