// Which calls the journal says may run again after a kill. What becomes of them: journal/resume.
import { expect, it } from 'vitest';
import type { AllowedCall } from '../../../src/agent/calls/authorize.ts';
import type { CallOrigin } from '../../../src/agent/calls/call-origin.ts';
import { createCallRecorder } from '../../../src/agent/calls/record-call.ts';
import { SessionFold } from '../../../src/agent/journal/fold.ts';
import { createSessionJournal } from '../../../src/agent/journal/session-journal.ts';
import type { Session } from '../../../src/agent/session/session.ts';

interface Kind {
  readonly runsIn: 'worker' | 'page';
  readonly isReadOnly?: true;
  readonly isOpenWorld?: true;
  /** It runs code. */
  readonly callsTools?: true;
  /** Code may reach some host. */
  readonly hasNetwork?: true;
  readonly isBehind?: true;
}

it.each<[string, Kind, boolean]>([
  ['a draft in a worker', { runsIn: 'worker' }, true],
  ['in a worker, reading from outside', read({ runsIn: 'worker', isOpenWorld: true }), true],
  ['in a worker, acting outside', { runsIn: 'worker', isOpenWorld: true }, false],
  ['code that would reach out, and can’t', code({ isOpenWorld: true }), true],
  ['code that may reach out', code({ isOpenWorld: true, hasNetwork: true }), false],
  ['code in the background', code({ isBehind: true }), false],
  ['on the page, reading', read({ runsIn: 'page' }), true],
  ['on the page, reading from outside', read({ runsIn: 'page', isOpenWorld: true }), false],
  ['on the page, acting', { runsIn: 'page' }, false],
])('%s', async (_, kind, repeatable) => {
  const { isReadOnly = false, isOpenWorld = false, hasNetwork, runsIn, callsTools } = kind;
  const toolUse = { id: 'a', name: 'Tool', input: {}, index: 0 };
  // The casts: what else they have, the recorder doesn't look at.
  const call = {
    toolUse,
    tool: {
      name: 'Tool',
      ...(runsIn === 'worker' && { runsIn }),
      callsTools,
      background: { isAskedFor: () => kind.isBehind === true },
    },
    input: {},
    traits: { isReadOnly, isOpenWorld },
    network: hasNetwork && {},
    reason: { type: 'mode', mode: 'default' },
  } as unknown as AllowedCall;
  const clock = { now: () => 0 };
  const journal = createSessionJournal({ fold: new SessionFold(), store: undefined, clock });
  const session = { journal } as unknown as Session;
  const origin = { type: 'model' } as CallOrigin;
  const { signal } = new AbortController();
  await createCallRecorder(toolUse, origin, { session, hooks: undefined, signal }).begin(call);
  expect(journal.fold.calls.get('a')?.call).toMatchObject({ repeatable, attempt: 1 });
});

function read(kind: Kind): Kind {
  return { ...kind, isReadOnly: true };
}

function code(kind: Omit<Kind, 'runsIn'>): Kind {
  return { ...kind, runsIn: 'worker', callsTools: true };
}
