// The front matter of a definition in Markdown: a skill, a command, an agent. YAML between two lines of three
// hyphens. The YAML reader is fetched with the first file that has some.
import { describeThrown, SdkError } from '../core/errors.ts';
import { isRecord } from '../core/values/is-record.ts';

/** A file's fields, and the text after them. */
export interface FrontMatter {
  /** Empty if the file has no front matter. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: string;
}

const fence = /^---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?---[ \t]*(?:\r?\n|$)/u;

/**
 * Reads the front matter.
 * @throws SdkError `invalid-input` for invalid YAML, or YAML that isn't a list of fields
 */
export async function readFrontMatter(text: string): Promise<FrontMatter> {
  const found = fence.exec(text.replace(/^\uFEFF/u, ''));
  if (!found) {
    if (/^(?:\uFEFF)?---[ \t]*\r?\n/u.test(text)) {
      throw new SdkError('invalid-input', 'The front matter has no end: close it by a line "---".');
    }
    return { fields: {}, body: text };
  }
  const [whole, yaml = ''] = found;
  const fields = await readFields(yaml);
  return { fields, body: text.slice(text.indexOf(whole) + whole.length) };
}

/** Puts the hint into quotes: `argument-hint: [file] [line]` is the usual form, but not valid YAML. */
export function quoteHint(text: string): string {
  const front = /^\uFEFF?---[ \t]*\r?\n[\s\S]*?\n---/u.exec(text)?.[0] ?? '';
  const quoted = front.replace(
    /^(?<key>argument-hint[ \t]*:[ \t]*)(?<hint>\[.*\])[ \t]*(?=\r?$)/mu,
    (_, key: string, hint: string) => `${key}${JSON.stringify(hint)}`,
  );
  return quoted + text.slice(front.length);
}

/**
 * Puts each value into quotes that is meant as text but isn't valid YAML. Many files have
 * `description: Use it for this: …` and `tools: *`. Security: a list that isn't closed stays as it is, and so does a
 * field that forbids tools. As a text it might forbid nothing.
 */
function quoteValues(yaml: string, readYaml: (text: string) => unknown): string {
  return yaml.replace(valueForm, (line, key: string, value: string) => {
    try {
      readYaml(line);
      return line;
    } catch {
      return key + JSON.stringify(value);
    }
  });
}

/**
 * The value of a field for people may begin with any character; other values may not begin with YAML's own. Security:
 * a value ends with a character that isn't a blank, so each blank is matched only once.
 */
const valueForm =
  /^(?<key>(?:description|argument-hint|when[-_]to[-_]use)[ \t]*:[ \t]+|(?!disallowed)[\w-]+[ \t]*:[ \t]+(?![[{&!"'|>]|\*\S))(?<value>\S(?:.*[^ \t\r\n])?)[ \t]*(?=\r?$)/gmu;

async function readFields(yaml: string): Promise<Readonly<Record<string, unknown>>> {
  const { readYaml } = await import('./read-yaml.ts');
  let value: unknown;
  try {
    value = readYaml(yaml);
  } catch (error) {
    try {
      value = readYaml(quoteValues(yaml, readYaml));
    } catch {
      const why = describeThrown(error).split('\n', 1).join('');
      throw new SdkError('invalid-input', `The front matter is no YAML: ${why}`, { cause: error });
    }
  }
  if (value === null || value === undefined) return {};
  if (isRecord(value) && !Array.isArray(value)) return value;
  throw new SdkError('invalid-input', 'The front matter has no fields: write "name: value" lines.');
}
