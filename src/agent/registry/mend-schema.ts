// Converts a server's schema to JSON Schema 2020-12. The API refuses a whole request if one keyword
// belongs to an older draft. to-tool-param.ts calls it.
import type { InputJsonSchema } from '../../core/schema/json-schema.ts';
import { isRecord } from '../../core/values/is-record.ts';

/**
 * Arrays in `items` become `prefixItems`, and boolean exclusive bounds become numbers. Other
 * keywords with an invalid value are removed, because the server checks its input anyway. Gives the
 * same object if the schema is valid.
 */
export function mendSchema(schema: InputJsonSchema): InputJsonSchema {
  return mend(schema) as InputJsonSchema;
}

type Schema = Readonly<Record<string, unknown>>;

function mend(schema: unknown): unknown {
  if (!isRecord(schema)) return schema;
  const modern = modernise(schema);
  const kept = Object.entries(modern).flatMap(([keyword, value]) => {
    const read = readers.get(keyword);
    const mended = read ? read(value) : value;
    return mended === undefined && value !== undefined ? [] : [[keyword, mended] as const];
  });
  const isSame =
    modern === schema &&
    kept.length === Object.keys(schema).length &&
    kept.every(([keyword, value]) => value === schema[keyword]);
  return isSame ? schema : Object.fromEntries(kept);
}

/** Converts the keywords of older drafts. */
function modernise(schema: Schema): Schema {
  const { items, additionalItems, ...rest } = schema;
  const tuple = Array.isArray(items)
    ? {
        ...(items.length > 0 && { prefixItems: items }),
        ...(additionalItems !== undefined && { items: additionalItems }),
      }
    : undefined;
  const bounds = [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const;
  const old = bounds.filter(([exclusive]) => typeof schema[exclusive] === 'boolean');
  if (!tuple && old.length === 0) return schema;
  const modern: Record<string, unknown> = tuple ? { ...rest, ...tuple } : { ...schema };
  for (const [exclusive, inclusive] of old) {
    const bound = modern[inclusive];
    delete modern[exclusive];
    if (schema[exclusive] !== true || typeof bound !== 'number') continue;
    delete modern[inclusive];
    modern[exclusive] = bound;
  }
  return modern;
}

/** Gives the repaired value; undefined if it can't be valid. */
type Reader = (value: unknown) => unknown;

const only =
  (isRight: (value: unknown) => boolean): Reader =>
  (value) =>
    isRight(value) ? value : undefined;
const isText = (value: unknown) => typeof value === 'string';
const isList = (value: unknown, isRight: (item: unknown) => boolean): value is unknown[] =>
  Array.isArray(value) && value.every(isRight) && new Set<unknown>(value).size === value.length;
const types: readonly unknown[] = 'array boolean integer null number object string'.split(' ');
const isType = (value: unknown) => types.includes(value);

const subschema: Reader = (value) =>
  typeof value === 'boolean' || isRecord(value) ? mend(value) : undefined;

const subschemas: Reader = (value) => {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const mended = value.map(subschema);
  if (mended.includes(undefined)) return undefined;
  return mended.every((one, at) => one === value[at]) ? value : mended;
};

/** A field whose schema is invalid keeps its name. */
const named: Reader = (value) => {
  if (!isRecord(value)) return undefined;
  const mended = Object.entries(value).map(([name, one]) => [name, subschema(one) ?? {}] as const);
  return mended.every(([name, one]) => one === value[name]) ? value : Object.fromEntries(mended);
};

/** In older drafts this has lists of required names, and schemas. */
const dependencies: Reader = (value) => {
  if (!isRecord(value)) return undefined;
  const mended = Object.entries(value).map(([name, one]) => {
    const isNames = Array.isArray(one);
    return [name, isNames ? (isList(one, isText) ? one : []) : (subschema(one) ?? {})] as const;
  });
  return mended.every(([name, one]) => one === value[name]) ? value : Object.fromEntries(mended);
};

const readers: ReadonlyMap<string, Reader> = new Map(
  (
    [
      ['type', only((value) => isType(value) || (isList(value, isType) && value.length > 0))],
      ['required', only((value) => isList(value, isText))],
      ['enum examples', only(Array.isArray)],
      // In older drafts it may also be an anchor, which is `$anchor` now.
      ['$id', only((value) => isText(value) && /^[^#]*#?$/u.test(String(value)))],
      ['dependencies', dependencies],
      ['$schema $ref $anchor $comment title description format pattern', only(isText)],
      [
        'minimum maximum exclusiveMinimum exclusiveMaximum',
        only((value) => typeof value === 'number'),
      ],
      ['multipleOf', only((value) => typeof value === 'number' && value > 0)],
      [
        'minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains',
        only((value) => Number.isInteger(value) && Number(value) >= 0),
      ],
      ['uniqueItems deprecated readOnly writeOnly', only((value) => typeof value === 'boolean')],
      [
        'dependentRequired',
        only(
          (value) => isRecord(value) && Object.values(value).every((one) => isList(one, isText)),
        ),
      ],
      [
        'items contains additionalProperties propertyNames if then else not unevaluatedItems unevaluatedProperties',
        subschema,
      ],
      ['allOf anyOf oneOf prefixItems', subschemas],
      ['properties patternProperties dependentSchemas $defs definitions', named],
    ] satisfies readonly (readonly [string, Reader])[]
  ).flatMap(([keywords, reader]) => keywords.split(' ').map((keyword) => [keyword, reader])),
);
