import { describe, expect, it } from 'vitest';
import {
  joinRequest,
  SentSettings,
  splitRequest,
} from '../../../src/hosts/browser/call-settings.ts';
import { requestOf } from '../../support/hand-driven-workers.ts';

const request = {
  ...requestOf('Repl', { code: '1' }),
  outerCallId: 'outer',
  tools: ['Read'],
  network: { hosts: ['a.net'] },
  isBackground: true,
} as const;

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
