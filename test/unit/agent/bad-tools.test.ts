// Tools that fail in any of their members: the call gets its one result, the turn goes on, and a healthy
// tool beside it works. Inputs that a hostile model may send: hostile-inputs.test.ts.
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { runTurn } from '../../../src/agent/turn/loop.ts';
import { permissionModes } from '../../../src/core/permissions/permission.ts';
import type { PermissionMode } from '../../../src/core/permissions/permission.ts';
import type { Tool } from '../../../src/core/tool/tool.ts';
import { toEvents } from '../../../src/model/to-events.ts';
import { assistantMessage } from '../../support/models/model-streams.ts';
import { callOf, healthy, here, quiet, runCalls } from '../../support/stages/run-calls.ts';
import { createEventModel, createTestSession } from '../../support/stages/test-session.ts';
import { changeTool, lookTool, plainTool } from '../../support/stages/test-tools.ts';

const mapper = 'mapToolResultToToolResultBlockParam';

/** Each member of the contract that is a function: one that is added must find its place here. */
type FunctionMember = {
  [K in keyof Tool]-?: Exclude<Tool[K], undefined> extends (...given: never[]) => unknown
    ? K
    : never;
}[keyof Tool];

/** When it is asked: of a session when it begins, of the tool for each request, of a call, or for people alone. */
const members = {
  isEnabled: 'request',
  description: 'request',
  prompt: 'request',
  call: 'call',
  validateInput: 'call',
  checkPermissions: 'call',
  fillQuestion: 'call',
  refuseUnattended: 'call',
  getPath: 'call',
  preparePermissionMatcher: 'call',
  genToolPermission: 'call',
  getGitDeeds: 'call',
  getFileChanges: 'call',
  isReadOnly: 'call',
  claimsReadOnly: 'call',
  getDefinition: 'call',
  isConcurrencySafe: 'call',
  isDestructive: 'call',
  changesOnlySession: 'call',
  isOpenWorld: 'call',
  getNetworkHosts: 'call',
  interruptBehavior: 'call',
  requiresUserInteraction: 'call',
  isSearchOrReadCommand: 'call',
  isTransparentWrapper: 'call',
  getTimeoutMs: 'call',
  usesSessionState: 'call',
  backfillObservableInput: 'call',
  inputsEquivalent: 'call',
  userFacingName: 'call',
  userFacingNameBackgroundColor: 'call',
  getToolUseSummary: 'call',
  getToolUseTag: 'call',
  getDisplayTitle: 'call',
  genToolResultMessage: 'call',
  isResultTruncated: 'call',
  extractSearchText: 'call',
  getActivityDescription: 'call',
  toAutoClassifierInput: 'call',
  mapToolResultToToolResultBlockParam: 'call',
  withPersistedOutput: 'call',
  withChangedInput: 'call',
  tellRest: 'call',
  resumeCall: 'call',
  endTurn: 'call',
  forOutputFormat: 'session',
} as const satisfies Record<FunctionMember, 'session' | 'request' | 'call'>;

type Member = keyof typeof members;
const callMembers = (Object.keys(members) as Member[]).filter(
  (member) => members[member] === 'call',
);

/** One that changes what it names, and one that only reads it. */
type Kind = 'Change' | 'Look';

/** What becomes of a call: it runs at once, when a person has said yes, or not at all. */
type Fate = 'runs' | 'asked' | 'refused';
type Fates = Readonly<Record<PermissionMode, Fate>>;

function always(fate: Fate): Fates {
  return Object.fromEntries(permissionModes.map((mode) => [mode, fate])) as Fates;
}

/** Of the tool as it should be. */
const whole = {
  Change: {
    default: 'asked',
    acceptEdits: 'asked',
    plan: 'refused',
    auto: 'asked',
    dontAsk: 'refused',
    bypassPermissions: 'runs',
  },
  Look: always('runs'),
} as const satisfies Record<Kind, Fates>;

/** A person is asked in every mode; where nobody may be asked it is refused. */
const everAsked: Fates = { ...always('asked'), dontAsk: 'refused' };

/** What becomes of a call of a tool whose `member` fails. */
function fatesOf(kind: Kind, member: Member): Fates {
  switch (member) {
    case 'validateInput':
      return always('refused');
    case 'checkPermissions':
    case 'requiresUserInteraction':
    // A rule that asks about another path may be about this one.
    case 'getPath':
    case 'preparePermissionMatcher':
      return everAsked;
    case 'fillQuestion':
      // Without its question nobody can be asked.
      return Object.fromEntries(
        Object.entries(whole[kind]).map(([mode, fate]) => [
          mode,
          fate === 'asked' ? 'refused' : fate,
        ]),
      ) as Fates;
    case 'isReadOnly':
      return whole.Change;
    case 'isOpenWorld':
      // As one that reaches the network; for the other kind that makes no difference.
      return kind === 'Look' ? { ...everAsked, bypassPermissions: 'runs' } : whole.Change;
    default:
      return whole[kind];
  }
}

describe('a tool that fails', () => {
  const kinds = { Change: changeTool, Look: lookTool };
  const cases = (['Change', 'Look'] as const satisfies Kind[]).flatMap((kind) =>
    callMembers.flatMap((member) => permissionModes.map((mode) => ({ kind, member, mode }))),
  );

  it.each(cases)(
    '$kind in $member, in mode $mode, answers its call once, gains nothing and stops nobody',
    async ({ kind, member, mode }) => {
      const fate = fatesOf(kind, member)[mode];
      for (const answer of ['allow', 'deny'] as const) {
        let runs = 0;
        const fail = () => {
          throw new Error('out of order');
        };
        const call = () => {
          runs += 1;
          return member === 'call' ? fail() : Promise.resolve({ data: 'done' });
        };
        const failing = here(kinds[kind](), { [member]: fail, call });
        const calls = [callOf(kind, { path: 'a' }), callOf('Healthy', {})];
        const { end, results, asked } = await runCalls([failing, healthy], calls, {
          permissionMode: mode,
          settings: { permissions: { ask: [`${kind}(b)`] } },
          answer,
        });
        expect(end).toBe('completed');
        expect(results.map(({ tool_use_id }) => tool_use_id)).toEqual([kind, 'Healthy']);
        expect(results[1]?.content).toBe('done');
        const isRun = fate === 'runs' || (fate === 'asked' && answer === 'allow');
        expect([answer, { runs, asked }]).toEqual([
          answer,
          { runs: isRun ? 1 : 0, asked: fate === 'asked' ? 1 : 0 },
        ]);
        // What can't be said of a call can't be said to have gone well.
        const isDone = isRun && member !== 'call' && member !== mapper;
        const { content, is_error = false } = results[0] ?? {};
        expect([answer, content === 'done', is_error]).toEqual([answer, isDone, !isDone]);
      }
    },
  );

  it.each<[string, Partial<Tool>, string]>([
    [
      'no verdict on its input',
      { validateInput: () => Promise.resolve(undefined as never) },
      'Look could not check its input: TypeError: its check gave no verdict. This is a fault of the tool; try another way.',
    ],
    [
      'no answer whether it may run',
      { checkPermissions: () => Promise.resolve(undefined as never) },
      'No.',
    ],
    [
      'an answer that is none',
      { checkPermissions: () => Promise.resolve({ behavior: 'yes' } as never) },
      'No.',
    ],
    [
      'neither yes nor no to whether it needs a person',
      { requiresUserInteraction: () => 1 as never },
      'No.',
    ],
    [
      'content that the API does not take',
      { [mapper]: () => ({ type: 'tool_result', tool_use_id: '', content: 42 }) as never },
      'Look could not present its result (TypeError: its content is neither text nor a list of blocks), and nothing that it changed was kept. This is a fault of the tool; try another way.',
    ],
    [
      'blocks without text',
      { [mapper]: () => ({ type: 'tool_result', content: [{ type: 'text' }] }) as never },
      'Look could not present its result (TypeError: its content is neither text nor a list of blocks), and nothing that it changed was kept. This is a fault of the tool; try another way.',
    ],
    [
      'an image of nothing',
      { [mapper]: () => ({ type: 'tool_result', content: [{ type: 'image' }] }) as never },
      'Look could not present its result (TypeError: its content is neither text nor a list of blocks), and nothing that it changed was kept. This is a fault of the tool; try another way.',
    ],
    [
      'a refusal without words',
      { checkPermissions: () => Promise.resolve({ behavior: 'deny' } as never) },
      'its own check gave no reason.',
    ],
    [
      'a question without words',
      { checkPermissions: () => Promise.resolve({ behavior: 'ask' } as never) },
      'No.',
    ],
    [
      'an input of its own that its schema refuses',
      { checkPermissions: () => Promise.resolve({ behavior: 'allow', updatedInput: { path: 1 } }) },
      "The input of Look isn't valid:\n- path: Invalid input: expected string, received number\nCorrect it and call Look again.",
    ],
    [
      'its output without { data } around it',
      { call: () => Promise.resolve({ words: 3 } as never) },
      'Look failed unexpectedly: TypeError: its call() must resolve with { data }',
    ],
    [
      'a text for a result',
      { call: () => Promise.resolve('3 words' as never) },
      'Look failed unexpectedly: TypeError: its call() must resolve with { data }',
    ],
    [
      'no output at all',
      { call: () => Promise.resolve(undefined as never) },
      'Look failed unexpectedly: TypeError: its call() must resolve with { data }',
    ],
    [
      'something thrown that has no text',
      {
        validateInput: () => {
          throw Object.create(null);
        },
      },
      'Look could not check its input: something was thrown that has no text. This is a fault of the tool; try another way.',
    ],
    [
      'no word on whether it is for the background',
      {
        background: {
          isAskedFor: () => {
            throw new Error('out of order');
          },
        } as never,
      },
      'Look failed inside the agent: Error: out of order',
    ],
  ])('by giving %s gets a clear error, or a question', async (_, changes, content) => {
    const failing = here(lookTool(), changes);
    const calls = [callOf('Look', { path: 'a' }), callOf('Healthy', {})];
    const { end, results } = await runCalls([failing, healthy], calls, { answer: 'deny' });
    expect(results.map((result) => result.content)).toEqual([content, 'done']);
    expect(end).toBe('completed');
  });

  it.each(['description', 'prompt'] as const)(
    'in %s ends the turn with a sentence about it, and the next one goes on when it is well',
    async (member) => {
      let isWell = false;
      const tool = here(lookTool(), {
        [member]: () =>
          isWell ? Promise.resolve('Looks.') : Promise.reject(new Error('no words')),
      });
      const says = { type: 'text', text: 'Done.' } as const;
      const stream = async function* () {
        yield* toEvents(assistantMessage([says], { stop_reason: 'end_turn' }));
      };
      const session = await createTestSession({ tools: [tool], model: createEventModel([stream]) });
      const turn = () => runTurn(session, { role: 'user', content: 'Go.' }, quiet);
      const message =
        "The tool Look could not say what it is for (Error: no words), so the model can't be asked. Mend it, or leave it out.";
      expect((await turn()).end).toMatchObject({ type: 'failed', error: { message } });
      isWell = true;
      expect((await turn()).end).toMatchObject({ type: 'completed' });
    },
  );

  it.each<[string, PropertyDescriptor, keyof Tool, string]>([
    [
      'that throws',
      {
        get() {
          throw new Error('out of order');
        },
      },
      'inputSchema',
      'The input schema of Look could not be made (Error: out of order). Mend the tool, or leave it out.',
    ],
    [
      'that is none',
      { value: { type: 'object' } },
      'inputSchema',
      "The input schema of Look can't be written as JSON Schema (",
    ],
    [
      'of a list',
      { value: z.array(z.string()) },
      'inputSchema',
      'The input schema of Look must describe one object,',
    ],
    [
      'of its own that JSON can’t hold',
      { value: { type: 'object', default: 1n } },
      'inputJSONSchema',
      'The input schema of Look could not be made (TypeError: ',
    ],
    [
      'of its own that is of a list',
      { value: { type: 'array' } },
      'inputJSONSchema',
      'The input schema of Look must describe one object,',
    ],
  ])('by a schema %s ends the turn with a sentence about it', async (_, member, key, message) => {
    const failing = Object.defineProperty(here(lookTool()), key, member);
    const session = await createTestSession({ tools: [failing] });
    const { end } = await runTurn(session, { role: 'user', content: 'Go.' }, quiet);
    expect(end).toMatchObject({
      type: 'failed',
      error: { code: 'invalid-input', message: expect.stringContaining(message) },
    });
  });

  it('to say whether it is enabled is not offered, and the others are', async () => {
    const broken = here(plainTool(), {
      isEnabled: () => {
        throw new Error('out of order');
      },
    });
    const { requests, results } = await runCalls([broken, healthy], [callOf('Healthy', {})]);
    expect(requests[0]?.tools.map(({ name }) => name)).toEqual(['Healthy']);
    expect(results[0]?.content).toBe('done');
  });
});
