// Converts a type annotation to the run-time value that TypeScript's `emitDecoratorMetadata` emits.
// `string` becomes `String`, and a class becomes itself. A type without a run-time value becomes
// `Object`.
import { runtimeName } from './runtime-name.ts';

export interface TypeContext {
  readonly source: string;
  /** True if null and undefined count as members of a union. */
  readonly strictNullChecks: boolean;
  /** Called with each name that the emitted values use. */
  readonly onName: (name: string) => void;
}

// Security: type aliases may refer to themselves and to each other, so the number that is followed
// is limited.
const maxAliases = 50;

/**
 * Returns the expression for the type that begins at offset `at`. With `ofElement`, the type must
 * be an array, and the result is for its elements.
 */
export function serializeType(
  context: TypeContext,
  at: number,
  { ofElement = false }: { readonly ofElement?: boolean } = {},
): string {
  const serializer = new TypeSerializer(context, at, { left: maxAliases });
  return plain(ofElement ? serializer.elementType() : serializer.type());
}

/** Returns the offset of the first token behind the type that begins at `at`. */
export function endOfType(source: string, at: number): number {
  const serializer = new TypeSerializer({ source, strictNullChecks: false, onName() {} }, at, {
    left: 0,
  });
  serializer.type();
  return serializer.place;
}

/** Returns the offset of the type behind a name's colon, or undefined if there is no annotation. */
export function annotationAt(source: string, at: number): number | undefined {
  let place = skipBlanks(source, at);
  if (/[?!]/u.test(source.charAt(place))) place = skipBlanks(source, place + 1);
  return source.charAt(place) === ':' ? place + 1 : undefined;
}

/** Returns the offset behind blanks and comments. */
export function skipBlanks(source: string, at: number): number {
  const blanks = /(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/)*/uy;
  blanks.lastIndex = at;
  blanks.test(source);
  return blanks.lastIndex;
}

const nothing = 'void 0';

const keywords: Readonly<Record<string, string>> = {
  ...{ string: 'String', number: 'Number', boolean: 'Boolean', bigint: 'BigInt', symbol: 'Symbol' },
  ...{ void: nothing, undefined: nothing, null: nothing, never: nothing },
  ...{ object: 'Object', any: 'Object', unknown: 'Object', this: 'Object' },
  ...{ true: 'Boolean', false: 'Boolean' },
};

const token =
  /\s+|\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)|[\p{ID_Start}$_][\p{ID_Continue}$]*|-?\d[\w.]*|"(?:[^"\\\n]|\\[^])*"?|'(?:[^'\\\n]|\\[^])*'?|`(?:[^`\\]|\\[^])*`?|=>|\.\.\.|[^]/uy;

class TypeSerializer {
  readonly #context: TypeContext;
  /** How many aliases may still be followed while this type is read. */
  readonly #aliases: { left: number };
  #at: number;
  /**
   * The next token, or an empty string at the end of the source. `#isOnNewLine` is true if a line
   * ends before it.
   */
  #token = '';
  #isOnNewLine = false;

  constructor(context: TypeContext, at: number, aliases: { left: number }) {
    this.#context = context;
    this.#aliases = aliases;
    this.#at = at;
    this.#next();
  }

  /** The offset of the next token. */
  get place(): number {
    return this.#at - this.#token.length;
  }

  type(): string {
    if (this.#token === 'asserts' && this.#looksAt(/\s+[\w$]+/uy)) {
      this.#next();
      this.#predicate();
      return nothing;
    }
    if (/^[\w$]/u.test(this.#token) && this.#looksAt(/\s+is\s/uy)) {
      this.#predicate();
      return 'Boolean';
    }
    const union = this.#constituents('|', () => this.#intersection());
    if (this.#token !== 'extends' || this.#isOnNewLine) return union;
    // A conditional type has the joined value of its two branches.
    this.#next();
    this.#constituents('|', () => this.#intersection());
    this.#take('?');
    const whenTrue = this.type();
    this.#take(':');
    return this.#join([whenTrue, this.type()], false);
  }

  /** Returns the value of `A` for `A[]` and `Array<A>`. */
  elementType(): string {
    if (/^(?:Readonly)?Array$/u.test(this.#token) && this.#looksAt(/\s*</uy)) {
      this.#next();
      this.#next();
      return this.type();
    }
    let type = this.#primary();
    let element = 'Object';
    while (this.#token === '[' && !this.#isOnNewLine && this.#looksAt(/\s*\]/uy)) {
      this.#skip('[', ']');
      element = type;
      type = 'Array';
    }
    return element;
  }

  #predicate(): void {
    this.#next();
    if (!this.#take('is')) return;
    this.type();
  }

  #intersection(): string {
    return this.#constituents('&', () => this.#postfix());
  }

  #constituents(separator: '|' | '&', read: () => string): string {
    this.#take(separator);
    const found = [read()];
    while (this.#take(separator)) found.push(read());
    return found.length === 1 ? (found[0] ?? 'Object') : this.#join(found, separator === '&');
  }

  /**
   * Joins the values of a union or intersection: the common value if all are equal, otherwise
   * `Object`. For types without a run-time value, see `#postfix`.
   */
  #join(types: readonly string[], isIntersection: boolean): string {
    let joined: string | undefined;
    for (const type of types) {
      if (type === neverType) {
        if (isIntersection) return nothing;
        continue;
      }
      if (type === unknownType && isIntersection) continue;
      const isEmpty = type === nullType || type === undefinedType;
      if (isEmpty && !this.#context.strictNullChecks) continue;
      const value = plain(type);
      if (value === 'Object') return value;
      if (joined !== undefined && joined !== value) return 'Object';
      joined = value;
    }
    return joined ?? nothing;
  }

  #postfix(): string {
    let type = this.#primary();
    while (this.#token === '[' && !this.#isOnNewLine) {
      const isArray = this.#looksAt(/\s*\]/uy);
      this.#skip('[', ']');
      type = isArray ? 'Array' : 'Object';
    }
    return type;
  }

  #primary(): string {
    const word = this.#token;
    switch (word) {
      case '(':
        return this.#parenthesized();
      case '{':
        this.#skip('{', '}');
        return 'Object';
      case '[':
        this.#skip('[', ']');
        return 'Array';
      case '<':
        this.#skip('<', '>');
        return this.#function();
      case 'abstract':
      case 'new':
        this.#next();
        if (word === 'abstract') this.#next();
        if (this.#token === '<') this.#skip('<', '>');
        return this.#function();
      case 'readonly':
        this.#next();
        return this.#postfix();
      case 'keyof':
      case 'unique':
      case 'infer':
        this.#next();
        this.#postfix();
        return 'Object';
      case 'typeof':
        this.#next();
        if (this.#token === 'import') this.#importType();
        else this.#names();
        return 'Object';
      case 'import':
        this.#importType();
        return 'Object';
    }
    if (/^["'`]/u.test(word)) {
      this.#next();
      return 'String';
    }
    if (/^-?\d/u.test(word)) {
      this.#next();
      return word.endsWith('n') ? 'BigInt' : 'Number';
    }
    if (!/^[\p{ID_Start}$_]/u.test(word)) return 'Object';
    const known = Object.hasOwn(keywords, word) ? keywords[word] : undefined;
    if (known === undefined) return this.#reference();
    this.#next();
    const marks: Record<string, string> = { never: neverType, unknown: unknownType };
    return marks[word] ?? { null: nullType, undefined: undefinedType }[word] ?? known;
  }

  /** Reads a type in parentheses, or the parameters of a function type. */
  #parenthesized(): string {
    const start = this.#at;
    this.#skip('(', ')');
    if (this.#token === '=>') {
      this.#next();
      this.type();
      return 'Function';
    }
    return plain(new TypeSerializer(this.#context, start, this.#aliases).type());
  }

  #function(): string {
    this.#skip('(', ')');
    if (this.#take('=>')) this.type();
    return 'Function';
  }

  #importType(): void {
    this.#next();
    this.#skip('(', ')');
    if (this.#take('.')) this.#names();
    else if (this.#token === '<') this.#skip('<', '>');
  }

  #names(): string[] {
    const names = [this.#token];
    this.#next();
    while (this.#take('.')) {
      names.push(this.#token);
      this.#next();
    }
    if (this.#token === '<' && !this.#isOnNewLine) this.#skip('<', '>');
    return names;
  }

  #reference(): string {
    const [first = '', ...rest] = this.#names();
    // The name may be that of an enum, or of an enum's member.
    const declared =
      (rest.length <= 1 ? this.#enum(first) : undefined) ??
      (rest.length === 0 ? this.#declared(first) : undefined);
    if (declared !== undefined) return declared;
    this.#context.onName(first);
    const value = `typeof ${first}==="undefined"?void 0:${[first, ...rest].join('?.')}`;
    const isOwn = this.#declares('class', first);
    return `${runtimeName}.classes.${isOwn ? `type(${value})` : `imported(()=>${value})`}`;
  }

  #enum(name: string): string | undefined {
    const head = String.raw`(?:^|[;}\s])enum\s+${escapeName(name)}\s*\{([^}]*)`;
    const found = new RegExp(head, 'u').exec(this.#context.source);
    if (!found) return undefined;
    const values = [...(found[1] ?? '').matchAll(/=\s*(["'\x60])?/gu)];
    return values.some(([, quote]) => quote) ? 'String' : 'Number';
  }

  /**
   * Returns the value for an interface or type alias that this file declares. Undefined for any
   * other name.
   */
  #declared(name: string): string | undefined {
    if (this.#declares('interface', name) && !this.#declares('class', name)) return 'Object';
    const { source } = this.#context;
    const alias = new RegExp(
      String.raw`(?:^|[;}\s])type\s+${escapeName(name)}\s{0,20}(?:<[^=]*>)?\s{0,20}=(?!>)`,
      'u',
    ).exec(source);
    if (!alias || this.#aliases.left === 0) return undefined;
    this.#aliases.left -= 1;
    const at = alias.index + alias[0].length;
    const type = plain(new TypeSerializer(this.#context, at, this.#aliases).type());
    // As in TypeScript, an alias of a class isn't followed to the class.
    return type.startsWith(runtimeName) ? 'Object' : type;
  }

  #declares(kind: 'class' | 'interface', name: string): boolean {
    const head = new RegExp(String.raw`\b${kind}\s+${escapeName(name)}(?![\w$])`, 'u');
    return head.test(this.#context.source);
  }

  #looksAt(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    return pattern.test(this.#context.source);
  }

  #take(wanted: string): boolean {
    if (this.#token !== wanted) return false;
    this.#next();
    return true;
  }

  /** Skips from the next opening bracket to behind the bracket that closes it. */
  #skip(open: string, close: string): void {
    let depth = 0;
    while (this.#token !== '') {
      if (this.#token === open) depth += 1;
      if (this.#token === close) depth -= 1;
      this.#next();
      if (depth === 0) return;
    }
  }

  #next(): void {
    this.#isOnNewLine = false;
    for (;;) {
      token.lastIndex = this.#at;
      this.#token = token.exec(this.#context.source)?.[0] ?? '';
      this.#at += this.#token.length;
      if (!/^(?:\s|\/[/*])/u.test(this.#token)) return;
      if (/[\n\r]/u.test(this.#token)) this.#isOnNewLine = true;
    }
  }
}

const escapeName = (name: string) => name.replaceAll('$', String.raw`\$`);

// Types that a union leaves out.
const neverType = 'never';
const unknownType = 'unknown';
const nullType = 'null';
const undefinedType = 'undefined';

function plain(type: string): string {
  if (type === unknownType) return 'Object';
  return type === neverType || type === nullType || type === undefinedType ? nothing : type;
}
