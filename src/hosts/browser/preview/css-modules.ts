// CSS modules, as bundlers have them: classes, ids and animations get names of their own, and the module exports
// these. Only what is needed to rename is read; the browser parses the rest.
import { toPathId } from './frame/path-id.ts';

/** `a` takes the classes `names`, of the file `from`, or of the whole page if that is `global`. */
interface Composition {
  readonly of: readonly string[];
  readonly names: readonly string[];
  readonly from: string | undefined;
}

export interface CssModule {
  readonly css: string;
  /** The name in the file → the name in the page. */
  readonly names: ReadonlyMap<string, string>;
  readonly compositions: readonly Composition[];
}

const ident = String.raw`-{0,2}(?:[_a-z\u0080-\uffff]|\\.)(?:[\w\u0080-\uffff-]|\\.)*`;

// Security: as in app-styles.ts, each part begins with what the ones before it can't, so matching is linear.
const token = /\/\*[^]*?(?:\*\/|$)|"(?:[^"\\]|\\[^])*(?:"|$)|'(?:[^'\\]|\\[^])*(?:'|$)|[{};]/gu;
const keyframes = new RegExp(String.raw`^@(?:-\w+-)?keyframes\s+(${ident})$`, 'iu');
const selectorPart = new RegExp(
  String.raw`:(global|local)\b(\()?|[()]|,|\[[^[\]]*\]|"[^"]*"|'[^']*'|[.#](${ident})`,
  'giu',
);
const composed = /^composes\s*:\s*([^]+)$/iu;
const animated = /^(?:-\w+-)?animation(?:-name)?\s*:/iu;

export function toCssModule(text: string, path: string): CssModule {
  const css = text.replaceAll(/\/\*[^]*?(?:\*\/|$)/gu, keepLines);
  const suffix = toPathId(path);
  const names = new Map<string, string>();
  const compositions: Composition[] = [];
  const rename = (name: string) => {
    const known = names.get(name) ?? `${name}_${suffix}`;
    names.set(name, known);
    return known;
  };
  const parts: string[] = [];
  /** The local names that the selectors of each open block begin with. */
  const blocks: (readonly string[])[] = [];
  const animations = listAnimations(css);
  let at = 0;
  for (const { 0: mark, index } of css.matchAll(token)) {
    if (!/^[{};]$/u.test(mark)) continue;
    const segment = css.slice(at, index);
    const written = segment.trim();
    at = index + 1;
    if (mark === '{') {
      const [prelude, own] = toPrelude(segment, written, rename);
      blocks.push(own);
      parts.push(prelude, mark);
      continue;
    }
    const composition = composed.exec(written)?.[1];
    if (composition !== undefined) compositions.push(toComposition(composition, blocks.at(-1)));
    else if (animated.test(written))
      parts.push(renameAnimations(segment, animations, rename), mark);
    else parts.push(segment, mark);
    if (composition !== undefined && mark === '}') parts.push(mark);
    if (mark === '}') blocks.pop();
  }
  parts.push(css.slice(at));
  return { css: parts.join(''), names, compositions };
}

type Rename = (name: string) => string;

function toPrelude(
  segment: string,
  written: string,
  rename: Rename,
): readonly [prelude: string, own: readonly string[]] {
  const animation = keyframes.exec(written)?.[1];
  if (animation !== undefined) return [segment.replace(animation, rename), []];
  // `@layer a.b` has no classes.
  if (written.startsWith('@') && !/^@scope\b/iu.test(written)) return [segment, []];
  return renameSelectors(segment, rename);
}

/** `:global` holds within its parentheses, or as far as the next comma. */
function renameSelectors(
  text: string,
  rename: Rename,
): readonly [text: string, own: readonly string[]] {
  const own: string[] = [];
  /** For each open parenthesis: whether names in it are local, and whether the parenthesis itself is left out. */
  const open: { readonly isLocal: boolean; readonly isDropped: boolean }[] = [];
  let isLocal = true;
  const written = text.replaceAll(
    selectorPart,
    (part: string, kind?: string, bracket?: string, name?: string) => {
      if (kind !== undefined) {
        if (bracket !== undefined) open.push({ isLocal, isDropped: true });
        isLocal = kind.toLowerCase() === 'local';
        return '';
      }
      if (part === '(') open.push({ isLocal, isDropped: false });
      else if (part === ')') {
        const closed = open.pop();
        isLocal = closed?.isLocal ?? isLocal;
        return closed?.isDropped === true ? '' : part;
      } else if (part === ',' && open.length === 0) isLocal = true;
      if (name === undefined || !isLocal) return part;
      own.push(unescape(name));
      return part.charAt(0) + rename(name);
    },
  );
  return [written, own];
}

function toComposition(value: string, of: readonly string[] = []): Composition {
  const words = value.trim().split(/\s+/u);
  const at = words.indexOf('from');
  const from = at < 0 ? undefined : words.slice(at + 1).join(' ');
  return {
    of,
    names: at < 0 ? words : words.slice(0, at),
    from: from?.replaceAll(/^["']|["']$/gu, ''),
  };
}

function listAnimations(css: string): ReadonlySet<string> {
  const found = css.matchAll(new RegExp(String.raw`@(?:-\w+-)?keyframes\s+(${ident})`, 'giu'));
  return new Set([...found].map(([, name = '']) => name));
}

function renameAnimations(text: string, known: ReadonlySet<string>, rename: Rename): string {
  const start = text.indexOf(':');
  const value = text.slice(start);
  return (
    text.slice(0, start) +
    value.replaceAll(new RegExp(ident, 'giu'), (name) => (known.has(name) ? rename(name) : name))
  );
}

/** As code writes the name. */
const unescape = (name: string) => name.replaceAll(/\\(.)/gu, '$1');

const keepLines = (text: string) => text.replaceAll(/[^\n]+/gu, '');
