// Shows the page as a person sees it who has chosen dark, or light. A page can't set that choice, so what asks for it
// is answered here: media rules, `matchMedia`, and `color-scheme`.
import type { PreviewColorScheme } from '../../../../../core/host-ports/preview.ts';
import { listRoots } from './roots.ts';

export interface ColorScheme {
  /** Undefined: the browser's own. */
  set(scheme: PreviewColorScheme | undefined): void;
  /** For sheets that have come since. */
  apply(): void;
}

const asked = /\(\s*prefers-color-scheme\s*(?::\s*(\w+)\s*)?\)/gi;
const [always, never] = ['(min-width: 0px)', '(max-width: -1px)'];

export function createColorScheme(first: PreviewColorScheme | undefined): ColorScheme {
  let scheme = first;
  const native = window.matchMedia.bind(window);
  const changes = new EventTarget();
  /** The query of each list of media as the page has written it. */
  const written = new WeakMap<MediaList, string>();
  const root = new CSSStyleSheet();
  const answer = (query: string) =>
    scheme === undefined
      ? query
      : query.replaceAll(asked, (_all, wanted?: string) =>
          wanted === undefined || wanted.toLowerCase() === scheme ? always : never,
        );

  window.matchMedia = (query) =>
    String(query).search(asked) < 0 ? native(query) : createList(String(query));

  /** As the browser's, but it also hears of the choice. */
  function createList(query: string): MediaQueryList {
    const own = native(query);
    const matches = () => native(answer(query)).matches;
    let last = matches();
    const list = Object.assign(new EventTarget(), {
      media: own.media,
    }) as unknown as MediaQueryList;
    const look = () => {
      const now = matches();
      if (now === last) return;
      last = now;
      const event = new MediaQueryListEvent('change', { media: own.media, matches: now });
      list.onchange?.(event);
      list.dispatchEvent(event);
    };
    Object.defineProperty(list, 'matches', { get: matches });
    list.addListener = (listener) =>
      listener && list.addEventListener('change', listener as EventListener);
    list.removeListener = (listener) =>
      listener && list.removeEventListener('change', listener as EventListener);
    own.addEventListener('change', look);
    changes.addEventListener('change', look);
    return list;
  }

  function applyTo(media: MediaList): void {
    const query = written.get(media) ?? media.mediaText;
    if (query.search(asked) < 0) return;
    written.set(media, query);
    const text = answer(query);
    if (media.mediaText !== text) media.mediaText = text;
  }

  function applyRules(rules: CSSRuleList): void {
    for (const rule of rules) {
      if (rule instanceof CSSMediaRule) applyTo(rule.media);
      if ('cssRules' in rule) applyRules(rule.cssRules as CSSRuleList);
    }
  }

  function apply(): void {
    for (const { styleSheets, adoptedStyleSheets } of listRoots()) {
      for (const sheet of [...styleSheets, ...adoptedStyleSheets]) {
        applyTo(sheet.media);
        applyRules(sheet.cssRules);
      }
    }
    const others = document.adoptedStyleSheets.filter((sheet) => sheet !== root);
    const isGiven = others.length < document.adoptedStyleSheets.length;
    if (isGiven) document.adoptedStyleSheets = others;
    if (scheme === undefined || !isSupported(scheme)) return;
    root.replaceSync(`:root { color-scheme: ${scheme} !important }`);
    document.adoptedStyleSheets = [...others, root];
  }

  const colors: ColorScheme = {
    set(next) {
      scheme = next;
      apply();
      changes.dispatchEvent(new Event('change'));
    },
    apply() {
      if (scheme !== undefined) apply();
    },
  };
  // Before the app's own code can look.
  for (const name of ['DOMContentLoaded', 'load'])
    window.addEventListener(name, colors.apply, true);
  return colors;
}

/** True if the page says that it can be shown so. */
function isSupported(scheme: PreviewColorScheme): boolean {
  const said = document.querySelector<HTMLMetaElement>('meta[name="color-scheme"]')?.content ?? '';
  const { colorScheme } = getComputedStyle(document.documentElement);
  return (colorScheme === 'normal' ? said : colorScheme).includes(scheme);
}
