// The definition of the tool WebSearch. It has no worker half, because the host searches, or the
// model's server.
import { SdkError } from '../../core/errors.ts';
import { toSummary } from '../../core/tool/summary.ts';
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import type { CallContext } from '../../core/tool/context.ts';
import type { ToolResult } from '../../core/tool/tool.ts';
import { toValidation } from '../../core/tool/validation.ts';
import { webSearchDescription, webSearchPrompt, webSearchToolName } from './prompt.ts';
import {
  webSearchInputSchema,
  webSearchOutputSchema,
  type WebSearchInput,
  type WebSearchOutput,
} from './schema.ts';

// Two minutes: several searches of the server's, and its words about them.
const timeoutMs = 120_000;

export const webSearchTool = buildTool({
  name: webSearchToolName,
  searchHint: 'search the internet for pages',
  shouldDefer: true,
  get inputSchema() {
    return webSearchInputSchema();
  },
  get outputSchema() {
    return webSearchOutputSchema();
  },

  description: (input) =>
    Promise.resolve(input ? `Search the web for ${input.query}` : webSearchDescription),
  prompt: () => Promise.resolve(webSearchPrompt),

  validateInput: (input) => toValidation(findMistake(input)),
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  isOpenWorld: () => true,
  getTimeoutMs: () => timeoutMs,

  call: search,

  userFacingName: () => 'Web search',
  getToolUseSummary: ({ query }) => (query ? toSummary(query) : null),
  getActivityDescription: ({ query }) => (query ? `Searching the web for ${query}` : null),
  isSearchOrReadCommand: () => ({ isSearch: true, isRead: false }),
  genToolPermission: (input) => ({
    title: 'Search the web?',
    summary: input.query,
    content: describeDomains(input),
  }),
  genToolResultMessage: (output) => ({
    title: 'Web search',
    summary: output.query,
    content: describeOutput(output),
  }),
  extractSearchText: describeOutput,
  toAutoClassifierInput: (input) =>
    `search the web for "${input.query}" ${describeDomains(input)}`.trim(),

  mapToolResultToToolResultBlockParam: (output, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: describeOutput(output),
  }),
} satisfies ToolDef<ReturnType<typeof webSearchInputSchema>, WebSearchOutput>);

/** A host, and the beginning of its pages' paths. */
const domainForm = /^(?:[\p{L}\p{N}_-]+\.)+[\p{L}\p{N}-]+(?:\/[^\s?#]*)?$/u;

function findMistake({ allowed_domains: allowed, blocked_domains: blocked }: WebSearchInput) {
  if (allowed && blocked) {
    return 'allowed_domains and blocked_domains exclude each other: give one of them.';
  }
  const wrong = (allowed ?? blocked ?? []).find((domain) => !domainForm.test(domain));
  if (wrong === undefined) return undefined;
  return `"${wrong.slice(0, 100)}" is no domain: write example.com or example.com/docs, without https:// and wildcards.`;
}

async function search(
  { query, allowed_domains: allowedDomains, blocked_domains: blockedDomains }: WebSearchInput,
  { searchWeb, clock, toolUseID, abortController: { signal } }: CallContext,
): Promise<ToolResult<WebSearchOutput>> {
  if (!searchWeb) {
    throw new SdkError(
      'unsupported-environment',
      "Nothing here can search the web: the host gives no search, and the model's server has none. Read pages whose addresses you know with WebFetch, or ask the user. (The host gives query({ options: { webSearch } }), or createAnthropicModel({ webSearch: true }) for a server that has the tool.)",
    );
  }
  const startedAt = clock.now();
  const { results, searchCount } = await searchWeb(
    {
      query,
      ...(allowedDomains && { allowedDomains }),
      ...(blockedDomains && { blockedDomains }),
    },
    signal,
  );
  return {
    data: {
      query,
      results: results.map((result) => {
        if (typeof result === 'string') return result;
        const content = result.pages.map((page) => ({ ...page }));
        return { tool_use_id: result.toolUseId ?? toolUseID, content };
      }),
      durationSeconds: (clock.now() - startedAt) / 1_000,
      searchCount,
    },
  };
}

function describeDomains({ allowed_domains: allowed, blocked_domains: blocked }: WebSearchInput) {
  if (allowed) return `only on ${allowed.join(', ')}`;
  return blocked ? `not on ${blocked.join(', ')}` : '';
}

function describeOutput({ query, results }: WebSearchOutput): string {
  const parts = results.map((result) => {
    if (typeof result === 'string') return result;
    const pages = result.content.map(({ title, url, snippet }) => {
      const words = snippet === undefined ? '' : `\n  ${snippet}`;
      return `- ${title}\n  ${url}${words}`;
    });
    return pages.join('\n') || 'No pages were found. Try other words.';
  });
  return `The web, searched for "${query}":\n\n${parts.join('\n\n') || 'Nothing was found. Try other words.'}`;
}
