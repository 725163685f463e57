// The definition of the tool LSP. worker.ts implements it. It is in the pool if the host has
// language servers.
import { buildTool, type ToolDef } from '../../core/tool/build-tool.ts';
import { toSummary } from '../../core/tool/summary.ts';
import { toValidation } from '../../core/tool/validation.ts';
import { lspDescription, lspPrompt, lspToolName } from './prompt.ts';
import {
  lspInputSchema,
  lspOutputSchema,
  placeOperations,
  type LspInput,
  type LspOutput,
  type LspProgress,
} from './schema.ts';

// Two minutes: enough for a project of about 2 000 files on a slow machine.
const timeoutMs = 120_000;

export const lspTool = buildTool({
  name: lspToolName,
  searchHint: 'type errors, definitions and references',
  shouldDefer: true,
  isLsp: true,
  get inputSchema() {
    return lspInputSchema();
  },
  get outputSchema() {
    return lspOutputSchema();
  },
  runsIn: 'worker',

  description: (input) => Promise.resolve(input ? describe(input) : lspDescription),
  prompt: () => Promise.resolve(lspPrompt),

  validateInput: (input) => toValidation(findMistake(input)),
  // The view applies the rules on other files: denied files are hidden.
  getPath: (input) => input.file_path ?? '.',

  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  getTimeoutMs: () => timeoutMs,
  isSearchOrReadCommand: () => ({ isSearch: true, isRead: false }),

  userFacingName: () => 'Language server',
  getToolUseSummary: (input) =>
    toSummary([input.operation, input.file_path ?? input.query].filter(Boolean).join(' ')) || null,
  getActivityDescription: (input) => (input.operation === undefined ? null : describe(input)),
  toAutoClassifierInput: (input) => `ask a language server: ${describe(input)}`,

  mapToolResultToToolResultBlockParam: (output, toolUseID) => ({
    type: 'tool_result',
    tool_use_id: toolUseID,
    content: toText(output),
  }),
} satisfies ToolDef<ReturnType<typeof lspInputSchema>, LspOutput, LspProgress>);

function describe({ operation, file_path: path, line, query }: Partial<LspInput>): string {
  const place = path === undefined ? query : line === undefined ? path : `${path}:${line}`;
  return `Look up ${operation ?? 'code'}${place === undefined ? '' : ` of ${place}`}`;
}

/** A missing or superfluous field. A guess would answer another question. */
function findMistake({ operation, file_path: path, line, character, query }: LspInput) {
  const hasPlace = line !== undefined || character !== undefined;
  if (operation === 'workspaceSymbols') {
    if (query === undefined) return 'workspaceSymbols needs query: a name, or a part of one.';
  } else if (query !== undefined) {
    return `query is for workspaceSymbols alone, not for ${operation}.`;
  }
  if (placeOperations.has(operation)) {
    if (path === undefined || line === undefined || character === undefined)
      return `${operation} needs file_path, line and character, as documentSymbols or Grep show them.`;
  } else if (hasPlace) {
    return `${operation} takes no line and no character.`;
  }
  if (operation === 'documentSymbols' && path === undefined)
    return 'documentSymbols needs file_path.';
  return undefined;
}

function toText(output: LspOutput): string {
  const { operation, scope, server, total, files } = output;
  const of = `${server}${scope === undefined ? '' : `, ${scope}`}`;
  if (output.hover) {
    const { code, language, documentation } = output.hover;
    const text = documentation === '' ? '' : `\n${documentation}`;
    return `\`\`\`${language}\n${code}\n\`\`\`${text}`;
  }
  const lines = toLines(output);
  if (lines.length === 0) {
    const what = operation === 'hover' ? 'Nothing is known of that place' : nothing(operation);
    return `${what} (${of}).`;
  }
  const counted = `${total} in ${files === 1 ? '1 file' : `${files} files`}`;
  const cut =
    total > lines.length
      ? ` The first ${lines.length} are shown: ask about one file, or for a longer name, to see others.`
      : '';
  return `${lines.join('\n')}\n\n(${counted}; ${of}.${cut})`;
}

function nothing(operation: LspOutput['operation']): string {
  return operation === 'diagnostics' ? 'No errors and no warnings' : `No ${operation} found`;
}

function toLines({ diagnostics, locations, symbols }: LspOutput): string[] {
  if (diagnostics) {
    return diagnostics.map(
      ({ path, line, character, severity, code, message }) =>
        `${path}:${line}:${character} ${severity}${code === undefined ? '' : ` ${code}`}: ${message}`,
    );
  }
  if (symbols) {
    return symbols.map(({ path, line, character, name, kind, container, depth = 0 }) => {
      const inside = container === undefined ? '' : ` in ${container}`;
      return `${'  '.repeat(depth)}${kind} ${name}${inside} (${path}:${line}:${character})`;
    });
  }
  return (locations ?? []).map(
    ({ path, line, character, text }) => `${path}:${line}:${character}: ${text.trim()}`,
  );
}
