// The few choices that outlive the page, in localStorage. Where storage is blocked they are simply
// not remembered: nothing that the page does depends on them.

export type SettingName =
  | 'theme'
  | 'project'
  | 'model'
  | 'permission-mode'
  | 'git-author'
  | 'begins-in'
  | 'instructions'
  | 'trusted-files';

const prefix = 'rockpool-demo:';

/** The stored JSON value; undefined where there is none, or it can't be read. */
export function readSetting(name: SettingName): unknown {
  try {
    const text = localStorage.getItem(prefix + name);
    return text === null ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}

/** Stores a JSON value; undefined removes it. False where it isn't kept. */
export function writeSetting(name: SettingName, value: unknown): boolean {
  try {
    if (value === undefined) localStorage.removeItem(prefix + name);
    else localStorage.setItem(prefix + name, JSON.stringify(value));
    return true;
  } catch {
    // Blocked or full: see above.
    return false;
  }
}

/** Calls back when another tab has changed it. Dispose it. */
export function onSettingChanged(name: SettingName, listener: () => void): Disposable {
  const hear = ({ key }: StorageEvent) => {
    if (key === prefix + name) listener();
  };
  window.addEventListener('storage', hear);
  return { [Symbol.dispose]: () => window.removeEventListener('storage', hear) };
}
