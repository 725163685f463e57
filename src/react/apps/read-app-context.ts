// Reads the properties of the page that an app gets: its colours, fonts, display mode and language.
// Nothing in them identifies a person.
import type { AppContext } from './app-bridge.ts';

/** The protocol's names for the style variables of the views. */
const variables: Readonly<Record<string, string>> = {
  '--color-background-primary': '--rp-surface',
  '--color-background-secondary': '--rp-background',
  '--color-background-tertiary': '--rp-sunken',
  '--color-text-primary': '--rp-text',
  '--color-text-secondary': '--rp-muted',
  '--color-text-danger': '--rp-danger',
  '--color-text-success': '--rp-success',
  '--color-text-warning': '--rp-warning',
  '--color-border-primary': '--rp-border-strong',
  '--color-border-secondary': '--rp-border',
  '--color-ring-primary': '--rp-focus',
  '--font-sans': '--rp-font',
  '--font-mono': '--rp-mono',
};

const darkScheme = '(prefers-color-scheme: dark)';

/** Reads the present context of the element. */
export function readAppContext(element: Element, isWide: boolean): AppContext {
  const styles = getComputedStyle(element);
  // A page may declare its schemes in a `<meta>`, which leaves the property `normal`. Without either it is light.
  const declared = document.querySelector<HTMLMetaElement>('meta[name="color-scheme"]')?.content;
  const schemes = styles.colorScheme === 'normal' ? (declared ?? '') : styles.colorScheme;
  const isEither = schemes.includes('light') && schemes.includes('dark');
  const isDark = isEither ? matchMedia(darkScheme).matches : schemes.includes('dark');
  const values = Object.entries(variables).map(([name, ours]) => [
    name,
    styles.getPropertyValue(ours).trim(),
  ]);
  return {
    theme: isDark ? 'dark' : 'light',
    displayMode: isWide ? 'fullscreen' : 'inline',
    styles: { variables: Object.fromEntries(values.filter(([, value]) => value !== '')) },
    locale: document.documentElement.lang || navigator.language,
  };
}

/** Calls the listener when the colours may have changed, until the returned function is called. */
export function onThemeChange(listener: () => void): () => void {
  const system = matchMedia(darkScheme);
  system.addEventListener('change', listener);
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return () => {
    system.removeEventListener('change', listener);
    observer.disconnect();
  };
}
