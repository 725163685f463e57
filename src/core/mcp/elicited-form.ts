// The forms that MCP servers ask a person to fill in. A form is one object of plain fields, in a subset of JSON
// Schema that the protocol defines. The agent checks answers by it, and the page draws the form from it. Pure.
import { isRecord } from '../values/is-record.ts';
import { toPlainText } from '../text/plain-text.ts';
import type { ElicitedValue } from './mcp-exchange.ts';

interface FieldBase {
  readonly name: string;
  /** For people, like `description` and the labels of options. These are the server's words, shortened. */
  readonly title: string;
  readonly description: string;
  readonly isRequired: boolean;
}

/** The formats of a text that the protocol allows. */
export type TextFormat = 'email' | 'uri' | 'date' | 'date-time';

export interface ElicitedOption {
  readonly value: string;
  readonly label: string;
}

/** One field. `initial`: the server's default. */
export type ElicitedField = FieldBase &
  (
    | {
        readonly type: 'text';
        readonly format?: TextFormat;
        readonly minLength: number;
        readonly maxLength: number;
        readonly initial: string;
      }
    | {
        readonly type: 'number';
        readonly isWhole: boolean;
        readonly minimum: number;
        readonly maximum: number;
        readonly initial?: number;
      }
    | { readonly type: 'boolean'; readonly initial: boolean }
    | {
        readonly type: 'choice';
        readonly options: readonly ElicitedOption[];
        readonly initial: string;
      }
    | {
        readonly type: 'choices';
        readonly options: readonly ElicitedOption[];
        readonly minItems: number;
        readonly maxItems: number;
        readonly initial: readonly string[];
      }
  );

// 50 fields of 200 options: nobody fills in more, and the page must draw each.
const maxFields = 50;
const maxOptions = 200;
const maxLabelChars = 200;
const maxWordsChars = 1_000;

/** Parses a form. Undefined: the schema isn't a flat form, so nobody can be asked. */
export function readElicitedForm(schema: unknown): readonly ElicitedField[] | undefined {
  if (!isRecord(schema) || schema['type'] !== 'object') return undefined;
  const { properties, required } = schema;
  if (!isRecord(properties)) return undefined;
  const names = Object.keys(properties);
  if (names.length > maxFields) return undefined;
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  const fields = names.map((name) => readField(name, properties[name], needed.includes(name)));
  return fields.every((field) => field !== undefined) ? fields : undefined;
}

type Given = Readonly<Record<string, unknown>>;

function readField(name: string, given: unknown, isRequired: boolean): ElicitedField | undefined {
  if (!isRecord(given)) return undefined;
  const base = {
    name,
    title: toPlainText(asText(given['title']) || name, maxLabelChars),
    description: toPlainText(asText(given['description']), maxWordsChars),
    isRequired,
  };
  switch (given['type']) {
    case 'string':
      return readText(base, given);
    case 'number':
    case 'integer':
      return {
        ...base,
        type: 'number',
        isWhole: given['type'] === 'integer',
        minimum: asNumber(given['minimum'], -Infinity),
        maximum: asNumber(given['maximum'], Infinity),
        ...(typeof given['default'] === 'number' && { initial: given['default'] }),
      };
    case 'boolean':
      return { ...base, type: 'boolean', initial: given['default'] === true };
    case 'array':
      return readChoices(base, given);
    default:
      return undefined;
  }
}

const formats: readonly unknown[] = ['email', 'uri', 'date', 'date-time'] satisfies TextFormat[];

function readText(base: FieldBase, given: Given): ElicitedField | undefined {
  const initial = asText(given['default']);
  if (given['enum'] !== undefined || given['oneOf'] !== undefined) {
    const options = readOptions(given);
    return options && { ...base, type: 'choice', options, initial };
  }
  const format = formats.find((one) => one === given['format']) as TextFormat | undefined;
  return {
    ...base,
    type: 'text',
    ...(format && { format }),
    minLength: asNumber(given['minLength'], 0),
    maxLength: asNumber(given['maxLength'], Infinity),
    initial,
  };
}

function readChoices(base: FieldBase, given: Given): ElicitedField | undefined {
  const { items, default: initial } = given;
  if (!isRecord(items)) return undefined;
  const options = readOptions({ ...items, oneOf: items['oneOf'] ?? items['anyOf'] });
  if (!options) return undefined;
  const chosen: readonly unknown[] = Array.isArray(initial) ? initial : [];
  return {
    ...base,
    type: 'choices',
    options,
    minItems: asNumber(given['minItems'], 0),
    maxItems: asNumber(given['maxItems'], Infinity),
    initial: options.flatMap(({ value }) => (chosen.includes(value) ? value : [])),
  };
}

/** Reads the protocol's three forms of a choice: `enum`, the older `enumNames`, and `oneOf` of `const` and `title`. */
function readOptions({
  enum: values,
  enumNames,
  oneOf,
}: Given): readonly ElicitedOption[] | undefined {
  const names: readonly unknown[] = Array.isArray(enumNames) ? enumNames : [];
  const given: readonly unknown[] | undefined = Array.isArray(values)
    ? values.map((value: unknown, at) => ({ const: value, title: names[at] }))
    : Array.isArray(oneOf)
      ? oneOf
      : undefined;
  if (!given || given.length === 0 || given.length > maxOptions) return undefined;
  const options: ElicitedOption[] = [];
  for (const one of given) {
    const { const: value, title } = isRecord(one) ? one : {};
    if (typeof value !== 'string') return undefined;
    options.push({ value, label: toPlainText(asText(title) || value, maxLabelChars) });
  }
  return options;
}

/** What is wrong with an answer, as a sentence that names the field. Undefined: it is valid. */
export function findElicitedFault(
  fields: readonly ElicitedField[],
  content: Readonly<Record<string, unknown>>,
): string | undefined {
  const unknown = Object.keys(content).find((name) => !fields.some((field) => field.name === name));
  if (unknown !== undefined) return `"${unknown}" is no field of the form.`;
  for (const field of fields) {
    const value = content[field.name];
    const why =
      value === undefined
        ? field.isRequired
          ? 'is needed'
          : undefined
        : findFieldFault(field, value);
    if (why !== undefined) return `${field.title} ${why}.`;
  }
  return undefined;
}

/** What is wrong with a field's value, as words that follow its title. Undefined: it is valid. */
export function findFieldFault(field: ElicitedField, value: unknown): string | undefined {
  switch (field.type) {
    case 'text':
      return typeof value === 'string' ? findTextFault(field, value) : 'must be a text';
    case 'number':
      if (typeof value !== 'number' || !Number.isFinite(value)) return 'must be a number';
      if (field.isWhole && !Number.isInteger(value)) return 'must be a whole number';
      if (value < field.minimum) return `must be at least ${field.minimum}`;
      return value > field.maximum ? `must be at most ${field.maximum}` : undefined;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be yes or no';
    case 'choice':
      return field.options.some((option) => option.value === value)
        ? undefined
        : 'must be one of those that are offered';
    case 'choices': {
      const isList = Array.isArray(value) && value.every(isOneOf(field.options));
      if (!isList) return 'must be of those that are offered';
      const { length } = value as ElicitedValue & readonly unknown[];
      if (length < field.minItems) return `needs at least ${field.minItems}`;
      return length > field.maxItems ? `takes at most ${field.maxItems}` : undefined;
    }
  }
}

const isOneOf =
  (options: readonly ElicitedOption[]) =>
  (value: unknown): boolean =>
    options.some((option) => option.value === value);

function findTextFault(
  { format, minLength, maxLength }: Extract<ElicitedField, { type: 'text' }>,
  value: string,
): string | undefined {
  if (value.length < minLength) return `needs at least ${minLength} characters`;
  if (value.length > maxLength) return `takes at most ${maxLength} characters`;
  switch (format) {
    case 'email':
      return /^[^\s@]+@[^\s@]+$/u.test(value) ? undefined : 'must be an e-mail address';
    case 'uri':
      return URL.canParse(value)
        ? undefined
        : 'must be a whole address, such as https://example.org';
    case 'date':
      return /^\d{4}-\d\d-\d\d$/u.test(value) && !Number.isNaN(Date.parse(value))
        ? undefined
        : 'must be a date, such as 2026-01-31';
    case 'date-time':
      return /^\d{4}-\d\d-\d\dT/u.test(value) && !Number.isNaN(Date.parse(value))
        ? undefined
        : 'must be a date and a time, such as 2026-01-31T12:00:00Z';
    case undefined:
      return undefined;
  }
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function asNumber(value: unknown, otherwise: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : otherwise;
}

/**
 * The address that a server wants a person to open.
 *
 * Security: only `https:`. A `javascript:` address would run in the page, and an `http:` page can be changed on its
 * way.
 */
export function readElicitedUrl(url: unknown): URL | undefined {
  const parsed = typeof url === 'string' ? URL.parse(url) : null;
  const isPlain = parsed?.username === '' && parsed.password === '';
  return parsed?.protocol === 'https:' && isPlain ? parsed : undefined;
}

/**
 * Adds the server's defaults for fields that the answer leaves out, as the protocol requires (SEP-1034). An invalid
 * default isn't added.
 */
export function fillInDefaults(
  requestedSchema: unknown,
  content: Readonly<Record<string, ElicitedValue>>,
): Readonly<Record<string, ElicitedValue>> {
  const properties = isRecord(requestedSchema) ? requestedSchema['properties'] : undefined;
  const given = Object.entries(isRecord(properties) ? properties : {}).flatMap(([name, field]) => {
    const initial = isRecord(field) ? field['default'] : undefined;
    return isElicitedValue(initial) ? [[name, initial] as const] : [];
  });
  return { ...Object.fromEntries(given), ...content };
}

function isElicitedValue(value: unknown): value is ElicitedValue {
  if (Array.isArray(value)) return value.every((one) => typeof one === 'string');
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
