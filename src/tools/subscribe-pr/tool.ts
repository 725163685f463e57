// The definition of the tool SubscribePr. It has no worker half, because the session polls the
// forge.
import { SdkError } from '../../core/errors.ts';
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import type { CallContext } from '../../core/tool/context.ts';
import { toSummary } from '../../core/tool/summary.ts';
import type { ToolResult } from '../../core/tool/tool.ts';
import { subscribePrDescription, subscribePrPrompt, subscribePrToolName } from './prompt.ts';
import {
  subscribePrInputSchema,
  subscribePrOutputSchema,
  type SubscribePrInput,
  type SubscribePrOutput,
} from './schema.ts';

export const subscribePrTool = buildTool({
  name: subscribePrToolName,
  searchHint: 'watch a pull request for comments and checks',
  shouldDefer: true,
  get inputSchema() {
    return subscribePrInputSchema();
  },
  get outputSchema() {
    return subscribePrOutputSchema();
  },

  description: (input) =>
    Promise.resolve(
      input
        ? `${input.unsubscribe ? 'Stop watching' : 'Watch'} pull request ${nameOf(input)}`
        : subscribePrDescription,
    ),
  prompt: () => Promise.resolve(subscribePrPrompt),

  // The call only changes the session's news, which come from outside.
  checkPermissions: ({ unsubscribe }) =>
    Promise.resolve({ behavior: unsubscribe ? 'allow' : 'passthrough' }),
  isReadOnly: () => true,
  isOpenWorld: ({ unsubscribe }) => unsubscribe !== true,

  call: subscribe,
  // An existing subscription stays as it is.
  resumeCall: subscribe,

  userFacingName: () => 'Watch pull request',
  getToolUseSummary: (input) => toSummary(nameOf(input)) || null,
  getActivityDescription: (input) => `Asking about ${nameOf(input) || 'a pull request'}`,
  toAutoClassifierInput: (input) => `watch the pull request ${nameOf(input)}`,

  mapToolResultToToolResultBlockParam: (output, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: describeOutput(output),
  }),
} satisfies ToolDef<ReturnType<typeof subscribePrInputSchema>, SubscribePrOutput>);

async function subscribe(
  { repository, number, unsubscribe }: SubscribePrInput,
  { pullRequests, agentId, abortController }: CallContext,
): Promise<ToolResult<SubscribePrOutput>> {
  const name = { repository, number };
  if (!pullRequests) {
    throw new SdkError('unsupported-environment', 'This query has no forge: its host gives none.');
  }
  if (agentId !== undefined) {
    throw new SdkError(
      'bad-usage',
      'News of pull requests come to the main agent alone. Write to "main" that it should subscribe.',
    );
  }
  if (unsubscribe) {
    const wasThere = await pullRequests.unsubscribe(name);
    return { data: { ...name, status: wasThere ? 'unsubscribed' : 'not-subscribed' } };
  }
  const { title, state, counts } = await pullRequests.subscribe(name, abortController.signal);
  const status = state === 'open' ? 'subscribed' : 'not-open';
  return { data: { ...name, status, title, state, ...counts } };
}

function nameOf({ repository, number }: Partial<SubscribePrInput>): string {
  return repository === undefined ? '' : `${repository}${number === undefined ? '' : `#${number}`}`;
}

function describeOutput(output: SubscribePrOutput): string {
  const { status, title = '', state, comments = 0, reviews = 0, checks = 0 } = output;
  const name = nameOf(output);
  if (status === 'unsubscribed') return `Nothing more is told of ${name}.`;
  if (status === 'not-subscribed') return `There was no subscription to ${name}.`;
  const now = `"${title}" is ${state}, with ${comments} comments, ${reviews} reviews and ${checks} checks done.`;
  return status === 'subscribed'
    ? `You are told what happens to ${name} from now on. ${now}`
    : `${name} is ${state}: nothing more is told of it. ${now}`;
}
