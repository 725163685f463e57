// Has the stations load what they load when they first need it: after that a call with a mistake, with a
// question, one that fails, or one of a tool with a `call` of its own, goes on by promises alone, as
// tests with a clock of their own expect.
import { authorize } from '../../src/agent/calls/authorize.ts';
import { dispatch } from '../../src/agent/calls/dispatch.ts';
import { settle } from '../../src/agent/calls/settle.ts';
import { validate } from '../../src/agent/calls/validate.ts';
import type { Tool } from '../../src/core/tool/tool.ts';
import { assistantMessage } from './model-streams.ts';
import { createTestSession, testContext } from './test-session.ts';
import { changeTool, lookTool } from './test-tools.ts';
import { validCall } from './valid-call.ts';

export async function warmStations(): Promise<void> {
  const session = await createTestSession();
  const context = testContext(session);
  await validate({ id: 'call-1', name: 'Missing', input: {}, index: 0 }, context);
  await authorize(validCall(changeTool(), { path: 'a' }), context, session);
  const call = await authorize(validCall(lookTool(), { path: 'a' }), context, session);
  if (call.stage === 'settled') throw new Error('What only reads was refused.');
  const { workspace, executor, clock } = session.host;
  const { signal } = context.abortController;
  await settle(call, { type: 'lost', message: '' }, { ...session, workspace }, signal);
  const { runsIn: _, ...rest } = lookTool() as Tool & { readonly runsIn: 'worker' };
  const tool: Tool = { ...rest, call: () => Promise.resolve({ data: null }) };
  const pageCall = await authorize(validCall(tool, { path: 'a' }), context, session);
  if (pageCall.stage === 'settled') throw new Error('What only reads was refused.');
  const { limits, downloads } = session;
  await dispatch(
    pageCall,
    { executor, clock, workspace, limits, downloads },
    {
      context,
      canUseTool: () => Promise.resolve(null),
      parentMessage: assistantMessage([]),
      onWorker: () => {},
      onProgress: () => {},
    },
  );
}
