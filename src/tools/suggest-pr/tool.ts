// The definition of the tool SuggestPr. It has no worker half, because the host's forge makes the
// pull request.
import { clipText } from '../../core/text/clip-text.ts';
import { SdkError, hasCode } from '../../core/errors.ts';
import { isRecord } from '../../core/values/is-record.ts';
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import type { CallContext } from '../../core/tool/context.ts';
import { toSummary } from '../../core/tool/summary.ts';
import type { ToolResult } from '../../core/tool/tool.ts';
import { toValidation } from '../../core/tool/validation.ts';
import { suggestPrDescription, suggestPrPrompt, suggestPrToolName } from './prompt.ts';
import {
  suggestPrInputSchema,
  suggestPrOutputSchema,
  type SuggestPrInput,
  type SuggestPrOutput,
} from './schema.ts';

// 65 536 characters: GitHub's limit of a body.
const maxBodyChars = 65_536;
const maxTitleChars = 256;

export const suggestPrTool = buildTool({
  name: suggestPrToolName,
  searchHint: 'propose a pull request for a pushed branch',
  shouldDefer: true,
  get inputSchema() {
    return suggestPrInputSchema();
  },
  get outputSchema() {
    return suggestPrOutputSchema();
  },

  description: (input) => Promise.resolve(input ? describeInput(input) : suggestPrDescription),
  prompt: () => Promise.resolve(suggestPrPrompt),

  validateInput({ title, body, branch }) {
    const problem =
      title.trim() === '' || branch.trim() === ''
        ? 'title and branch must say something.'
        : title.length > maxTitleChars || body.length > maxBodyChars
          ? `title may have ${maxTitleChars} characters and body ${maxBodyChars}: say it shorter.`
          : undefined;
    return toValidation(problem);
  },
  // A person, a rule or a mode must allow it: others see the proposal at once, and it can't be
  // rolled back.
  checkPermissions: () => Promise.resolve({ behavior: 'passthrough' }),
  isReadOnly: () => false,
  isOpenWorld: () => true,

  call: suggest,

  userFacingName: () => 'Propose pull request',
  getToolUseSummary: ({ title }) => toSummary(title ?? '') || null,
  getActivityDescription: ({ title }) => (title ? `Proposing ${toSummary(title)}` : null),
  genToolPermission: (input) => ({
    title: `Make the pull request "${toSummary(input.title ?? '')}"?`,
    summary: describeInput(input),
    content: input.body ?? '',
  }),
  toAutoClassifierInput: ({ repository, branch, title, body }: Partial<SuggestPrInput>) =>
    `propose a pull request in ${repository} from ${branch}: ${title}\n${clipText(body ?? '', 2_000)}`,

  mapToolResultToToolResultBlockParam: ({ status, number, url }, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content:
      status === 'made'
        ? `Pull request #${number} is made: ${url}`
        : 'The proposal is noted. The user decides about it later; go on without it.',
  }),
} satisfies ToolDef<ReturnType<typeof suggestPrInputSchema>, SuggestPrOutput>);

async function suggest(
  { repository, branch, base, title, body }: SuggestPrInput,
  context: CallContext,
): Promise<ToolResult<SuggestPrOutput>> {
  const { pullRequests, abortController } = context;
  if (!pullRequests) {
    throw new SdkError('unsupported-environment', 'This query has no forge: its host gives none.');
  }
  const diff = await readDiff(branch, base, context);
  const proposal = { repository, branch, title, body, diff, ...(base !== undefined && { base }) };
  const made = await pullRequests.propose(proposal, abortController.signal);
  const shown = diff === '' ? {} : { diff };
  return {
    data:
      made.type === 'made'
        ? { status: 'made', number: made.number, url: made.url, ...shown }
        : { status: 'noted', ...shown },
  };
}

/**
 * Reads the diff of files that the agent may read, as a cell sees it. Empty if there is no such
 * repository, branch or Repl.
 */
async function readDiff(
  branch: string,
  base: string | undefined,
  { callTool, options }: CallContext,
): Promise<string> {
  if (!options.tools.some(({ name }) => name === 'Repl')) return '';
  // 40 000 characters: the limit of a cell's text. The forge shows all of it.
  const code = `const names = ${JSON.stringify(base === undefined ? ['origin/HEAD', 'origin/main', 'origin/master'] : [`origin/${base}`, base])};
let text = '';
for (const from of names) {
  try {
    const files = await git.diff({ from, to: ${JSON.stringify(branch)} });
    text = files.map(({ path, structuredPatch = [] }) => ['--- a/' + path, '+++ b/' + path,
      ...structuredPatch.flatMap((hunk) => ['@@ -' + hunk.oldStart + ',' + hunk.oldLines + ' +' + hunk.newStart + ',' + hunk.newLines + ' @@', ...hunk.lines])].join('\\n')).join('\\n');
    break;
  } catch {}
}
text.slice(0, 40000)`;
  const output = await callTool('Repl', {
    code,
    description: 'Read what the branch changes',
  }).catch((error: unknown) => {
    if (hasCode(error, 'aborted')) throw error;
    // The cell was denied, or none can run. Then the proposal has no diff.
    return undefined;
  });
  const value = isRecord(output) ? output['value'] : undefined;
  return typeof value === 'string' ? value : '';
}

function describeInput({ repository, branch, base, title }: Partial<SuggestPrInput>): string {
  const into = base === undefined ? '' : ` into ${base}`;
  return `Propose ${branch ?? ''}${into} in ${repository ?? ''}: ${title ?? ''}`;
}
