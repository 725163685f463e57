// The definition of the tool WebFetch. It has no worker half, because the session reads the page
// through its host, and asks the small model about it.
import { clipText } from '../../core/text/clip-text.ts';
import { SdkError, ToolError } from '../../core/errors.ts';
import { toSummary } from '../../core/tool/summary.ts';
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import type { CallContext } from '../../core/tool/context.ts';
import type { ToolResult } from '../../core/tool/tool.ts';
import { toPageHost, toPageUrl, type CallWeb, type WebPage } from '../../core/host-ports/web.ts';
import {
  markPage,
  pageInstructions,
  toQuestion,
  webFetchDescription,
  webFetchPrompt,
  webFetchToolName,
} from './prompt.ts';
import {
  webFetchInputSchema,
  webFetchOutputSchema,
  type WebFetchInput,
  type WebFetchOutput,
  type WebFetchProgress,
} from './schema.ts';

// Two minutes: a slow server, and then a model's answer.
const timeoutMs = 120_000;
// 100 000 characters, some 25 000 tokens: small models read them at a reasonable price.
const askedChars = 100_000;
// 40 000: with the words around it, it stays below the limit of a result.
const shownChars = 40_000;
// 2 000, for a server's own words about a missing page.
const errorChars = 2_000;
const maxAnswerTokens = 4_096;

export const webFetchTool = buildTool({
  name: webFetchToolName,
  searchHint: 'read a web page as text',
  shouldDefer: true,
  get inputSchema() {
    return webFetchInputSchema();
  },
  get outputSchema() {
    return webFetchOutputSchema();
  },

  description: (input) => Promise.resolve(input ? `Read ${input.url}` : webFetchDescription),
  prompt: () => Promise.resolve(webFetchPrompt),

  validateInput: ({ url }) => Promise.resolve(checkUrl(url)),
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  isOpenWorld: () => true,
  getNetworkHosts: ({ url }) => [toPageHost(toPageUrl(url))],
  getTimeoutMs: () => timeoutMs,

  call: fetchPage,

  userFacingName: () => 'Web page',
  getToolUseSummary: ({ url }) => (url ? toSummary(url.replace(/^https?:\/\//iu, '')) : null),
  getActivityDescription: ({ url }) => (url ? `Reading ${url}` : null),
  isSearchOrReadCommand: () => ({ isSearch: false, isRead: true }),
  genToolPermission: ({ url, prompt }) => ({
    title: `Read a page of ${toPageHost(toPageUrl(url))}?`,
    summary: toPageUrl(url).href,
    content: prompt,
  }),
  genToolResultMessage: ({ url, code, codeText, result }) => ({
    title: 'Web page',
    summary: `${url} (${code} ${codeText})`,
    content: result,
  }),
  extractSearchText: ({ url, result }) => `${url}\n${result}`,
  toAutoClassifierInput: ({ url, prompt }) =>
    `read the web page ${url}, to answer: ${clipText(prompt, 1_000)}`,

  mapToolResultToToolResultBlockParam: ({ url, code, codeText, bytes, result }, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: `${url} answered ${nameCode(code, codeText)}, ${bytes} bytes.\n\n${result}`,
  }),
} satisfies ToolDef<ReturnType<typeof webFetchInputSchema>, WebFetchOutput, WebFetchProgress>);

function checkUrl(url: string) {
  try {
    toPageUrl(url);
    return { result: true } as const;
  } catch (error) {
    if (!SdkError.isInstance(error)) throw error;
    return { result: false, errorCode: 1, message: error.message } as const;
  }
}

async function fetchPage(
  input: WebFetchInput,
  { web, clock, abortController: { signal } }: CallContext,
  _canUseTool?: unknown,
  _parentMessage?: unknown,
  onProgress?: (progress: WebFetchProgress) => void,
): Promise<ToolResult<WebFetchOutput>> {
  if (!web) {
    throw new SdkError(
      'unsupported-environment',
      'This host reads no pages of the web. Ask the user for what the page says.',
    );
  }
  const startedAt = clock.now();
  onProgress?.({ activity: `Reading ${toPageHost(toPageUrl(input.url))}` });
  const page = await web.read(input.url, signal);
  const result = describeMissing(page) ?? (await answer(page, input, web, signal, onProgress));
  const { bytes, code, codeText, url } = page;
  return { data: { bytes, code, codeText, result, durationMs: clock.now() - startedAt, url } };
}

/** The reason why there is nothing to read, and what to do. Undefined: there is a text. */
function describeMissing({ code, codeText, movedTo, text, contentType, url }: WebPage) {
  if (movedTo !== undefined) {
    return `The page has moved to another host, and nothing was read. If you want it, call WebFetch with ${movedTo}`;
  }
  if (code < 200 || code > 299) {
    const said = text?.trim() ? ` It said:\n${markPage(url, clipText(text, errorChars))}` : '';
    return `There is no page: the server answered ${nameCode(code, codeText)}.${said}`;
  }
  if (text === undefined) {
    const what = contentType === '' ? 'of an unknown type' : contentType;
    return `It is no text (${what}), which WebFetch can't read. To look at an image or a PDF, fetch it in a cell, write its bytes to a file, and call Read on that.`;
  }
  if (text.trim() !== '') return undefined;
  return "The page has no text. Its scripts may make it, and they aren't run here: look for an API, a feed or another address of it.";
}

async function answer(
  page: WebPage,
  { prompt, offset = 0 }: WebFetchInput,
  { smallModel }: CallWeb,
  signal: AbortSignal,
  onProgress: ((progress: WebFetchProgress) => void) | undefined,
): Promise<string> {
  const { text = '', url } = page;
  if (offset >= text.length) {
    throw new ToolError(
      `The text of ${url} has ${text.length} characters, so offset is at most ${text.length - 1}.`,
      { code: 'invalid-input', data: { offset, length: text.length } },
    );
  }
  const part = clipText(text.slice(offset), smallModel ? askedChars : shownChars);
  const rest = describeRest(page, offset, offset + part.length);
  if (!smallModel) {
    return `No small model is at hand, so this is the text of the page:\n${markPage(url, part)}${rest}`;
  }
  onProgress?.({ activity: `Asking ${smallModel.name} about ${part.length} characters` });
  const asked = toQuestion(url, part, prompt);
  const question = { system: pageInstructions, text: asked, maxTokens: maxAnswerTokens };
  const { text: said, isCut } = await smallModel.ask(question, signal);
  const cut = isCut ? '\n\n(The answer was cut here. Ask for less at a time.)' : '';
  return `${said}${cut}${rest}`;
}

/** Describes the rest of the page, so that nothing is left out in silence. */
function describeRest({ text = '', isCut }: WebPage, from: number, to: number): string {
  const all = isCut ? `the first ${text.length}` : `${text.length}`;
  if (to < text.length) {
    return `\n\n(That was characters ${from} to ${to} of ${all}. For what follows call WebFetch again with offset: ${to}.)`;
  }
  if (!isCut) return '';
  return `\n\n(Only ${all} characters of the page are kept. Look for what follows on a page of its own.)`;
}

function nameCode(code: number, codeText: string): string {
  return codeText === '' ? `${code}` : `${code} ${codeText}`;
}
