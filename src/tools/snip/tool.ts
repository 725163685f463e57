// The definition of the tool Snip. It has no worker half, because the session takes the parts out.
import { toSummary } from '../../core/tool/summary.ts';
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import type { CallContext } from '../../core/tool/context.ts';
import type { HistoryPart, HistorySpan } from '../../core/session/session-history.ts';
import type { ToolResult } from '../../core/tool/tool.ts';
import { toValidation } from '../../core/tool/validation.ts';
import { snipDescription, snipPrompt, snipToolName } from './prompt.ts';
import { snipInputSchema, snipOutputSchema, type SnipInput, type SnipOutput } from './schema.ts';

// 100 lines: some 3 000 tokens, less than a snip saves.
const maxListed = 100;

export const snipTool = buildTool({
  name: snipToolName,
  searchHint: 'free context by dropping old parts of the conversation',
  shouldDefer: true,
  get inputSchema() {
    return snipInputSchema();
  },
  get outputSchema() {
    return snipOutputSchema();
  },

  description: (input) =>
    Promise.resolve(input === undefined ? snipDescription : describeInput(input)),
  prompt: () => Promise.resolve(snipPrompt),

  validateInput: (input) =>
    toValidation(
      isListing(input) || isSpan(input)
        ? undefined
        : 'Give from, to and note together, or none of them to see which parts there are.',
    ),
  // The removed parts stay in the transcript, and the person's messages stay in the conversation.
  checkPermissions: () => Promise.resolve({ behavior: 'allow' }),
  isReadOnly: isListing,
  isConcurrencySafe: isListing,
  changesOnlySession: () => true,

  call: listOrSnip,
  // Parts that the call has already removed are found again.
  resumeCall: listOrSnip,

  userFacingName: () => 'Snip',
  getToolUseSummary: (input) => (isListing(input) ? null : toSummary(describeInput(input))),
  getActivityDescription: (input) =>
    isListing(input) ? 'Looking for what can leave the context' : 'Making room in the context',
  toAutoClassifierInput: describeInput,

  mapToolResultToToolResultBlockParam: (output, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: describeOutput(output),
  }),
} satisfies ToolDef<ReturnType<typeof snipInputSchema>, SnipOutput>);

async function listOrSnip(
  input: SnipInput,
  { history, toolUseID }: Pick<CallContext, 'history' | 'toolUseID'>,
): Promise<ToolResult<SnipOutput>> {
  if (!isSpan(input)) return { data: toListing(await history.list()) };
  const { parts, freedTokens } = await history.snip(toolUseID, input);
  const { note } = input;
  return { data: { operation: 'snip', parts: parts.map(toRow), freedTokens, note } };
}

function isSpan(input: SnipInput): input is SnipInput & HistorySpan {
  return input.from !== undefined && input.to !== undefined && input.note !== undefined;
}

function isListing({ from, to, note }: Partial<SnipInput>): boolean {
  return from === undefined && to === undefined && note === undefined;
}

/** The largest parts. A span also takes the small ones between two of them. */
function toListing(all: readonly HistoryPart[]): SnipOutput {
  const largest = all.toSorted((one, other) => other.tokens - one.tokens).slice(0, maxListed);
  const listed = new Set(largest);
  const parts = all.filter((part) => listed.has(part)).map(toRow);
  return { operation: 'list', parts, smaller: all.length - parts.length };
}

function toRow({ entries, text, tokens }: HistoryPart) {
  return { id: entries[0] ?? 0, text, tokens };
}

function describeInput(input: Partial<SnipInput>): string {
  return isListing(input)
    ? 'See what can leave the context'
    : `Take parts ${input.from ?? '?'} to ${input.to ?? '?'} out of the context`;
}

function describeOutput(output: SnipOutput): string {
  const { parts } = output;
  if (output.operation === 'snip') {
    const what = parts.length === 1 ? 'One part is' : `${parts.length} parts are`;
    return `${what} out of your context: about ${output.freedTokens} tokens. Your note stands in their place.`;
  }
  if (parts.length === 0) return 'There is no part that could be taken out.';
  const more = output.smaller > 0 ? [`(and ${output.smaller} smaller ones)`] : [];
  const lines = parts.map(({ id, text, tokens }) => `${id}: ${text} (about ${tokens} tokens)`);
  return [...lines, ...more].join('\n');
}
