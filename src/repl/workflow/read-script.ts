// Reads a workflow's script as text: its `meta` object, and the function that the sandbox runs.
// Both sides of tools/workflow/ use it. It runs no code of the script.
import type { Expression, ObjectExpression, Program } from 'acorn';
import { SdkError } from '../../core/errors.ts';
import { CodeSyntaxError, lineOf, parseCode } from '../syntax/parse.ts';

/** The script's `meta` object: its description of itself. */
export interface WorkflowMeta {
  readonly name: string;
  readonly description: string;
  readonly phases: readonly { readonly title: string; readonly detail?: string }[];
}

export interface WorkflowScript {
  readonly meta: WorkflowMeta;
  /**
   * The source of an expression whose value is a function. Line numbers are those of the script.
   */
  readonly source: string;
}

const form = "export const meta = { name: '…', description: '…' }";

/**
 * Parses a workflow's script.
 * @throws SdkError `invalid-input` with the line and the reason.
 */
export function readScript(script: string): WorkflowScript {
  const program = parse(script);
  const [first, ...rest] = program.body;
  const declared = first?.type === 'ExportNamedDeclaration' ? first.declaration : undefined;
  const declarator =
    declared?.type === 'VariableDeclaration' && declared.kind === 'const'
      ? declared.declarations[0]
      : undefined;
  const isMeta = declarator?.id.type === 'Identifier' && declarator.id.name === 'meta';
  if (!first || !declared || !isMeta || declarator.init?.type !== 'ObjectExpression') {
    throw wrong(lineOf(first ?? program), `a workflow begins with ${form}`);
  }
  const moduleItem = rest.find(({ type }) => /^(?:Import|Export)/u.test(type));
  if (moduleItem) {
    throw wrong(
      lineOf(moduleItem),
      'a script imports and exports nothing but meta. Its agents do the work; give what it needs by args',
    );
  }
  const meta = toMeta(declarator.init);
  const body =
    script.slice(0, first.start) + ' '.repeat('export'.length) + afterExport(script, first.start);
  const world = 'agent, parallel, pipeline, phase, log, args';
  return { meta, source: `(async (${world}) => { 'use strict'; ${body}\n})` };
}

const afterExport = (script: string, start: number) => script.slice(start + 'export'.length);

function parse(script: string): Program {
  try {
    return parseCode(script);
  } catch (error) {
    if (!(error instanceof CodeSyntaxError)) throw error;
    throw wrong(error.line, `${error.message}\n${error.frame}`);
  }
}

function wrong(line: number, what: string): SdkError {
  return new SdkError('invalid-input', `The script can't run: line ${line}: ${what}.`, {
    data: { line },
  });
}

function toMeta(object: ObjectExpression): WorkflowMeta {
  const meta = toData(object) as Readonly<Record<string, unknown>>;
  const { name, description, phases = [] } = meta;
  const line = lineOf(object);
  const isText = (value: unknown) => typeof value === 'string' && value.trim() !== '';
  if (!isText(name) || !isText(description)) {
    throw wrong(line, `meta needs a name and a description: ${form}`);
  }
  const isPhase = (phase: unknown) =>
    typeof phase === 'object' && phase !== null && isText((phase as { title?: unknown }).title);
  if (!Array.isArray(phases) || !phases.every(isPhase)) {
    throw wrong(
      line,
      "meta.phases is a list such as [{ title: 'Review', detail: 'one agent a file' }]",
    );
  }
  // The cast is safe: each phase was validated above.
  return { name, description, phases: phases as WorkflowMeta['phases'] } as WorkflowMeta;
}

/**
 * Evaluates a literal from its syntax tree. Security: the description is shown to a person before
 * any code runs, so it must not need to run.
 */
function toData(node: Expression): unknown {
  switch (node.type) {
    case 'Literal':
      if (node.bigint === undefined && node.regex === undefined) return node.value;
      break;
    case 'TemplateLiteral':
      if (node.expressions.length === 0) return node.quasis[0]?.value.cooked;
      break;
    case 'ArrayExpression':
      return node.elements.map((element) => {
        if (element && element.type !== 'SpreadElement') return toData(element);
        throw wrong(lineOf(node), onlyWritten);
      });
    case 'ObjectExpression':
      return Object.fromEntries(
        node.properties.map((property) => {
          const isPlain = property.type === 'Property' && property.kind === 'init';
          if (!isPlain || property.computed || property.method || property.shorthand) {
            throw wrong(lineOf(property), onlyWritten);
          }
          const { key, value } = property;
          const name = key.type === 'Identifier' ? key.name : toData(key as Expression);
          return [String(name), toData(value)];
        }),
      );
    default:
      break;
  }
  throw wrong(lineOf(node), onlyWritten);
}

const onlyWritten =
  'meta may hold texts, numbers, lists and objects that are written out, and nothing computed';
