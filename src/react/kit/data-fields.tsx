// Shows data field by field, and only nested values as JSON. Used by the views of calls that have
// data.
import { isRecord } from '../../core/values/is-record.ts';
import { CodeBlock } from './code-block.tsx';
import { revealControls } from './reveal-controls.ts';

/**
 * Data by its names: short values in a line, longer texts as blocks, and only nested values as
 * JSON.
 */
export function DataFields({ value, label }: { readonly value: unknown; readonly label: string }) {
  if (!isRecord(value)) return value === undefined ? null : <Value value={value} label={label} />;
  const fields = Object.entries(value).filter(([, one]) => one !== undefined);
  if (fields.length === 0) return null;
  const isShort = ([, one]: readonly [string, unknown]) =>
    !isNested(one) && !(typeof one === 'string' && isLong(one));
  const short = fields.filter(isShort);
  return (
    <>
      {short.length > 0 && (
        <dl className="rp-fields" aria-label={label}>
          {short.map(([name, one]) => (
            <div key={name}>
              <dt>{toWords(name)}</dt>
              <dd>{revealControls(String(one))}</dd>
            </div>
          ))}
        </dl>
      )}
      {fields
        .filter((field) => !isShort(field))
        .map(([name, one]) => (
          <Value key={name} value={one} label={toWords(name)} />
        ))}
    </>
  );
}

function Value({ value, label }: { readonly value: unknown; readonly label: string }) {
  const text = typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');
  return <CodeBlock text={text} label={label} wraps={typeof value === 'string'} />;
}

function isNested(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** 200 characters: some two lines of the field. */
function isLong(text: string): boolean {
  return text.length > 200 || text.includes('\n');
}

/** "file_path" and "filePath" as words: "file path". */
function toWords(name: string): string {
  return name
    .replace(/([a-z\d])([A-Z])/gu, '$1 $2')
    .replace(/_+/gu, ' ')
    .toLowerCase();
}
