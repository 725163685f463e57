// Nodes of a DOM and elements of React as markup, in the lines that pretty-format gives them in a snapshot. As objects
// they would show a whole document, and hold each other without an end.

/** Shows a value that is in another one, at this indentation. */
export type ShowWithin = (value: unknown, indentation: string) => string;

/** Nodes of a DOM and elements of React. The other functions take what `is` says yes to. */
export interface Markup {
  is(value: unknown): value is object;
  print(value: object, show: ShowWithin, indentation?: string): string;
  inOneLine(value: object): string;
}

/** A value's markup. A child that is a text is shown as text. */
interface Tag {
  readonly name: string;
  readonly attributes: readonly (readonly [name: string, value: unknown])[];
  readonly children: readonly unknown[];
}

const reactElements = [
  Symbol.for('react.transitional.element'),
  Symbol.for('react.element'),
  Symbol.for('react.test.json'),
];
// What types of React are that are no functions, and what their names are made of.
const reactTypes: Readonly<Record<string, string>> = {
  'Symbol(react.fragment)': 'React.Fragment',
  'Symbol(react.suspense)': 'React.Suspense',
  'Symbol(react.context)': 'Context.Provider',
  'Symbol(react.provider)': 'Context.Provider',
  'Symbol(react.consumer)': 'Context.Consumer',
};

const maxLine = 200;

/** Returns the functions of the part. */
export function addMarkup(): Markup {
  const escape = (text: string) => text.replace(/</g, '&lt;').replace(/>/g, '&gt;');
  const nameOf = (value) => String(value.constructor?.name);

  /** What isn't a node, though a program may have given it a field of that name, is none. */
  function nodeKind(value): number {
    const kind = value.nodeType;
    if (typeof kind !== 'number') return 0;
    const name = nameOf(value);
    const isElement =
      /^(?:(?:HTML|SVG)\w*)?Element$/.test(name) || String(value.tagName).includes('-');
    if (kind === 1 && isElement) return kind;
    const wanted = { 3: 'Text', 8: 'Comment', 9: 'Document', 11: 'DocumentFragment' }[kind];
    return wanted !== undefined && name.endsWith(wanted) ? kind : 0;
  }
  const isReact = (value) => reactElements.includes(value.$$typeof);
  const isList = (value) => /^(?:NodeList|HTML\w*Collection)$/.test(nameOf(value));

  const is = (value: unknown): value is object =>
    typeof value === 'object' &&
    value !== null &&
    (isReact(value) || nodeKind(value) > 0 || isList(value));

  function typeName(type): string {
    if (typeof type === 'string') return type;
    if (typeof type === 'function') return type.displayName || type.name || 'Unknown';
    if (typeof type !== 'object' || type === null) return reactTypes[String(type)] ?? 'UNDEFINED';
    const wrapped = String(type.$$typeof);
    if (type.displayName !== undefined && /forward_ref|memo/.test(wrapped)) return type.displayName;
    const inner = type.render ?? type.type;
    const name = inner?.displayName || inner?.name || '';
    if (/forward_ref/.test(wrapped)) return name === '' ? 'ForwardRef' : 'ForwardRef(' + name + ')';
    if (/memo/.test(wrapped)) return name === '' ? 'Memo' : 'Memo(' + name + ')';
    return reactTypes[wrapped] ?? 'UNDEFINED';
  }

  function tagOf(value): Tag {
    if (isReact(value)) {
      const props = value.props ?? {};
      const names = Object.keys(props).filter(
        (name) => name !== 'children' && props[name] !== undefined,
      );
      return {
        name: typeName(value.type),
        attributes: names.sort().map((name) => [name, props[name]]),
        // What was rendered has its children beside its props.
        children: shownChildren('children' in value ? value.children : props.children),
      };
    }
    const children = Array.from(value.childNodes as ArrayLike<{ data: string }>, (child) =>
      nodeKind(child) === 3 ? child.data : child,
    );
    if (nodeKind(value) !== 1) return { name: nameOf(value), attributes: [], children };
    const attributes = Array.from(
      value.attributes as ArrayLike<{ name: string; value: string }>,
      ({ name, value: text }) => [name, text] as const,
    );
    const name = String(value.tagName).toLowerCase();
    return { name, attributes: attributes.sort(([a], [b]) => (a < b ? -1 : 1)), children };
  }
  function shownChildren(children: unknown): unknown[] {
    if (Array.isArray(children)) return children.flatMap(shownChildren);
    return children === undefined || children === null || children === false || children === ''
      ? []
      : [children];
  }

  function print(value: object, show: ShowWithin, indentation = ''): string {
    if (isList(value)) return printList(value as ArrayLike<unknown>, show, indentation);
    if (nodeKind(value) === 3) return escape((value as { data: string }).data);
    if (nodeKind(value) === 8) return '<!--' + escape((value as { data: string }).data) + '-->';
    const { name, attributes, children } = tagOf(value);
    const at = indentation + '  ';
    const line = '\n' + at;
    const set = attributes.map(([key, given]) => {
      if (typeof given === 'string') return line + key + '="' + given + '"';
      const shown = show(given, at + '  ');
      const isLong = shown.includes('\n');
      return line + key + '={' + (isLong ? line + '  ' + shown + line : shown) + '}';
    });
    const inner = children.map(
      (child) => line + (typeof child === 'string' ? escape(child) : show(child, at)),
    );
    const head = '<' + name + set.join('') + (set.length > 0 ? '\n' + indentation : '');
    return inner.length > 0
      ? head + '>' + inner.join('') + '\n' + indentation + '</' + name + '>'
      : head + (set.length > 0 ? '' : ' ') + '/>';
  }
  function printList(list: ArrayLike<unknown>, show: ShowWithin, indentation: string): string {
    const at = indentation + '  ';
    const items = Array.from(list, (item) => at + show(item, at) + ',\n');
    return (
      nameOf(list) + ' [' + (items.length > 0 ? '\n' + items.join('') + indentation : '') + ']'
    );
  }

  function inOneLine(value: object): string {
    if (isList(value)) {
      const items = Array.from(value as ArrayLike<object>, inOneLine);
      return cut(nameOf(value) + ' [' + items.join(', ') + ']');
    }
    const { outerHTML } = value as { outerHTML?: unknown };
    if (typeof outerHTML === 'string') return cut(outerHTML);
    const show: ShowWithin = (inner) =>
      is(inner)
        ? print(inner, show)
        : typeof inner === 'string'
          ? '"' + inner + '"'
          : String(inner);
    return cut(
      print(value, show)
        .replace(/\n\s*(?=\/?>)/g, '')
        .replace(/\n\s*/g, ' '),
    );
  }
  const cut = (text: string) => (text.length > maxLine ? text.slice(0, maxLine) + '…' : text);

  return { is, print, inOneLine };
}
