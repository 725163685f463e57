// The HTML entities that models write in Markdown: those of its own characters, of spaces, dashes, arrows
// and the like, and all that are numbers. Others stay as they are written.

/** One entity, as it is searched for in a line. */
export const entity = /(&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z]{2,8}\d{0,2});)/;

const entities = new RegExp(entity, 'g');

const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  ensp: '\u2002',
  emsp: '\u2003',
  thinsp: '\u2009',
  shy: '\u00ad',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  laquo: '«',
  raquo: '»',
  bull: '•',
  middot: '·',
  larr: '←',
  uarr: '↑',
  rarr: '→',
  darr: '↓',
  harr: '↔',
  rArr: '⇒',
  hArr: '⇔',
  times: '×',
  divide: '÷',
  minus: '−',
  plusmn: '±',
  ne: '≠',
  le: '≤',
  ge: '≥',
  asymp: '≈',
  infin: '∞',
  frac12: '½',
  deg: '°',
  micro: 'µ',
  para: '¶',
  sect: '§',
  copy: '©',
  reg: '®',
  trade: '™',
  euro: '€',
  pound: '£',
  yen: '¥',
  cent: '¢',
  check: '✓',
};

/** The text with its entities as characters. Security: for text nodes and addresses, never for HTML. */
export function decodeEntities(text: string): string {
  return text.replaceAll(entities, (whole) => {
    const name = whole.slice(1, -1);
    if (name.startsWith('#')) return toCharacter(name.slice(1));
    return Object.hasOwn(named, name) ? (named[name] ?? whole) : whole;
  });
}

function toCharacter(digits: string): string {
  const code = Number(/^x/i.test(digits) ? `0${digits.toLowerCase()}` : digits);
  const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return String.fromCodePoint(isCharacter ? code : 0xfffd);
}
