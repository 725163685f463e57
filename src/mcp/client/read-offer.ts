// Checks a server's description of its tools. It is untrusted, and becomes a part of each request.
// Pure.
import { isRecord } from '../../core/values/is-record.ts';
import { toPlainText } from '../../core/text/plain-text.ts';
import type { InputJsonSchema } from '../../core/schema/json-schema.ts';
import type { McpBounds } from './bounds.ts';
import type { OfferedHints, OfferedTool } from './connection.ts';

/** The valid tools, and the reasons for the others. */
export interface ReadTools {
  readonly tools: readonly OfferedTool[];
  readonly problems: readonly string[];
}

/** `hasTasks`: the server runs calls as tasks. */
export function readTools(
  listed: readonly unknown[],
  bounds: McpBounds,
  hasTasks = false,
): ReadTools {
  const tools: OfferedTool[] = [];
  const problems: string[] = [];
  const names = new Set<string>();
  for (const given of listed) {
    const fields = isRecord(given) ? given : {};
    const { name, description, inputSchema, annotations, execution, _meta } = fields;
    const shown = typeof name === 'string' ? toPlainText(name, 100) : '(without a name)';
    const wrong = findWrong(fields, names, bounds);
    if (wrong !== undefined) {
      problems.push(`The tool ${shown} was left out: ${wrong}.`);
      continue;
    }
    names.add(name as string);
    tools.push({
      name: name as string,
      description: toPlainText(
        typeof description === 'string' ? description : '',
        bounds.descriptionChars,
      ),
      inputSchema: inputSchema as InputJsonSchema,
      annotations: readHints(annotations),
      ...readAppHints(_meta),
      // A tool that doesn't require a task is called without one, because its caller waits for the
      // result.
      ...(hasTasks &&
        isRecord(execution) &&
        execution['taskSupport'] === 'required' && { runsAsTask: true as const }),
    });
  }
  return { tools, problems };
}

function findWrong(
  { name, inputSchema }: Readonly<Record<string, unknown>>,
  names: ReadonlySet<string>,
  { tools, schemaChars, schemaDepth }: McpBounds,
): string | undefined {
  if (typeof name !== 'string' || name === '') return 'it has no name';
  if (names.has(name)) return 'another one has the same name';
  if (names.size >= tools) return `a server may offer ${tools} tools`;
  if (!isRecord(inputSchema) || inputSchema['type'] !== 'object') {
    return 'its input is no object by its schema';
  }
  // The depth is checked first, because serialising is recursive.
  if (isDeeper(inputSchema, schemaDepth)) return `its schema nests deeper than ${schemaDepth}`;
  const { length } = JSON.stringify(inputSchema);
  if (length > schemaChars) {
    return `its schema has ${length} characters, and may have ${schemaChars}`;
  }
  return hasGoodHeaders(inputSchema, new Set())
    ? undefined
    : 'a header that it wants of its input can be none (x-mcp-header)';
}

/**
 * Checks the rules of the protocol of 2026-07-28. Each name is unique and a valid HTTP header. The
 * field is a string, an integer or a boolean, and is reached only by `properties`.
 */
function hasGoodHeaders(schema: unknown, names: Set<string>, isReached = true): boolean {
  if (typeof schema !== 'object' || schema === null) return true;
  const header = (schema as Readonly<Record<string, unknown>>)['x-mcp-header'];
  if (header !== undefined) {
    const { type } = schema as { readonly type?: unknown };
    const isName = typeof header === 'string' && /^[\w!#$%&'*+.^`|~-]+$/u.test(header);
    if (!isReached || !isName || !['string', 'integer', 'boolean'].includes(String(type))) {
      return false;
    }
    if (names.has(header.toLowerCase())) return false;
    names.add(header.toLowerCase());
  }
  return Object.entries(schema).every(([key, part]) =>
    key === 'properties' && isRecord(part)
      ? Object.values(part).every((field) => hasGoodHeaders(field, names, isReached))
      : hasGoodHeaders(part, names, false),
  );
}

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depth === 0) return true;
  return Object.values(value).some((part) => isDeeper(part, depth - 1));
}

function readHints(annotations: unknown): OfferedHints {
  if (!isRecord(annotations)) return {};
  const { title, readOnlyHint, destructiveHint } = annotations;
  return {
    ...(typeof title === 'string' && title !== '' && { title: toPlainText(title, 100) }),
    ...(typeof readOnlyHint === 'boolean' && { readOnlyHint }),
    ...(typeof destructiveHint === 'boolean' && { destructiveHint }),
  };
}

/** Reads the hints of the apps extension; `ui/resourceUri` is its older form. */
function readAppHints(meta: unknown): Pick<OfferedTool, 'appUri' | 'visibility'> {
  const fields = isRecord(meta) ? meta : {};
  const { resourceUri = fields['ui/resourceUri'], visibility } = isRecord(fields['ui'])
    ? fields['ui']
    : {};
  const isApp = typeof resourceUri === 'string' && /^ui:\/\/.{1,2000}$/u.test(resourceUri);
  return { ...(isApp && { appUri: resourceUri }), ...readVisibility(visibility) };
}

/** Security: if no value in the list is known, the tool is hidden from everyone. */
function readVisibility(visibility: unknown): Pick<OfferedTool, 'visibility'> {
  if (!Array.isArray(visibility)) return {};
  const forModel = visibility.includes('model');
  const forApp = visibility.includes('app');
  if (forModel && forApp) return {};
  return { visibility: forModel ? 'model' : forApp ? 'app' : 'none' };
}
