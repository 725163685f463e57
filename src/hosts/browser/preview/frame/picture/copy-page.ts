// Copies a page's elements as they are shown: with what is typed, chosen, drawn and scrolled. The
// copy is in a document of its own, so nothing in it runs, loads or is seen by the page.
import type { FramePicture } from '../messages.ts';
import { copyStyles } from './copy-styles.ts';
import { findStuck, type Shift } from './find-stuck.ts';
import { heldAttribute, holdValues } from './hold-values.ts';
import { findScroll, isPlacedInScrolled, writePull } from './scrolled.ts';
import { hostAttribute, statesOf, treeAttribute } from './selectors.ts';

export interface PageCopy {
  readonly html: Element;
  readonly styles: string;
  /** What a modal dialog or popover lies on. */
  readonly backdrops: readonly string[];
  readonly missing: FramePicture['missing'];
}

/** Elements that stay where they are, for selectors that count, and are empty. */
const emptied = new Set(['script', 'style', 'noscript', 'template', 'head', 'audio']);
const framed = new Set(['iframe', 'object', 'embed']);
// 2 147 480 000: near the largest z-index.
const topLayer = 2_147_480_000;
export const fixedAttribute = 'data-shot-fixed';
const pulledAttribute = 'data-shot-pulled';

/** The part of the page that is drawn, where it is on the screen. */
export interface Region {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** All of the page is meant. */
  readonly isWhole: boolean;
}

/** Nothing of the page changes by it. */
export function copyPage(region: Region): PageCopy {
  const inert = document.implementation.createHTMLDocument('');
  const numbersOfTrees = new Map<ShadowRoot, number>();
  const treeStyles = new Map<string, number>();
  const elements = listElements(document);
  const stuck = findStuck(elements, region.isWhole);
  const { numbers, rules: held } = holdValues([document, ...listRoots(elements)]);
  const treeRules: string[] = [];
  const pulled: string[] = [];
  const backdrops: string[] = [];
  const missing = { videos: 0, frames: 0, canvases: 0 };

  /** Trees with equal styles share one number. */
  function numberOf(root: ShadowRoot): number {
    let tree = numbersOfTrees.get(root);
    if (tree === undefined) {
      const text = copyStyles(root, 'all');
      tree = treeStyles.get(text) ?? treeStyles.size;
      if (!treeStyles.has(text)) {
        treeStyles.set(text, tree);
        treeRules.unshift(`@layer { ${copyStyles(root, { tree })} }`);
      }
      numbersOfTrees.set(root, tree);
    }
    return tree;
  }

  /** True if the picture would show it. */
  function isIn(element: Element): boolean {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    const isAcross = right > region.x && left < region.x + region.width;
    const isDown = bottom > region.y && top < region.y + region.height;
    return isAcross && isDown && element.checkVisibility();
  }

  function copyNode(node: Node): Node | undefined {
    if (node instanceof Text) return inert.createTextNode(node.data);
    return node instanceof Element ? copyElement(node) : undefined;
  }

  function copyElement(element: Element): Element {
    const copy = drawn(element) ?? importElement(element);
    cleanAttributes(copy);
    for (const state of statesOf(element)) copy.setAttribute(state, '');
    const root = element.getRootNode();
    if (root instanceof ShadowRoot) copy.setAttribute(treeAttribute, String(numberOf(root)));
    if (element.shadowRoot) copy.setAttribute(hostAttribute, String(numberOf(element.shadowRoot)));
    const number = numbers.get(element);
    if (number !== undefined) copy.setAttribute(heldAttribute, String(number));
    copyField(element, copy);
    if (framed.has(element.localName) && isIn(element)) missing.frames += 1;
    if (isStyled(copy) && isStyled(element)) place(element, copy);
    if (!emptied.has(element.localName) && !framed.has(element.localName)) {
      const pull = writePull(element);
      const scroll = pull === undefined ? findScroll(element) : undefined;
      if (pull !== undefined) {
        copy.setAttribute(pulledAttribute, String(pulled.length));
        pulled.push(`[${pulledAttribute}="${pulled.length}"]::before { ${pull} }`);
      }
      const children = element instanceof HTMLTextAreaElement ? [] : childrenOf(element);
      for (const child of children) {
        const made = copyNode(child);
        if (made) copy.append(scroll ? scrolled(child, made, scroll) : made);
      }
    }
    return copy;
  }

  function importElement(element: Element): Element {
    // Other names aren't allowed in XML.
    const isName = /^[\p{L}_][\p{L}\p{N}_.-]*$/u.test(element.localName);
    return isName ? inert.importNode(element, false) : inert.createElement('span');
  }

  /** A canvas without scripts is no picture, and a video is none at all. */
  function drawn(element: Element): HTMLElement | undefined {
    const isVideo = element instanceof HTMLVideoElement;
    if (!isVideo && !(element instanceof HTMLCanvasElement)) return undefined;
    const url = isVideo ? readVideo(element) : readCanvas(element);
    if (url === undefined && isIn(element)) {
      missing[isVideo ? 'videos' : 'canvases'] += 1;
    }
    const picture = inert.createElement('img');
    for (const { name, value } of element.attributes) {
      if (/^(?:id|class)$/.test(name)) picture.setAttribute(name, value);
    }
    picture.setAttribute('style', freeze(getComputedStyle(element)));
    picture.setAttribute(
      'src',
      url ?? 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==',
    );
    return picture;
  }

  function place(element: StyledElement, copy: StyledElement): void {
    const style = getComputedStyle(element);
    const set = (name: string, value: string) => copy.style.setProperty(name, value, 'important');
    const shift = stuck.get(element);
    if (shift) setShift(copy, shift);
    if (style.position === 'fixed' && element instanceof HTMLElement && !element.offsetParent) {
      copy.setAttribute(fixedAttribute, '');
    }
    if (isPlacedInScrolled(element)) {
      set('translate', `0 ${-(element.offsetParent?.scrollTop ?? 0)}px`);
    }
    if (scrollsWithoutBars(element, style)) set('scrollbar-width', 'none');
    // The browser's own ring isn't in a sheet.
    if (element.matches(':focus-visible')) {
      for (const part of ['style', 'width', 'color', 'offset']) {
        set(`outline-${part}`, style.getPropertyValue(`outline-${part}`));
      }
    }
    if (!element.matches(':modal') && !isOpenPopover(element)) return;
    const depth = topLayer + 2 * backdrops.length;
    const backdrop = getComputedStyle(element, '::backdrop');
    backdrops.push(`${freeze(backdrop)}; z-index: ${depth}`);
    copy.removeAttribute('popover');
    copy.setAttribute('style', freeze(style));
    set('z-index', String(depth + 1));
    copy.setAttribute(fixedAttribute, '');
  }

  function scrolled(node: Node, made: Node, { x, y }: Shift): Node {
    if (node instanceof Text) {
      const span = inert.createElement('span');
      span.append(made);
      setShift(span, { x: -x, y: -y });
      return span;
    }
    if (!(node instanceof Element) || !(made instanceof Element) || !isStyled(made)) return made;
    const { display, position } = getComputedStyle(node);
    if (made.hasAttribute(fixedAttribute)) return made;
    if (display === 'contents') {
      for (const [at, child] of [...childrenOf(node)].entries()) {
        const inside = made.childNodes[at];
        if (inside instanceof Element) scrolled(child, inside, { x, y });
      }
    } else if (display === 'inline' && position === 'static') setShift(made, { x: -x, y: -y });
    else made.style.setProperty('translate', `${-x}px ${-y}px`, 'important');
    return made;
  }

  const html = copyElement(document.documentElement);
  const own = copyStyles(document, numbersOfTrees.size === 0 ? 'all' : 'document');
  // What a tree says of its host gives way to what is said around it. So do layers, the first ones most.
  const trees = `@layer data-shot { ${treeRules.join('\n')} }`;
  return { html, styles: [trees, own, ...held, ...pulled].join('\n'), backdrops, missing };
}

type StyledElement = HTMLElement | SVGElement;

/** Also of an element of the copy: it is made in the same realm. */
function isStyled(element: Element): element is StyledElement {
  return element instanceof HTMLElement || element instanceof SVGElement;
}

function childrenOf(element: Element): Iterable<Node> {
  if (element.shadowRoot) return element.shadowRoot.childNodes;
  const assigned = element instanceof HTMLSlotElement ? element.assignedNodes() : [];
  return assigned.length > 0 ? assigned : element.childNodes;
}

function listRoots(elements: readonly Element[]): readonly ShadowRoot[] {
  return elements.flatMap(({ shadowRoot }) => (shadowRoot ? [shadowRoot] : []));
}

/** With those in shadow trees. */
function listElements(root: ParentNode): readonly Element[] {
  return [...root.querySelectorAll('*')].flatMap((one) =>
    one.shadowRoot ? [one, ...listElements(one.shadowRoot)] : [one],
  );
}

/** The image is XML, which fewer names are allowed in. What loads later isn't loaded there. */
function cleanAttributes(copy: Element): void {
  for (const { name, namespaceURI } of [...copy.attributes]) {
    const isName = namespaceURI !== null || /^(?!xmlns$)[a-z_][\w.-]*$/i.test(name);
    if (!isName || /^(?:on.*|srcset|sizes|loading|autofocus|nonce)$/.test(name)) {
      copy.removeAttribute(name);
    }
  }
}

function copyField(element: Element, copy: Element): void {
  if (element instanceof HTMLInputElement) {
    if (element.type !== 'file') copy.setAttribute('value', element.value);
    copy.toggleAttribute('checked', element.checked);
  } else if (element instanceof HTMLTextAreaElement) {
    copy.append(element.value);
  } else if (element instanceof HTMLOptionElement) {
    copy.toggleAttribute('selected', element.selected);
  } else if (element instanceof HTMLImageElement && element.currentSrc !== '') {
    copy.setAttribute('src', element.currentSrc);
    copy.setAttribute('decoding', 'sync');
  }
}

function readCanvas(canvas: HTMLCanvasElement): string | undefined {
  if (canvas.width === 0 || canvas.height === 0) return undefined;
  const blank = document.createElement('canvas');
  blank.width = canvas.width;
  blank.height = canvas.height;
  try {
    const url = canvas.toDataURL();
    return url === blank.toDataURL() ? undefined : url;
  } catch {
    // It has an image that nobody may read.
    return undefined;
  }
}

function readVideo(video: HTMLVideoElement): string | undefined {
  const canvas = document.createElement('canvas');
  canvas.width = video.videoWidth;
  canvas.height = video.videoHeight;
  if (canvas.width === 0) return undefined;
  canvas.getContext('2d')?.drawImage(video, 0, 0);
  return readCanvas(canvas);
}

function freeze(style: CSSStyleDeclaration): string {
  return [...style].map((name) => `${name}: ${style.getPropertyValue(name)}`).join('; ');
}

/** Bars that take no room, as those of phones, would take some in the image. */
function scrollsWithoutBars(element: StyledElement, style: CSSStyleDeclaration): boolean {
  if (!(element instanceof HTMLElement) || !/auto|scroll/.test(style.overflow)) return false;
  const { offsetWidth, clientWidth, offsetHeight, clientHeight } = element;
  if (element.scrollWidth <= clientWidth && element.scrollHeight <= clientHeight) return false;
  const across = parseFloat(style.borderLeftWidth) + parseFloat(style.borderRightWidth);
  const down = parseFloat(style.borderTopWidth) + parseFloat(style.borderBottomWidth);
  return offsetWidth - clientWidth - across < 1 && offsetHeight - clientHeight - down < 1;
}

function setShift(copy: StyledElement, { x, y }: Shift): void {
  const place = { position: 'relative', inset: 'auto', left: `${x}px`, top: `${y}px` };
  for (const [name, value] of Object.entries(place)) {
    copy.style.setProperty(name, value, 'important');
  }
}

function isOpenPopover(element: Element): boolean {
  return element.hasAttribute('popover') && element.matches(':popover-open');
}
