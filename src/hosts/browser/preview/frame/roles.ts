// The role and name of an element, as far as a reader of the tree needs them. Explicit attributes
// have priority over the tag. Implements the common part of HTML-AAM and of the accessible name
// computation.

const byTag: Readonly<Record<string, string>> = {
  article: 'article',
  aside: 'complementary',
  button: 'button',
  dialog: 'dialog',
  fieldset: 'group',
  figure: 'figure',
  footer: 'contentinfo',
  form: 'form',
  h1: 'heading',
  h2: 'heading',
  h3: 'heading',
  h4: 'heading',
  h5: 'heading',
  h6: 'heading',
  header: 'banner',
  hr: 'separator',
  iframe: 'iframe',
  img: 'img',
  li: 'listitem',
  main: 'main',
  meter: 'meter',
  nav: 'navigation',
  ol: 'list',
  option: 'option',
  p: 'paragraph',
  progress: 'progressbar',
  summary: 'button',
  svg: 'img',
  canvas: 'canvas',
  table: 'table',
  td: 'cell',
  textarea: 'textbox',
  th: 'columnheader',
  tr: 'row',
  ul: 'list',
};

const byInputType: Readonly<Record<string, string>> = {
  button: 'button',
  checkbox: 'checkbox',
  file: 'file',
  image: 'button',
  number: 'spinbutton',
  radio: 'radio',
  range: 'slider',
  reset: 'button',
  search: 'searchbox',
  submit: 'button',
};

/** Roles whose name comes from the content. */
export const namedByContent: ReadonlySet<string> = new Set([
  ...['button', 'checkbox', 'heading', 'link', 'menuitem', 'option', 'radio', 'switch', 'tab'],
  ...['treeitem', 'tooltip'],
]);

/** Roles of interactive elements. */
export const actedOn: ReadonlySet<string> = new Set([
  ...['button', 'checkbox', 'combobox', 'file', 'link', 'listbox', 'menuitem', 'option', 'radio'],
  ...['searchbox', 'slider', 'spinbutton', 'switch', 'tab', 'textbox', 'treeitem'],
]);

/** Undefined if the element itself isn't relevant; its content takes its place. */
export function roleOf(element: Element): string | undefined {
  const [said] = (element.getAttribute('role') ?? '').split(/\s+/);
  if (said === 'presentation' || said === 'none') return undefined;
  if (said) return said;
  const tag = element.localName;
  if (element instanceof HTMLInputElement) return byInputType[element.type] ?? 'textbox';
  if (element instanceof HTMLSelectElement) return element.multiple ? 'listbox' : 'combobox';
  if (tag === 'a') return element.hasAttribute('href') ? 'link' : undefined;
  if (tag === 'img' && element.getAttribute('alt') === '') return undefined;
  if (tag === 'section') return element.hasAttribute('aria-label') ? 'region' : undefined;
  if (element instanceof HTMLElement && element.contentEditable === 'true') return 'textbox';
  return byTag[tag];
}

/** An empty string if it has no name. */
export function nameOf(element: Element, role: string | undefined): string {
  const ids = element.getAttribute('aria-labelledby')?.split(/\s+/) ?? [];
  const labelled = ids.map((id) => document.getElementById(id)?.textContent ?? '').join(' ');
  const isButton = element instanceof HTMLInputElement && role === 'button';
  const labels = 'labels' in element ? (element.labels as NodeListOf<HTMLElement> | null) : null;
  const candidates = [
    labelled,
    element.getAttribute('aria-label'),
    [...(labels ?? [])].map(labelTextOf).join(' '),
    element.getAttribute('alt'),
    isButton ? element.value || element.type : '',
    role !== undefined && namedByContent.has(role) ? contentOf(element) : '',
    element.querySelector(':scope > title')?.textContent,
    element.getAttribute('title'),
    element.getAttribute('placeholder'),
  ];
  return clean(candidates.find((candidate) => clean(candidate ?? '') !== '') ?? '');
}

/** Without the fields in it, such as the options of a list. */
function labelTextOf(node: Node): string {
  if (!(node instanceof Element)) return node.textContent ?? '';
  if (node.matches('input, select, textarea, script, style')) return '';
  return [...node.childNodes].map(labelTextOf).join(node.childElementCount > 0 ? ' ' : '');
}

function contentOf(element: Element): string {
  const pictures = [...element.querySelectorAll('img[alt]')];
  const shown = element instanceof HTMLElement ? element.innerText : element.textContent;
  return [shown ?? '', ...pictures.map((picture) => picture.getAttribute('alt') ?? '')].join(' ');
}

// 300: a longer name or text is an article, and is truncated.
const maxChars = 300;

/** Returns the text in one line. */
export function clean(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

export function shorten(line: string): string {
  return line.length > maxChars ? `${line.slice(0, maxChars)}…` : line;
}
